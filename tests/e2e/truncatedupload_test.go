package e2e

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestATruncatedUploadImportsNothing: a client that goes in the middle of a file, such as a laptop that is closed, has not sent a
// file with fewer rows.
func TestATruncatedUploadImportsNothing(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	manager := s.manager(t)
	event := manager.post("/events", map[string]any{"title": "Truncated", "country": "GB"}).want(http.StatusCreated).str("_id")
	const rows = 20_000
	file := "treatment,weightKg\n" + strings.Repeat("landfill,1\n", rows)
	// Of a body in chunks the end of the connection may be that of a chunk.
	announced := func(sent int) string {
		return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(file), file[:sent])
	}
	chunked := func(sent int) string {
		return fmt.Sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", sent, file[:sent])
	}
	for name, body := range map[string]func(sent int) string{"announced": announced, "chunked": chunked} {
		for _, sent := range []int{100, 9_000, 30_000, len(file) / 2, len(file) - 1} {
			c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			_ = c.SetDeadline(time.Now().Add(20 * time.Second))
			_, _ = fmt.Fprintf(c, "POST /api/v2/events/%s/waste/import?partial=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: text/csv\r\n%s", event, manager.token, body(sent))
			_ = c.(*net.TCPConn).CloseWrite()
			if status, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.HasPrefix(status, "HTTP/1.1 400 ") {
				t.Errorf("%s, %d of %d bytes: %q, %v", name, sent, len(file), status, err)
			}
			_ = c.Close()
		}
	}
	if imports := manager.get("/events/" + event + "/imports").want(http.StatusOK); !strings.Contains(string(imports.body), `"items":[]`) {
		t.Errorf("imported: %.500s", imports.body)
	}
}
