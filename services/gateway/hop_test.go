package gateway

import (
	"context"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/valyala/fasthttp"
	"github.com/valyala/fasthttp/fasthttputil"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

// hop is a gateway in front of one service with a fixed response of 4.7 kB, without trace
// collection and with a discarded log.
type hop struct {
	server     fasthttp.RequestHandler // with the fast path
	middleware fasthttp.RequestHandler // the full path only
	bare       fasthttp.RequestHandler // a bare client of the library
}

func newHop(t testing.TB, change ...func(*Deps)) *hop {
	t.Helper()
	body := []byte(`{"success":true,"data":"` + strings.Repeat("x", 4700) + `"}`)
	service := &fasthttp.Server{NoDefaultServerHeader: true, Handler: func(ctx *fasthttp.RequestCtx) {
		ctx.SetContentType("application/json")
		ctx.Response.Header.Set("ETag", `"tag"`)
		ctx.SetBody(body)
	}}
	listener := fasthttputil.NewInmemoryListener()
	go func() { _ = service.Serve(listener) }()
	t.Cleanup(func() { _ = listener.Close() })
	dial := func() (net.Conn, error) { return listener.Dial() }
	behind := upstream.Config{URL: "http://service", Dial: upstream.DialListener(listener)}
	rule := ratelimit.Rule{Limit: 1000, Window: time.Minute}
	deps := Deps{
		Auth: behind, Records: behind, Review: behind, Calculation: behind,
		Tokens:   tokens{alice: {UserID: "u1", Org: "o1", Role: identity.User, Session: "s1"}},
		Sessions: &lives{states: map[string]identity.State{"s1": {Active: true, UserID: "u1", Org: "o1", Role: identity.User}}},
		Limits:   ratelimit.NewLocal(time.Now, 0), SignInLimit: rule, WriteLimit: rule,
		Logger: telemetry.Logger(telemetry.NewLines(silent{}), "gateway", slog.LevelInfo),
	}
	for _, f := range change {
		f(&deps)
	}
	g, err := New(deps)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	client := &fasthttp.HostClient{Addr: "service", Dial: func(string) (net.Conn, error) { return dial() }}
	return &hop{server: g.App.Server().Handler, middleware: g.App.Handler(), bare: func(ctx *fasthttp.RequestCtx) {
		req := fasthttp.AcquireRequest()
		ctx.Request.CopyTo(req)
		if err := client.Do(req, &ctx.Response); err != nil {
			ctx.Error(err.Error(), fasthttp.StatusBadGateway)
		}
		fasthttp.ReleaseRequest(req)
	}}
}

type silent struct{}

func (silent) Write(p []byte) (int, error) { return len(p), nil }

// ask sends the request of a client that lists records.
func ask(t testing.TB, ctx *fasthttp.RequestCtx, handler fasthttp.RequestHandler) {
	askFor(t, ctx, handler, "", fasthttp.StatusOK)
}

// askFor is ask by a client that has the response with a tag.
func askFor(t testing.TB, ctx *fasthttp.RequestCtx, handler fasthttp.RequestHandler, tag string, want int) {
	ctx.Request.Reset()
	ctx.Response.Reset()
	ctx.ResetUserValues()
	ctx.Request.Header.SetHost("service")
	ctx.Request.SetRequestURI("/api/v2/events/0123456789abcdefghjkmnpqrs/flights?page=2&limit=25")
	ctx.Request.Header.Set("Authorization", "Bearer "+alice)
	ctx.Request.Header.Set("Accept", "application/json")
	ctx.Request.Header.SetUserAgent("integration/1.0")
	if tag != "" {
		ctx.Request.Header.Set("If-None-Match", tag)
	}
	handler(ctx)
	if ctx.Response.StatusCode() != want {
		t.Fatalf("%d %s", ctx.Response.StatusCode(), ctx.Response.Body())
	}
}

// The allocations of a request beyond those of a bare client, by the fast path and by the
// middleware.
const (
	hopAllocations        = 7
	middlewareAllocations = 15
)

func TestAllocationsOfAHop(t *testing.T) {
	testkit.WithoutRace(t)
	h := newHop(t)
	var ctx fasthttp.RequestCtx
	measure := func(handler fasthttp.RequestHandler) float64 {
		return testkit.Allocations(300, func() { ask(t, &ctx, handler) })
	}
	bare := measure(h.bare)
	for _, way := range []struct {
		name    string
		handler fasthttp.RequestHandler
		most    float64
	}{{"on the fast path", h.server, hopAllocations}, {"by the middleware", h.middleware, middlewareAllocations}} {
		got := measure(way.handler) - bare
		t.Logf("%s: %v allocations more than the %v of a bare client", way.name, got, bare)
		if got > way.most {
			t.Errorf("a request %s allocates %v times more than through a bare client (%v), want at most %v", way.name, got, bare, way.most)
		}
	}
}

// recalledAllocations is the maximum number of allocations for a cached response.
const recalledAllocations = 13

// TestAllocationsOfARecalledAnswer does not count allocations of the service.
func TestAllocationsOfARecalledAnswer(t *testing.T) {
	testkit.WithoutRace(t)
	h := newHop(t, func(d *Deps) {
		d.Records.Handler = func(ctx *fasthttp.RequestCtx) { ctx.Error("not recalled", fasthttp.StatusInternalServerError) }
		d.Records.Recall = func(_ context.Context, _ string, _ identity.Principal, req *fasthttp.Request, resp *fasthttp.Response) bool {
			if !web.HasTag(&req.Header, `"tag"`) {
				return false
			}
			web.AnswerNotModified(resp, `"tag"`)
			return true
		}
	})
	var ctx fasthttp.RequestCtx
	got := testkit.Allocations(300, func() { askFor(t, &ctx, h.server, `"tag"`, fasthttp.StatusNotModified) })
	t.Logf("%v allocations", got)
	if got > recalledAllocations {
		t.Errorf("an answer that is recalled allocates %v times, want at most %d", got, recalledAllocations)
	}
}

// refusalAllocations is the maximum number of allocations of a rejected write.
const refusalAllocations = 1

// newRefusing returns a handler that rejects writes by admission control. By its clock no
// caller is rejected repeatedly.
func newRefusing(t testing.TB) fasthttp.RequestHandler {
	t.Helper()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	now := func() time.Time { clock.Advance(time.Second); return clock.Now() }
	return newHop(t, func(d *Deps) { d.Now, d.intakes = now, map[api.Service]*intake{api.Records: never(now)} }).server
}

// askToWrite sends the request of a client that creates a record, which is rejected.
func askToWrite(t testing.TB, ctx *fasthttp.RequestCtx, handler fasthttp.RequestHandler) {
	ctx.Request.Reset()
	ctx.Response.Reset()
	ctx.ResetUserValues()
	ctx.Request.Header.SetMethod(fasthttp.MethodPost)
	ctx.Request.Header.SetHost("service")
	ctx.Request.SetRequestURI("/api/v2/events/0123456789abcdefghjkmnpqrs/flights")
	ctx.Request.Header.Set("Authorization", "Bearer "+alice)
	ctx.Request.Header.SetContentType("application/json")
	ctx.Request.SetBodyString(`{"passengers":1}`)
	handler(ctx)
	if ctx.Response.StatusCode() != fasthttp.StatusServiceUnavailable || len(ctx.Response.Header.Peek("Retry-After")) == 0 {
		t.Fatalf("%d %s", ctx.Response.StatusCode(), ctx.Response.Body())
	}
}

func TestAllocationsOfARefusal(t *testing.T) {
	testkit.WithoutRace(t)
	handler := newRefusing(t)
	var ctx fasthttp.RequestCtx
	got := testkit.Allocations(300, func() { askToWrite(t, &ctx, handler) })
	t.Logf("%v allocations", got)
	if got > refusalAllocations {
		t.Errorf("refusing a write allocates %v times, want at most %d", got, refusalAllocations)
	}
}

// BenchmarkRefusal measures a rejection without its connection.
func BenchmarkRefusal(b *testing.B) {
	handler := newRefusing(b)
	var ctx fasthttp.RequestCtx
	b.ReportAllocs()
	for b.Loop() {
		askToWrite(b, &ctx, handler)
	}
}

// BenchmarkHop compares requests through the gateway and by a bare client, alternating.
func BenchmarkHop(b *testing.B) {
	h := newHop(b)
	var ctx fasthttp.RequestCtx
	var gateway, bare []time.Duration
	for b.Loop() {
		began := time.Now()
		ask(b, &ctx, h.server)
		between := time.Now()
		ask(b, &ctx, h.bare)
		gateway, bare = append(gateway, between.Sub(began)), append(bare, time.Since(between))
	}
	at := func(times []time.Duration, quantile float64) float64 {
		slices.Sort(times)
		return float64(times[int(float64(len(times)-1)*quantile)].Nanoseconds()) / 1000
	}
	b.ReportMetric(at(gateway, 0.5), "gateway-µs")
	b.ReportMetric(at(bare, 0.5), "bare-µs")
	b.ReportMetric(at(bare, 0.5)/at(gateway, 0.5), "bare/gateway")
	b.ReportMetric(at(gateway, 0.99)/at(bare, 0.99), "p99-ratio")
}

// BenchmarkThroughGateway is for profiles.
func BenchmarkThroughGateway(b *testing.B) {
	h := newHop(b)
	var ctx fasthttp.RequestCtx
	b.ReportAllocs()
	for b.Loop() {
		ask(b, &ctx, h.server)
	}
}
