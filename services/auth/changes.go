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

// passwordChanges bounds what changes of passwords, first ones among them, may take of
// hashing, so that sign-ins always find a slot: one change at a time in a process, behind the sign-ins
// that wait, organizations in turn, and a few of one user within a window, rehearsed
// or not.
type passwordChanges struct {
	budget *ratelimit.Limiter
	slot   *fairshare.Scheduler // of organizations

	mu    sync.Mutex
	users map[string]int // how many changes of a user run or wait
}

const (
	// changesPerWindow is for one user from one network: more than the failures
	// that an account may have, whose limit answers first, and apart for each
	// network, so that whoever has got hold of a session does not use up the
	// owner's.
	changesPerWindow = 40
	changesWindow    = 15 * time.Minute
	// changesWaiting is how many changes of one user wait for the one before, and
	// changesOfOrganization how many of one organization.
	changesWaiting        = 2
	changesOfOrganization = 32
	// changesPrefix is what the keys of the budget in Redis begin with.
	changesPrefix = "ecf:password-changes:"
)

// newPasswordChanges counts by the clock of Redis unless clock is a test's; now
// is the process's own.
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

// begin waits until a change of a user, asked for in an organization and from an
// address, may hash, and returns what to call when it has ended. RATE_LIMITED beyond
// the user's budget.
func (p *passwordChanges) begin(ctx context.Context, org, user, address string) (end func(), err error) {
	r := p.budget.Take(ctx, hashed(user, addressKey(address)))
	if !r.Allowed {
		return nil, &apperr.Error{Code: apperr.RateLimited, RetryAfter: max(r.Reset, time.Second),
			Message: "Too many changes of this password. Wait as long as Retry-After says."}
	}
	if !p.enter(user) {
		return nil, &apperr.Error{Code: apperr.RateLimited, RetryAfter: time.Second,
			Message: "This password is being changed already. Wait as long as Retry-After says."}
	}
	release, err := p.slot.Acquire(ctx, org, 1)
	if err != nil {
		p.leave(user)
	}
	if errors.Is(err, fairshare.ErrFull) {
		return nil, &apperr.Error{Code: apperr.RateLimited, RetryAfter: time.Second,
			Message: "Many passwords of your organization are being changed. Wait as long as Retry-After says."}
	}
	return func() { release(); p.leave(user) }, err
}

// enter counts a change of a user, unless too many run or wait.
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

// knownSessions bounds how many sessions of an account are looked through that a former
// release has stored.
const knownSessions = 100

// ownNetwork reports whether an account has been signed in to, or its session refreshed, from
// the network of an address, by what is stored of its sessions, ended or not. An attempt at
// an account that there is not costs the same reads as one from a network that is not known,
// so that their time does not tell which accounts there are.
func (s *Service) ownNetwork(ctx context.Context, accountKey, address string) bool {
	u, err := s.store.UserByEmail(ctx, accountKey)
	if errors.Is(err, account.ErrNotFound) {
		u, err = account.User{ID: "-", Org: "-"}, nil
	}
	if err != nil {
		return false // the sign-in itself will say that the store is away
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
