package ratelimit

import (
	"context"
	"log/slog"
	"time"

	"github.com/eventcarbon/ecf/libs/breaker"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

// Options are options of a Limiter.
type Options struct {
	// Name of the policy, as clients see it in RateLimit-Policy. Limiters of
	// different names count apart in the same shared log.
	Name string
	Rule Rule
	// Shared is the log of all processes.
	Shared Log
	// Strict decides what happens while Shared does not answer. True: this
	// process counts by itself and keeps to the rule (sign-in, where no limit
	// means guessing passwords). False: everything passes, and the log says so
	// (writes, which must not stop because a cache does).
	Strict bool
	// Timeout bounds one question to Shared. Default: 500 ms.
	Timeout time.Duration
	// Pause is how long Shared is left alone after it failed. Default: 1 s.
	Pause time.Duration
	// Now is the clock of the process's own count and of the pause.
	Now    func() time.Time
	Logger *slog.Logger
}

// Limiter applies one rule by the shared log, and knows what to do without it.
type Limiter struct {
	o     Options
	local *Local
	// shared is open while Shared is left alone.
	shared *breaker.Breaker
	outage *telemetry.Outage
	policy string
}

// New returns a Limiter.
func New(o Options) *Limiter {
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

// Take asks whether one more may pass for key, and counts it if so. A strict
// limiter counts in the process first: what this process alone has let through
// is never more than all of them together, so its refusal holds for
// all, a flood ends here, and the count is already there when Redis goes away.
func (l *Limiter) Take(ctx context.Context, key string) Result {
	if l.local == nil {
		r, ok := l.ask(ctx, key, l.o.Shared.Take)
		if !ok {
			return Result{Allowed: true, Unknown: true}
		}
		return r
	}
	// The name is not needed here: this log is the limiter's own.
	own, _ := l.local.Take(ctx, key, l.o.Rule)
	if !own.Allowed {
		return own
	}
	shared, ok := l.ask(ctx, key, l.o.Shared.Take)
	if !ok {
		return own
	}
	if !shared.Allowed {
		_ = l.local.Refund(ctx, key, own)
	}
	return shared
}

// Peek returns what remains for key without counting; Unknown when the shared
// log does not answer.
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
	limited, cancel := context.WithTimeout(ctx, l.o.Timeout)
	defer cancel()
	r, err := question(limited, l.o.Name+":"+key, l.o.Rule)
	l.outage.Report(ctx, err)
	if err == nil {
		return r, true
	}
	if ctx.Err() != nil {
		return Result{}, false // the caller has run out of time, not the store
	}
	l.shared.Trip()
	return Result{}, false
}
