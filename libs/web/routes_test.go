package web_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

func answerWho(c *fiber.Ctx) error {
	p := web.PrincipalOf(c)
	return web.OK(c, p.Org+"/"+p.UserID+"/"+p.Role.String())
}

func routed(t *testing.T, afterAuth ...func(*fiber.Ctx) error) *bundle {
	b := setup(t)
	web.NewHealth(nil).Register(b.app, "/api/v2")
	err := register(b.app, "/api/v2", members(), []served{
		{Method: "POST", Path: "/auth/login", Handler: answerWho},
		{Method: "GET", Path: "/events", Role: identity.User, Handler: answerWho},
		{Method: "POST", Path: "/events", Role: identity.Manager, Handler: answerWho},
		{Method: "GET", Path: "/users", Role: identity.Admin, Handler: answerWho},
		{Method: "POST", Path: "/events/{id}/{type}/approve", Role: identity.Manager, Handler: answerWho, Resolve: func(c *fiber.Ctx) error {
			if c.Params("type") != "flights" {
				return apperr.New(apperr.TypeNotFound, "No such type.")
			}
			return nil
		}},
	}, afterAuth...)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestOrderOfChecks(t *testing.T) {
	t.Parallel()
	b := routed(t)
	for _, c := range []struct {
		method, path, token string
		status              int
		want                string // the code, or the data
	}{
		{"POST", "/auth/login", "", 200, "//none"},
		{"POST", "/auth/login", "nonsense", 200, "//none"},
		{"GET", "/events", "", 401, "UNAUTHENTICATED"},
		{"GET", "/events", "nonsense", 401, "UNAUTHENTICATED"},
		{"GET", "/events", "broken", 401, "UNAUTHENTICATED"},
		{"GET", "/events", "user-a", 200, "org-a/u1/user"},
		{"GET", "/events/", "admin-b", 200, "org-b/a2/admin"},
		{"POST", "/events", "user-a", 403, "FORBIDDEN"},
		{"POST", "/events", "manager-a", 200, "org-a/m1/manager"},
		{"GET", "/users", "manager-a", 403, "FORBIDDEN"},
		{"GET", "/nothing", "", 401, "UNAUTHENTICATED"},
		{"GET", "/nothing", "nonsense", 401, "UNAUTHENTICATED"},
		{"GET", "/nothing", "user-a", 404, "NOT_FOUND"},
		{"DELETE", "/events", "", 401, "UNAUTHENTICATED"},
		{"DELETE", "/events", "user-a", 405, "METHOD_NOT_ALLOWED"},
		{"GET", "/auth/login", "", 405, "METHOD_NOT_ALLOWED"},
		{"PROPFIND", "/events", "user-a", 405, "METHOD_NOT_ALLOWED"},
		{"POST", "/events/1/flights/approve", "user-a", 403, "FORBIDDEN"},
		{"POST", "/events/1/boats/approve", "user-a", 404, "TYPE_NOT_FOUND"},
		{"POST", "/events/1/boats/approve", "", 401, "UNAUTHENTICATED"},
		{"POST", "/events/1/flights/approve", "manager-a", 200, "org-a/m1/manager"},
		{"GET", "/health", "", 200, ""},
	} {
		t.Run(c.method+c.path+" "+c.token, func(t *testing.T) {
			t.Parallel()
			b := b.in(t)
			var headers []string
			if c.token != "" {
				headers = []string{"Authorization", "Bearer " + c.token}
			}
			a := b.do(c.method, "/api/v2"+c.path, "", headers...)
			if c.status < 300 {
				a.ok(c.status)
				if c.want != "" && a.body != `{"success":true,"data":"`+c.want+`"}` {
					t.Error(a.body)
				}
				return
			}
			e := a.fails(c.status, c.want)
			switch c.status {
			case 401:
				if a.header.Get("WWW-Authenticate") != "Bearer" || a.header.Get("Allow") != "" {
					t.Errorf("headers %v", a.header)
				}
			case 403:
				if !strings.Contains(e.Message, "manager") && !strings.Contains(e.Message, "admin") {
					t.Errorf("message %q does not name the role", e.Message)
				}
			case 405:
				if a.header.Get("Allow") == "" {
					t.Error("no Allow")
				}
			}
		})
	}
}

// TestRefusalsAreAlike verifies that responses to invalid tokens are equal.
func TestRefusalsAreAlike(t *testing.T) {
	t.Parallel()
	b := routed(t)
	want := ""
	for _, headers := range [][]string{
		{},
		{"Authorization", ""},
		{"Authorization", "Bearer"},
		{"Authorization", "Bearer "},
		{"Authorization", "Basic dTpw"},
		{"Authorization", "nonsense"},
		{"Authorization", "Bearer nonsense"},
		{"Authorization", "Bearer user-a x"},
		{"Authorization", "Bearer user-a,user-a"},
		{"Authorization", "user-a"},
		{"Authorization", "Bearer user-a", "Authorization", "Bearer user-a"},
		{"X-User-Id", "u1", "X-Org-Id", "org-a", "X-Role", "admin"},
		{"Cookie", "accessToken=user-a"},
		{"Authorization", "Bearer " + strings.Repeat("a", 9000)},
	} {
		a := b.get("/api/v2/events", append(headers, "X-Request-Id", "same")...)
		a.fails(401, "UNAUTHENTICATED")
		if want == "" {
			want = a.body
		}
		if a.body != want {
			t.Errorf("%v: %s, want %s", headers, a.body, want)
		}
	}
	if strings.Contains(b.log.String(), "user-a") {
		t.Error("a token is in the log")
	}
	for _, value := range []string{"Bearer user-a", "bearer user-a", "BEARER  user-a "} {
		b.get("/api/v2/events", "Authorization", value).ok(200)
	}
	b.get("/api/v2/events?access_token=user-a").fails(401, "UNAUTHENTICATED")
}

// TestLongAuthorizationIsCheap verifies that a long field is rejected before it is parsed.
func TestLongAuthorizationIsCheap(t *testing.T) {
	t.Parallel()
	calls := 0
	b := setup(t)
	if err := register(b.app, "", verify(func(context.Context, string) (identity.Principal, error) {
		calls++
		return identity.Principal{}, errBadToken
	}), []served{{Method: "GET", Path: "/x", Role: identity.User, Handler: answerWho}}); err != nil {
		t.Fatal(err)
	}
	b.get("/x", "Authorization", "Bearer "+strings.Repeat(".", 8<<10+1)).fails(401, "UNAUTHENTICATED")
	// Beyond the header limit the server itself rejects it.
	b.get("/x", "Authorization", "Bearer "+strings.Repeat(".", 1<<20)).fails(431, "PAYLOAD_TOO_LARGE")
	if calls != 0 {
		t.Errorf("the verifier was asked %d times", calls)
	}
	b.get("/x", "Authorization", "Bearer "+strings.Repeat("a", 8<<10)).fails(401, "UNAUTHENTICATED")
	if calls != 1 {
		t.Errorf("the verifier was asked %d times about a token of the largest size", calls)
	}
}

type verify func(context.Context, string) (identity.Principal, error)

func (v verify) Verify(ctx context.Context, token string) (identity.Principal, error) {
	return v(ctx, token)
}

func TestVerifierFailures(t *testing.T) {
	t.Parallel()
	var failure error
	b := setup(t)
	if err := register(b.app, "", verify(func(ctx context.Context, _ string) (identity.Principal, error) {
		if _, ok := ctx.Deadline(); !ok {
			t.Error("the verifier has no deadline")
		}
		return identity.Principal{}, failure
	}), []served{{Method: "GET", Path: "/x", Role: identity.User, Handler: answerWho}}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		err    error
		status int
		code   string
	}{
		{errors.New("kid unknown"), 401, "UNAUTHENTICATED"},
		{apperr.New(apperr.Unavailable, "Later."), 503, "UNAVAILABLE"},
		{fmt.Errorf("session: %w", context.DeadlineExceeded), 504, "UPSTREAM_TIMEOUT"},
		{nil, 401, "UNAUTHENTICATED"}, // neither an error nor a caller
	} {
		failure = c.err
		b.get("/x", "Authorization", "Bearer t").fails(c.status, c.code)
	}
}

func TestAfterAuth(t *testing.T) {
	t.Parallel()
	b := routed(t, func(c *fiber.Ctx) error {
		if web.PrincipalOf(c).UserID == "" {
			t.Error("afterAuth runs before authentication")
		}
		if c.Get("X-Flood") != "" {
			return &apperr.Error{Code: apperr.RateLimited, Message: "Slow down.", RetryAfter: time.Second}
		}
		return nil
	})
	flood := []string{"X-Flood", "1", "Authorization", "Bearer user-a"}
	b.get("/api/v2/events", "X-Flood", "1").fails(401, "UNAUTHENTICATED")
	b.get("/api/v2/events", flood...).fails(429, "RATE_LIMITED")
	b.get("/api/v2/users", flood...).fails(429, "RATE_LIMITED")   // before the role
	b.get("/api/v2/nothing", flood...).fails(429, "RATE_LIMITED") // before 404
	b.do("DELETE", "/api/v2/events", "", flood...).fails(429, "RATE_LIMITED")
	b.get("/api/v2/users", "Authorization", "Bearer user-a").fails(403, "FORBIDDEN")
	b.do("POST", "/api/v2/auth/login", "", "X-Flood", "1").ok(200)
}

func TestRegisterRefusesIncompleteTables(t *testing.T) {
	t.Parallel()
	ok := func(*fiber.Ctx) error { return nil }
	b := setup(t)
	table := api.Table{
		{ID: "good", Method: "GET", Path: "/good"},
		{ID: "none", Method: "GET", Path: "/none"},
		{ID: "brew", Method: "BREW", Path: "/brew"},
		{ID: "trace", Method: "TRACE", Path: "/trace"},
		{ID: "relative", Method: "GET", Path: "relative"},
		{ID: "role", Method: "GET", Path: "/role", Least: 9},
		{ID: "unverified", Method: "GET", Path: "/unverified", Least: identity.User},
		{ID: "missing", Method: "GET", Path: "/missing"},
		{ID: "shadowed", Method: "GET", Path: "/missing"},
	}
	err := web.Register(b.app, "", nil, table, []web.Route{
		{Operation: "good", Handler: ok}, {Operation: "good", Handler: ok},
		{Operation: "forgotten", Handler: ok}, {Operation: "", Handler: ok},
		{Operation: "none"}, {Operation: "role", Handler: ok}, {Operation: "shadowed", Handler: ok},
		{Operation: "brew", Handler: ok}, {Operation: "trace", Handler: ok}, {Operation: "relative", Handler: ok},
		{Operation: "unverified", Handler: ok},
	})
	if err == nil {
		t.Fatal("a table full of errors is accepted")
	}
	for _, want := range []string{"good is registered twice", `"forgotten" is not an operation`, `"" is not an operation`, "none has no handler",
		"brew (BREW /brew) has a method", "trace (TRACE /trace) has a method", "relative) lacks", "role) has a role", "unverified needs a token",
		"missing (GET /missing) has no route", "shadowed (GET /missing) can never be reached: missing (GET /missing)"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if n := len(strings.Split(err.Error(), "\n")); n != 12 {
		t.Errorf("%d errors: %v", n, err)
	}
	b.get("/good").fails(404, "NOT_FOUND") // nothing was registered
}

// TestOrderOfRegistration verifies that a literal segment takes precedence over a parameter
// registered earlier.
func TestOrderOfRegistration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	answer := func(id string) fiber.Handler {
		return func(c *fiber.Ctx) error { return web.OK(c, id+" "+c.Params("type")) }
	}
	if err := register(b.app, "/api/v2", nil, []served{
		{Method: "GET", Path: "/events/{eventId}/{type}", Handler: answer("listRecords")},
		{Method: "GET", Path: "/events/{eventId}/counts", Handler: answer("countRecords")},
		{Method: "POST", Path: "/events/{eventId}/{type}/batch", Handler: answer("createRecords")},
		{Method: "GET", Path: "/events/{eventId}/{type}/{recordId}", Handler: answer("getRecord")},
	}); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/events/e1/counts": "countRecords ", "/events/e1/flights": "listRecords flights", "/events/e1/flights/r1": "getRecord flights",
	} {
		a := b.get("/api/v2" + path)
		if a.ok(200); a.body != `{"success":true,"data":"`+want+`"}` {
			t.Errorf("%s: %s, want %s", path, a.body, want)
		}
	}
	// A more specific path has its own methods only.
	a := b.get("/api/v2/events/e1/flights/batch")
	if a.fails(405, "METHOD_NOT_ALLOWED"); a.header.Get("Allow") != "POST" {
		t.Errorf("Allow = %q", a.header.Get("Allow"))
	}
	b.get("/api/v2/events/e1/results").fails(404, "NOT_FOUND") // a reserved word is never a type
	b.get("/api/v2/events/e1/flights%2fr1").fails(404, "NOT_FOUND")
}

