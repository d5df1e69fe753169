package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/breaker"
	"github.com/eventcarbon/ecf/libs/ratelimit"
)

// LeastAccountLimit is the strictest that failed logins of one account may be
// limited: the budget that the specification gives a single client.
func LeastAccountLimit() ratelimit.Rule { return ratelimit.Rule{Limit: 30, Window: 15 * time.Minute} }

// accountLimit returns the configured rule, unless it is stricter than
// LeastAccountLimit.
func accountLimit(wish ratelimit.Rule) ratelimit.Rule {
	least := LeastAccountLimit()
	if wish.Limit <= 0 || wish.Window <= 0 ||
		float64(wish.Limit)/wish.Window.Seconds() < float64(least.Limit)/least.Window.Seconds() || wish.Limit < least.Limit {
		return least
	}
	return wish
}

// tiers turns a limit into a growing delay: the limit itself may be used up in a
// fifteenth of its window; each failure beyond it must wait until twice the time since
// the first of them has passed, and after the window it starts again. Thirty in 15
// minutes give delays of 1, 1, 2, 4 and 7 minutes. No account is blocked for longer
// than a window or has fewer attempts in it than the limit.
func tiers(rule ratelimit.Rule) []ratelimit.Rule {
	first := rule.Window / 15
	return []ratelimit.Rule{
		{Limit: rule.Limit, Window: first},
		{Limit: rule.Limit + 1, Window: 2 * first},
		{Limit: rule.Limit + 2, Window: 4 * first},
		{Limit: rule.Limit + 3, Window: 8 * first},
		{Limit: rule.Limit + 4, Window: rule.Window},
	}
}

// failures counts failed logins per account, from all addresses, against attempts to
// guess one password from many addresses. It counts emails without an account as well,
// so that its response reveals nothing. An address from which the account's owner has
// logged in before has a separate count, so that others cannot lock the owner out.
type failures struct {
	tiers  []ratelimit.Rule
	cache  redis.UniversalClient
	shared ratelimit.Log // nil if this process counts alone
	local  ratelimit.Log
	now    func() time.Time
	redis  *breaker.Breaker // open for a while after a failure of Redis
	// fromStore reports whether the owner of an account, by its key, has logged in from
	// an address, according to the store. Redis only caches its result: after a restart
	// or loss of Redis the owner must not share the count of strangers.
	fromStore func(ctx context.Context, accountKey, address string) bool
}

// Prefixes of the keys in Redis.
const (
	failuresPrefix = "ecf:login-failures:"
	knownPrefix    = "ecf:login-known:"
)

// knownFor is how long an address counts as the owner's after a login.
const knownFor = 90 * 24 * time.Hour

// failuresTimeout limits the Redis calls of one attempt.
const failuresTimeout = 500 * time.Millisecond

// newFailures uses the clock of Redis, so that replicas agree, unless clock is that of
// a test; now is the local clock.
func newFailures(wish ratelimit.Rule, cache redis.UniversalClient, clock, now func() time.Time) *failures {
	f := &failures{tiers: tiers(accountLimit(wish)), cache: cache, local: ratelimit.NewLocal(now, 0), now: now, redis: breaker.New(copyPause, now)}
	if cache != nil {
		f.shared = ratelimit.NewRedis(cache, failuresPrefix, clock)
	}
	return f
}

