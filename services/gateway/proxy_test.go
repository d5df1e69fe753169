package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

func TestPassesOn(t *testing.T) {
	t.Parallel()
	s := start(t)
	body := `{"from":"LHR", "to": "JFK","passengers":1e0 }`
	answered := `{ "success": true,  "data": {"_id":"r1"} }`
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) {
		ctx.SetStatusCode(http.StatusCreated)
		ctx.SetContentType("application/json")
		ctx.Response.Header.Set("ETag", `"1.r1"`)
		ctx.Response.Header.Set("Location", "/api/v2/events/e1/flights/r1")
		ctx.SetBodyString(answered)
	})
	got := s.do(request{method: "POST", path: "/api/v2/events/e%31/flights?a=%2F&a=b", token: alice, body: body,
		header: map[string]string{"Idempotency-Key": "k1", "If-Match": `"x"`, "X-Request-Id": "my-id.1"}})
	if got.status != http.StatusCreated || got.body != answered {
		t.Errorf("got %d %s", got.status, got.body)
	}
	for name, want := range map[string]string{"ETag": `"1.r1"`, "Location": "/api/v2/events/e1/flights/r1", "X-Request-Id": "my-id.1", "Content-Type": "application/json"} {
		if got.header.Get(name) != want {
			t.Errorf("%s: got %q, want %q", name, got.header.Get(name), want)
		}
	}
	asked := s.services[api.Records].last(t)
	if uri := string(asked.RequestURI()); uri != "/api/v2/events/e1/flights?a=%2F&a=b" {
		t.Errorf("asked for %s", uri)
	}
	if string(asked.Body()) != body {
		t.Errorf("the body became %s", asked.Body())
	}
	for name, want := range map[string]string{
		"Host": "records", "Authorization": "Bearer " + alice, "Idempotency-Key": "k1", "If-Match": `"x"`,
		"X-Request-Id": "my-id.1", "X-Forwarded-For": "", "X-Forwarded-Proto": "", "Content-Type": "application/json",
	} {
		if got := string(asked.Header.Peek(name)); got != want {
			t.Errorf("asked with %s %q, want %q", name, got, want)
		}
	}
}

// TestReadsOfAllKinds verifies responses without a body and to HEAD.
func TestReadsOfAllKinds(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) {
		ctx.Response.Header.Set("ETag", `"7"`)
		if string(ctx.Request.Header.Peek("If-None-Match")) == `"7"` {
			web.AnswerNotModified(&ctx.Response, `"7"`)
			return
		}
		ctx.SetContentType("application/json")
		ctx.SetBodyString(`{"success":true,"data":{}}`)
	})
	for _, method := range []string{"GET", "HEAD"} {
		got := s.do(request{method: method, path: "/api/v2/events", token: alice, header: map[string]string{"If-None-Match": `"7"`}})
		// A cache would take a type beside 304 for that of the response that it has.
		if got.status != http.StatusNotModified || got.body != "" || got.header.Get("ETag") != `"7"` || got.header.Get("Content-Type") != "" {
			t.Errorf("%s with If-None-Match: %+v", method, got)
		}
	}
	if got := s.do(request{method: "HEAD", path: "/api/v2/events", token: alice}); got.status != http.StatusOK || got.body != "" || got.header.Get("Content-Length") != "26" {
		t.Errorf("HEAD: %+v", got)
	}
	if m := string(s.services[api.Records].last(t).Header.Method()); m != "HEAD" {
		t.Errorf("HEAD was passed on as %s", m)
	}
}

