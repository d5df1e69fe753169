//go:build linux

package gateway

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
)

const (
	// memoryLimit is the GOMEMLIMIT in the gateway's manifest, and residentLimit the memory
	// that a flood may use of the container's 256 MiB.
	memoryLimit   = "230MiB"
	residentLimit = 200 << 20
)

// flooded is a gateway in a process of its own.
type flooded struct {
	url     string
	process *testkit.Proc
}

func startFlooded(t *testing.T) *flooded {
	t.Helper()
	// The race detector would multiply the memory of the program.
	binary := testkit.BinaryWithoutRace(t, "services/gateway/cmd/gateway")
	redis, _ := testkit.Redis(t)
	env := []string{"ECF_REDIS_URL=" + redis, "ECF_AUTH_RATE_LIMIT=10000/1m", "GOMEMLIMIT=" + memoryLimit}
	for _, who := range api.Backends() {
		ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := &fasthttp.Server{Handler: (&stub{}).serve, Logger: quiet{}}
		go func() { _ = server.Serve(ln) }()
		t.Cleanup(func() { _ = ln.Close() })
		env = append(env, fmt.Sprintf("ECF_%s_URL=http://%s", strings.ToUpper(string(who)), ln.Addr()))
	}
	f := &flooded{url: fmt.Sprintf("http://127.0.0.1:%d", testkit.FreePort(t))}
	f.process = testkit.Process(t, binary, nil, append(env, "ECF_ADDR="+strings.TrimPrefix(f.url, "http://")))
	f.process.WaitHTTP(f.url + "/health/ready")
	return f
}

// resident returns the peak resident memory of the process, in bytes.
func (f *flooded) resident(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", f.process.PID()))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	text, _, _ := strings.Cut(after, "kB")
	kib, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

// dialFrom connects from one of the loopback addresses.
func (f *flooded) dialFrom(t *testing.T, address string) (net.Conn, error) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: 20 * time.Second}
	return d.DialContext(t.Context(), "tcp", strings.TrimPrefix(f.url, "http://"))
}

// serves verifies that a client at another address can still sign in.
func (f *flooded) serves(t *testing.T) {
	t.Helper()
	transport := &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP("127.9.9.9")}}).DialContext}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 30 * time.Second}
	for range 20 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, f.url+"/api/v2/auth/login", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusOK {
			t.Fatalf("a sign-in during the flood: %d", res.StatusCode)
		}
	}
}

// TestAnonymousBodiesDoNotFillTheMemory verifies that 1,000 connections without a token that
// announce 16 MiB each do not exhaust the memory. Each sends 128 KiB, 512 KiB in the full test,
// or ECF_FLOOD_BYTES.
func TestAnonymousBodiesDoNotFillTheMemory(t *testing.T) {
	each := 128 << 10
	if testkit.Long(t) {
		each = 512 << 10
	}
	if text := os.Getenv("ECF_FLOOD_BYTES"); text != "" {
		var err error
		if each, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	f := startFlooded(t)
	before := f.resident(t)
	const connections = 1000
	piece := []byte(strings.Repeat("x", 32<<10))
	var open sync.WaitGroup
	end := make(chan struct{})
	for i := range connections {
		conn, err := f.dialFrom(t, fmt.Sprintf("127.0.%d.1", 1+i%4))
		if err != nil {
			t.Fatal(err)
		}
		open.Go(func() {
			defer func() { _ = conn.Close() }()
			_ = conn.SetWriteDeadline(time.Now().Add(30 * time.Second))
			if _, err := conn.Write([]byte(announce("", 16<<20-1024))); err != nil {
				return
			}
			for sent := 0; sent < each; sent += len(piece) {
				if _, err := conn.Write(piece); err != nil {
					break // rejected; the rest is not read
				}
			}
			<-end
		})
	}
	f.serves(t)
	close(end)
	open.Wait()
	if after := f.resident(t); after > residentLimit {
		t.Errorf("the gateway grew from %d to %d MiB, more than %d", before>>20, after>>20, residentLimit>>20)
	} else {
		t.Logf("the gateway grew from %d to %d MiB", before>>20, after>>20)
	}
}

// TestIdleConnectionsDoNotFillTheMemory verifies the memory of 9,000 connections, or as many as
// this process may open, that are silent, have sent part of a header or of a body, or are idle
// after a response.
func TestIdleConnectionsDoNotFillTheMemory(t *testing.T) {
	connections := 9000
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && int(limit.Cur)-500 < connections { //nolint:gosec // a limit of files
		connections = int(limit.Cur) - 500 //nolint:gosec // as above
	}
	for name, c := range map[string]struct {
		send     string
		answered bool
		limit    int // residentLimit if zero
	}{
		"nothing":               {},
		"a part of a header":    {send: "GET /api/v2/events HTTP/1.1\r\nHost: x\r\nX-Slow: "},
		"a part of a body":      {send: "POST /api/v2/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n{", limit: 240 << 20},
		"one request, answered": {send: "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", answered: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := startFlooded(t)
			before := f.resident(t)
			for i := range connections {
				conn, err := f.dialFrom(t, fmt.Sprintf("127.0.%d.1", 1+i%20))
				if err != nil {
					t.Fatal(err)
				}
				defer func() { _ = conn.Close() }()
				if _, err := conn.Write([]byte(c.send)); err != nil {
					t.Fatal(err)
				}
				if !c.answered {
					continue
				}
				if n, err := conn.Read(make([]byte, 4096)); n == 0 {
					t.Fatal(err)
				}
			}
			f.serves(t)
			after, limit := f.resident(t), max(c.limit, residentLimit)
			if after > limit {
				t.Errorf("%d connections: the gateway grew from %d to %d MiB, more than %d", connections, before>>20, after>>20, limit>>20)
			} else {
				t.Logf("%d connections: the gateway grew from %d to %d MiB", connections, before>>20, after>>20)
			}
		})
	}
}
