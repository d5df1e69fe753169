package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/web"
)

// withFastPath is an application with a fast path; until receives the deadline of each request
// handled in full.
func withFastPath(t *testing.T, take func(*web.FastPath) bool) (b *bundle, until *time.Time) {
	t.Helper()
	until = new(time.Time)
	b = setup(t, func(o *web.Options) {
		o.Tracer, o.Timeout, o.FastPath = noop.NewTracerProvider().Tracer("test"), time.Minute, take
	})
	if err := register(b.app, "/api/v2", members(), []served{{Method: "GET", Path: "/events/{id}", Role: identity.User, Handler: func(c *fiber.Ctx) error {
		*until, _ = c.UserContext().Deadline()
		return answerWho(c)
	}}}); err != nil {
		t.Fatal(err)
	}
	return b, until
}

// TestFastPathKeepsDeadlineAndID verifies that an unanswered request keeps its deadline and id.
func TestFastPathKeepsDeadlineAndID(t *testing.T) {
	t.Parallel()
	var until time.Time
	var id string
	b, then := withFastPath(t, func(s *web.FastPath) bool {
		until, _ = s.Context.Deadline()
		id = s.ID
		return false
	})
	a := b.get("/api/v2/events/e1", "Authorization", "Bearer user-a")
	if a.status != http.StatusOK || !then.Equal(until) || until.IsZero() || a.header.Get("X-Request-Id") != id || id == "" {
		t.Errorf("%d, until %v and then %v, id %q and then %q", a.status, until, then, id, a.header.Get("X-Request-Id"))
	}
}

// TestFastPathPanics verifies that a panic is answered as usual, without anything set
// before.
func TestFastPathPanics(t *testing.T) {
	t.Parallel()
	b, _ := withFastPath(t, func(s *web.FastPath) bool {
		if strings.HasSuffix(string(s.Request.Path()), "/e2") {
			s.Request.Response.Header.Set("X-Half", "written")
			panic("on purpose")
		}
		return false
	})
	a := b.get("/api/v2/events/e2", "Authorization", "Bearer user-a")
	if a.status != http.StatusInternalServerError || a.header.Get("X-Half") != "" || !strings.Contains(a.body, `"INTERNAL"`) || strings.Contains(a.body, "purpose") {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	if line := b.log.String(); !strings.Contains(line, "on purpose") || !strings.Contains(line, "fastpath_test.go") {
		t.Errorf("the log says %s", line)
	}
	if a := b.get("/api/v2/events/e1", "Authorization", "Bearer user-a"); a.status != http.StatusOK {
		t.Errorf("the next one: %d %s", a.status, a.body)
	}
}

// TestRequestsOutsideFastPath verifies that the fast path gets only reads without a body and
// without a trace.
func TestRequestsOutsideFastPath(t *testing.T) {
	t.Parallel()
	asked := 0
	b, _ := withFastPath(t, func(*web.FastPath) bool { asked++; return false })
	b.get("/api/v2/events/e1", "traceparent", traceparent)
	b.get("/api/v2/health?why=none") // it has no spans
	b.do("HEAD", "/api/v2/events/e1", "")
	b.do("POST", "/api/v2/events/e1", "{}")
	b.do("GET", "/api/v2/events/e1", "{}")
	b.raw(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v2/events/e1", http.NoBody), "GET /api/v2/events/e1 HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: identity\r\n\r\n")
	if asked > 0 {
		t.Errorf("it was asked %d times", asked)
	}
	b.get("/api/v2/events/e1")
	if asked != 1 {
		t.Errorf("it was asked %d times of a plain read", asked)
	}
}
