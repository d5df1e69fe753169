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
	// turnTime is how long a request has its turn at most: what takes longer waits for
	// storage, or for a turn of another kind, and must not keep its organization from
	// working meanwhile.
	turnTime = 20 * time.Millisecond
	// turnsAlone is how long no other organization must have asked for anything until
	// one may take more than its share.
	turnsAlone = time.Minute
)

// turns schedules short requests among organizations where the services behind the
// gateway work on its own processors. Each request there is woken on several of them,
// one after the other, and each time waits for whatever else has been begun: so of one
// organization no more is begun than half of the processors can work on, while another
// one asks too. Requests wait, and are not refused for it.
type turns struct {
	scheduler *fairshare.Scheduler
	after     after
}

// after calls a function when a time is over, unless it is told to stop.
type after func(time.Duration, func()) interface{ Stop() bool }

func newTurns(processors int, by after) *turns {
	if by == nil {
		by = func(d time.Duration, f func()) interface{ Stop() bool } { return time.AfterFunc(d, f) }
	}
	return &turns{after: by, scheduler: fairshare.New(fairshare.Options{
		Slots: 32 * processors, Share: processors / 2, Alone: 32 * processors, AloneAfter: turnsAlone, Least: web.LeastTurn, LeastTimes: web.LeastTurnTimes, Burst: web.TurnBurst,
	})}
}

// processors is how many may work at a time; one shares as two do.
func processors() int { return max(2, runtime.GOMAXPROCS(0)) }

// inTurn returns a handler that waits for the turn of the caller's organization. Work
// that is scheduled by what it costs has its turns in its service, and a body that is
// passed on as it comes takes as long as its sender likes: neither waits here.
func (g *gateway) inTurn(o api.Operation, next fiber.Handler) fiber.Handler {
	if c := g.clients[o.Service]; c == nil || !c.short(o) {
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
