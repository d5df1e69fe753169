package gateway

import (
	"runtime"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// turnTime is how long a request holds its slot at most. One that takes longer is
	// waiting for storage or in another queue, and must not keep its organization from
	// working.
	turnTime = 20 * time.Millisecond
	// turnsAlone is how long no other organization must have been active until one may
	// exceed its share.
	turnsAlone = time.Minute
)

// turns is the fair scheduler of short requests if the services run in the gateway's
// process (ADR 0069). Each request is then scheduled on several processors in turn, and
// waits each time behind all other runnable work. So while another organization is
// active, one may use at most half of the processors. Requests are delayed, never
// rejected.
type turns struct {
	scheduler *fairshare.Scheduler
	after     after
}

// after calls a function after a duration, unless it is stopped.
type after func(time.Duration, func()) interface{ Stop() bool }

func newTurns(processors int, by after) *turns {
	if by == nil {
		by = func(d time.Duration, f func()) interface{ Stop() bool } { return time.AfterFunc(d, f) }
	}
	return &turns{after: by, scheduler: fairshare.New(fairshare.Options{
		Slots: 32 * processors, Share: processors / 2, Alone: 32 * processors, AloneAfter: turnsAlone, Least: web.MinSlotTime, LeastTimes: web.MinSlotTimes, Burst: web.SlotBurst,
	})}
}

// processors returns the number of slots; a single processor counts as two.
func processors() int { return max(2, runtime.GOMAXPROCS(0)) }

// inTurn returns a handler that waits for a slot of the caller's organization. It does
// not apply to work that its service schedules by cost, nor to streamed bodies, whose
// duration depends on the sender.
func (g *gateway) inTurn(o api.Operation, next fiber.Handler) fiber.Handler {
	if c := g.clients[o.Service]; c == nil || !c.Short(o) {
		return next
	}
	return func(c *fiber.Ctx) error {
		end, err := g.turns.scheduler.Acquire(c.UserContext(), web.PrincipalOf(c).Org, 1)
		if err != nil {
			return web.TooLate(err)
		}
		defer end()
		defer g.turns.after(turnTime, end).Stop()
		return next(c)
	}
}
