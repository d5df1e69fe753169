package ratelimit

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed window.lua
var windowScript string

// Redis is a Log shared by all processes. One script reads and writes a key atomically, so the
// limit is exact under concurrency.
type Redis struct {
	client redis.Scripter
	script *redis.Script
	prefix string
	now    func() time.Time
}

// NewRedis returns the shared log. Keys begin with prefix. A nil now means the time of the
// server, so that replicas with different clocks agree.
func NewRedis(client redis.Scripter, prefix string, now func() time.Time) *Redis {
	return &Redis{client: client, script: redis.NewScript(windowScript), prefix: prefix, now: now}
}

// Take implements Log.
func (r *Redis) Take(ctx context.Context, key string, rule Rule) (Result, error) {
	return r.run(ctx, key, rule, "take", 0)
}

// Peek implements Log.
func (r *Redis) Peek(ctx context.Context, key string, rule Rule) (Result, error) {
	return r.run(ctx, key, rule, "peek", 0)
}

// Refund implements Log.
func (r *Redis) Refund(ctx context.Context, key string, taken Result) error {
	_, err := r.run(ctx, key, Rule{}, "refund", taken.at)
	return err
}

func (r *Redis) run(ctx context.Context, key string, rule Rule, action string, at int64) (Result, error) {
	now := ""
	if r.now != nil {
		now = strconv.FormatInt(r.now().UnixMicro(), 10)
	}
	out, err := r.script.Run(ctx, r.client, []string{r.prefix + key}, action, now, rule.Window.Microseconds(), rule.Limit, at).Int64Slice()
	if err != nil {
		return Result{}, fmt.Errorf("rate limit %s: %w", action, err)
	}
	if len(out) != 4 {
		return Result{}, errors.New("rate limit " + action + ": the script gave another answer than expected")
	}
	return Result{
		Allowed:   out[0] == 1,
		Remaining: max(rule.Limit-int(out[1]), 0),
		Reset:     time.Duration(out[2]) * time.Microsecond,
		at:        out[3],
	}, nil
}
