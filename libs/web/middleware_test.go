package web_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

func TestRequestID(t *testing.T) {
	t.Parallel()
	n := 0
	b := setup(t, func(o *web.Options) { o.NewID = func() string { n++; return fmt.Sprintf("new-%d", n) } })
	b.app.Get("/", func(c *fiber.Ctx) error { return web.OK(c, web.RequestID(c)) })
	for _, id := range []string{"a", "req_1:2.3-4", strings.Repeat("x", 128)} {
		a := b.get("/", "X-Request-Id", id)
		if a.header.Get("X-Request-Id") != id || !strings.Contains(a.body, id) {
			t.Errorf("%s: %v %s", id, a.header, a.body)
		}
	}
	for _, id := range []string{"", strings.Repeat("x", 129), "a b", "ä", "a\x1b[31m", `a"b`, "a/b", "a,b"} {
		if got := b.get("/", "X-Request-Id", id).header.Get("X-Request-Id"); !strings.HasPrefix(got, "new-") {
			t.Errorf("%q is taken as %q", id, got)
		}
	}
	if a, b := setup(t).get("/"), setup(t).get("/"); a.header.Get("X-Request-Id") == b.header.Get("X-Request-Id") {
		t.Error("two requests have the same id")
	}
}

// TestKeptStringsStayTheirOwn verifies that a string kept from a request is not overwritten by
// others. The second half shows that without Immutable it is.
func TestKeptStringsStayTheirOwn(t *testing.T) {
	t.Parallel()
	wrong := func(app *fiber.App) int {
		var mu sync.Mutex
		kept := map[string][]string{} // path → what was kept of it
		app.Get("/orgs/:org", func(c *fiber.Ctx) error {
			org, header, query := c.Params("org"), c.Get("X-Org"), c.Query("org")
			mu.Lock()
			defer mu.Unlock()
			name := strings.Clone(org)
			kept[name] = append(kept[name], org, header, query)
			return c.SendString("ok")
		})
		b := &bundle{t: t, app: app}
		b.ln = sync.OnceValue(b.listen)
		b.ln()
		var wg sync.WaitGroup
		for client := range 8 {
			wg.Go(func() {
				conn, err := b.ln().Dial()
				if err != nil {
					t.Error(err)
					return
				}
				defer func() { _ = conn.Close() }()
				in := bufio.NewReader(conn)
				for i := range 50 {
					org := fmt.Sprintf("org-%d-%03d", client, i)
					fmt.Fprintf(conn, "GET /orgs/%s?org=%s HTTP/1.1\r\nHost: x\r\nX-Org: %s\r\n\r\n", org, org, org)
					res, err := http.ReadResponse(in, nil)
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			})
		}
		wg.Wait()
		mu.Lock()
		defer mu.Unlock()
		n := 0
		for name, values := range kept {
			for _, v := range values {
				if v != name {
					n++
				}
			}
		}
		return n
	}
	if n := wrong(setup(t).app); n != 0 {
		t.Errorf("%d kept strings have become another request's", n)
	}
	if raceEnabled {
		return // reading a string that fasthttp overwrites is a data race
	}
	if n := wrong(fiber.New(fiber.Config{DisableStartupMessage: true})); n == 0 {
		t.Error("the test does not see what it is for: fiber's default kept every string")
	}
}

func TestDeadline(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *web.Options) { o.Timeout = 20 * time.Millisecond })
	var kept context.Context
	wait := func(c *fiber.Ctx) error {
		kept = c.UserContext()
		<-c.UserContext().Done()
		return fmt.Errorf("find: %w", c.UserContext().Err())
	}
	left := func(c *fiber.Ctx) error {
		deadline, _ := c.UserContext().Deadline()
		return web.OK(c, time.Until(deadline) > time.Minute && web.PrincipalOf(c).UserID == "u1")
	}
	if err := register(b.app, "", members(), []served{
		{Method: "GET", Path: "/wait", Handler: wait},
		{Method: "GET", Path: "/long", Role: identity.User, Handler: left, Timeout: time.Hour},
		{Method: "GET", Path: "/quick", Handler: func(c *fiber.Ctx) error { kept = c.UserContext(); return nil }},
	}); err != nil {
		t.Fatal(err)
	}
	late := b.get("/wait")
	late.fails(504, "UPSTREAM_TIMEOUT")
	if !strings.Contains(late.body, "A write may nevertheless have taken effect.") {
		t.Errorf("a client hears: %s", late.body)
	}
	if a := b.get("/long", "Authorization", "Bearer user-a"); !strings.Contains(a.body, "true") {
		t.Error(a.body)
	}
	b.get("/quick")
	if !errors.Is(kept.Err(), context.Canceled) {
		t.Errorf("after the handler the context is %v", kept.Err())
	}
}

