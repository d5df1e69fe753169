package ratelimit

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/breaker"
	"github.com/eventcarbon/ecf/libs/telemetry"
)

//go:embed volume.lua
var volumeScript string

// Buckets are shared leaky buckets, by key: what is added drains evenly. A rule's Limit is what a full bucket holds, and
// its Window the time in which that drains.
type Buckets interface {
	// Pour adds n to the bucket of key, however full it is, and returns the time in which its contents will have
	// drained, twice the window at most.
	Pour(ctx context.Context, key string, rule Rule, n int64) (time.Duration, error)
}

// drains returns the time in which n drains, twice the window at most.
func (r Rule) drains(n int64) time.Duration {
	return time.Duration(min(float64(n)/float64(r.Limit), 2) * float64(r.Window))
}

// Pour implements Buckets.
func (r *Redis) Pour(ctx context.Context, key string, rule Rule, n int64) (time.Duration, error) {
	now := ""
	if r.now != nil {
		now = strconv.FormatInt(r.now().UnixMicro(), 10)
	}
	us, err := volume.Run(ctx, r.client, []string{r.prefix + key}, now, rule.Window.Microseconds(), rule.drains(n).Microseconds()).Int64()
	if err != nil {
		return 0, fmt.Errorf("volume limit: %w", err)
	}
	return time.Duration(us) * time.Microsecond, nil
}

var volume = redis.NewScript(volumeScript)

const (
	// sharedEvery is the interval at which a Volume adds what it has counted to the shared bucket, and reads what other
	// processes have added.
	sharedEvery = time.Second
	// maxBuckets is the number of buckets beyond which a Volume removes those that have drained.
	maxBuckets = 10_000
)

// Volume limits what keys may add up to, in all processes together. What is added is known only after the event, so an
// event may pass as long as the bucket of its key is not full, and the events under way may overfill it.
type Volume struct {
	name   string
	rule   Rule
	shared Buckets
	limit  time.Duration // of a call of shared
	now    func() time.Time
	open   *breaker.Breaker
	outage *telemetry.Outage

	mu      sync.Mutex
	buckets map[string]*bucket
}

// bucket is what a process knows of a shared bucket.
type bucket struct {
	drained time.Time // when its contents will have drained
	untold  int64     // what was added here and is not in the shared bucket yet
	asked   time.Time // when the shared bucket was asked last
}

// NewVolume returns a limit with the rule of o, whose units are bytes. While buckets do not respond, or if there are
// none (nil), this process counts alone.
func NewVolume(o Options, buckets Buckets) *Volume {
	o = o.withDefaults()
	return &Volume{
		name: o.Name, rule: o.Rule, shared: buckets, limit: o.Timeout, now: o.Now, open: breaker.New(o.Pause, o.Now), buckets: map[string]*bucket{},
		outage: telemetry.NewOutage(o.Logger.With("policy", o.Name, "counting_in_process", true), o.Now, "asking the rate limit store"),
	}
}

// Name returns the policy's name.
func (v *Volume) Name() string { return v.name }

// Policy returns the limiter's member of the RateLimit-Policy header field.
func (v *Volume) Policy() string { return PolicyField(v.name, v.rule) }

// Look reports whether an event of key may add to its bucket. Of a full one, Reset is the time until it is no longer
// full; of another, the time until it is empty.
func (v *Volume) Look(ctx context.Context, key string) Result {
	now := v.now()
	if n, ask := v.begin(key, now); ask {
		left, ok := v.pour(ctx, key, n)
		v.end(key, now, n, left, ok)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	contents := v.of(key, now).drained.Sub(now)
	if contents >= v.rule.Window {
		return Result{Reset: contents - v.rule.Window}
	}
	free := float64(v.rule.Window-contents) / float64(v.rule.Window)
	return Result{Allowed: true, Remaining: int(free * float64(v.rule.Limit)), Reset: contents}
}

// Add adds n to the bucket of key.
func (v *Volume) Add(key string, n int64) {
	now := v.now()
	v.mu.Lock()
	defer v.mu.Unlock()
	b := v.of(key, now)
	b.untold += n
	if b.drained = b.drained.Add(v.rule.drains(n)); b.drained.Sub(now) > 2*v.rule.Window {
		b.drained = now.Add(2 * v.rule.Window)
	}
}

// of returns the bucket of a key, which drains to empty and not below.
func (v *Volume) of(key string, now time.Time) *bucket {
	b := v.buckets[key]
	if b == nil {
		if len(v.buckets) >= maxBuckets {
			v.forget(now)
		}
		b = &bucket{}
		v.buckets[key] = b
	}
	if b.drained.Before(now) {
		b.drained = now
	}
	return b
}

// forget removes empty buckets: of what was added to them nothing is left to be shared.
func (v *Volume) forget(now time.Time) {
	for key, b := range v.buckets {
		if !b.drained.After(now) {
			delete(v.buckets, key)
		}
	}
}

// begin returns what to add to the shared bucket, and whether to do so now: of concurrent callers only one does.
func (v *Volume) begin(key string, now time.Time) (untold int64, ask bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	b := v.of(key, now)
	if since := now.Sub(b.asked); v.shared == nil || since >= 0 && since < sharedEvery {
		return 0, false
	}
	// Some of it may have drained since.
	left := math.Ceil(float64(b.drained.Sub(now)) / float64(v.rule.Window) * float64(v.rule.Limit))
	untold, b.untold, b.asked = min(b.untold, int64(left)), 0, now
	return untold, true
}

// end applies the result of the shared bucket. If that failed, what was to be added is kept for the next time.
func (v *Volume) end(key string, now time.Time, told int64, left time.Duration, ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	b := v.of(key, now)
	if !ok {
		b.untold += told
		return
	}
	b.drained = now.Add(left + v.rule.drains(b.untold))
}

func (v *Volume) pour(ctx context.Context, key string, n int64) (time.Duration, bool) {
	if !v.open.Allow() {
		return 0, false
	}
	limited, cancel := context.WithTimeout(ctx, v.limit)
	defer cancel()
	left, err := v.shared.Pour(limited, v.name+":"+key, v.rule, n)
	v.outage.Report(ctx, err)
	if err != nil && ctx.Err() == nil {
		v.open.Trip()
	}
	return left, err == nil
}
