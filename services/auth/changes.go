package auth

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// passwordChanges limits the hashing of password changes, including first passwords, so
// that logins always find a slot: one change at a time per process, after waiting
// logins, fairly by organization, and a few per user and window, dry runs included.
type passwordChanges struct {
	budget *ratelimit.Limiter
	slot   *fairshare.Scheduler // of organizations

	mu    sync.Mutex
	users map[string]int // running and waiting changes of each user
}

const (
	// changesPerWindow is for one user from one network: more than the failures that an
	// account may have, whose limit applies first, and separate for each network, so
	// that a stolen session does not exhaust the owner's budget.
	changesPerWindow = 40
	changesWindow    = 15 * time.Minute
	// changesWaiting limits the waiting changes of one user, and changesOfOrganization
	// those of one organization.
	changesWaiting        = 2
	changesOfOrganization = 32
	// changesPrefix is the prefix of the budget's keys in Redis.
	changesPrefix = "ecf:password-changes:"
)

// newPasswordChanges uses the clock of Redis unless clock is that of a test; now is the
// local clock.
func newPasswordChanges(cache redis.UniversalClient, clock, now func() time.Time, log *slog.Logger) *passwordChanges {
	var shared ratelimit.Log = ratelimit.NewLocal(now, 0)
	if cache != nil {
		shared = ratelimit.NewRedis(cache, changesPrefix, clock)
	}
	return &passwordChanges{
		budget: ratelimit.New(ratelimit.Options{Name: "password", Rule: ratelimit.Rule{Limit: changesPerWindow, Window: changesWindow},
			Shared: shared, Strict: true, Now: now, Logger: log}),
		slot:  fairshare.New(fairshare.Options{Slots: 1, Share: 1, Waiting: changesOfOrganization}),
		users: map[string]int{},
	}
}

// begin waits until a change of a user, requested in an organization and from an
// address, may hash, and returns the function to call at its end. Beyond the user's
// budget it returns RATE_LIMITED.
func (p *passwordChanges) begin(ctx context.Context, org, user, address string) (end func(), err error) {
	r := p.budget.Take(ctx, hashed(user, addressKey(address)))
	if !r.Allowed {
		return nil, &apperr.Error{Code: apperr.RateLimited, RetryAfter: max(r.Reset, time.Second),
			Message: "This password was changed too often. Please wait for the time in Retry-After."}
	}
	if !p.enter(user) {
		return nil, &apperr.Error{Code: apperr.RateLimited, RetryAfter: time.Second,
			Message: "This password is already being changed. Please wait for the time in Retry-After."}
	}
	release, err := p.slot.Acquire(ctx, org, 1)
	if err != nil {
		p.leave(user)
	}
	if errors.Is(err, fairshare.ErrFull) {
		return nil, &apperr.Error{Code: apperr.RateLimited, RetryAfter: time.Second,
			Message: "Too many passwords of your organization are being changed. Please wait for the time in Retry-After."}
	}
	return func() { release(); p.leave(user) }, err
}

// enter registers a change of a user, unless too many run or wait.
func (p *passwordChanges) enter(user string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users[user] > changesWaiting {
		return false
	}
	p.users[user]++
	return true
}

func (p *passwordChanges) leave(user string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users[user]--; p.users[user] == 0 {
		delete(p.users, user)
	}
}

// knownSessions limits how many sessions stored by an older release are searched per
// account.
const knownSessions = 100

// ownNetwork reports whether an account has logged in, or refreshed a session, from the
// network of an address, according to its stored sessions, ended or not. For an account
// that does not exist it makes the same reads as for an unknown network, so that timing
// does not reveal which accounts exist.
func (s *Service) ownNetwork(ctx context.Context, accountKey, address string) bool {
	u, err := s.store.UserByEmail(ctx, accountKey)
	if errors.Is(err, account.ErrNotFound) {
		u, err = account.User{ID: "-", Org: "-"}, nil
	}
	if err != nil {
		return false // the login itself will report that the store is unavailable
	}
	network := account.Origin{Address: address}.Network()
	if known, err := s.store.KnownNetwork(ctx, u, network); known || err != nil || network == "" {
		return known
	}
	begun, err := s.store.NewestSessions(ctx, u, s.now(), knownSessions)
	if err != nil {
		return false
	}
	for _, v := range begun {
		if v.Created.Network() == network {
			return true
		}
	}
	return false
}
