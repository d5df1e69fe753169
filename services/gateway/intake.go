package gateway

import (
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/services/gateway/upstream"
)

const (
	// intakeDelay is the latency that at least one write of a window must be below;
	// otherwise the limit is lowered.
	intakeDelay = 500 * time.Millisecond
	// intakeLag is the scheduling latency that one in ten runnable goroutines may
	// exceed before the limit is lowered. The limit is then as many writes as complete
	// within intakeBusy, because rejections wait behind them.
	intakeLag  = 30 * time.Millisecond
	intakeBusy = 50 * time.Millisecond
	// intakeWindow is the period between two decisions.
	intakeWindow = 250 * time.Millisecond
	// intakeLeast is the lowest limit of concurrent writes.
	intakeLeast = 64
	// intakeTells is the minimum interval between two log lines about rejections.
	intakeTells = time.Second
)

// intake is the admission control of light writes to a service: it limits the writes in
// flight while there is a standing queue (ADR 0071). If no write that ended in the last
// window took less than intakeDelay, writes are queued for storage, and the limit
// becomes as many as complete within intakeDelay at the current completion rate.
// Without it, responses would come after their callers have timed out, and the work
// would be lost. If runnable goroutines wait for a processor, new requests, including
// those to be rejected, queue behind all admitted ones; the limit then is as many as
// complete within intakeBusy. Otherwise the limit grows again, up to the number of
// connections, so bursts never reach it.
//
// An organization with fewer writes in flight than an equal share of the limit is
// always admitted.
type intake struct {
	now   func() time.Time
	lag   func() time.Duration // since the previous call
	tell  func(refused int)
	tight atomic.Bool // writes are rejected, or were in the last window

	mu       sync.Mutex
	limit    int
	underWay int
	of       map[string]int // writes in flight by organization
	// The current window: its start, the number of writes that ended in it, and the
	// shortest latency of these.
	began time.Time
	ended int
	least time.Duration
	// Rejections since the last log line.
	refused int
	told    time.Time
}

func newIntake(now func() time.Time, lag func() time.Duration, tell func(refused int)) *intake {
	return &intake{now: now, lag: lag, tell: tell, limit: upstream.MaxConns, of: map[string]int{}, began: now(), least: math.MaxInt64}
}

// begin admits a write of an organization, and returns the function to call when it has
// ended. If ok is false, the write is rejected.
func (i *intake) begin(org string) (end func(), ok bool) {
	began := i.now()
	i.mu.Lock()
	refused := i.look(began)
	if ok = i.underWay < i.limit || i.of[org] < i.limit/(len(i.of)+1); ok {
		i.underWay++
		i.of[org]++
	} else {
		i.refused++
		i.tight.Store(true)
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

// look updates the limit at the end of a window; a window without completed writes is
// extended. It returns the number of rejections to log, if any.
func (i *intake) look(now time.Time) (refused int) {
	lasted := now.Sub(i.began)
	if lasted < intakeWindow || i.ended == 0 {
		return 0
	}
	rate := float64(i.ended) / lasted.Seconds()
	switch {
	case i.lag() > intakeLag:
		i.limit = min(i.limit, int(rate*intakeBusy.Seconds()))
	case i.least > intakeDelay:
		i.limit = min(i.limit, int(rate*intakeDelay.Seconds()))
	default:
		i.limit += i.limit / 4
	}
	i.limit = min(max(i.limit, intakeLeast), upstream.MaxConns)
	i.tight.Store(i.limit < upstream.MaxConns)
	i.began, i.ended, i.least = now, 0, math.MaxInt64
	if now.Sub(i.told) >= intakeTells {
		refused, i.refused, i.told = i.refused, 0, now
	}
	return refused
}

// newIntakes returns the intakes of the services whose light writes wait for storage.
// Sign-ins have a fair queue of their own, by account and address.
func newIntakes(now func() time.Time, log *slog.Logger) map[api.Service]*intake {
	intakes := map[api.Service]*intake{}
	for _, service := range []api.Service{api.Records, api.Review, api.Calculation} {
		intakes[service] = newIntake(now, newLag().ofMost, func(refused int) {
			log.Warn("writes refused: there are more than there is time for", slog.String("upstream", string(service)), slog.Int("refused", refused))
		})
	}
	return intakes
}