// TestHopByHopFieldsAreNotForwarded verifies that hop-by-hop fields and those reserved for proxies are not
// forwarded.
func TestHopByHopFieldsAreNotForwarded(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) {
		h := &ctx.Response.Header
		h.Set("Connection", "X-Private, close")
		for _, name := range []string{"X-Private", "Keep-Alive", "Proxy-Authenticate", "Server", "X-Ecf-Node", "Upgrade"} {
			h.Set(name, "1")
		}
		h.Set("X-Public", "yes")
		ctx.SetBodyString("{}")
	})
	address := strings.TrimPrefix(s.url, "http://")
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	forbidden := []string{
		"Forwarded: for=9.9.9.9", "X-Forwarded-Host: evil", "X-Forwarded-Port: 1", "X-Forwarded-Proto: https", "X-Forwarded-User: root",
		"X-Real-Ip: 9.9.9.9", "X-User-Id: bob", "X-User: bob", "X-Ecf-Org: two", "X-Ecf-Role: admin", "X-Auth-Request-User: bob", "X_Forwarded_For: 9.9.9.9",
		"X-Original-Url: /internal/sessions/s1", "X-Http-Method-Override: DELETE", "Keep-Alive: 5", "Te: trailers", "Trailer: X-T",
		"Upgrade: websocket", "Proxy-Authorization: Basic eA==", "Proxy-Connection: keep-alive", "X-Hop: 1", "X-Hop-Two: 1", "Baggage: a=b", "Tracestate: a=b",
	}
	_, err = fmt.Fprintf(conn, "GET /api/v2/events HTTP/1.1\r\nHost: api.example\r\nAuthorization: Bearer %s\r\nConnection: X-Hop\r\nConnection: close, x-hop-two\r\n"+
		"X-Forwarded-For: 9.9.9.9\r\nAccept-Language: de\r\n%s\r\n\r\n", alice, strings.Join(forbidden, "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK || res.Header.Get("X-Public") != "yes" {
		t.Fatalf("%d %v", res.StatusCode, res.Header)
	}
	for _, name := range []string{"X-Private", "Keep-Alive", "Proxy-Authenticate", "Server", "X-Ecf-Node", "Upgrade"} {
		if v := res.Header.Get(name); v != "" {
			t.Errorf("answered with %s: %s", name, v)
		}
	}
	asked := s.services[api.Records].last(t)
	if got := asked.Header.PeekAll("Accept-Language"); len(got) != 1 || string(got[0]) != "de" {
		t.Errorf("asked with Accept-Language %q", got)
	}
	for _, line := range append(forbidden, "X-Forwarded-For: 9.9.9.9", "X-Forwarded-For: 127.0.0.1") {
		name, value, _ := strings.Cut(line, ": ")
		for k, v := range asked.Header.All() {
			if strings.EqualFold(string(k), name) && string(v) == value {
				t.Errorf("%s came through", line)
			}
		}
	}
}

// flaky is a service that reads a request, counts it, and closes the connection without a
// response; if polite is set, it answers the first request of each connection.
func flaky(t *testing.T, polite bool) (url string, hits *atomic.Int64) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ln.Close() })
	hits = &atomic.Int64{}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = conn.Close() }()
				r := bufio.NewReader(conn)
				for first := true; ; first = false {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, req.Body)
					hits.Add(1)
					if !polite || !first {
						return
					}
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
				}
			}()
		}
	}()
	return "http://" + ln.Addr().String(), hits
}

// TestWritesAreSentOnce verifies the gateway's half of statement 33: a write whose service
// fails before the first byte of its response is not retried, not even PUT, which the HTTP
// client itself would retry up to five times.
func TestWritesAreSentOnce(t *testing.T) {
	t.Parallel()
	for _, polite := range []bool{false, true} {
		for _, method := range []string{"POST", "PATCH", "DELETE", "PUT"} {
			t.Run(fmt.Sprintf("%s kept=%v", method, polite), func(t *testing.T) {
				t.Parallel()
				url, hits := flaky(t, polite)
				s := start(t, func(d *Deps) { d.Records = upstream.Config{URL: url} })
				path := "/api/v2/events/e1/flights"
				switch method {
				case "PATCH", "DELETE":
					path += "/r1"
				case "PUT":
					path += "/by-reference/r1"
				}
				want := int64(1)
				if polite { // the first request leaves an idle connection
					if got := s.do(request{method: method, path: path, token: alice, body: "{}"}); got.status != http.StatusOK {
						t.Fatalf("%d %s", got.status, got.body)
					}
					want++
				}
				got := s.do(request{method: method, path: path, token: alice, body: "{}"})
				if code := got.code(t); got.status != http.StatusServiceUnavailable || code != "UNAVAILABLE" || got.header.Get("Retry-After") == "" {
					t.Errorf("%d %s, Retry-After %q", got.status, code, got.header.Get("Retry-After"))
				}
				if n := hits.Load(); n != want {
					t.Errorf("the service was asked %d times, want %d", n, want)
				}
			})
		}
	}
	t.Run("a repeating client shows", func(t *testing.T) {
		t.Parallel()
		url, hits := flaky(t, false)
		naive := &fasthttp.HostClient{Addr: strings.TrimPrefix(url, "http://")}
		req := fasthttp.AcquireRequest()
		defer fasthttp.ReleaseRequest(req)
		req.SetRequestURI(url)
		req.Header.SetMethod("PUT")
		if err := naive.Do(req, &fasthttp.Response{}); err == nil || hits.Load() != fasthttp.DefaultMaxIdemponentCallAttempts {
			t.Errorf("err %v after %d requests", err, hits.Load())
		}
	})
}

func TestReadsAreTriedTwice(t *testing.T) {
	t.Parallel()
	url, hits := flaky(t, false)
	s := start(t, func(d *Deps) { d.Records = upstream.Config{URL: url} })
	if got := s.do(request{method: "GET", path: "/api/v2/events", token: alice}); got.code(t) != "UNAVAILABLE" || hits.Load() != 2 {
		t.Errorf("%d after %d requests", got.status, hits.Load())
	}
}

