package gateway

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fasthttp"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/web"
)

// limitAddress counts a request that needs no token against its client's
// address.
func (g *gateway) limitAddress(c *fiber.Ctx, class api.Limit) error {
	l, ok := g.byAddress[class]
	if !ok {
		return nil
	}
	key := ratelimit.AddressKey(web.ClientIP(c.Context(), g.TrustedProxies))
	return g.answerLimit(c, l, l.Take(c.UserContext(), key))
}

// limitWrites counts a write against its user. On a read, which always passes, it only
// tells what is left.
func (g *gateway) limitWrites(c *fiber.Ctx) error {
	p := web.PrincipalOf(c)
	switch c.Method() {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		who, now := user{p.Org, p.UserID}, g.Now()
		r := g.writes.Take(c.UserContext(), who.key())
		g.budgets.put(who, tellOf(g.writes, r), now)
		return g.answerLimit(c, g.writes, r)
	}
	if !wasAsked(c) {
		setLimit(c, g.leftOf(c.UserContext(), p, g.Now()))
	}
	return nil
}

// leftOf returns what an answer to a read of a user says about the limit of writes.
func (g *gateway) leftOf(ctx context.Context, p identity.Principal, now time.Time) *told {
	who := user{p.Org, p.UserID}
	left := g.budgets.get(who, now)
	if left == nil {
		left = tellOf(g.writes, g.writes.Peek(ctx, who.key()))
		g.budgets.put(who, left, now)
	}
	return left
}

// answerLimit sets the fields about a limit, and refuses what it does not
// allow.
func (g *gateway) answerLimit(c *fiber.Ctx, l *ratelimit.Limiter, r ratelimit.Result) error {
	setLimit(c, tellOf(l, r))
	if r.Allowed {
		return nil
	}
	g.auditRefusal(c, audit.Limited, apperr.RateLimited)
	return &apperr.Error{Code: apperr.RateLimited, RetryAfter: max(r.Reset, time.Second),
		Message: "Too many requests. Wait as long as Retry-After says."}
}

// told is what an answer says about a limit: its policy, and what is left of it, which is
// nothing where nobody could count.
type told struct{ policy, left []byte }

func tellOf(l *ratelimit.Limiter, r ratelimit.Result) *told {
	t := &told{policy: []byte(l.Policy())}
	if !r.Unknown {
		t.left = []byte(ratelimit.Field(l.Name(), r))
	}
	return t
}

// setLimit has the answer say what is left of a limit.
func setLimit(c *fiber.Ctx, t *told) { c.Context().SetUserValue(limitKey{}, t) }

// limitKey is where a request has what its answer says about a limit.
type limitKey struct{}

// tellLimits is the middleware that sets the fields about a limit when there is an answer: that
// of a service takes the place of whatever was set before.
func (g *gateway) tellLimits(c *fiber.Ctx) error {
	err := c.Next()
	if t, ok := c.Context().UserValue(limitKey{}).(*told); ok {
		t.tell(&c.Response().Header)
	}
	return err
}

// tell sets the fields about a limit.
func (t *told) tell(h *fasthttp.ResponseHeader) {
	prepend(h, nameRateLimit, t.left)
	prepend(h, nameRateLimitPolicy, t.policy)
}

const (
	headerRateLimit       = "RateLimit"
	headerRateLimitPolicy = "RateLimit-Policy"
)

// The same names as fasthttp keeps them.
var nameRateLimit, nameRateLimitPolicy = []byte("Ratelimit"), []byte("Ratelimit-Policy")

// prepend puts a member before those that a service has set: the fields are lists, and a
// service may have limits of its own.
func prepend(h *fasthttp.ResponseHeader, name, member []byte) {
	if len(member) == 0 {
		return
	}
	if theirs := h.PeekCanonical(name); len(theirs) > 0 {
		member = slices.Concat(member, []byte(", "), theirs)
	}
	h.SetCanonical(name, member)
}

// user is whose writes are counted together.
type user struct{ org, id string }

func (u user) key() string { return u.org + ":" + u.id }

// budgets remembers for a moment what users have left, so that reads need not
// ask Redis for it each time.
type budgets struct {
	mu   sync.Mutex
	seen map[user]budget
}

type budget struct {
	left *told
	at   time.Time
}

const (
	budgetAge  = time.Second
	budgetsMax = 10_000
)

// get returns what a user has left; nil where that is not known.
func (b *budgets) get(who user, now time.Time) *told {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.seen[who]
	if !ok || now.Sub(s.at) >= budgetAge {
		return nil
	}
	return s.left
}

func (b *budgets) put(who user, left *told, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil || len(b.seen) >= budgetsMax {
		b.seen = make(map[user]budget) // worth no more than one more question each
	}
	b.seen[who] = budget{left, now}
}
