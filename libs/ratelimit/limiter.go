package ratelimit

import (
	"context"
	"log/slog"
	"time"

	"github.com/eventcarbon/ecf/libs/breaker"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// Options are the options of a Limiter.
type Options struct {
	// Name is the name of the policy in RateLimit-Policy. Limiters with different names count
	// separately in the same shared log.
	Name string
	Rule Rule
	// Shared is the log shared by all processes.
	Shared Log
	// Strict defines what happens while Shared does not respond. If true, this process applies
	// the rule to its own count (for sign-in, where no limit would allow guessing passwords).
	// If false, everything passes and a warning is logged (for writes, which must not depend on
	// a cache).
	Strict bool
	// Timeout bounds a call of Shared. Default: 500 ms.
	Timeout time.Duration
	// Pause is how long Shared is not used after a failure. Default: 1 s.
	Pause time.Duration
	// Now is the clock of the process's own count and of the pause.
	Now    func() time.Time
	Logger *slog.Logger
}

// Limiter applies a rule with the shared log, or without it during an outage.
type Limiter struct {
	o     Options
	local *Local
	// shared is open while Shared is not used.
	shared *breaker.Breaker
	outage *telemetry.Outage
	policy string
}

// withDefaults returns o with the defaults of the fields that are not set.
func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 500 * time.Millisecond
	}
	if o.Pause <= 0 {
		o.Pause = time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	return o
}

// New returns a Limiter.
func New(o Options) *Limiter {
	o = o.withDefaults()
	// What passes meanwhile is counted in the process, or not at all.
	log := o.Logger.With("policy", o.Name, "counting_in_process", o.Strict)
	l := &Limiter{
		o: o, shared: breaker.New(o.Pause, o.Now), policy: PolicyField(o.Name, o.Rule),
		outage: telemetry.NewOutage(log, o.Now, "asking the rate limit store"),
	}
	if o.Strict {
		l.local = NewLocal(o.Now, 0)
	}
	return l
}

// Name returns the policy's name.
func (l *Limiter) Name() string { return l.o.Name }

// Policy returns the limiter's member of the RateLimit-Policy header field.
func (l *Limiter) Policy() string { return l.policy }

// Take reports whether one more request of key may pass, and counts it if so. A strict limiter
// first counts in the process: a process never passes more than all of them together, so its
// rejection is final. A flood thus ends here, and the count is up to date when Redis fails.
func (l *Limiter) Take(ctx context.Context, key string) Result {
	if l.local == nil {
		r, ok := l.ask(ctx, key, l.o.Shared.Take)
		if !ok {
			return Result{Allowed: true, Unknown: true}
		}
		return r
	}
	// The log is the limiter's own, so the key needs no policy name.
	own := l.local.look(key, l.o.Rule, true)
	if !own.Allowed {
		return own
	}
	shared, ok := l.ask(ctx, key, l.o.Shared.Take)
	if !ok {
		return own
	}
	if !shared.Allowed {
		l.local.refund(key, own)
	}
	return shared
}

// Peek returns what remains for key without counting, or Unknown if the shared log does not
// respond.
func (l *Limiter) Peek(ctx context.Context, key string) Result {
	r, ok := l.ask(ctx, key, l.o.Shared.Peek)
	if !ok {
		return Result{Allowed: true, Unknown: true}
	}
	return r
}

func (l *Limiter) ask(ctx context.Context, key string, question func(context.Context, string, Rule) (Result, error)) (Result, bool) {
	if !l.shared.Allow() {
		return Result{}, false
	}
	limited := ctx
	if _, local := l.o.Shared.(*Local); !local { // a timer would cost more than the count
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, l.o.Timeout)
		defer cancel()
	}
	r, err := question(limited, l.o.Name+":"+key, l.o.Rule)
	l.outage.Report(ctx, err)
	if err == nil {
		return r, true
	}
	if ctx.Err() != nil {
		return Result{}, false // the caller has timed out, not the store
	}
	l.shared.Trip()
	return Result{}, false
}
