package gateway

import (
	"net/http"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// readsUnderWay is how many reads a service is sent at a time, fewer than there are
	// connections to it, and readsOfOne how many of them are one organization's: more
	// than a service works on at a time. One that has had no company for a minute may have
	// as many as leave room for whoever comes.
	readsUnderWay   = maxConns / 2
	readsOfOne      = 64
	readsOfOneAlone = readsUnderWay / 2
)

// newReads returns what schedules the reads that each service is sent. In a service they
// wait for their turns, each on a connection of the gateway, and what it has answered is
// in its memory until the gateway takes it: the reads of one organization, however many it
// asks for at once, must neither have all connections nor all memory.
func newReads() map[api.Service]*fairshare.Scheduler {
	reads := map[api.Service]*fairshare.Scheduler{}
	for _, service := range api.Backends() {
		reads[service] = fairshare.New(fairshare.Options{Slots: readsUnderWay, Share: readsOfOne, Alone: readsOfOneAlone, AloneAfter: turnsAlone})
	}
	return reads
}

// underWay returns a handler that waits until one more read of the caller's organization
// may be under way. Writes have their intake.
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
