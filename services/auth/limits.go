package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/ratelimit"
)

// LeastAccountLimit is the strictest that failed logins of one account may be
// limited: the budget that the specification gives a single client.
func LeastAccountLimit() ratelimit.Rule { return ratelimit.Rule{Limit: 30, Window: 15 * time.Minute} }

// accountLimit gives the rule for a wish: the wish, unless it is stricter than
// LeastAccountLimit.
func accountLimit(wish ratelimit.Rule) ratelimit.Rule {
	least := LeastAccountLimit()
	if wish.Limit <= 0 || wish.Window <= 0 ||
		float64(wish.Limit)/wish.Window.Seconds() < float64(least.Limit)/least.Window.Seconds() || wish.Limit < least.Limit {
		return least
	}
	return wish
}

// failures counts failed logins per account, from wherever they come: guessing
// one password from many addresses. It counts emails without an account as well,
// so that its answer tells nothing.
type failures struct {
	rule   ratelimit.Rule
	shared ratelimit.Log // nil: this process counts alone
	local  ratelimit.Log
	now    func() time.Time
	pause  pause // of shared, after it failed
}

// failuresPrefix is what its keys in Redis begin with.
const failuresPrefix = "ecf:login-failures:"

// failuresTimeout bounds a question to Redis.
const failuresTimeout = 250 * time.Millisecond

// newFailures counts by the clock of Redis, so that replicas agree, unless clock
// is a test's; now is the process's own.
func newFailures(wish ratelimit.Rule, cache redis.UniversalClient, clock, now func() time.Time) *failures {
	f := &failures{rule: accountLimit(wish), local: ratelimit.NewLocal(now, 0), now: now}
	if cache != nil {
		f.shared = ratelimit.NewRedis(cache, failuresPrefix, clock)
	}
	return f
}

// begin counts an attempt as a failure before its password is looked at, so
// that of many at once no more than the rule allows are. RATE_LIMITED when there
// were too many. The caller calls forgive when the attempt did not fail.
func (f *failures) begin(ctx context.Context, emailKey string) (forgive func(), err error) {
	sum := sha256.Sum256([]byte(emailKey))
	key := hex.EncodeToString(sum[:16]) // no email is kept outside the accounts
	log, r, err := f.take(ctx, key)
	if err != nil {
		return nil, err
	}
	if !r.Allowed {
		e := apperr.New(apperr.RateLimited, "Too many failed sign-ins for this account. Try again later.")
		e.RetryAfter = max(r.Reset, time.Second)
		return nil, e
	}
	return func() {
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), failuresTimeout)
		defer cancel()
		// A refund that fails leaves one failure too many, for one window.
		_ = log.Refund(short, key, r)
	}, nil
}

// take counts an attempt in Redis or, while that does not answer, in this
// process, and says where.
func (f *failures) take(ctx context.Context, key string) (ratelimit.Log, ratelimit.Result, error) {
	if f.shared != nil && f.pause.over(f.now()) {
		short, cancel := context.WithTimeout(ctx, failuresTimeout)
		defer cancel()
		r, err := f.shared.Take(short, key, f.rule)
		if err == nil {
			return f.shared, r, nil
		}
		if ctx.Err() == nil {
			f.pause.begin(f.now(), copyPause)
		}
	}
	r, err := f.local.Take(ctx, key, f.rule)
	return f.local, r, err
}
