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
)

// A refusal costs little, and one that is answered at once can be asked for again at
// once: some connections that do nothing else keep all processors busy. So a caller
// has refusalBurst of them, and then one every refusalEach: the answers wait, and
// whoever waits for them asks no more.
const (
	refusalEach  = 10 * time.Millisecond
	refusalBurst = 200
	// refusalWait is how long an answer waits at most. Many connections have their
	// answers sooner than refusalEach allows, rather than late.
	refusalWait = 2 * time.Second
	// overloadWait is how long the answer to a write that is not taken on waits at most: what
	// refuses it is what others ask for, and its caller is to know soon. Who asks again at once
	// meets the limit of writes, whose refusals wait longer.
	overloadWait = 25 * time.Millisecond
	// refusalsHeld is how many answers wait at a time; what they keep has to fit.
	refusalsHeld = 1000

	// strangersFew is how many refusals an address has, one more every strangersLately,
	// before those of all such addresses together have strangersBurst, and then one every
	// strangersEach: a flood comes from as many addresses as it likes.
	strangersFew    = 20
	strangersLately = 500 * time.Millisecond
	strangersEach   = 4 * time.Millisecond
	strangersBurst  = 200
	// strangersWait is how long an answer to one of them waits at most.
	strangersWait = 5 * time.Second
	// strangersAside is how long new connections of an address are left aside at most, once
	// refusalsHeld answers wait: they take less to keep than answers do. It is well within
	// the time that a request may take to be read.
	strangersAside = 15 * time.Second
)

// holdKey is where a request keeps its refusal.
type holdKey struct{}

// overloadKey is where a request says that it was refused by an intake.
type overloadKey struct{}

// refusal is how the answer of a caller who is refused over and over is delayed.
type refusal struct {
	wait time.Duration // of the answer
	// aside is how long new connections of an address are left aside where the answer
	// cannot wait; no address: none are.
	aside time.Duration
	from  netip.Addr
}

// holdback delays the answers of who is refused over and over.
type holdback struct {
	pace     *pace // of each caller
	few      *pace // of each address, which has no more than a few refusals while it waits for none
	together *pace // of all addresses that have more
	aside    *aside
	hold     hold
}

// hold waits for a time before an answer, and reports whether it could.
type hold func(*fasthttp.RequestCtx, time.Duration) bool

// newHoldback returns one that holds answers by hold, or, where there is none, until
// the time is over.
func newHoldback(hold hold) *holdback {
	if hold == nil {
		hold = new(waiting).hold
	}
	return &holdback{
		pace: newPace(refusalEach, refusalBurst*refusalEach), few: newPace(strangersLately, (strangersFew-1)*strangersLately),
		together: newPace(strangersEach, strangersBurst*strangersEach), aside: newAside(), hold: hold,
	}
}

// paced reports whether an answer is a refusal that is made before any work, and that
// asking again does not change: no token or no valid one, too much, too large, no room.
func paced(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusTooManyRequests, http.StatusRequestEntityTooLarge, http.StatusServiceUnavailable:
		return true
	}
	return false
}

// noteRefusals is the middleware that counts the refusals of a caller: a user, or the address
// of somebody who is not signed in.
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
		r.wait = min(g.holdback.pace.reserve(p.Org+":"+p.UserID, 1, g.Now()), most)
	} else {
		r = g.holdback.stranger(ratelimit.AddressKey(web.ClientIP(c.Context(), g.TrustedProxies)), g.Now())
		if remote, _ := netip.AddrFromSlice(c.Context().RemoteIP()); !g.trusts(remote) {
			r.from = remote.Unmap()
		}
	}
	if r.wait > 0 {
		c.Context().SetUserValue(holdKey{}, r)
	}
	return err
}

// stranger counts a refusal of an address, and returns how it is delayed.
func (h *holdback) stranger(address string, now time.Time) refusal {
	own := min(h.pace.reserve(address, 1, now), refusalWait)
	if h.few.reserve(address, 1, now) == 0 {
		return refusal{wait: own}
	}
	all, ok := h.together.within("", 1, now, strangersAside)
	if !ok {
		all = strangersAside
	}
	return refusal{wait: min(max(own, all), strangersWait), aside: max(own, all)}
}

// install makes a server hold answers back once everything else about their requests
// has ended: what they had of budgets is returned, and their lines of the log and their
// durations are those of the work.
func (h *holdback) install(server *fasthttp.Server, now func() time.Time) {
	next := server.Handler
	server.Handler = func(rc *fasthttp.RequestCtx) {
		next(rc)
		if r, ok := rc.UserValue(holdKey{}).(refusal); ok && !h.hold(rc, r.wait) && r.from.IsValid() {
			h.aside.put(r.from, now().Add(r.aside))
			rc.SetConnectionClose()
		}
	}
}

// waiting counts the answers that wait.
type waiting struct{ answers atomic.Int64 }

// hold waits, unless too many wait already or the server ends.
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