// TestRestartedService verifies that the first write after a restart of a service succeeds, and
// is sent once.
func TestRestartedService(t *testing.T) {
	t.Parallel()
	service := &stub{}
	run := func(address string) (net.Listener, *fasthttp.Server) {
		var ln net.Listener
		testkit.Eventually(t, 10*time.Second, func() (err error) {
			ln, err = new(net.ListenConfig).Listen(t.Context(), "tcp", address)
			return err
		})
		server := &fasthttp.Server{Handler: service.serve}
		go func() { _ = server.Serve(ln) }()
		return ln, server
	}
	ln, server := run("127.0.0.1:0")
	address := ln.Addr().String()
	s := start(t, func(d *Deps) { d.Records = upstream.Config{URL: "http://" + address} })
	post := request{method: "POST", path: "/api/v2/events/e1/flights", token: alice, body: "{}"}
	for round := range 3 {
		if got := s.do(post); got.status != http.StatusOK {
			t.Fatalf("round %d: %d %s", round, got.status, got.body)
		}
		if n := service.count(); n != round+1 {
			t.Fatalf("round %d: asked %d times", round, n)
		}
		if err := server.ShutdownWithContext(t.Context()); err != nil { // closes the idle connections
			t.Fatal(err)
		}
		_, server = run(address)
	}
	_ = server.Shutdown()
}

func TestUnreachableServicesAreUnavailable(t *testing.T) {
	t.Parallel()
	port := testkit.FreePort(t) // nobody listens there
	refused := fmt.Sprintf("http://127.0.0.1:%d", port)
	s := start(t, func(d *Deps) {
		d.Records = upstream.Config{URL: refused}
		d.Calculation = upstream.Config{URL: "http://calculation-host-17.internal:1", Dial: func(ctx context.Context) (net.Conn, error) {
			<-ctx.Done() // a host that drops packets
			return nil, ctx.Err()
		}}
	})
	for _, path := range []string{"/api/v2/events", "/api/v2/review"} {
		began := time.Now()
		got := s.do(request{method: "GET", path: path, token: bob})
		if code := got.code(t); got.status != http.StatusServiceUnavailable || code != "UNAVAILABLE" || got.header.Get("Retry-After") != "2" {
			t.Errorf("%s: %d %s, Retry-After %q", path, got.status, code, got.header.Get("Retry-After"))
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %s", path, took)
		}
		for _, secret := range []string{"127.0.0.1", fmt.Sprint(port), "calculation-host", "dial", "refused", "context"} {
			if strings.Contains(got.body, secret) {
				t.Errorf("%s tells %q: %s", path, secret, got.body)
			}
		}
	}
	// The gateway is ready; the body names only what is unavailable.
	got := s.do(request{method: "GET", path: "/api/v2/health/ready"})
	if got.status != http.StatusOK || !strings.Contains(got.body, `"records":"unavailable"`) || !strings.Contains(got.body, `"auth":"ok"`) || strings.Contains(got.body, "127.0.0.1") {
		t.Errorf("ready: %s", got.body)
	}
}

func TestSlowService(t *testing.T) {
	t.Parallel()
	s := start(t, func(d *Deps) { d.Timeout = 2 * time.Second })
	release := make(chan struct{})
	defer close(release)
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) { <-release })
	for _, r := range []request{
		{method: "GET", path: "/api/v2/events", token: alice},
		{method: "POST", path: "/api/v2/events/e1/flights", token: alice, body: "{}"},
	} {
		before := s.services[api.Records].count()
		began := time.Now()
		got := s.do(r)
		if code := got.code(t); got.status != http.StatusGatewayTimeout || code != "UPSTREAM_TIMEOUT" {
			t.Errorf("%s: %d %s", r.method, got.status, code)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s took %s", r.method, took)
		}
		if n := s.services[api.Records].count() - before; n != 1 {
			t.Errorf("%s: asked %d times", r.method, n)
		}
	}
}

func TestTooLargeIsNotPassedOn(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, size := range []int{1<<20 + 1, 8 << 20} {
		got := s.do(request{method: "POST", path: "/api/v2/events/e1/flights", token: alice, body: strings.Repeat(" ", size)})
		if code := got.code(t); got.status != http.StatusRequestEntityTooLarge || code != "PAYLOAD_TOO_LARGE" {
			t.Errorf("%d bytes: %d %s", size, got.status, code)
		}
	}
	if n := s.services[api.Records].count(); n != 0 {
		t.Errorf("the service was asked %d times", n)
	}
	if got := s.do(request{method: "POST", path: "/api/v2/events/e1/flights", token: alice, body: strings.Repeat(" ", 1<<20)}); got.status != http.StatusOK {
		t.Errorf("1 MiB exactly: %d", got.status)
	}
	if n := len(s.services[api.Records].last(t).Body()); n != 1<<20 {
		t.Errorf("%d bytes arrived", n)
	}
}