// TestLogTogether verifies that such a request is logged at level debug.
func TestLogTogether(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := register(b.app, "/api/v2", members(), []served{
		{Method: "GET", Path: "/auth/{id}", Handler: func(c *fiber.Ctx) error {
			if c.Params("id") == "together" {
				web.LogTogether(c)
			}
			return apperr.New(apperr.Unavailable, "Not now.")
		}},
	}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"together", "alone"} {
		b.do("GET", "/api/v2/auth/"+id, "", "X-Request-Id", id)
	}
	if lines := b.log.lines(t); len(lines) != 2 || lines[0]["level"] != "DEBUG" || lines[1]["level"] != "WARN" {
		t.Errorf("%v", lines)
	}
}

func TestAccessLog(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	b := setup(t, func(o *web.Options) { o.Now = func() time.Time { now = now.Add(time.Millisecond); return now } })
	if err := register(b.app, "/api/v2", members(), []served{
		{Method: "POST", Path: "/events/{id}", Role: identity.User, Handler: answerWho},
	}); err != nil {
		t.Fatal(err)
	}
	b.do("POST", "/api/v2/events/secret-id?token=secret-query", `{"password":"secret-body"}`,
		"Authorization", "Bearer user-a", "Content-Type", "application/json", "User-Agent", "evil", "X-Request-Id", "r1",
		"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	b.do("POST", "/api/v2/events/1", "", "X-Request-Id", "r2")
	b.do("MADE-UP-METHOD-OF-GREAT-LENGTH-TO-FILL-THE-LOG", "/secret-path", "", "X-Request-Id", "r3")
	for _, secret := range []string{"secret", "user-a", "evil"} {
		if strings.Contains(b.log.String(), secret) {
			t.Errorf("%q is in the log: %s", secret, b.log)
		}
	}
	lines := b.log.lines(t)
	if len(lines) != 3 {
		t.Fatalf("%d lines: %s", len(lines), b.log)
	}
	for i, want := range []map[string]any{
		{"level": "INFO", "msg": "request", "service": "test", "method": "POST", "route": "/api/v2/events/:id", "status": 200.0, "org": "org-a", "actor": "u1", "request_id": "r1", "code": nil},
		{"status": 401.0, "code": "UNAUTHENTICATED", "request_id": "r2", "org": nil, "actor": nil, "route": "/api/v2/events/:id"},
		{"status": 404.0, "code": "NOT_FOUND", "request_id": "r3", "route": "", "method": "MADE-UP-METHOD-OF-GREAT-LENGTH-T"},
	} {
		for k, v := range want {
			if lines[i][k] != v {
				t.Errorf("line %d: %s = %v, want %v", i, k, lines[i][k], v)
			}
		}
		if ms, _ := lines[i]["ms"].(float64); ms <= 0 {
			t.Errorf("line %d: ms = %v", i, lines[i]["ms"])
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.app.Get("/", func(c *fiber.Ctx) error { return web.OK(c, 1) })
	b.app.Get("/own", func(c *fiber.Ctx) error {
		c.Set("Cache-Control", "public, max-age=60")
		return web.OK(c, 1)
	})
	a := b.get("/")
	for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Server": ""} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got := b.get("/own").header.Get("Cache-Control"); got != "public, max-age=60" {
		t.Errorf("Cache-Control = %q", got)
	}
}

// TestUnreadableRequests verifies statement 31: requests rejected by fasthttp get the envelope
// and one log line, without anything they contained.
func TestUnreadableRequests(t *testing.T) {
	t.Parallel()
	get := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	for name, c := range map[string]struct {
		text   string
		status int
		code   string
	}{
		"no HTTP":        {"secret nonsense\r\n\r\n", 400, "VALIDATION_ERROR"},
		"bad header":     {"GET / HTTP/1.1\r\nHost: x\r\nsecret header\r\n\r\n", 400, "VALIDATION_ERROR"},
		"large header":   {"GET / HTTP/1.1\r\nHost: x\r\nX-Secret: " + strings.Repeat("secret", 4000) + "\r\n\r\n", 431, "PAYLOAD_TOO_LARGE"},
		"large path":     {"GET /" + strings.Repeat("secret", 4000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 431, "PAYLOAD_TOO_LARGE"},
		"large body":     {"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n" + strings.Repeat("secret", 2000), 413, "PAYLOAD_TOO_LARGE"},
		"negative body":  {"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", 400, "VALIDATION_ERROR"},
		"broken chunk":   {"POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nsecret\r\n", 400, "VALIDATION_ERROR"},
		"smuggling":      {"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400, "VALIDATION_ERROR"},
		"two lengths":    {"POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "VALIDATION_ERROR"},
		"lengths turned": {"POST /p HTTP/1.1\r\nHost: x\r\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n\r\n0\r\n\r\n", 400, "VALIDATION_ERROR"},
		"folded framing": {"POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n", 400, "VALIDATION_ERROR"},
		"folded line":    {"POST /p HTTP/1.1\r\nHost: x\r\nX-Secret: secret\r\n\tTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}", 400, "VALIDATION_ERROR"},
		"folded by LF":   {"POST /p HTTP/1.1\r\nHost: x\r\nX-Secret: secret\n secret\r\nContent-Length: 2\r\n\r\n{}", 400, "VALIDATION_ERROR"},
		"large chunks":   {"POST /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffff\r\n" + strings.Repeat("secret", 3<<20), 413, "PAYLOAD_TOO_LARGE"},
		"strange method": {"GE(T / HTTP/1.1\r\nHost: x\r\n\r\n", 400, "VALIDATION_ERROR"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			read := func(c *fiber.Ctx) error { return web.OK(c, len(c.Request().Body())) }
			if err := register(b.app, "", members(), []served{{Method: "POST", Path: "/p", Handler: read}}); err != nil {
				t.Fatal(err)
			}
			a := b.raw(get, c.text)
			a.fails(c.status, c.code)
			if strings.Contains(a.body+b.log.String(), "secret") {
				t.Errorf("what was sent leaks: %s %s", a.body, b.log)
			}
			if a.header.Get("X-Content-Type-Options") != "nosniff" || a.header.Get("Server") != "" {
				t.Errorf("headers %v", a.header)
			}
			if n := len(b.log.lines(t)); n != 1 {
				t.Errorf("%d log lines: %s", n, b.log)
			}
		})
	}
}

// TestSlowBody verifies statement 29: a body that is sent too slowly is cut off with a
// response.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	b := setup(t, func(o *web.Options) { o.ReadTimeout = 50 * time.Millisecond })
	b.app.Post("/", func(c *fiber.Ctx) error { return web.OK(c, 1) })
	a := b.raw(httptest.NewRequestWithContext(t.Context(), "POST", "/", nil), "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	a.fails(408, "VALIDATION_ERROR")
}
