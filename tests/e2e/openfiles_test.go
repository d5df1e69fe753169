//go:build unix

package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestOpenFilesRunOutWithoutHarm verifies that a process that may open few files serves
// others while a client keeps more connections than that: it ended at the first
// connection that it could not accept.
func TestOpenFilesRunOutWithoutHarm(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no shell to lower the limit of open files")
	}
	address := fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))
	program := testkit.Binary(t, "services/standalone/cmd/ecf")
	proc := testkit.Process(t, shell, []string{"-c", `ulimit -n 64 && exec "$0" serve`, program}, []string{
		"ECF_ADDR=" + address, "ECF_DATA_DIR=" + t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password, "ECF_ISSUER=http://" + address,
	})
	proc.WaitHTTP("http://" + address + "/api/v2/health/ready")
	s := &system{url: "http://" + address}
	user := s.as(t, "user@demo.test")
	var open []net.Conn
	for i := range 200 {
		from := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, 1)}, Timeout: 20 * time.Second}
		c, err := from.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatalf("connection %d: %v\n%s", i, err, proc.Output())
		}
		open = append(open, c)
		_, _ = io.WriteString(c, "GET /api/v2/health HTTP/1.1\r\nHost: x\r\nX-Slow: ") // a header that does not end
	}
	for range 5 {
		user.post("/events", map[string]any{"title": "Beside", "country": "GB", "startDate": "2026-09-01", "endDate": "2026-09-02", "attendees": 12}).want(http.StatusForbidden)
		user.get("/events").want(http.StatusOK)
	}
	proc.WaitLine("the limit of open files allows few connections")
	for _, c := range open {
		_ = c.Close()
	}
	if err := proc.Stop(); err != nil {
		t.Errorf("the process did not stop cleanly: %v\n%s", err, proc.Output())
	}
}
