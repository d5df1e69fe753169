package gateway

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

const (
	// readsUnderWay is the number of reads in flight to one service, fewer than the
	// connections to it, and readsOfOne the share of one organization: more than a
	// service processes at a time. An organization that has been alone for a minute may
	// use all but a reserve for others.
	readsUnderWay   = upstream.MaxConns / 2
	readsOfOne      = 64
	readsOfOneAlone = readsUnderWay / 2
)

// newReads returns the fair schedulers of the reads in flight to each service. In a
// service, reads queue for their slots while they hold a connection of the gateway, and
// their responses are in its memory until the gateway reads them. So one organization
// must not use all connections or all memory, however many reads it sends at once.
func newReads() map[api.Service]*fairshare.Scheduler {
	reads := map[api.Service]*fairshare.Scheduler{}
	for _, service := range api.Backends() {
		reads[service] = fairshare.New(fairshare.Options{Slots: readsUnderWay, Share: readsOfOne, Alone: readsOfOneAlone, AloneAfter: turnsAlone})
	}
	return reads
}

// underWay returns a handler that waits for a slot among the reads in flight. Writes
// are limited by admission control instead.
func (g *gateway) underWay(o api.Operation, next fiber.Handler) fiber.Handler {
	reads := g.reads[o.Service]
	if reads == nil || o.Public() || o.Streamed || o.Method != http.MethodGet && o.Cost <= api.Light {
		return next
	}
	return func(c *fiber.Ctx) error {
		end, err := reads.Acquire(c.UserContext(), web.PrincipalOf(c).Org, 1)
		if err != nil {
			return web.TooLate(err)
		}
		defer end()
		return next(c)
	}
}
