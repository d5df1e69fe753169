package gateway

import (
	"math"
	"net/http"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

const (
	// intakeDelay is how long writes of a service may all take before some of the next
	// are refused.
	intakeDelay = 500 * time.Millisecond
	// intakeWindow is for how long is looked before it is decided again.
	intakeWindow = 250 * time.Millisecond
	// intakeLeast is how many writes are always taken on at a time.
	intakeLeast = 64
)

// intake bounds the light writes that a service is sent at a time, once they stand in a
// queue: when not one that ended lately was answered within intakeDelay, as many may be
// under way as end within that time, by the rate at which they do end. Without it those
// that are answered at last have taken longer than their callers waited, and the work is
// lost. While there is no such queue the bound grows again to what there are connections
// for. Writes that only come in bursts therefore never meet it.
//
// Who has fewer under way than an even share of the bound is not refused by what others
// have.
type intake struct {
	now func() time.Time

	mu       sync.Mutex
	limit    int
	underWay int
	of       map[string]int // organization
	// The window: when it began, how many ended in it, and the least that one took.
	began time.Time
	ended int
	least time.Duration
}

func newIntake(now func() time.Time) *intake {
	return &intake{now: now, limit: maxConns, of: map[string]int{}, began: now(), least: math.MaxInt64}
}

// begin takes on a write of an organization, and returns what to call when it has
// ended; ok is false where it is not taken on.
func (i *intake) begin(org string) (end func(), ok bool) {
	began := i.now()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.look(began)
	if i.underWay >= i.limit && i.of[org] >= i.limit/(len(i.of)+1) {
		return nil, false
	}
	i.underWay++
	i.of[org]++
	return func() { i.end(org, began) }, true
}

func (i *intake) end(org string, began time.Time) {
	now := i.now()
	i.mu.Lock()
	defer i.mu.Unlock()
	i.underWay--
	if i.of[org]--; i.of[org] == 0 {
		delete(i.of, org)
	}
	i.ended++
	i.least = min(i.least, now.Sub(began))
	i.look(now)
}

// look decides anew when a window is over. One in which nothing ended goes on.
func (i *intake) look(now time.Time) {
	lasted := now.Sub(i.began)
	if lasted < intakeWindow || i.ended == 0 {
		return
	}
	if i.least > intakeDelay {
		i.limit = int(float64(i.ended) * intakeDelay.Seconds() / lasted.Seconds())
	} else {
		i.limit += i.limit / 4
	}
	i.limit = min(max(i.limit, intakeLeast), maxConns)
	i.began, i.ended, i.least = now, 0, math.MaxInt64
}

// taken returns the handler of an operation behind the intake of its service. It
// stands before the body is read.
func (g *gateway) taken(o api.Operation, next fiber.Handler) fiber.Handler {
	intake := g.intakes[o.Service]
	if intake == nil || o.Public() || o.Streamed || o.Cost > api.Light || o.Method == http.MethodGet {
		return next
	}
	return func(c *fiber.Ctx) error {
		end, ok := intake.begin(web.PrincipalOf(c).Org)
		if !ok {
			return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
				Message: "More is being written than there is time for. Nothing was changed; please try again."}
		}
		defer end()
		return next(c)
	}
}

// newIntakes returns those of the services whose light writes wait for storage. Sign-ins
// have a queue of their own, which is fair to accounts and addresses.
func newIntakes(now func() time.Time) map[api.Service]*intake {
	return map[api.Service]*intake{api.Records: newIntake(now), api.Review: newIntake(now), api.Calculation: newIntake(now)}
}
