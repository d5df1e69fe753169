package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// RemindEvery is the interval between log lines about a continuing failure.
	RemindEvery = 10 * time.Minute
	// outageCalm is how long something has to work before its outage is over, so that
	// intermittent failures do not log two lines per attempt. It doubles with each
	// outage that begins soon after another, up to RemindEvery.
	outageCalm = 5 * time.Second
)

// Outage logs the outages of a repeated activity: one line when it begins to fail, one
// when it works again, and one every RemindEvery in between. It is safe for concurrent
// use.
type Outage struct {
	log  *slog.Logger
	now  func() time.Time
	what string

	failing atomic.Bool // its start is in since

	mu       sync.Mutex
	since    time.Time
	last     time.Time // the last failure
	worked   time.Time // the first success since last; zero: none
	lastLine time.Time
	ended    time.Time // end of the previous outage
	calm     time.Duration
	tries    int
}

// NewOutage returns the Outage of an activity; what begins its lines, such as "the
// sweep of due results". A nil now is time.Now.
func NewOutage(log *slog.Logger, now func() time.Time, what string) *Outage {
	if now == nil {
		now = time.Now
	}
	return &Outage{log: log, now: now, what: what, calm: outageCalm}
}

// Lasts reports whether there is an outage.
func (o *Outage) Lasts() bool { return o.failing.Load() }

// Report records the outcome of an attempt. One that fails because ctx has ended is
// ignored.
func (o *Outage) Report(ctx context.Context, err error) {
	if err == nil && !o.failing.Load() || ctx.Err() != nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	switch {
	case err != nil:
		o.fails(ctx, now, err)
	case o.failing.Load():
		if o.worked.IsZero() {
			o.worked = now
		}
		// A negative age means that the clock was set back.
		if age := now.Sub(o.last); age < 0 || age >= o.calm {
			o.over(ctx, now)
		}
	}
}

// End records a success after which there are no further attempts.
func (o *Outage) End(ctx context.Context) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.failing.Load() {
		return
	}
	now := o.now()
	if o.worked.IsZero() {
		o.worked = now
	}
	o.over(ctx, now)
}

func (o *Outage) fails(ctx context.Context, now time.Time, err error) {
	o.last, o.worked = now, time.Time{}
	text := slog.String("error", Redact(err.Error()))
	if !o.failing.Load() {
		if soon := now.Sub(o.ended); !o.ended.IsZero() && soon >= 0 && soon < RemindEvery {
			o.calm = min(2*o.calm, RemindEvery)
		} else {
			o.calm = outageCalm
		}
		o.since, o.lastLine, o.tries = now, now, 1
		o.failing.Store(true)
		o.log.LogAttrs(ctx, slog.LevelWarn, o.what+" fails", text)
		return
	}
	o.tries++
	if age := now.Sub(o.lastLine); age < 0 || age >= RemindEvery {
		o.lastLine = now
		o.log.LogAttrs(ctx, slog.LevelWarn, o.what+" still fails", lasted(now.Sub(o.since)), slog.Int("tries", o.tries), text)
	}
}

func (o *Outage) over(ctx context.Context, now time.Time) {
	o.failing.Store(false)
	o.ended = now
	o.log.LogAttrs(ctx, slog.LevelInfo, o.what+" works again", lasted(o.worked.Sub(o.since)), slog.Int("tries", o.tries))
}

// lasted returns the attribute with the duration of an outage in seconds.
func lasted(d time.Duration) slog.Attr {
	return slog.Float64("seconds", d.Round(time.Millisecond).Seconds())
}
