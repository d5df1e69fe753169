package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/web"
)

// TestShortRequestsTakeTurns verifies that while another organization is active, the short
// requests of one use half of the processors, do not delay the other's or those scheduled by
// their service, and release their slot after turnTime.
func TestShortRequestsTakeTurns(t *testing.T) {
	t.Parallel()
	const processors = 4
	over := make(chan func(), 100)
	turns := newTurns(processors, func(d time.Duration, f func()) interface{ Stop() bool } {
		if d != turnTime {
			t.Errorf("a turn takes %v, want %v", d, turnTime)
		}
		over <- f
		return time.NewTimer(time.Hour)
	})
	s := start(t, func(d *Deps) { d.turns, d.Timeout = turns, time.Minute })
	begun, end := make(chan string, 100), make(chan struct{})
	var all sync.WaitGroup
	defer all.Wait()
	defer close(end)
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) {
		begun <- string(ctx.Method()) + string(ctx.Path())
		<-end
		ctx.SetContentType("application/json")
		ctx.SetBodyString(`{"success":true,"data":{}}`)
	})
	ask := func(token, method, path string) {
		all.Go(func() { s.do(request{method: method, path: "/api/v2" + path, token: token, body: "{}"}) })
	}
	waiting := func(want int) {
		t.Helper()
		testkit.Eventually(t, time.Minute, func() error {
			if n := turns.scheduler.Waiting(principals()[alice].Org); n != want {
				return fmt.Errorf("%d requests of the greedy organization wait, want %d", n, want)
			}
			return nil
		})
	}
	ask(carol, http.MethodGet, "/events/quiet")
	<-begun
	const greedy = 6
	for n := range greedy {
		ask(alice, []string{http.MethodGet, http.MethodPatch}[n%2], "/events/greedy")
	}
	waiting(greedy - processors/2)
	for range processors / 2 {
		<-begun
	}
	ask(carol, http.MethodGet, "/events/quiet-too")
	if got := <-begun; got != "GET/api/v2/events/quiet-too" {
		t.Errorf("%s began, want what another organization asked for", got)
	}
	ask(alice, http.MethodGet, "/events/greedy/export")
	if got := <-begun; got != "GET/api/v2/events/greedy/export" {
		t.Errorf("%s began, want what the service schedules", got)
	}
	waiting(greedy - processors/2)
	for range greedy - processors/2 {
		for range processors { // each of them has held its slot for long enough
			select {
			case f := <-over:
				f()
			default:
			}
		}
		<-begun
	}
	waiting(0)
}

// TestTurnsOfOneAlone verifies that an organization without others has all slots.
func TestTurnsOfOneAlone(t *testing.T) {
	t.Parallel()
	turns := newTurns(2, func(time.Duration, func()) interface{ Stop() bool } { return time.NewTimer(time.Hour) })
	s := start(t, func(d *Deps) { d.turns, d.Timeout = turns, time.Minute })
	begun, end := make(chan bool, 100), make(chan struct{})
	s.services[api.Records].set(func(ctx *fasthttp.RequestCtx) { begun <- true; <-end })
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() { s.do(request{method: http.MethodGet, path: "/api/v2/events", token: alice}) })
	}
	deadline := time.After(20 * time.Second)
	for n := range 10 {
		select {
		case <-begun:
		case <-deadline:
			close(end)
			t.Fatalf("%d of 10 requests have begun", n)
		}
	}
	close(end)
	all.Wait()
}

// TestShortTurnsKeepTheirPlace verifies that the cost of short requests outside their slot is
// left to another active organization.
func TestShortTurnsKeepTheirPlace(t *testing.T) {
	t.Parallel()
	const processors, times, clients = 2, 200, 8
	turns := newTurns(processors, nil)
	s := start(t, func(d *Deps) { d.turns, d.Timeout = turns, time.Minute })
	s.services[api.Records].set(func(*fasthttp.RequestCtx) { testkit.Takes(t, web.MinSlotTime/web.MinSlotTimes) })
	client := keptAlive(t)
	ask := func(token string) {
		t.Helper()
		if got := client(s.url, request{method: http.MethodGet, path: "/api/v2/events", token: token}); got != http.StatusOK {
			t.Fatalf("%d", got)
		}
	}
	ask(carol)
	// Requests this short may never overlap, and one at a time is not delayed.
	var all sync.WaitGroup
	end, err := turns.scheduler.Acquire(t.Context(), "one", 1)
	if err != nil {
		t.Fatal(err)
	}
	all.Go(func() { ask(alice) })
	testkit.Eventually(t, time.Minute, func() error {
		if turns.scheduler.Waiting("one") != 1 {
			return errors.New("the second request does not wait")
		}
		return nil
	})
	end()
	began := time.Now()
	for range clients {
		all.Go(func() {
			for range times / clients {
				ask(alice)
			}
		})
	}
	all.Wait()
	if took, least := time.Since(began), (times/(processors/2)*web.MinSlotTime-web.SlotBurst)/2; took < least {
		t.Errorf("%d requests took %v beside another organization, want %v at least", times, took, least)
	}
}

// TestTurnsWithoutTime verifies that a request without a slot in time gets Retry-After.
func TestTurnsWithoutTime(t *testing.T) {
	t.Parallel()
	turns := newTurns(2, nil)
	s := start(t, func(d *Deps) { d.turns, d.Timeout = turns, 50*time.Millisecond })
	for _, org := range []string{principals()[carol].Org, principals()[alice].Org} {
		end, err := turns.scheduler.Acquire(t.Context(), org, 1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(end)
	}
	got := s.do(request{method: http.MethodGet, path: "/api/v2/events", token: alice})
	if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
		t.Errorf("%d %v", got.status, got.header)
	}
	if n := s.services[api.Records].count(); n != 0 {
		t.Errorf("the service was asked %d times", n)
	}
}

// TestAThousandPagesPassWithinAMinute verifies that a thousand pages of a hundred records are
// answered while the clock stands still, the write limit is used up, another organization is
// active, and the client has many connections.
func TestAThousandPagesPassWithinAMinute(t *testing.T) {
	t.Parallel()
	clock := testkit.NewClock(time.Unix(1_800_000_000, 0))
	s := start(t, func(d *Deps) {
		d.Now, d.Limits, d.Timeout = clock.Now, ratelimit.NewLocal(clock.Now, 0), time.Minute
		d.turns = newTurns(2, nil)
		d.WriteLimit.Limit = 1
	})
	for _, want := range []int{http.StatusOK, http.StatusTooManyRequests} {
		if got := s.do(request{method: http.MethodPatch, path: "/api/v2/events/e", token: alice, body: "{}"}); got.status != want {
			t.Fatalf("a write: %d, want %d", got.status, want)
		}
	}
	quiet := request{method: http.MethodGet, path: "/api/v2/events", token: carol}
	if got := s.do(quiet); got.status != http.StatusOK {
		t.Fatalf("another organization: %d", got.status)
	}
	const connections, pages = 24, 1000
	next := make(chan int, pages)
	for page := range pages {
		next <- page + 1
	}
	close(next)
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			for page := range next {
				r := request{method: http.MethodGet, path: fmt.Sprintf("/api/v2/events/e/flights?limit=100&page=%d", page), token: alice}
				if got := s.do(r); got.status != http.StatusOK {
					t.Errorf("page %d: %d %s", page, got.status, got.body)
				}
				if page%20 > 0 {
					continue
				}
				if got := s.do(quiet); got.status != http.StatusOK {
					t.Errorf("another organization: %d %s", got.status, got.body)
				}
			}
		})
	}
	all.Wait()
}
