package gateway

import (
	"fmt"
	"net/http"
	"net/netip"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestRefusalsAreHeldBack verifies that only rejections of a user who is rejected repeatedly
// are delayed.
func TestRefusalsAreHeldBack(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	held, end := make(chan time.Duration, 10), make(chan struct{})
	s := start(t, func(d *Deps) { d.Now = clock.Now }, func(d *Deps) {
		d.hold = func(_ *fasthttp.RequestCtx, wait time.Duration) bool {
			held <- wait
			<-end
			return true
		}
	})
	t.Cleanup(func() { close(end) })
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) {
		if string(ctx.QueryArgs().Peek("status")) == "429" {
			ctx.SetStatusCode(http.StatusTooManyRequests)
		}
		ctx.SetContentType("application/json")
		ctx.SetBodyString(`{"success":true,"data":{}}`)
	})
	refused := func(token string) request {
		return request{method: http.MethodGet, path: "/api/v2/events?status=429", token: token}
	}
	client := keptAlive(t)
	for n := range refusalBurst + 1 {
		if got := client(s.url, refused(alice)); got != http.StatusTooManyRequests {
			t.Fatalf("the %dth refusal: %d", n+1, got)
		}
	}
	go client(s.url, refused(alice))
	if wait := <-held; wait != refusalEach {
		t.Errorf("the answer after the burst waits %v, want %v", wait, refusalEach)
	}
	// During the delay:
	for _, r := range []request{refused(carol), refused(bob), {method: http.MethodGet, path: "/api/v2/events", token: alice}} {
		if got := s.do(r); got.status != http.StatusOK && got.status != http.StatusTooManyRequests {
			t.Errorf("%s: %d", r.path, got.status)
		}
	}
	select {
	case wait := <-held:
		t.Errorf("somebody else's answer waits %v", wait)
	default:
	}
	clock.Advance(time.Hour)
	if got := s.do(refused(alice)); got.status != http.StatusTooManyRequests || len(held) > 0 {
		t.Errorf("after an hour: %d, %d wait", got.status, len(held))
	}
}

// TestStrangersAreHeldBack verifies that callers without a token are counted by address.
func TestStrangersAreHeldBack(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	held := make(chan time.Duration, 10)
	s := start(t, trust("127.0.0.0/8"), func(d *Deps) {
		d.Now, d.hold = clock.Now, func(_ *fasthttp.RequestCtx, wait time.Duration) bool { held <- wait; return true }
	})
	client := keptAlive(t)
	from := func(address string) int {
		return client(s.url, request{method: http.MethodGet, path: "/api/v2/events", header: map[string]string{"X-Forwarded-For": address}})
	}
	for range refusalBurst + 2 {
		from("203.0.113.7")
	}
	if n := len(held); n != 1 {
		t.Errorf("%d answers waited, want 1", n)
	}
	if from("203.0.113.8") != http.StatusUnauthorized || len(held) != 1 {
		t.Errorf("an answer for another address waited")
	}
}

// TestStrangersTogetherAreHeldBack verifies that rejections of a flood from many addresses are
// delayed together, but not those of an address with few rejections, nor of authenticated
// users.
func TestStrangersTogetherAreHeldBack(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	held := make(chan time.Duration, 100_000)
	s := start(t, trust("127.0.0.0/8"), func(d *Deps) {
		d.Now, d.hold = clock.Now, func(_ *fasthttp.RequestCtx, wait time.Duration) bool { held <- wait; return true }
	})
	client := keptAlive(t)
	from := func(address, times int) {
		t.Helper()
		header := map[string]string{"X-Forwarded-For": fmt.Sprintf("203.0.113.%d", address)}
		for range times {
			if got := client(s.url, request{method: http.MethodGet, path: "/api/v2/events", header: header}); got != http.StatusUnauthorized {
				t.Fatalf("%d", got)
			}
		}
	}
	const flooders = 20
	for n := range flooders {
		from(n, strangersFew)
	}
	for n := range flooders {
		from(n, strangersBurst/flooders)
	}
	if n := len(held); n > 0 {
		t.Errorf("%d answers waited within the burst", n)
	}
	for n := range flooders {
		from(n, 1)
		if n == 0 {
			continue // not delayed any longer
		}
		select {
		case wait := <-held:
			if want := time.Duration(n) * strangersEach; wait != want {
				t.Errorf("the %dth after the burst waits %v, want %v", n+1, wait, want)
			}
		default:
			t.Errorf("the %dth after the burst does not wait", n+1)
		}
	}
	from(flooders, strangersFew)
	if got := client(s.url, request{method: http.MethodGet, path: "/api/v2/events", token: alice}); got != http.StatusOK || len(held) > 0 {
		t.Errorf("%d, %d answers waited of who was refused a few times, or is signed in", got, len(held))
	}
	for range 10_000 { // however many, each is delayed no longer than its client would wait
		from(0, 1)
	}
	for most := time.Duration(0); ; {
		select {
		case wait := <-held:
			most = max(most, wait)
			continue
		default:
		}
		if most != strangersWait {
			t.Errorf("one waits %v, want %v", most, strangersWait)
		}
		break
	}
}

