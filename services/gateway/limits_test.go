package gateway

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/redisx"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// shared puts the limits of a gateway into a Redis server, with a timeout long enough for a
// busy machine.
func shared(t *testing.T, url string) func(*Deps) {
	t.Helper()
	client, err := redisx.Open(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return func(d *Deps) {
		d.Limits = ratelimit.NewRedis(client, LimitPrefix, nil)
		d.LimitTimeout, d.Timeout = 20*time.Second, 25*time.Second
	}
}

func login(header ...string) request {
	r := request{method: "POST", path: "/api/v2/auth/login", body: "{}"}
	if len(header) == 2 {
		r.header = map[string]string{header[0]: header[1]}
	}
	return r
}

// TestSignInsShareOneBudget verifies statements 2 and 4: login and refresh share a limit of 30,
// and X-Forwarded-For of a client has no effect.
func TestSignInsShareOneBudget(t *testing.T) {
	t.Parallel()
	url, _ := testkit.Redis(t)
	s := start(t, shared(t, url))
	for i := range 30 {
		r := login("X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
		if i%2 == 1 {
			r.path = "/api/v2/auth/refresh"
			r.header = map[string]string{"Forwarded": "for=198.51.100.1", "X-Real-IP": "198.51.100.2"}
		}
		got := s.do(r)
		if got.status != http.StatusOK {
			t.Fatalf("request %d: %d %s", i+1, got.status, got.body)
		}
		if policy := got.header.Get("RateLimit-Policy"); policy != `"auth";q=30;w=900` {
			t.Fatalf("RateLimit-Policy %q", policy)
		}
		if want := fmt.Sprintf(`"auth";r=%d;t=`, 29-i); !strings.HasPrefix(got.header.Get("RateLimit"), want) {
			t.Fatalf("request %d: RateLimit %q, want %q…", i+1, got.header.Get("RateLimit"), want)
		}
	}
	for _, r := range []request{login(), login("X-Forwarded-For", "203.0.113.9"), {method: "POST", path: "/api/v2/auth/refresh", body: "{}"}} {
		got := s.do(r)
		if code := got.code(t); got.status != http.StatusTooManyRequests || code != "RATE_LIMITED" {
			t.Errorf("%s: %d %s", r.path, got.status, code)
		}
		wait, err := strconv.Atoi(got.header.Get("Retry-After"))
		if err != nil || wait < 1 || wait > 900 {
			t.Errorf("Retry-After %q", got.header.Get("Retry-After"))
		}
		if want := fmt.Sprintf(`"auth";r=0;t=%d`, wait); got.header.Get("RateLimit") != want {
			t.Errorf("RateLimit %q, want %q", got.header.Get("RateLimit"), want)
		}
	}
	if n := s.services[api.Auth].count(); n != 30 {
		t.Errorf("auth was asked %d times, want 30", n)
	}
	// Nothing else is rejected with it.
	if got := s.do(request{method: "GET", path: "/api/v2/events", token: alice}); got.status != http.StatusOK {
		t.Errorf("a read: %d", got.status)
	}
	if got := s.do(request{method: "GET", path: "/.well-known/jwks.json"}); got.status != http.StatusOK {
		t.Errorf("the keys: %d", got.status)
	}
}

// TestTrustedProxy verifies statement 4: behind a trusted proxy the client is the last address
// that the proxy has written, for IPv6 its /64.
func TestTrustedProxy(t *testing.T) {
	t.Parallel()
	s := start(t, trust("127.0.0.0/8", "192.0.2.0/24"), func(d *Deps) { d.SignInLimit.Limit = 2 })
	for _, c := range []struct {
		forwarded string
		status    int
	}{
		{"203.0.113.1", 200}, {"203.0.113.1", 200}, {"203.0.113.1", 429},
		{"203.0.113.2", 200},
		{"6.6.6.6, 203.0.113.1", 429},                // the client's own entry precedes the proxy's
		{"203.0.113.9, 203.0.113.1, 192.0.2.7", 429}, // two proxies
		{"2001:db8:1:2::1", 200}, {"2001:db8:1:2:ffff::1", 200}, {"2001:db8:1:2::3", 429}, {"2001:db8:1:3::1", 200},
	} {
		if got := s.do(login("X-Forwarded-For", c.forwarded)); got.status != c.status {
			t.Errorf("%s: %d, want %d", c.forwarded, got.status, c.status)
		}
	}
	if got := string(s.services[api.Auth].last(t).Header.Peek("X-Forwarded-For")); got != "2001:db8:1:3::1" {
		t.Errorf("auth was told %q", got)
	}
}

// TestExactOverTwoGateways verifies statement 2 for two gateways that share Redis: of a hundred
// concurrent logins thirty pass.
func TestExactOverTwoGateways(t *testing.T) {
	t.Parallel()
	url, _ := testkit.Redis(t)
	gateways := []*stack{start(t, shared(t, url)), start(t, shared(t, url))}
	var passed, refused atomic.Int64
	var wg sync.WaitGroup
	begin := make(chan struct{})
	for i := range 100 {
		wg.Go(func() {
			<-begin
			switch got := gateways[i%2].do(login()); got.status {
			case http.StatusOK:
				passed.Add(1)
			case http.StatusTooManyRequests:
				refused.Add(1)
			}
		})
	}
	close(begin)
	wg.Wait()
	if passed.Load() != 30 || refused.Load() != 70 {
		t.Errorf("%d passed, %d refused; want 30 and 70", passed.Load(), refused.Load())
	}
	if n := gateways[0].services[api.Auth].count() + gateways[1].services[api.Auth].count(); n != 30 {
		t.Errorf("auth was asked %d times", n)
	}
}

// TestWritesArePerUser verifies statement 19: the write limit is per user and organization.
func TestWritesArePerUser(t *testing.T) {
	t.Parallel()
	url, _ := testkit.Redis(t)
	s := start(t, shared(t, url), func(d *Deps) { d.WriteLimit = ratelimit.Rule{Limit: 4, Window: time.Minute} })
	read := request{method: "GET", path: "/api/v2/events", token: alice}
	if got := s.do(read); got.header.Get("RateLimit") != `"write";r=4;t=0` || got.header.Get("RateLimit-Policy") != `"write";q=4;w=60` {
		t.Errorf("a read before: %q, %q", got.header.Get("RateLimit"), got.header.Get("RateLimit-Policy"))
	}
	for i, r := range []request{
		{method: "POST", path: "/api/v2/events/e1/flights", body: "{}"},
		{method: "PATCH", path: "/api/v2/events/e1/flights/r1", body: "{}"},
		{method: "DELETE", path: "/api/v2/events/e1/flights/r1"},
		{method: "PUT", path: "/api/v2/nothing", body: "{}"}, // counted although it is not found
	} {
		r.token = alice
		got := s.do(r)
		if want := fmt.Sprintf(`"write";r=%d;t=`, 3-i); !strings.HasPrefix(got.header.Get("RateLimit"), want) {
			t.Errorf("%s: RateLimit %q, want %q…", r.method, got.header.Get("RateLimit"), want)
		}
	}
	refused := request{method: "POST", path: "/api/v2/nothing", token: alice, body: "{}"}
	if got := s.do(refused); got.code(t) != "RATE_LIMITED" || got.header.Get("Retry-After") == "" {
		t.Errorf("the fifth: %d %s", got.status, got.body)
	}
	if got := s.do(read); got.status != http.StatusOK || !strings.HasPrefix(got.header.Get("RateLimit"), `"write";r=0;t=`) {
		t.Errorf("a read after: %d, RateLimit %q", got.status, got.header.Get("RateLimit"))
	}
	for _, other := range []string{bob, carol, twin} {
		if got := s.do(request{method: "POST", path: "/api/v2/events/e1/flights", token: other, body: "{}"}); got.status != http.StatusOK {
			t.Errorf("%s: %d", other, got.status)
		}
	}
	// Without a valid token 401 precedes 429.
	refused.token = "forged"
	if got := s.do(refused); got.code(t) != "UNAUTHENTICATED" {
		t.Errorf("a forged token: %d", got.status)
	}
}

// TestRedisDown verifies statement 32: without Redis the sign-in limit holds per process, and
// everything else continues.
func TestRedisDown(t *testing.T) {
	t.Parallel()
	url, server := testkit.Redis(t)
	s := start(t, shared(t, url), func(d *Deps) { d.WriteLimit = ratelimit.Rule{Limit: 2, Window: time.Minute} })
	for range 10 {
		if got := s.do(login()); got.status != http.StatusOK {
			t.Fatalf("%d", got.status)
		}
	}
	server.Kill()
	passed := 0
	for range 40 {
		if got := s.do(login()); got.status == http.StatusOK {
			passed++
		}
	}
	if passed != 20 {
		t.Errorf("%d more passed without Redis, want 20", passed)
	}
	for range 5 {
		began := time.Now()
		got := s.do(request{method: "POST", path: "/api/v2/events/e1/flights", token: alice, body: "{}"})
		if got.status != http.StatusOK || got.header.Get("RateLimit") != "" || got.header.Get("RateLimit-Policy") == "" {
			t.Errorf("a write: %d, RateLimit %q", got.status, got.header.Get("RateLimit"))
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("a write took %s", took)
		}
	}
	if got := s.do(request{method: "GET", path: "/api/v2/events", token: alice}); got.status != http.StatusOK {
		t.Errorf("a read: %d", got.status)
	}
}

// TestRedisHangs verifies statement 32 for a Redis that does not respond: it costs half a
// second, not the request.
func TestRedisHangs(t *testing.T) {
	t.Parallel()
	url, server := testkit.Redis(t)
	if !server.Real() {
		t.Skip("only a real server can be stopped in its tracks")
	}
	s := start(t, shared(t, url), func(d *Deps) { d.LimitTimeout = 0 })
	if got := s.do(login()); got.status != http.StatusOK {
		t.Fatalf("%d", got.status)
	}
	server.Pause()
	defer server.Resume()
	for _, r := range []request{login(), {method: "POST", path: "/api/v2/events", token: bob, body: "{}"}, {method: "GET", path: "/api/v2/events", token: bob}} {
		began := time.Now()
		got := s.do(r)
		if took := time.Since(began); got.status != http.StatusOK || took > 10*time.Second {
			t.Errorf("%s %s: %d after %s", r.method, r.path, got.status, took)
		}
	}
}
