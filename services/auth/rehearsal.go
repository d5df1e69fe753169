package auth

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// accountsFor returns the accounts a request works on: the real ones or, for a dry run,
// ones that decide the same and write nothing. Login and refresh have no dry run:
// tokens of a session that is not stored would be invalid.
func (s *Service) accountsFor(c *fiber.Ctx) (a *Accounts, rehearsed bool, err error) {
	rehearsed, err = web.DryRun(c)
	if err != nil || !rehearsed {
		return s.Accounts, false, err
	}
	return &Accounts{
		store: rehearsal{s.store}, hasher: s.hasher, policy: s.policy, log: slog.New(slog.DiscardHandler), now: s.now, rehearsed: true,
	}, true, nil
}

// accountStore is what Accounts read and write.
type accountStore interface {
	originals
	InsertUser(ctx context.Context, u account.User) error
	ReplaceUser(ctx context.Context, org string, u account.User, prevRev int64) error
	TakeInvitation(ctx context.Context, org string, now, since time.Time, limit int) (bool, error)
	EndSession(ctx context.Context, org, user, id string, at time.Time, reason, mark string) error
	DropSessions(ctx context.Context, org, user, member string) (int64, error)
	ClearUserMark(ctx context.Context, org, id, mark string) error
	ClearSessionMark(ctx context.Context, org, id, mark string) error
	AppendAudit(ctx context.Context, e account.AuditEntry) (account.AuditEntry, error)
}

// originals is what a dry run reads. It has no method that writes.
type originals interface {
	User(ctx context.Context, org, id string) (account.User, error)
	UserByEmail(ctx context.Context, key string) (account.User, error)
	UsersPage(ctx context.Context, org string, skip, limit int64) ([]account.User, int64, error)
	Person(ctx context.Context, id string) (account.User, error)
	Memberships(ctx context.Context, person string) ([]account.User, error)
	Former(ctx context.Context, org, former string) (account.User, error)
	Session(ctx context.Context, id string) (account.Session, error)
	AuditAfter(ctx context.Context, org string, after, limit int64) ([]account.AuditEntry, error)
	AuditHeads(ctx context.Context) ([]account.AuditHead, error)
}

// rehearsal answers writes as the store would, without writing.
type rehearsal struct{ originals }

// InsertUser implements account.Users.
func (r rehearsal) InsertUser(ctx context.Context, u account.User) error {
	if u.Person != "" {
		return ctx.Err() // only a command does this
	}
	_, err := r.UserByEmail(ctx, u.EmailKey)
	switch {
	case err == nil:
		return account.ErrEmailTaken
	case errors.Is(err, account.ErrNotFound):
		return nil
	}
	return err
}

// ReplaceUser implements account.Users.
func (r rehearsal) ReplaceUser(ctx context.Context, org string, u account.User, prevRev int64) error {
	before, err := r.User(ctx, org, u.ID)
	switch {
	case errors.Is(err, account.ErrNotFound) || err == nil && before.Rev != prevRev:
		return account.ErrConflict
	case err != nil:
		return err
	}
	if key := u.StoredEmailKey(); key != before.StoredEmailKey() && u.Person == "" && !u.Deleted {
		if _, err := r.UserByEmail(ctx, key); !errors.Is(err, account.ErrNotFound) {
			return cmp.Or(err, account.ErrEmailTaken)
		}
	}
	if !before.CountsAsAdmin() || u.CountsAsAdmin() {
		return nil
	}
	for skip := int64(0); ; skip += web.MaxLimit {
		users, total, err := r.UsersPage(ctx, org, skip, web.MaxLimit)
		if err != nil {
			return err
		}
		for _, other := range users {
			if other.ID != u.ID && other.CountsAsAdmin() {
				return nil
			}
		}
		if skip+web.MaxLimit >= total {
			return account.ErrLastAdmin
		}
	}
}

// TakeInvitation implements account.Users: dry runs are not counted.
func (r rehearsal) TakeInvitation(ctx context.Context, _ string, _, _ time.Time, _ int) (bool, error) {
	return true, ctx.Err()
}

// EndSession implements account.Sessions.
func (r rehearsal) EndSession(ctx context.Context, org, user, id string, _ time.Time, _, _ string) error {
	v, err := r.Session(ctx, id)
	if err == nil && (v.Org != org || v.User != user) {
		return account.ErrNotFound
	}
	return err
}

// DropSessions implements account.Sessions: how many there are is not told.
func (r rehearsal) DropSessions(ctx context.Context, _, _, _ string) (int64, error) {
	return 0, ctx.Err()
}

// ClearUserMark implements account.Changes: the user has none, because it was not written.
func (r rehearsal) ClearUserMark(ctx context.Context, _, _, _ string) error { return ctx.Err() }

// ClearSessionMark implements account.Changes: nor has the session.
func (r rehearsal) ClearSessionMark(ctx context.Context, _, _, _ string) error { return ctx.Err() }

// AppendAudit implements account.Audit: what has not happened is not recorded.
func (r rehearsal) AppendAudit(ctx context.Context, e account.AuditEntry) (account.AuditEntry, error) {
	return e, ctx.Err()
}
