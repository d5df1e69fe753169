package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/telemetry"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const (
	// copyTimeout limits a write to the copy; the store remains authoritative.
	copyTimeout = 250 * time.Millisecond
	// copyPause is how long writes to the copy pause after a failure.
	copyPause = time.Second
	// changeBatch is how many changes are published at a time.
	changeBatch = 200
	// keysEvery is the interval at which the signing keys are reread.
	keysEvery = 2 * time.Second
	// purgeEvery is the interval at which expired sessions are removed, and purgeAfter
	// how long they are kept.
	purgeEvery = time.Hour
	purgeAfter = 7 * 24 * time.Hour
)

// read returns the facts about a sid from the store.
func (a *Accounts) read(ctx context.Context, sid string) (sessions.Facts, error) {
	if switched, ok := sessions.ParseSwitched(sid); ok {
		return a.readSwitched(ctx, sid, switched)
	}
	v, err := a.store.Session(ctx, sid)
	if errors.Is(err, account.ErrNotFound) {
		return sessions.Unknown(sid), nil
	}
	if err != nil {
		return sessions.Facts{}, err
	}
	u, err := a.store.User(ctx, v.Org, v.User)
	if errors.Is(err, account.ErrNotFound) {
		return sessions.Unknown(sid), nil
	}
	if err != nil {
		return sessions.Facts{}, err
	}
	return sessions.Facts{Session: v.Fact(), User: u.Fact()}, nil
}

// readSwitched returns the facts about a session in another membership than the first
// one: it is valid while the session, the person and the membership are.
func (a *Accounts) readSwitched(ctx context.Context, sid string, of sessions.Switched) (sessions.Facts, error) {
	v, err := a.store.Session(ctx, of.Session)
	if errors.Is(err, account.ErrNotFound) {
		return sessions.Unknown(sid), nil
	}
	if err != nil {
		return sessions.Facts{}, err
	}
	p, err := a.store.Person(ctx, v.User)
	if errors.Is(err, account.ErrNotFound) {
		return sessions.Unknown(sid), nil
	}
	if err != nil {
		return sessions.Facts{}, err
	}
	all, err := a.memberships(ctx, p)
	if err != nil {
		return sessions.Facts{}, err
	}
	i := slices.IndexFunc(all, func(m account.User) bool { return m.ID == of.Member })
	if i < 0 {
		return sessions.Unknown(sid), nil
	}
	m := all[i]
	return sessions.Facts{
		Session: sessions.Session{ID: sid, User: m.ID, Org: m.Org, Ended: !a.lives(v, p) || m.MemberEpoch != of.Epoch, Expires: v.Expires, Rev: v.Rev},
		User:    sessions.User{ID: m.ID, Org: m.Org, Role: m.Role, Disabled: !m.Active(), Rev: m.Rev},
	}, nil
}

// Facts implements sessions.Authority: it reads the store and fills the copy.
func (a *Accounts) Facts(ctx context.Context, sid string) (sessions.Facts, error) {
	facts, err := a.read(ctx, sid)
	if _, switched := sessions.ParseSwitched(sid); switched {
		return facts, err // never copied: see sessions.Switched
	}
	if err != nil || a.copy == nil || facts.User.ID == "" || !a.cache.Allow() {
		return facts, err
	}
	if err := a.put(ctx, facts.User, facts.Session); err != nil {
		a.cache.Trip()
	}
	return facts, nil
}

// put writes facts into the copy, with its own timeout, independent of the caller's
// context.
func (a *Accounts) put(ctx context.Context, u sessions.User, v ...sessions.Session) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyTimeout)
	defer cancel()
	err := a.copy.PutUser(ctx, u)
	for _, one := range v {
		err = errors.Join(err, a.copy.PutSession(ctx, one))
	}
	return err
}

// publishUser notifies the gateways of a change of a user. If that fails, or this
// process has no copy, or the change owes an entry, the mark remains, and the process that
// follows changes does the rest.
func (a *Accounts) publishUser(ctx context.Context, u account.User) {
	if a.copy == nil || a.put(ctx, u.Fact()) != nil || len(u.Owed()) > 0 {
		return
	}
	_ = a.store.ClearUserMark(context.WithoutCancel(ctx), u.Org, u.ID, u.Mark)
}

// publishSession does the same for an ended session.
func (a *Accounts) publishSession(ctx context.Context, v account.Session) {
	if a.copy == nil {
		return
	}
	short, cancel := context.WithTimeout(context.WithoutCancel(ctx), copyTimeout)
	defer cancel()
	if a.copy.PutSession(short, v.Fact()) == nil {
		_ = a.store.ClearSessionMark(context.WithoutCancel(ctx), v.Org, v.ID, v.Mark)
	}
}

// Follow keeps the copy of the sessions and the signing keys up to date with
// what other processes change, writes audit entries that the store has not taken,
// and removes old sessions, until ctx ends. A
// server runs it beside the application; it does nothing that two servers may
// not do at once.
func (s *Service) Follow(ctx context.Context) error {
	changes, keys, purge := time.NewTicker(sessions.PollEvery), time.NewTicker(keysEvery), time.NewTicker(purgeEvery)
	defer changes.Stop()
	defer keys.Stop()
	defer purge.Stop()
	following := telemetry.NewOutage(s.log, s.now, "following changes of accounts")
	reloading := telemetry.NewOutage(s.log, s.now, "reading the signing keys")
	purging := telemetry.NewOutage(s.log, s.now, "removing old sessions")
	auditing := telemetry.NewOutage(s.log, s.now, "writing the audit entries that wait")
	purging.Report(ctx, s.purge(ctx))
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changes.C:
			following.Report(ctx, s.follow(ctx))
			auditing.Report(ctx, s.flushAudit(ctx))
		case <-keys.C:
			reloading.Report(ctx, s.keys.Reload())
		case <-purge.C:
			purging.Report(ctx, s.purge(ctx))
		}
	}
}

func (s *Service) purge(ctx context.Context) error {
	_, err := s.store.PurgeSessions(ctx, s.now().Add(-purgeAfter))
	return err
}

// follow writes every marked change into the copy, and what it owes into the audit log, and then
// clears its mark, so that no change is lost in between.
func (s *Service) follow(ctx context.Context) error {
	users, err := s.store.MarkedUsers(ctx, changeBatch)
	if err != nil {
		return err
	}
	for _, u := range users {
		if s.copy != nil {
			if err := s.put(ctx, u.Fact()); err != nil {
				return err
			}
		}
	}
	for _, u := range users {
		if err := s.settle(ctx, u); err != nil {
			return err
		}
		if err := s.store.ClearUserMark(ctx, u.Org, u.ID, u.Mark); err != nil {
			return err
		}
	}
	ended, err := s.store.MarkedSessions(ctx, changeBatch)
	if err != nil {
		return err
	}
	for _, v := range ended {
		if s.copy != nil {
			short, cancel := context.WithTimeout(ctx, copyTimeout)
			err := s.copy.PutSession(short, v.Fact())
			cancel()
			if err != nil {
				return err
			}
		}
		if err := s.store.ClearSessionMark(ctx, v.Org, v.ID, v.Mark); err != nil {
			return err
		}
	}
	return nil
}
