package gateway

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestStoredBytesAreLimited verifies that an organization which has stored too much is refused further writes, by every
// gateway and for all of its users, until enough has drained, and nothing else is.
func TestStoredBytesAreLimited(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Now())
	url, _ := testkit.Redis(t)
	client, err := redisx.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	stores := func(d *Deps) {
		d.Now, d.StoredLimit = clock.Now, ratelimit.Rule{Limit: 24 << 20, Window: 24 * time.Hour}
		d.Limits = ratelimit.NewRedis(client, LimitPrefix, clock.Now)
	}
	one, other := start(t, stores), start(t, stores)
	for _, s := range []*stack{one, other} {
		for _, service := range s.services {
			service.set(func(ctx *fasthttp.RequestCtx) {
				ctx.Response.Header.Set("X-Ecf-Stored", strconv.Itoa(1<<20))
				ctx.SetContentType("application/json")
				ctx.SetBodyString(`{"success":true,"data":{}}`)
			})
		}
	}
	write := request{method: http.MethodPost, path: "/api/v2/events/e1/flights", token: alice, body: `{}`}
	for i := range 24 {
		s := []*stack{one, other}[i%2]
		if got := s.do(write); got.status != http.StatusOK || got.header.Get("X-Ecf-Stored") != "" || strings.Contains(got.header.Get("RateLimit-Policy"), "stored") {
			t.Fatalf("write %d: %d %v %s", i, got.status, got.header, got.body)
		}
		clock.Advance(time.Second) // so that each learns what the other has counted
	}
	// Each of the gateways has not told its last write.
	for _, s := range []*stack{one, other} {
		s.do(request{method: http.MethodPost, path: "/api/v2/events/e1/flights/r1/submit", token: bob})
		clock.Advance(time.Second)
	}
	for name, s := range []*stack{other, one} {
		for path, token := range map[string]string{write.path: alice, "/api/v2/events/e1/flights/batch": bob, "/api/v2/events/e1/review/approve": bob} {
			got := s.do(request{method: http.MethodPost, path: path, token: token, body: `{}`})
			if got.status != http.StatusTooManyRequests || got.code(t) != "RATE_LIMITED" || !strings.Contains(got.body, "STORED_BYTES") {
				t.Fatalf("%d %s: %d %s", name, path, got.status, got.body)
			}
			wait, err := strconv.Atoi(got.header.Get("Retry-After"))
			if err != nil || wait < 3500 || wait > 7200 {
				t.Errorf("%d %s: Retry-After is %q, want an hour or two", name, path, got.header.Get("Retry-After"))
			}
			if policy := got.header.Get("RateLimit-Policy"); policy != `"write";q=600;w=60, "stored";q=25165824;w=86400` {
				t.Errorf("RateLimit-Policy: %s", policy)
			}
			if left := got.header.Get("RateLimit"); !strings.HasPrefix(left, `"stored";r=0;t=`) {
				t.Errorf("RateLimit: %s", left)
			}
		}
	}
	asked := one.services[api.Records].count()
	for what, r := range map[string]request{
		"a read":                   {method: http.MethodGet, path: "/api/v2/events", token: alice},
		"a deletion":               {method: http.MethodDelete, path: "/api/v2/events/e1/flights/r1", token: alice},
		"the end of a session":     {method: http.MethodPost, path: "/api/v2/auth/logout", token: alice},
		"another organization":     {method: http.MethodPost, path: write.path, token: carol, body: `{}`},
		"another one's same user":  {method: http.MethodPost, path: write.path, token: twin, body: `{}`},
		"a request without tokens": {method: http.MethodPost, path: "/api/v2/auth/login", body: `{}`},
	} {
		if got := one.do(r); got.status != http.StatusOK {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
	}
	if now := one.services[api.Records].count(); now != asked+4 {
		t.Errorf("records was asked %d times, want 4", now-asked)
	}
	clock.Advance(2*time.Hour + time.Minute)
	if got := other.do(write); got.status != http.StatusOK {
		t.Errorf("after Retry-After: %d %s", got.status, got.body)
	}
}
