package gateway

import (
	"net/http"
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
	// refusalsHeld is how many answers wait at a time; what they keep has to fit.
	refusalsHeld = 1000
)

// holdKey is where a request keeps how long its answer waits.
type holdKey struct{}

// holdback delays the answers of who is refused over and over.
type holdback struct {
	pace *pace
	hold func(*fasthttp.RequestCtx, time.Duration)
}

// newHoldback returns one that holds answers by hold, or, where there is none, until
// the time is over.
func newHoldback(hold func(*fasthttp.RequestCtx, time.Duration)) *holdback {
	if hold == nil {
		hold = new(waiting).hold
	}
	return &holdback{pace: newPace(refusalEach, refusalBurst*refusalEach), hold: hold}
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
	p := web.PrincipalOf(c)
	who := p.Org + ":" + p.UserID
	if p.UserID == "" {
		who = ratelimit.AddressKey(web.ClientIP(c, g.TrustedProxies))
	}
	if wait := g.holdback.pace.reserve(who, 1, g.Now()); wait > 0 {
		c.Context().SetUserValue(holdKey{}, min(wait, refusalWait))
	}
	return err
}

// install makes a server hold answers back once everything else about their requests
// has ended: what they had of budgets is returned, and their lines of the log and their
// durations are those of the work.
func (h *holdback) install(server *fasthttp.Server) {
	next := server.Handler
	server.Handler = func(rc *fasthttp.RequestCtx) {
		next(rc)
		if wait, ok := rc.UserValue(holdKey{}).(time.Duration); ok {
			h.hold(rc, wait)
		}
	}
}

// waiting counts the answers that wait.
type waiting struct{ answers atomic.Int64 }

// hold waits, unless too many wait already or the server ends.
func (w *waiting) hold(rc *fasthttp.RequestCtx, wait time.Duration) {
	defer w.answers.Add(-1)
	if w.answers.Add(1) > refusalsHeld {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-rc.Done():
	}
}