// TestConnectionsOfWhoCannotWaitAreLeftAside verifies that with too many delayed responses the
// connection is closed and new ones of its address are paused, but not those of others or of a
// trusted proxy.
func TestConnectionsOfWhoCannotWaitAreLeftAside(t *testing.T) {
	t.Parallel()
	const over = 5 // each of whose connections is paused for longer than the one before
	for _, proxied := range []bool{false, true} {
		clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
		_, d := prepare(t, func(d *Deps) {
			d.Now, d.hold = clock.Now, func(*fasthttp.RequestCtx, time.Duration) bool { return false }
			if proxied {
				trust("127.0.0.1/32")(d)
			}
		})
		g, url := serveGateway(t, d)
		client := keptAlive(t)
		address := netip.MustParseAddr("127.0.0.1")
		for n := range refusalBurst + 1 + over {
			if n <= refusalBurst && g.paused.Wait(address, clock.Now()) > 0 {
				t.Fatalf("after %d refusals connections are paused", n)
			}
			client(url, request{method: http.MethodGet, path: "/api/v2/events", header: map[string]string{"X-Forwarded-For": "203.0.113.1"}})
		}
		if wait, want := g.paused.Wait(address, clock.Now()), over*refusalEach; proxied && wait > 0 || !proxied && wait < want {
			t.Errorf("a proxy: %t; the next connection is paused for %v", proxied, wait)
		}
		if wait := g.paused.Wait(netip.MustParseAddr("127.0.0.2"), clock.Now()); wait > 0 {
			t.Errorf("a connection of another address is paused for %v", wait)
		}
		clock.Advance(strangersPause)
		if wait := g.paused.Wait(address, clock.Now()); wait > 0 {
			t.Errorf("afterwards the next connection is paused for %v", wait)
		}
	}
}

// TestRefusalsOfEveryKindAreHeldBack verifies that all rejections made before any work count
// together.
func TestRefusalsOfEveryKindAreHeldBack(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	held := make(chan time.Duration, 10)
	s := start(t, func(d *Deps) {
		d.Now, d.hold = clock.Now, func(_ *fasthttp.RequestCtx, wait time.Duration) bool { held <- wait; return true }
	})
	status := http.StatusOK
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) { ctx.SetStatusCode(status) })
	client := keptAlive(t)
	ask := func() int {
		return client(s.url, request{method: http.MethodGet, path: "/api/v2/events", token: alice})
	}
	for n := range refusalBurst + 1 {
		status = []int{http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusUnauthorized}[n%4]
		if got := ask(); got != status {
			t.Fatalf("%d, want %d", got, status)
		}
	}
	if len(held) > 0 {
		t.Fatalf("%d answers waited within the burst", len(held))
	}
	for _, status = range []int{http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable, http.StatusTooManyRequests, http.StatusUnauthorized} {
		before := len(held)
		if got := ask(); got != status || len(held) != before+1 {
			t.Errorf("%d, want %d; %d answers waited, want %d", got, status, len(held), before+1)
		}
	}
	for _, status = range []int{http.StatusOK, http.StatusNotFound, http.StatusBadRequest} {
		before := len(held)
		if got := ask(); got != status || len(held) != before {
			t.Errorf("%d, want %d; %d answers waited, want %d", got, status, len(held), before)
		}
	}
}

// TestAnswersThatWaitAreFew verifies that the number of delayed responses is limited.
func TestAnswersThatWaitAreFew(t *testing.T) {
	t.Parallel()
	w := new(waiting)
	w.answers.Store(refusalsHeld)
	if w.hold(&fasthttp.RequestCtx{}, 24*time.Hour) {
		t.Error("an answer too many waited")
	}
	if n := w.answers.Load(); n != refusalsHeld {
		t.Errorf("%d answers are counted, want %d", n, refusalsHeld)
	}
}

// keptAlive returns a function that sends requests over one connection.
func keptAlive(t *testing.T) func(url string, r request) (status int) {
	client := &fasthttp.Client{MaxIdleConnDuration: time.Minute}
	t.Cleanup(client.CloseIdleConnections)
	return func(url string, r request) int {
		req, resp := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
		defer fasthttp.ReleaseRequest(req)
		defer fasthttp.ReleaseResponse(resp)
		req.SetRequestURI(url + r.path)
		req.Header.SetMethod(r.method)
		if r.token != "" {
			req.Header.Set("Authorization", "Bearer "+r.token)
		}
		for name, value := range r.header {
			req.Header.Set(name, value)
		}
		if err := client.DoTimeout(req, resp, 30*time.Second); err != nil {
			t.Logf("%s: %v", r.path, err)
		}
		return resp.StatusCode()
	}
}

// TestUsersAreNotForgottenForAddresses verifies that a user who is rejected too often is
// still delayed after many addresses were rejected: each kind has its own bounded memory.
func TestUsersAreNotForgottenForAddresses(t *testing.T) {
	t.Parallel()
	h, now := newHoldback(nil), time.Unix(1_800_000_000, 0)
	greedy := user{"org", "greedy"}
	for range 2 * refusalBurst {
		h.users.Reserve(greedy, 1, now)
	}
	before := h.users.Reserve(greedy, 0, now)
	if before == 0 {
		t.Fatal("the user is not delayed")
	}
	for n := range 20_000 {
		for range 2 * refusalBurst {
			if h.stranger(fmt.Sprint(n), now).wait > 0 {
				break
			}
		}
	}
	if got := h.users.Reserve(greedy, 0, now); got != before {
		t.Errorf("after many addresses the user waits %v, before %v", got, before)
	}
}
