package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
)

const importPath = "/api/v2/events/aaaaaaaaaaaaaaaaaaaaaaaaaa/flights/import"

// dial opens a raw connection to a gateway.
func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return conn
}

func announce(token string, size int) string {
	head := "POST " + importPath + " HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\n" + fmt.Sprintf("Content-Length: %d\r\n", size)
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	return head + "\r\n"
}

// TestRefusedBeforeTheBody: a caller without a valid token is answered when
// little more than the header is in, and the connection is closed.
func TestRefusedBeforeTheBody(t *testing.T) {
	t.Parallel()
	s := start(t)
	for name, c := range map[string]struct {
		token string
		size  int
		want  int
	}{
		"without a token":     {"", 16 << 20, http.StatusUnauthorized},
		"with a forged token": {"forged", 16 << 20, http.StatusUnauthorized},
		"too large":           {alice, 16<<20 + 1, http.StatusRequestEntityTooLarge},
	} {
		conn := dial(t, s.url)
		if _, err := io.WriteString(conn, announce(c.token, c.size)+strings.Repeat("x", 64<<10)); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(conn)
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
		if res.StatusCode != c.want || !res.Close {
			t.Errorf("%s: %d, closes %t; want %d and the end of the connection", name, res.StatusCode, res.Close, c.want)
		}
		// What is left of the body must not be read as a request.
		_, _ = io.WriteString(conn, "GET /api/v2/health HTTP/1.1\r\nHost: x\r\n\r\n")
		if rest, _ := io.ReadAll(r); len(rest) > 0 {
			t.Errorf("%s: the connection went on: %q", name, rest)
		}
	}
	if n := s.services[api.Records].count(); n != 0 {
		t.Errorf("records was asked %d times", n)
	}
}

func TestBodyLimits(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, c := range []struct {
		path, token string
		size        int
		want        int
	}{
		{"/api/v2/auth/login", "", 64 << 10, 200},
		{"/api/v2/auth/login", "", 64<<10 + 1, 413},
		{"/api/v2/auth/login", alice, 64<<10 + 1, 413}, // needs no token, so none raises the limit
		{"/api/v2/events", alice, 1 << 20, 200},
		{"/api/v2/events", alice, 1<<20 + 1, 413},
		{"/api/v2/events", "", 10, 401},
		{importPath, alice, 3 << 20, 200},
		{"/api/v2/nothing", alice, 3 << 20, 404},
		{"/api/v2/nothing", "", 3 << 20, 401},
	} {
		for _, chunked := range []bool{false, true} {
			var body io.Reader = strings.NewReader(strings.Repeat("x", c.size))
			if chunked {
				body = struct{ io.Reader }{body} // of unknown length
			}
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+c.path, body)
			if err != nil {
				t.Fatal(err)
			}
			if c.token != "" {
				req.Header.Set("Authorization", "Bearer "+c.token)
			}
			req.Header.Set("Content-Type", "application/json")
			transport := &http.Transport{}
			res, err := transport.RoundTrip(req)
			if err != nil {
				t.Errorf("%s with %d bytes, chunked %t: %v", c.path, c.size, chunked, err)
				continue
			}
			_ = res.Body.Close()
			transport.CloseIdleConnections()
			if res.StatusCode != c.want {
				t.Errorf("%s with %d bytes, chunked %t: %d, want %d", c.path, c.size, chunked, res.StatusCode, c.want)
			}
		}
	}
}

// TestStreamedImport: an import reaches the service as it was sent, on a
// connection that goes on afterwards; the service sees it begin before it ends.
func TestStreamedImport(t *testing.T) {
	t.Parallel()
	s := start(t)
	var got []byte
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) {
		got = bytes.Clone(ctx.Request.Body())
		ctx.SetStatusCode(http.StatusAccepted)
	})
	file := bytes.Repeat([]byte("0123456789abcdef"), 100_000) // 1.6 MB
	conn := dial(t, s.url)
	r := bufio.NewReader(conn)
	for range 2 {
		if _, err := io.WriteString(conn, announce(alice, len(file))); err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(file); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != http.StatusAccepted || res.Close || !bytes.Equal(got, file) {
			t.Fatalf("%d, closes %t, %d bytes of %d", res.StatusCode, res.Close, len(got), len(file))
		}
	}
}

func TestByteBudget(t *testing.T) {
	t.Parallel()
	b := newByteBudget(100, 60)
	for i, step := range []struct {
		who  string
		n    int
		want bool
	}{
		{"a", 40, true}, {"a", 21, false}, {"a", 20, true}, {"b", 41, false}, {"b", 40, true}, {"c", 1, false},
		{"a", -40, true}, {"c", 40, true}, {"a", -20, true}, {"b", -40, true}, {"c", -40, true},
	} {
		if step.n < 0 {
			b.put(step.who, -step.n)
			continue
		}
		if got := b.take(step.who, step.n); got != step.want {
			t.Errorf("step %d: %s takes %d: %t, want %t", i, step.who, step.n, got, step.want)
		}
	}
	if b.used != 0 || len(b.by) != 0 {
		t.Errorf("%d bytes of %v are never returned", b.used, b.by)
	}
}

func TestLimitedBody(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]error{0: nil, 9: nil, 10: nil, 11: errBodyTooLarge, 1000: errBodyTooLarge} {
		text, err := io.ReadAll(&limitedBody{r: strings.NewReader(strings.Repeat("x", size)), left: 10})
		if !errors.Is(err, want) || len(text) > 10 {
			t.Errorf("%d bytes: read %d, %v; want %v", size, len(text), err, want)
		}
	}
}

// TestConnectionsPerAddress: beyond the limit a connection is refused at once,
// and there is room again when one is closed. Trusted proxies are not counted.
func TestConnectionsPerAddress(t *testing.T) {
	t.Parallel()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &limitedListener{Listener: ln, perAddress: 2, total: 5, by: map[netip.Addr]int{}, trusted: []netip.Prefix{netip.MustParsePrefix("127.0.0.9/32")}}
	t.Cleanup(func() { _ = ln.Close() })
	accepted := make(chan net.Conn, 10)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	from := func(address string) net.Conn {
		t.Helper()
		conn, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}).DialContext(t.Context(), "tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		return conn
	}
	refused := func(conn net.Conn) {
		t.Helper()
		res, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if err != nil || res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") == "" || !strings.Contains(string(body), `"RATE_LIMITED"`) || !strings.HasSuffix(string(body), "}}") {
			t.Errorf("%d %s %v", res.StatusCode, body, err)
		}
	}
	from("127.0.0.1")
	first := <-accepted
	from("127.0.0.1")
	<-accepted
	refused(from("127.0.0.1"))
	_ = first.Close()
	_ = first.Close() // counted once
	from("127.0.0.1")
	<-accepted
	refused(from("127.0.0.1"))
	for range 3 {
		from("127.0.0.9")
		<-accepted
	}
	refused(from("127.0.0.2")) // the total
}