// hashed returns a key from strings that must not be stored outside the accounts.
func hashed(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// addressKey returns the part of an address by which limits count.
func addressKey(address string) string {
	addr, _ := netip.ParseAddr(address) // the zero Addr has a key as well
	return ratelimit.AddressKey(addr)
}

// begin counts an attempt as a failure before its password is checked, so that
// concurrent attempts do not exceed the rule. It returns which of the accounts, given
// by their keys, may be tried, or RATE_LIMITED if each had too many failures. The
// caller calls forgive if the attempt did not fail.
//
// All accounts of an email share one count of strangers, so that it does not reveal how
// many there are; the owner's addresses are looked up per account.
func (f *failures) begin(ctx context.Context, emailKey, address string, accounts ...string) (may []bool, forgive func(), err error) {
	short, cancel := context.WithTimeout(ctx, failuresTimeout)
	defer cancel()
	var refunds []func()
	forgive = func() {
		for _, refund := range refunds {
			refund()
		}
	}
	keys, least := make([]string, len(accounts)), time.Duration(0)
	may = make([]bool, len(accounts))
	for i, accountKey := range accounts {
		key, answers := f.key(short, emailKey, accountKey, address)
		if same := slices.Index(keys[:i], key); same >= 0 {
			keys[i], may[i] = key, may[same] // counted once
			continue
		}
		keys[i] = key
		refund, wait, err := f.take(ctx, short, key, answers)
		if err != nil {
			forgive()
			return nil, nil, err
		}
		if wait > 0 && (least == 0 || wait < least) {
			least = wait
		}
		if wait == 0 {
			may[i], refunds = true, append(refunds, refund)
		}
	}
	if !slices.Contains(may, true) {
		e := apperr.New(apperr.RateLimited, "Too many failed sign-ins for this account. Try again later.")
		e.RetryAfter = max(least, time.Second)
		return nil, nil, e
	}
	return may, forgive, nil
}

// take counts a failure under a key, or returns how long to wait until one can be
// counted.
//
// It counts in the process first and then in Redis: what one process has admitted is
// never more than the total, so an unavailable Redis admits nothing more.
func (f *failures) take(ctx, short context.Context, key string, answers bool) (refund func(), wait time.Duration, err error) {
	local, wait, err := takeAll(ctx, f.local, key, f.tiers)
	if err != nil {
		return nil, 0, err
	}
	var shared takes
	if wait == 0 && answers {
		if shared, wait, err = takeAll(short, f.shared, key, f.tiers); err != nil {
			f.failed(ctx)
			shared, wait = nil, 0
		}
	}
	if wait > 0 {
		_ = local.refund(ctx, f.local) // never fails
		return nil, wait, nil
	}
	return func() {
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), failuresTimeout)
		defer cancel()
		// A refund that fails leaves one failure too many, for one window.
		_ = errors.Join(local.refund(short, f.local), shared.refund(short, f.shared))
	}, 0, nil
}

// key returns the key of an attempt's count, and whether Redis answers: the owner's
// addresses have their own count, all others share one.
func (f *failures) key(ctx context.Context, emailKey, accountKey, address string) (key string, answers bool) {
	own := hashed(accountKey, addressKey(address))
	if f.shared != nil && f.redis.Allow() {
		known, err := f.cache.Exists(ctx, knownPrefix+own).Result()
		switch {
		case err != nil:
			f.failed(ctx)
		case known > 0:
			return own, true
		default:
			answers = true
		}
	}
	if f.fromStore == nil || address == "" || !f.fromStore(ctx, accountKey, address) {
		return hashed(emailKey), answers
	}
	f.remember(ctx, accountKey, address)
	return own, answers
}

// failed pauses the use of Redis, unless the client disconnected.
func (f *failures) failed(ctx context.Context) {
	if !errors.Is(ctx.Err(), context.Canceled) {
		f.redis.Trip()
	}
}

// remember records that the owner of an account has logged in from an address.
func (f *failures) remember(ctx context.Context, accountKey, address string) {
	if f.cache == nil || address == "" || !f.redis.Allow() {
		return
	}
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), failuresTimeout)
	defer cancel()
	// Without it the owner shares the count of strangers.
	_ = f.cache.Set(short, knownPrefix+hashed(accountKey, addressKey(address)), 1, knownFor).Err()
}

// take is an attempt counted in a log.
type take struct {
	key    string
	result ratelimit.Result
}

type takes []take

func (t takes) refund(ctx context.Context, log ratelimit.Log) error {
	var errs []error
	for _, one := range t {
		errs = append(errs, log.Refund(ctx, one.key, one.result))
	}
	return errors.Join(errs...)
}

// takeAll counts an attempt under every rule, or under none; wait is then the time
// until all rules admit one. The strictest comes first: of concurrent attempts it
// admits no more than the others can.
func takeAll(ctx context.Context, log ratelimit.Log, key string, rules []ratelimit.Rule) (taken takes, wait time.Duration, err error) {
	for i, rule := range rules {
		one := key + ":" + strconv.Itoa(i)
		if wait > 0 {
			r, err := log.Peek(ctx, one, rule)
			if err != nil {
				return nil, 0, err
			}
			if r.Remaining == 0 {
				wait = max(wait, r.Reset)
			}
			continue
		}
		r, err := log.Take(ctx, one, rule)
		if err != nil {
			return nil, 0, err
		}
		if !r.Allowed {
			wait = max(r.Reset, time.Millisecond)
			continue
		}
		taken = append(taken, take{one, r})
	}
	if wait > 0 {
		return nil, wait, taken.refund(ctx, log)
	}
	return taken, 0, nil
}
