package gateway

import (
	"net/http"
	"strconv"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/web"
)

// storedPolicy is the name of the limit of stored bytes in RateLimit-Policy.
const storedPolicy = "stored"

// newStoredLimit returns the limit of the bytes that organizations store, or nil if
// there is none.
func newStoredLimit(d Deps) *ratelimit.Volume {
	if d.StoredLimit.Limit == 0 {
		return nil
	}
	shared, _ := d.Limits.(ratelimit.Buckets) // none if the limits are of this process
	return ratelimit.NewVolume(ratelimit.Options{Name: storedPolicy, Rule: d.StoredLimit, Timeout: d.LimitTimeout, Now: d.Now, Logger: d.Logger}, shared)
}

// storesData reports whether an operation may store data of an organization. What
// manages its accounts and sessions is never refused.
func storesData(o api.Operation) bool {
	return o.Method != http.MethodGet && o.Method != http.MethodDelete && o.Service != api.Auth && !o.Public()
}

// limitStored rejects a write of an organization that has stored too much of late. How
// much this one will store is known only when it has been answered.
func (g *gateway) limitStored(c *fiber.Ctx, o api.Operation) error {
	if g.stored == nil || !storesData(o) {
		return nil
	}
	r := g.stored.Look(c.UserContext(), web.PrincipalOf(c).Org)
	if r.Allowed {
		return nil
	}
	t := *tellOf(g.writes, ratelimit.Result{Unknown: true})
	t.policy = append(append(t.policy, ", "...), g.stored.Policy()...)
	t.left = []byte(ratelimit.Field(storedPolicy, r))
	setLimit(c, &t)
	g.auditRefusal(c, audit.Limited, apperr.RateLimited)
	return &apperr.Error{Code: apperr.RateLimited, RetryAfter: max(r.Reset, time.Second),
		Message: "Your organization has stored very much data in a short time. Please wait for the time in Retry-After.",
		Details: []apperr.Detail{{Field: "organization", Code: "STORED_BYTES", Message: "Each write, and each comment of many records at once, counts with what it stores."}}}
}

// addStored counts what a write has stored, as its service reports.
func (g *gateway) addStored(c *fiber.Ctx, o api.Operation) {
	if g.stored == nil || !storesData(o) {
		return
	}
	n, err := strconv.ParseInt(string(c.Response().Header.Peek(web.HeaderStored)), 10, 64)
	if err == nil && n > 0 {
		g.stored.Add(web.PrincipalOf(c).Org, n)
	}
}
