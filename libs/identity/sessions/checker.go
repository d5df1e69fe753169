package sessions

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"golang.org/x/sync/singleflight"

	"github.com/eventcarbon/ecf/libs/breaker"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/lru"
)

// The parts of the one second within which every change takes effect: auth notices a change
// made in another process within PollEvery and writes it to the copy; a checker caches a state
// for rememberFor. The rest is for the network.
const (
	PollEvery   = 250 * time.Millisecond
	rememberFor = 500 * time.Millisecond
)

const (
	copyTimeout      = 250 * time.Millisecond
	authorityTimeout = 3 * time.Second
	// copyPause is how long the copy is not used after a failure, so that a Redis that hangs
	// delays one request by its timeout and not every one.
	copyPause = time.Second
)

// Options are the options of a Checker. Authority is required.
type Options struct {
	// Copy is read first; nil: auth is queried each time.
	Copy *Copy
	// Authority is queried if the copy has no state or does not respond.
	Authority Authority
	// Size is the number of cached states. Default: 10,000.
	Size int
	// Now is the clock. Default: time.Now.
	Now func() time.Time
}

// Checker reports the state of sessions, at most rememberFor older than the copy.
// It implements identity.Sessions.
type Checker struct {
	o       Options
	recent  *lru.Cache[string, answer]
	flights singleflight.Group
	copy    *breaker.Breaker // open while the copy is not used
	checks  checks
}

type answer struct {
	facts Facts
	until time.Time
}

var _ identity.Sessions = (*Checker)(nil)

// NewChecker returns a Checker.
func NewChecker(o Options) *Checker {
	if o.Size <= 0 {
		o.Size = 10_000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	c := &Checker{o: o, recent: lru.New[string, answer](o.Size), copy: breaker.New(copyPause, o.Now)}
	c.checks.publish(otel.Meter("github.com/eventcarbon/ecf/libs/identity/sessions"))
	return c
}

// Recent returns the cached state of the session sid, if any.
func (c *Checker) Recent(sid string) (identity.State, bool) { return c.RecentAt(sid, c.o.Now()) }

// RecentAt is Recent at a given time of the Checker's clock.
func (c *Checker) RecentAt(sid string, now time.Time) (identity.State, bool) {
	a, ok := c.recent.Get(sid)
	// More than rememberFor can be left only if the clock was set back.
	if left := a.until.Sub(now); !ok || left <= 0 || left > rememberFor {
		return identity.State{}, false
	}
	c.checks.memory.Add(1)
	return a.facts.State(now), true
}

// Check returns the state of the session sid.
func (c *Checker) Check(ctx context.Context, sid string) (identity.State, error) {
	if state, ok := c.Recent(sid); ok {
		return state, nil
	}
	// Concurrent requests of one session share one lookup. It has its own timeout, since the
	// first caller may disconnect.
	result := c.flights.DoChan(sid, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), authorityTimeout)
		defer cancel()
		// The age of the state counts from before it was read.
		until := c.o.Now().Add(rememberFor)
		facts, err := c.lookUp(ctx, sid)
		if err == nil {
			c.recent.Put(sid, answer{facts, until})
		}
		return facts, err
	})
	select {
	case <-ctx.Done():
		return identity.State{}, ctx.Err()
	case r := <-result:
		if r.Err != nil {
			return identity.State{}, r.Err
		}
		return r.Val.(Facts).State(c.o.Now()), nil
	}
}

func (c *Checker) lookUp(ctx context.Context, sid string) (Facts, error) {
	if c.o.Copy != nil && c.copy.Allow() {
		short, cancel := context.WithTimeout(ctx, copyTimeout)
		facts, ok, err := c.o.Copy.Facts(short, sid)
		cancel()
		switch {
		case err != nil:
			c.copy.Trip()
		case ok:
			c.checks.copy.Add(1)
			return facts, nil
		}
	}
	facts, err := c.o.Authority.Facts(ctx, sid)
	if err != nil {
		c.checks.none.Add(1)
		return Facts{}, fmt.Errorf("check session: %w", err)
	}
	c.checks.auth.Add(1)
	return facts, nil
}

// checks counts lookups by source; concurrent requests of a session may share one. Every
// request is counted, so it is an atomic counter instead of a measurement.
type checks struct{ memory, copy, auth, none atomic.Int64 }

// publish makes the counts an observable instrument, read when metrics are collected.
func (c *checks) publish(meter metric.Meter) {
	_, err := meter.Int64ObservableCounter("ecf.sessions.checks", metric.WithUnit("{check}"),
		metric.WithDescription("Checks of sessions, by where the answer came from: memory, copy, auth, none"),
		metric.WithInt64Callback(func(_ context.Context, o metric.Int64Observer) error {
			for source, n := range map[string]*atomic.Int64{"memory": &c.memory, "copy": &c.copy, "auth": &c.auth, "none": &c.none} {
				o.Observe(n.Load(), metric.WithAttributes(attribute.String("source", source)))
			}
			return nil
		}))
	if err != nil {
		otel.Handle(err)
	}
}
