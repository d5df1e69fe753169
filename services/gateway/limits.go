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

// limitWrites counts a write against its user. On a read it only tells what is
// left.
func (g *gateway) limitWrites(c *fiber.Ctx) error {
	p := web.PrincipalOf(c)
	key := p.Org + ":" + p.UserID
	switch c.Method() {
	case http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete:
		r := g.writes.Take(c.UserContext(), key)
		g.budgets.put(key, r, g.Now())
		return g.answerLimit(c, g.writes, r)
	}
	r, ok := g.budgets.get(key, g.Now())
	if !ok {
		r = g.writes.Peek(c.UserContext(), key)
		g.budgets.put(key, r, g.Now())
	}
	r.Allowed = true // a read always passes
	return g.answerLimit(c, g.writes, r)
}

// answerLimit sets the fields about a limit, and refuses what it does not
// allow.
func (g *gateway) answerLimit(c *fiber.Ctx, l *ratelimit.Limiter, r ratelimit.Result) error {
	c.Set(headerRateLimitPolicy, l.Policy())
	if !r.Unknown {
		c.Set(headerRateLimit, ratelimit.Field(l.Name(), r))
	}
	if r.Allowed {
		return nil
	}
	g.auditRefusal(c, audit.Limited, apperr.RateLimited)
	return &apperr.Error{Code: apperr.RateLimited, RetryAfter: max(r.Reset, time.Second),
		Message: "Too many requests. Wait as long as Retry-After says."}
}

// budgets remembers for a moment what users have left, so that reads need not
// ask Redis for it each time.
type budgets struct {
	mu   sync.Mutex
	seen map[string]budget
}

type budget struct {
	result ratelimit.Result
	at     time.Time
}

const (
	budgetAge  = time.Second
	budgetsMax = 10_000
)

func (b *budgets) get(key string, now time.Time) (ratelimit.Result, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.seen[key]
	if !ok || now.Sub(s.at) >= budgetAge {
		return ratelimit.Result{}, false
	}
	return s.result, true
}

func (b *budgets) put(key string, r ratelimit.Result, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil || len(b.seen) >= budgetsMax {
		b.seen = make(map[string]budget) // worth no more than one more question each
	}
	b.seen[key] = budget{r, now}
}