// TestTwoTables verifies that tables and single routes may be registered in any order.
func TestTwoTables(t *testing.T) {
	t.Parallel()
	b := routed(t)
	if err := register(b.app, "/api/v2", members(), []served{
		{Method: "GET", Path: "/late", Role: identity.User, Handler: answerWho},
		{Method: "GET", Path: "/open", Handler: answerWho},
	}); err != nil {
		t.Fatal(err)
	}
	b.app.Get("/api/v2/docs", func(c *fiber.Ctx) error { return web.OK(c, "docs") })
	b.get("/api/v2/late").fails(401, "UNAUTHENTICATED")
	b.get("/api/v2/late", "Authorization", "Bearer user-a").ok(200)
	b.get("/api/v2/open").ok(200)
	b.get("/api/v2/docs").ok(200)
	b.get("/api/v2/nothing").fails(401, "UNAUTHENTICATED")
	b.get("/api/v2/nothing", "Authorization", "Bearer user-a").fails(404, "NOT_FOUND")
	a := b.do("DELETE", "/api/v2/late", "", "Authorization", "Bearer user-a")
	a.fails(405, "METHOD_NOT_ALLOWED")
	if a.header.Get("Allow") != "GET, HEAD" {
		t.Errorf("Allow = %q", a.header.Get("Allow"))
	}
	b.get("/elsewhere").fails(404, "NOT_FOUND")
}

// TestEveryTokenlessRequestIsRefused verifies with random paths and methods that only public
// routes below the prefix answer without a token.
func TestEveryTokenlessRequestIsRefused(t *testing.T) {
	t.Parallel()
	seed := testkit.Seed(t)
	rng := rand.New(rand.NewPCG(seed, 0))
	b := routed(t)
	words := []string{"events", "users", "1", "flights", "approve", "..", "%2e%2e", "%2f", "auth", "login", "health", "", "*", ":id", "%00"}
	methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "COPY"}
	for range 500 {
		path := "/api/v2"
		for range 1 + rng.IntN(5) {
			path += "/" + words[rng.IntN(len(words))]
		}
		method := methods[rng.IntN(len(methods))]
		a := b.do(method, path, "")
		// Health is a route of fiber itself, which ignores all trailing slashes; others end with one at most.
		if strings.TrimSuffix(path, "/") == "/api/v2/auth/login" || strings.TrimRight(path, "/") == "/api/v2/health" {
			continue
		}
		if a.status != http.StatusUnauthorized {
			t.Errorf("%s %s: %d %s", method, path, a.status, a.body)
		}
	}
}
