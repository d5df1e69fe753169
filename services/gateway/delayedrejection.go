package gateway

import (
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/connections"
)

// A rejection is cheap, and an immediate one can be repeated immediately: a few
// connections that do nothing else can use all processors. So a caller may have
// refusalBurst immediate rejections, and then one every refusalEach. Further ones are
// delayed, and a client that waits sends no request.
const (
	refusalEach  = 10 * time.Millisecond
	refusalBurst = 200
	// refusalWait is the maximum delay. With many connections a caller gets rejections
	// faster than one every refusalEach, rather than late.
	refusalWait = 2 * time.Second
	// overloadWait is the maximum delay of the rejection of a write by admission
	// control. The load of others causes it, and the caller should know soon. A client
	// that retries immediately reaches the write limit, whose rejections are delayed
	// longer.
	overloadWait = 25 * time.Millisecond
	// refusalsHeld is the maximum number of delayed responses; it bounds the memory
	// they use.
	refusalsHeld = 1000

	// An address may have strangersFew rejections, and one more every strangersLately.
	// Beyond that all such addresses together may have strangersBurst, and then one
	// every strangersEach, because a flood may come from any number of addresses.
	strangersFew    = 20
	strangersLately = 500 * time.Millisecond
	strangersEach   = 4 * time.Millisecond
	strangersBurst  = 200
	// strangersWait is the maximum delay of one of those responses.
	strangersWait = 5 * time.Second
	// strangersPause is how long new connections of an address are paused at most while
	// refusalsHeld responses are delayed: a paused connection uses less memory than a
	// delayed response. It is well below the read timeout of a request.
	strangersPause = 15 * time.Second
)

// holdKey is the key of the request value that holds a refusal.
type holdKey struct{}

// overloadKey is the key of the request value that marks a rejection by admission
// control.
type overloadKey struct{}

// refusal describes how a rejection is delayed.
type refusal struct {
	wait time.Duration // the delay of the response
	// pause is how long new connections of from are paused if the response cannot be
	// delayed; none are if from is the zero Addr.
	pause time.Duration
	from  netip.Addr
}

// holdback delays the responses of callers that are rejected repeatedly.
type holdback struct {
	users     *ratelimit.Pace[user]
	addresses *ratelimit.Pace[string]
	few       *ratelimit.Pace[string]   // of addresses; without delay for a few rejections
	together  *ratelimit.Pace[struct{}] // of all addresses that exceed few
	paused    *connections.Paused
	hold      hold
}

// hold delays a response, and reports whether it could.
type hold func(*fasthttp.RequestCtx, time.Duration) bool

// newHoldback returns a holdback that delays responses by hold, or by waiting if hold
// is nil.
func newHoldback(hold hold) *holdback {
	if hold == nil {
		hold = new(waiting).hold
	}
	return &holdback{
		users:     ratelimit.NewPace[user](refusalEach, refusalBurst*refusalEach),
		addresses: ratelimit.NewPace[string](refusalEach, refusalBurst*refusalEach),
		few:       ratelimit.NewPace[string](strangersLately, (strangersFew-1)*strangersLately),
		together:  ratelimit.NewPace[struct{}](strangersEach, strangersBurst*strangersEach), paused: connections.NewPaused(), hold: hold,
	}
}

// paced reports whether a status is that of a rejection made before any work, which
// repeating the request does not change: unauthenticated, rate limited, too large, or
// without capacity.
func paced(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable:
		return true
	}
	return false
}

// noteRefusals is the middleware that counts rejections per user, or per address if the
// caller is not authenticated.
func (g *gateway) noteRefusals(c *fiber.Ctx) error {
	err := c.Next()
	status := c.Response().StatusCode()
	if err != nil {
		_, status = web.Translate(err)
	}
	if !paced(status) {
		return err
	}
	var r refusal
	if p := web.PrincipalOf(c); p.UserID != "" {
		most := refusalWait
		if c.Context().UserValue(overloadKey{}) != nil {
			most = overloadWait
		}
		r.wait = min(g.holdback.users.Reserve(user{p.Org, p.UserID}, 1, g.Now()), most)
	} else {
		r = g.holdback.stranger(g.addressKey(c), g.Now())
		if remote, _ := netip.AddrFromSlice(c.Context().RemoteIP()); !g.trusts(remote) {
			r.from = remote.Unmap()
		}
	}
	if r.wait > 0 {
		c.Context().SetUserValue(holdKey{}, r)
	}
	return err
}

// stranger counts a rejection of an address, and returns its delay.
func (h *holdback) stranger(address string, now time.Time) refusal {
	own := min(h.addresses.Reserve(address, 1, now), refusalWait)
	if h.few.Reserve(address, 1, now) == 0 {
		return refusal{wait: own}
	}
	all, ok := h.together.Within(struct{}{}, 1, now, strangersPause)
	if !ok {
		all = strangersPause
	}
	return refusal{wait: min(max(own, all), strangersWait), pause: max(own, all)}
}

// install makes a server delay responses after everything else of the request has
// finished: its budgets are released, and its log line and duration do not include the
// delay.
func (h *holdback) install(server *fasthttp.Server, now func() time.Time) {
	next := server.Handler
	server.Handler = func(rc *fasthttp.RequestCtx) {
		next(rc)
		if r, ok := rc.UserValue(holdKey{}).(refusal); ok && !h.hold(rc, r.wait) && r.from.IsValid() {
			h.paused.Put(r.from, now().Add(r.pause))
			rc.SetConnectionClose()
		}
	}
}

// waiting counts the delayed responses.
type waiting struct{ answers atomic.Int64 }

// hold waits, unless too many responses are delayed already. It returns early when the
// server shuts down.
func (w *waiting) hold(rc *fasthttp.RequestCtx, wait time.Duration) bool {
	defer w.answers.Add(-1)
	if w.answers.Add(1) > refusalsHeld {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-rc.Done():
	}
	return true
}
