package gateway

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestProcess runs the binary as deployed: settings from the environment, a real Redis,
// services over TCP, and termination by a signal.
func TestProcess(t *testing.T) {
	t.Parallel()
	binary := testkit.Binary(t, "services/gateway/cmd/gateway")
	redis, _ := testkit.Redis(t)
	services := map[api.Service]*stub{}
	env := []string{"ECF_REDIS_URL=" + redis, "ECF_AUTH_RATE_LIMIT=2/1m"}
	for _, who := range api.Backends() {
		ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		service := &stub{}
		services[who] = service
		server := &fasthttp.Server{Handler: service.serve, Logger: quiet{}}
		go func() { _ = server.Serve(ln) }()
		t.Cleanup(func() { _ = ln.Close() })
		env = append(env, fmt.Sprintf("ECF_%s_URL=http://%s", strings.ToUpper(string(who)), ln.Addr()))
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", testkit.FreePort(t))
	debug := fmt.Sprintf("http://127.0.0.1:%d", testkit.FreePort(t))
	env = append(env, "ECF_ADDR="+strings.TrimPrefix(url, "http://"), "ECF_DEBUG_ADDR="+strings.TrimPrefix(debug, "http://"))
	process := testkit.Process(t, binary, nil, env)
	process.WaitHTTP(url + "/health/ready")

	for _, c := range []struct {
		url    string
		r      request
		status int
	}{
		{url, login(), 200}, {url, login(), 200}, {url, login(), 429},
		{url, request{method: "GET", path: "/api/v2/events"}, 401},
		// No such key is published, so the token is invalid.
		{url, request{method: "GET", path: "/api/v2/events", token: alice}, 401},
		{url, request{method: "GET", path: "/api/v2/openapi.json"}, 200},
		{url, request{method: "GET", path: "/metrics"}, 404},
		{debug, request{method: "GET", path: "/metrics"}, 200},
		{debug, request{method: "GET", path: "/health/ready"}, 200},
	} {
		if got := send(t, c.url, c.r); got.status != c.status {
			t.Errorf("%s %s: %d, want %d: %.200s", c.r.method, c.r.path, got.status, c.status, got.body)
		}
	}
	if n := services[api.Auth].count(); n < 2 {
		t.Errorf("auth was asked %d times", n)
	}
	services[api.Review].set(func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(http.StatusServiceUnavailable) })
	testkit.Eventually(t, 10*time.Second, func() error {
		for _, base := range []string{url + "/api/v2", debug} {
			if got := send(t, strings.TrimSuffix(base, "/api/v2"), request{method: "GET", path: strings.TrimPrefix(base, strings.TrimSuffix(base, "/api/v2")) + "/health/ready"}); got.status != http.StatusOK {
				t.Errorf("%s is not ready without review: %d", base, got.status)
			}
		}
		if got := send(t, url, request{method: "GET", path: "/api/v2/health/ready"}); !strings.Contains(got.body, `"review":"unavailable"`) {
			return fmt.Errorf("review is not shown to be unavailable: %s", got.body)
		}
		return nil
	})
	if err := process.Stop(); err != nil {
		t.Errorf("end by SIGTERM: %v\n%s", err, process.Output())
	}
}

// TestProcessNeedsRedis verifies that a missing setting prevents the start and is named.
func TestProcessNeedsRedis(t *testing.T) {
	t.Parallel()
	binary := testkit.Binary(t, "services/gateway/cmd/gateway")
	process := testkit.Process(t, binary, nil, nil)
	if err := process.Wait(); err == nil || !strings.Contains(process.Output(), "ECF_REDIS_URL") {
		t.Errorf("%v\n%s", err, process.Output())
	}
}
