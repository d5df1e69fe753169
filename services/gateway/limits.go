package gateway

import (
	"net/http"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
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
	key := ratelimit.AddressKey(web.ClientIP(c, g.TrustedProxies))
	return g.answerLimit(c, l, l.Take(c.UserContext(), key))
}

// limitWrites counts a write against its user. On a read, which always passes, it only
// tells what is left.
func (g *gateway) limitWrites(c *fiber.Ctx) error {
	p := web.PrincipalOf(c)
	who, now := user{p.Org, p.UserID}, g.Now()
	switch c.Method() {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		r := g.writes.Take(c.UserContext(), who.key())
		g.budgets.put(who, limitField(g.writes, r), now)
		return g.answerLimit(c, g.writes, r)
	}
	left, ok := g.budgets.get(who, now)
	if !ok {
		left = limitField(g.writes, g.writes.Peek(c.UserContext(), who.key()))
		g.budgets.put(who, left, now)
	}
	setLimit(c, g.writes, left)
	return nil
}

// answerLimit sets the fields about a limit, and refuses what it does not
// allow.
func (g *gateway) answerLimit(c *fiber.Ctx, l *ratelimit.Limiter, r ratelimit.Result) error {
	setLimit(c, l, limitField(l, r))
	if r.Allowed {
		return nil
	}
	g.auditRefusal(c, audit.Limited, apperr.RateLimited)
	return &apperr.Error{Code: apperr.RateLimited, RetryAfter: max(r.Reset, time.Second),
		Message: "Too many requests. Wait as long as Retry-After says."}
}

// limitField says what is left of a limit; nothing where nobody could count.
func limitField(l *ratelimit.Limiter, r ratelimit.Result) string {
	if r.Unknown {
		return ""
	}
	return ratelimit.Field(l.Name(), r)
}

// setLimit sets the fields about a limit.
func setLimit(c *fiber.Ctx, l *ratelimit.Limiter, left string) {
	h := &c.Response().Header
	h.SetCanonical(nameRateLimitPolicy, []byte(l.Policy()))
	if left != "" {
		h.SetCanonical(nameRateLimit, []byte(left))
	}
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
	left string // as the field says it
	at   time.Time
}

const (
	budgetAge  = time.Second
	budgetsMax = 10_000
)

func (b *budgets) get(who user, now time.Time) (left string, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.seen[who]
	if !ok || now.Sub(s.at) >= budgetAge {
		return "", false
	}
	return s.left, true
}

func (b *budgets) put(who user, left string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil || len(b.seen) >= budgetsMax {
		b.seen = make(map[user]budget) // worth no more than one more question each
	}
	b.seen[who] = budget{left, now}
}
