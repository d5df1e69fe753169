package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/testkit"
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

// TestRefusedBeforeTheBody verifies that a caller without a valid token or session is answered
// after little more than the header, and the connection is closed.
func TestRefusedBeforeTheBody(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.sessions.set("s-carol", identity.State{})
	for name, c := range map[string]struct {
		token string
		size  int
		sent  int
		want  int
	}{
		"without a token":             {"", 16 << 20, 64 << 10, http.StatusUnauthorized},
		"with a forged token":         {"forged", 16 << 20, 64 << 10, http.StatusUnauthorized},
		"too large":                   {alice, 16<<20 + 1, 64 << 10, http.StatusRequestEntityTooLarge},
		"of a session that has ended": {carol, 16 << 20, 8 << 10, http.StatusUnauthorized},
	} {
		conn := dial(t, s.url)
		if _, err := io.WriteString(conn, announce(c.token, c.size)+strings.Repeat("x", c.sent)); err != nil {
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
		// The rest of the body must not be parsed as a request.
		_, _ = io.WriteString(conn, "GET /api/v2/health HTTP/1.1\r\nHost: x\r\n\r\n")
		if rest, _ := io.ReadAll(r); len(rest) > 0 {
			t.Errorf("%s: the connection went on: %q", name, rest)
		}
	}
	if n := s.services[api.Records].count(); n != 0 {
		t.Errorf("records was asked %d times", n)
	}
}

// TestNobodyIsAskedForABodyThatIsRefused verifies that a request with Expect: 100-continue gets
// either the usual error response or 100 Continue.
func TestNobodyIsAskedForABodyThatIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, c := range []struct {
		path, token string
		size        int
		want        int
		code        string
	}{
		{importPath, "", 16 << 20, http.StatusUnauthorized, "UNAUTHENTICATED"},
		{importPath, "forged", 16 << 20, http.StatusUnauthorized, "UNAUTHENTICATED"},
		{"/api/v2/auth/login", "", api.StrangersBody + 1, http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE"},
		{"/api/v2/auth/login", "", 10, http.StatusContinue, ""},
		{importPath, alice, 10, http.StatusContinue, ""},
		{importPath, alice, 16 << 20, http.StatusContinue, ""},
	} {
		conn := dial(t, s.url)
		head := strings.Replace(announce(c.token, c.size), importPath, c.path, 1)
		if _, err := io.WriteString(conn, strings.TrimSuffix(head, "\r\n")+"Expect: 100-continue\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(conn)
		res, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatalf("%s of %d bytes: %v", c.path, c.size, err)
		}
		if res.StatusCode != c.want {
			t.Errorf("%s of %d bytes, token %q: %d, want %d", c.path, c.size, c.token, res.StatusCode, c.want)
		}
		body, err := io.ReadAll(res.Body)
		_ = res.Body.Close()
		if c.want == http.StatusContinue {
			continue
		}
		if err != nil || !res.Close {
			t.Errorf("%s of %d bytes: the connection goes on: %t, %v", c.path, c.size, !res.Close, err)
		}
		if got := (answer{res.StatusCode, res.Header, string(body)}).code(t); got != c.code {
			t.Errorf("%s of %d bytes: %s, want %s", c.path, c.size, got, c.code)
		}
	}
	if n := s.services[api.Records].count() + s.services[api.Auth].count(); n != 0 {
		t.Errorf("services were asked %d times", n)
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
		{"/api/v2/auth/login", "", api.StrangersBody, 200},
		{"/api/v2/auth/login", "", api.StrangersBody + 1, 413},
		{"/api/v2/auth/login", alice, api.StrangersBody + 1, 413}, // needs no token, so none raises the limit
		{"/api/v2/events", alice, 1 << 20, 200},
		{"/api/v2/events", alice, 1<<20 + 1, 413},
		{"/api/v2/events", "", 10, 401},
		{importPath, alice, 3 << 20, 200},
		{importPath, alice, 16<<20 + 1, 413},
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

// TestStreamedImport verifies that an import is streamed to the service unchanged, over a
// connection that stays usable.
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

// answered reports whether there is anything to read on a connection.
func answered(t *testing.T, conn net.Conn) bool {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	_, err := conn.Read(make([]byte, 1))
	return !errors.Is(err, os.ErrDeadlineExceeded)
}

// TestImportsOfOneOrganization verifies that the uploads of one organization are limited, and
// do not block those of another (statement 29).
func TestImportsOfOneOrganization(t *testing.T) {
	t.Parallel()
	s := start(t, func(d *Deps) { d.WriteLimit = ratelimit.Rule{Limit: 100_000, Window: time.Minute} }) // it retries until it is rejected
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(http.StatusAccepted) })
	const largest = 16 << 20
	begin := func() net.Conn {
		conn := dial(t, s.url)
		// Chunked, so its length counts as the maximum.
		head := "POST " + importPath + " HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nTransfer-Encoding: chunked\r\nAuthorization: Bearer " + alice + "\r\n\r\n"
		if _, err := io.WriteString(conn, head+"8000\r\n"+strings.Repeat("x", 0x8000)+"\r\n"); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	begun := make([]net.Conn, streamsShare/largest)
	for i := range begun {
		begun[i] = begin()
	}
	small := func(token string) (status int, retry string) {
		got := s.do(request{method: "POST", path: importPath, token: token, body: strings.Repeat("x", 32<<10), header: map[string]string{"Content-Type": "text/csv"}})
		return got.status, got.header.Get("Retry-After")
	}
	testkit.Eventually(t, 10*time.Second, func() error {
		status, retry := small(alice)
		if status != http.StatusServiceUnavailable || retry == "" {
			for i, conn := range begun { // the small one may have been first, and kept one of them out
				if answered(t, conn) {
					begun[i] = begin()
				}
			}
			return fmt.Errorf("the organization's next: %d, Retry-After %q", status, retry)
		}
		return nil
	})
	if status, _ := small(carol); status != http.StatusAccepted {
		t.Errorf("another organization: %d", status)
	}
	for _, conn := range begun {
		_ = conn.Close()
	}
	testkit.Eventually(t, 10*time.Second, func() error {
		if status, _ := small(alice); status != http.StatusAccepted {
			return fmt.Errorf("afterwards: %d", status)
		}
		return nil
	})
}

// TestStrangersTakeNoRoomFromWhoIsSignedIn verifies that unfinished bodies of unauthenticated
// clients affect neither authenticated writes nor small sign-ins (statement 29).
func TestStrangersTakeNoRoomFromWhoIsSignedIn(t *testing.T) {
	t.Parallel()
	s := start(t, trust("127.0.0.0/8"), func(d *Deps) {
		d.Timeout, d.SignInLimit = time.Minute, ratelimit.Rule{Limit: 10_000, Window: time.Minute}
	})
	const path = "/api/v2/auth/login"
	from := func(n int) string { return fmt.Sprintf("203.0.113.%d", n) }
	begin := func(n int) {
		head := "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nX-Forwarded-For: " +
			from(n/(strangersShare/api.StrangersBody)) + "\r\n\r\n1\r\n{\r\n"
		if _, err := io.WriteString(dial(t, s.url), head); err != nil {
			t.Fatal(err)
		}
	}
	const fit, share = strangersTotal / api.StrangersBody, strangersShare / api.StrangersBody
	for n := range share {
		begin(n)
	}
	ask := func(path, token, address string, size int) answer {
		return s.do(request{method: http.MethodPost, path: path, token: token, body: strings.Repeat(" ", size),
			header: map[string]string{"Content-Type": "application/json", "X-Forwarded-For": address}})
	}
	testkit.Eventually(t, time.Minute, func() error {
		if a := ask(path, "", from(0), arrived+1); a.status != http.StatusServiceUnavailable {
			begin(0)
			return fmt.Errorf("a large body more of one address: %d", a.status)
		}
		return nil
	})
	if a := ask(path, "", from(200), arrived+1); a.status != http.StatusOK {
		t.Errorf("a large body of another stranger: %d %s", a.status, a.body)
	}
	for n := range fit - share {
		begin(share + n)
	}
	more := fit
	testkit.Eventually(t, time.Minute, func() error {
		if a := ask(path, "", from(200), arrived+1); a.status != http.StatusServiceUnavailable || a.header.Get("Retry-After") == "" {
			// It may have used the budget of a later one, which was rejected.
			begin(more)
			more++
			return fmt.Errorf("a large body of another stranger: %d, Retry-After %q", a.status, a.header.Get("Retry-After"))
		}
		return nil
	})
	if a := ask(path, "", from(1), 100); a.status != http.StatusOK {
		t.Errorf("a sign-in: %d %s", a.status, a.body)
	}
	if a := ask("/api/v2/events", alice, from(1), 1<<20); a.status != http.StatusOK {
		t.Errorf("a write of who is signed in: %d %s", a.status, a.body)
	}
}
