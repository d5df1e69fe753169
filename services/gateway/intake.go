package gateway

import (
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventcarbon/ecf/libs/api"
)

const (
	// intakeDelay is how long writes of a service may all take before some of the next
	// are refused.
	intakeDelay = 500 * time.Millisecond
	// intakeLag is how long one in ten of what can go on may wait for a processor before some
	// of the next are refused, and intakeBusy within what time those end that are taken on then.
	// A refusal waits behind them.
	intakeLag  = 30 * time.Millisecond
	intakeBusy = 50 * time.Millisecond
	// intakeWindow is for how long is looked before it is decided again.
	intakeWindow = 250 * time.Millisecond
	// intakeLeast is how many writes are always taken on at a time.
	intakeLeast = 64
	// intakeTells is how often it is told at most how many were refused.
	intakeTells = time.Second
)

// intake bounds the light writes that a service is sent at a time, once they stand in a
// queue. When not one that ended lately was answered within intakeDelay they wait for
// storage, and as many may be under way as end within that time, by the rate at which they do
// end. Without it those that are answered at last have taken longer than their callers waited,
// and the work is lost. When what can go on waits for a processor, those that nobody has looked
// at yet wait behind all that was begun, and so do refusals: as many may be under way as end
// within intakeBusy. While there is no such queue the bound grows again to what there are connections
// for. Writes that only come in bursts therefore never meet it.
//
// Who has fewer under way than an even share of the bound is not refused by what others
// have.
type intake struct {
	now   func() time.Time
	lag   func() time.Duration // since it was last asked
	tell  func(refused int)
	tight atomic.Bool // some may be refused

	mu       sync.Mutex
	limit    int
	underWay int
	of       map[string]int // organization
	// The window: when it began, how many ended in it, and the least that one took.
	began time.Time
	ended int
	least time.Duration
	// What was refused since it was told.
	refused int
	told    time.Time
}

func newIntake(now func() time.Time, lag func() time.Duration, tell func(refused int)) *intake {
	return &intake{now: now, lag: lag, tell: tell, limit: maxConns, of: map[string]int{}, began: now(), least: math.MaxInt64}
}

// begin takes on a write of an organization, and returns what to call when it has
// ended; ok is false, and there is nothing to call, where it is not taken on.
func (i *intake) begin(org string) (end func(), ok bool) {
	began := i.now()
	i.mu.Lock()
	refused := i.look(began)
	if ok = i.underWay < i.limit || i.of[org] < i.limit/(len(i.of)+1); ok {
		i.underWay++
		i.of[org]++
	} else {
		i.refused++
	}
	i.mu.Unlock()
	if refused > 0 {
		i.tell(refused)
	}
	if !ok {
		return nil, false
	}
	return func() { i.end(org, began) }, true
}

func (i *intake) end(org string, began time.Time) {
	now := i.now()
	i.mu.Lock()
	i.underWay--
	if i.of[org]--; i.of[org] == 0 {
		delete(i.of, org)
	}
	i.ended++
	i.least = min(i.least, now.Sub(began))
	refused := i.look(now)
	i.mu.Unlock()
	if refused > 0 {
		i.tell(refused)
	}
}

// look decides anew when a window is over. One in which nothing ended goes on. It returns how
// many refusals are to be told of.
func (i *intake) look(now time.Time) (refused int) {
	lasted := now.Sub(i.began)
	if lasted < intakeWindow || i.ended == 0 {
		return 0
	}
	rate := float64(i.ended) / lasted.Seconds()
	switch {
	case i.lag() > intakeLag:
		i.limit = int(rate * intakeBusy.Seconds())
	case i.least > intakeDelay:
		i.limit = int(rate * intakeDelay.Seconds())
	default:
		i.limit += i.limit / 4
	}
	i.limit = min(max(i.limit, intakeLeast), maxConns)
	i.tight.Store(i.limit < maxConns)
	i.began, i.ended, i.least = now, 0, math.MaxInt64
	if now.Sub(i.told) >= intakeTells {
		refused, i.refused, i.told = i.refused, 0, now
	}
	return refused
}

// newIntakes returns those of the services whose light writes wait for storage. Sign-ins
// have a queue of their own, which is fair to accounts and addresses.
func newIntakes(now func() time.Time, log *slog.Logger) map[api.Service]*intake {
	intakes := map[api.Service]*intake{}
	for _, service := range []api.Service{api.Records, api.Review, api.Calculation} {
		intakes[service] = newIntake(now, newLag().ofMost, func(refused int) {
			log.Warn("writes refused: there are more than there is time for", slog.String("upstream", string(service)), slog.Int("refused", refused))
		})
	}
	return intakes
}
