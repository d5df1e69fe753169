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

// limitAddress counts a request that needs no token against the limit of the client
// address.
func (g *gateway) limitAddress(c *fiber.Ctx, class api.Limit) error {
	l, ok := g.byAddress[class]
	if !ok {
		return nil
	}
	return g.answerLimit(c, l, l.Take(c.UserContext(), g.addressKey(c)))
}

// addressKey returns the key by which the requests of a client are counted together
// that has no token.
func (g *gateway) addressKey(c *fiber.Ctx) string {
	return ratelimit.AddressKey(web.ClientIP(c.Context(), g.TrustedProxies))
}

// limitWrites counts a write against the limit of its user. For a read, which always
// passes, it only sets the rate limit fields.
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

// leftOf returns the rate limit fields for a read of a user.
func (g *gateway) leftOf(ctx context.Context, p identity.Principal, now time.Time) *told {
	who := user{p.Org, p.UserID}
	left := g.budgets.get(who, now)
	if left == nil {
		left = tellOf(g.writes, g.writes.Peek(ctx, who.key()))
		g.budgets.put(who, left, now)
	}
	return left
}

// answerLimit sets the rate limit fields, and rejects the request if the limit is
// exceeded.
func (g *gateway) answerLimit(c *fiber.Ctx, l *ratelimit.Limiter, r ratelimit.Result) error {
	setLimit(c, tellOf(l, r))
	if r.Allowed {
		return nil
	}
	g.auditRefusal(c, audit.Limited, apperr.RateLimited)
	return &apperr.Error{Code: apperr.RateLimited, RetryAfter: max(r.Reset, time.Second),
		Message: "Too many requests. Please wait for the time in Retry-After."}
}

// told are the values of the rate limit fields: the policy, and the remaining budget,
// which is empty if the limit could not be counted.
type told struct{ policy, left []byte }

func tellOf(l *ratelimit.Limiter, r ratelimit.Result) *told {
	t := &told{policy: []byte(l.Policy())}
	if !r.Unknown {
		t.left = []byte(ratelimit.Field(l.Name(), r))
	}
	return t
}

// setLimit stores the rate limit fields of the response.
func setLimit(c *fiber.Ctx, t *told) { c.Context().SetUserValue(limitKey{}, t) }

// limitKey is the key of the request value that holds the rate limit fields.
type limitKey struct{}

// tellLimits is the middleware that sets the rate limit fields once there is a
// response; a service's response replaces any fields set earlier.
func (g *gateway) tellLimits(c *fiber.Ctx) error {
	err := c.Next()
	if t, ok := c.Context().UserValue(limitKey{}).(*told); ok {
		t.tell(&c.Response().Header)
	}
	return err
}

// tell sets the rate limit fields.
func (t *told) tell(h *fasthttp.ResponseHeader) {
	prepend(h, nameRateLimit, t.left)
	prepend(h, nameRateLimitPolicy, t.policy)
}

const (
	headerRateLimit       = "RateLimit"
	headerRateLimitPolicy = "RateLimit-Policy"
)

// The names as fasthttp normalizes them.
var nameRateLimit, nameRateLimitPolicy = []byte("Ratelimit"), []byte("Ratelimit-Policy")

// prepend inserts a member before those set by a service: the fields are lists, and a
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

// user identifies whose writes are counted together.
type user struct{ org, id string }

func (u user) key() string { return u.org + ":" + u.id }

// budgets caches the remaining budgets of users briefly, so that a read need not query
// Redis.
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

// get returns the cached rate limit fields of a user, or nil.
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
		b.seen = make(map[user]budget) // costs one more query per user
	}
	b.seen[who] = budget{left, now}
}
