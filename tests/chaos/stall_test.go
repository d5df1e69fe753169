package chaos

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/rs/zerolog"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// stall is how long a dependency does not answer.
const stall = 10 * time.Second

// stallable starts a proxy to an address that can delay traffic.
func stallable(t *testing.T, name, target string) *toxiproxy.Proxy {
	t.Helper()
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(prometheus.NewRegistry()), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, name, "127.0.0.1:0", target)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	return proxy
}

// slow delays all traffic of a proxy, each way, from now on.
func slow(t *testing.T, proxy *toxiproxy.Proxy, by time.Duration) {
	t.Helper()
	for _, way := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"name": %q, "type": "latency", "stream": %q, "attributes": {"latency": %d}}`, way, way, by.Milliseconds())
		if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestStalledDependency verifies that a dependency that does not answer for ten seconds
// delays no response by more than five: by then every request is answered, successfully
// or with a request to retry, and afterwards everything is as before (statement 42).
func TestStalledDependency(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	host := hostOf(t, uri)
	if host == "" {
		t.Skip("the URI of the database does not name a single server")
	}
	_, redis := testkit.Redis(t)
	proxies := map[string]*toxiproxy.Proxy{"the database": stallable(t, "database", host), "Redis": stallable(t, "redis", redis.Addr())}
	addr, debug := address(t), address(t)
	link := proxies["the database"].Listen
	p := &part{
		t: t, name: "ecf", path: testkit.Binary(t, "services/standalone/cmd/ecf"), args: []string{"serve"},
		ready: "http://" + addr + "/api/v2/health/ready", debug: debug, status: true,
		env: append(limits(), "ECF_ADDR="+addr, "ECF_DEBUG_ADDR="+debug, "ECF_DATA_DIR="+t.TempDir(), "ECF_DEMO=true", "ECF_DEMO_PASSWORD="+password,
			"ECF_ISSUER=http://"+addr, "ECF_MONGODB_URI="+named(t, uri, database, link), "ECF_MONGODB_AUTH_URI="+named(t, uri, database+"_auth", link),
			"ECF_REDIS_URL=redis://"+proxies["Redis"].Listen+"/0"),
	}
	d := &deployment{t: t, parts: []*part{p}, bases: []string{"http://" + addr}, user: "user@demo.test", manager: "manager@demo.test", admin: p.env}
	p.start()
	d.awaitReady()
	d.learnOrg()
	people := d.team(testkit.Rand(t), 1)
	d.measure(people)
	boss := people.managers[0]
	created, err := boss.post(t.Context(), "/events", map[string]any{"title": "Stalled", "country": "GB"})
	var event struct {
		ID string `json:"_id"`
	}
	if err := errors.Join(err, created.into(&event)); err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(proxies)) {
		proxy := proxies[name]
		slow(t, proxy, stall)
		d.askAll(name, boss, "/events/"+event.ID)
		for _, way := range []string{"upstream", "downstream"} {
			if err := proxy.Toxics.RemoveToxic(t.Context(), way); err != nil {
				t.Fatal(err)
			}
		}
		d.awaitReady()
		testkit.Eventually(t, limit, d.settled)
	}
}

// askAll sends requests of all kinds concurrently while the dependency name does not
// answer, and checks when and how each is answered.
func (d *deployment) askAll(name string, c *client, event string) {
	t := d.t
	t.Helper()
	requests := []struct{ method, path, body string }{
		{http.MethodGet, "/events", ""},
		{http.MethodGet, event, ""},
		{http.MethodGet, event + "/results", ""},
		{http.MethodGet, event + "/review", ""},
		{http.MethodPost, event + "/waste", `{"treatment": "landfill", "weightKg": 1}`},
		{http.MethodPost, loginPath, fmt.Sprintf(`{"email": %q, "password": %q}`, c.email, password)},
		{http.MethodGet, "/health/ready", ""},
	}
	allowed := d.allowance(false)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	var mu sync.Mutex
	var slowest time.Duration
	answers := map[int]int{}
	var all sync.WaitGroup
	end := time.Now().Add(stall)
	for n, r := range requests {
		for range 2 {
			all.Go(func() {
				own := c.clone(uint64(n))
				for ; time.Now().Before(end); <-time.After(20 * time.Millisecond) {
					began := time.Now()
					a, err := own.once(ctx, r.method, r.path, []byte(r.body), nil)
					took := time.Since(began)
					if err != nil || took > allowed {
						t.Errorf("while %s does not answer, %s %s is answered after %s with %d %v (allowed %s)", name, r.method, r.path, took, a.status, err, allowed)
					}
					own.seen.judge(r.method, r.path, a)
					mu.Lock()
					slowest, answers[a.status] = max(slowest, took), answers[a.status]+1
					mu.Unlock()
				}
			})
		}
	}
	all.Wait()
	if err := d.seen.verdict(); err != nil {
		t.Error(err)
	}
	t.Logf("while %s did not answer, the slowest answer came after %s (allowed %s); answers: %v", name, slowest.Round(time.Millisecond), allowed, answers)
}
