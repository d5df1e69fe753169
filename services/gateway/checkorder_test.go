package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
)

// TestOrderOfChecks verifies the order 401, 429, 404 of the contract, before any service is
// called.
func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, c := range []struct {
		request
		status int
		code   string
		allow  string
	}{
		{request{method: "GET", path: "/api/v2/nothing"}, 401, "UNAUTHENTICATED", ""},
		{request{method: "GET", path: "/api/v2/nothing", token: alice}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2/nothing", token: "forged"}, 401, "UNAUTHENTICATED", ""},
		{request{method: "DELETE", path: "/api/v2/events"}, 401, "UNAUTHENTICATED", ""},
		{request{method: "DELETE", path: "/api/v2/events", token: alice}, 405, "METHOD_NOT_ALLOWED", "GET, HEAD, POST"},
		{request{method: "PUT", path: "/api/v2/events/e1/flights/r1", token: alice}, 405, "METHOD_NOT_ALLOWED", "DELETE, GET, HEAD, PATCH"},
		{request{method: "POST", path: "/api/v2/events/e1/results", token: alice}, 405, "METHOD_NOT_ALLOWED", "GET, HEAD"},
		{request{method: "POST", path: "/api/v2/events/e1/review", token: bob}, 405, "METHOD_NOT_ALLOWED", "GET, HEAD"},
		{request{method: "DELETE", path: "/api/v2/events/e1/results/r1", token: bob}, 405, "METHOD_NOT_ALLOWED", "GET, HEAD"},
		{request{method: "GET", path: "/api/v2/events/e1/flights/batch", token: alice}, 405, "METHOD_NOT_ALLOWED", "POST"},
		{request{method: "TRACE", path: "/api/v2/events", token: alice}, 405, "METHOD_NOT_ALLOWED", "GET, HEAD, POST"},
		{request{method: "BREW", path: "/api/v2/events", token: alice}, 405, "METHOD_NOT_ALLOWED", "GET, HEAD, POST"},
		{request{method: "GET", path: "/api/v2/auth/login"}, 405, "METHOD_NOT_ALLOWED", "POST"},
		{request{method: "POST", path: "/api/v2/health"}, 405, "METHOD_NOT_ALLOWED", "GET, HEAD"},
		{request{method: "DELETE", path: "/api/v2/docs"}, 405, "METHOD_NOT_ALLOWED", "GET, HEAD"},
		{request{method: "GET", path: "/api/v2/docs/nothing.js"}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/nothing"}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/metrics"}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/debug/pprof/"}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/internal/sessions/s-alice"}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2/internal/sessions/s-alice", token: alice}, 404, "NOT_FOUND", ""},
		// Paths that two readers could interpret differently.
		{request{method: "GET", path: "/api/v2/events/..%2f..%2finternal", token: alice}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2/events/%2e%2e/flights", token: alice}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2/events/e1%5cresults", token: alice}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2/events/e1/flights%00", token: alice}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2/events/e1/%72esults/%2e", token: alice}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2/events/%ff", token: alice}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2/events/e1/%72esults", token: alice}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2//events", token: alice}, 404, "NOT_FOUND", ""},
		{request{method: "GET", path: "/api/v2/Events", token: alice}, 404, "NOT_FOUND", ""},
	} {
		got := s.do(c.request)
		if code := got.code(t); got.status != c.status || code != c.code || got.header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d %s, Allow %q; want %d %s, %q", c.method, c.path, got.status, code, got.header.Get("Allow"), c.status, c.code, c.allow)
		}
		if c.status == 401 && got.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%s %s: no WWW-Authenticate", c.method, c.path)
		}
	}
	for who, service := range s.services {
		if n := service.count(); n != 0 {
			t.Errorf("%s was asked %d times", who, n)
		}
	}
}

func TestPublicRoutes(t *testing.T) {
	t.Parallel()
	s := start(t)
	for _, path := range []string{"/health", "/health/live", "/api/v2/health", "/api/v2/health/live", "/api/v2/health/ready", "/api/v2/docs", "/api/v2/openapi.json",
		"/.well-known/jwks.json", "/.well-known/openid-configuration"} {
		if got := s.do(request{method: "GET", path: path}); got.status != http.StatusOK || got.header.Get("X-Request-Id") == "" || got.header.Get("Server") != "" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
	}
	if uri := string(s.services[api.Auth].last(t).RequestURI()); uri == "" || strings.HasPrefix(uri, "/api/") {
		t.Errorf("auth was asked for %s", uri)
	}
	// An invalid token does not matter where none is needed.
	if got := s.do(request{method: "POST", path: "/api/v2/auth/login", token: "forged", body: "{}"}); got.status != http.StatusOK {
		t.Errorf("login with a forged token: %d", got.status)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	s := start(t)
	events := request{method: "GET", path: "/api/v2/events", token: alice}
	if got := s.do(events); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	for name, state := range map[string]identity.State{
		"ended":        {UserID: "alice", Org: "one", Role: identity.User},
		"another role": {Active: true, UserID: "alice", Org: "one", Role: identity.Manager},
		"another org":  {Active: true, UserID: "alice", Org: "two", Role: identity.User},
	} {
		s.sessions.set("s-alice", state)
		if got := s.do(events); got.status != http.StatusUnauthorized || got.code(t) != "UNAUTHENTICATED" {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	s.sessions.fail(errors.New("auth and the cache are away"))
	if got := s.do(events); got.status != http.StatusServiceUnavailable || got.code(t) != "UNAVAILABLE" {
		t.Errorf("unknown: %d %s", got.status, got.body)
	}
	if n := s.services[api.Records].count(); n != 1 {
		t.Errorf("records was asked %d times, want once", n)
	}
}

// TestFieldsOfServices verifies that the limits of a service are added to those of the gateway.
func TestFieldsOfServices(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.services[api.Auth].set(func(ctx *fasthttp.RequestCtx) {
		ctx.Response.Header.Set("RateLimit", `"account";r=0;t=60`)
		ctx.Response.Header.Set("Retry-After", "60")
		ctx.SetStatusCode(http.StatusTooManyRequests)
		ctx.SetContentType("application/json")
		ctx.SetBodyString(`{"success":false}`)
	})
	got := s.do(request{method: "POST", path: "/api/v2/auth/login", body: "{}"})
	if got.status != 429 || got.body != `{"success":false}` || got.header.Get("RateLimit") != `"auth";r=29;t=900, "account";r=0;t=60` || got.header.Get("Retry-After") != "60" {
		t.Errorf("%+v", got)
	}
}

// TestManyAtOnce verifies that concurrent requests get their own responses.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t)
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("application/json")
		ctx.SetBody(bytes.Clone(ctx.Path()))
	})
	errs := make(chan error, 200)
	for i := range cap(errs) {
		go func() {
			path := fmt.Sprintf("/api/v2/events/e%d", i)
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
			req.Header.Set("Authorization", "Bearer "+alice)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				errs <- err
				return
			}
			body, err := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if err == nil && string(body) != path {
				err = fmt.Errorf("asked for %s, got %s", path, body)
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}
