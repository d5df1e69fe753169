package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const userColumns = `id, org, email, email_key, name, role, disabled, deleted, password_hash, setup_hash, setup_until,
	epoch, kept, rev, mark, created_at, updated_at, service, person, has_left, member_epoch, default_org,
	invited, invite_hash, invited_until, former, invite_key, setup_key`

func scanUser(row sqlitex.Scanner) (account.User, error) {
	var u account.User
	var role, setup, created, updated, invited int64
	err := row.Scan(&u.ID, &u.Org, &u.Email, &u.EmailKey, &u.Name, &role, &u.Disabled, &u.Deleted, &u.PasswordHash, &u.SetupHash, &setup,
		&u.Epoch, &u.Kept, &u.Rev, &u.Mark, &created, &updated, &u.Service, &u.Person, &u.Left, &u.MemberEpoch, &u.DefaultOrg,
		&u.Invited, &u.InviteHash, &invited, &u.Former, &u.InviteKey, &u.SetupKey)
	u.Role, u.SetupUntil, u.CreatedAt, u.UpdatedAt = identity.Role(role), instant(setup), instant(created), instant(updated)
	u.InvitedUntil = instant(invited)
	return u, err
}

// InsertUser implements account.Users.
func (s *Store) InsertUser(ctx context.Context, u account.User) error {
	return s.write(ctx, "insert user", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO account_users (`+userColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			u.ID, u.Org, u.Email, u.StoredEmailKey(), u.Name, int64(u.Role), u.Disabled, u.Deleted, u.PasswordHash, u.SetupHash, millis(u.SetupUntil),
			u.Epoch, u.Kept, u.Rev, u.Mark, millis(u.CreatedAt), millis(u.UpdatedAt), u.Service,
			u.Person, u.Left, u.MemberEpoch, u.DefaultOrg, u.Invited, u.InviteHash, millis(u.InvitedUntil), u.Former, u.InviteKey, u.SetupKey)
		return unique(err)
	})
}

// UserByEmail implements account.Users.
func (s *Store) UserByEmail(ctx context.Context, key string) (account.User, error) {
	return oneUser(scanUser(s.db.QueryRowContext(ctx, `SELECT `+userColumns+` FROM account_users WHERE email_key = ? AND deleted = 0`, key)))
}

// User implements account.Users.
func (s *Store) User(ctx context.Context, org, id string) (account.User, error) {
	return oneUser(scanUser(s.db.QueryRowContext(ctx, `SELECT `+userColumns+` FROM account_users WHERE org = ? AND id = ?`, org, id)))
}

// Person implements account.Users.
func (s *Store) Person(ctx context.Context, id string) (account.User, error) {
	return oneUser(scanUser(s.db.QueryRowContext(ctx, `SELECT `+userColumns+` FROM account_users WHERE id = ? AND person = ''`, id)))
}

// Former implements account.Users.
func (s *Store) Former(ctx context.Context, org, former string) (account.User, error) {
	return oneUser(scanUser(s.db.QueryRowContext(ctx,
		`SELECT `+userColumns+` FROM account_users WHERE org = ? AND former = ? AND former <> '' AND deleted = 1`, org, former)))
}

// TakeInvitation implements account.Users.
func (s *Store) TakeInvitation(ctx context.Context, org string, now, since time.Time, limit int) (taken bool, err error) {
	err = s.write(ctx, "count invitation", func(ctx context.Context, tx sqlitex.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM account_invitations WHERE org = ? AND at <= ?`, org, millis(since)); err != nil {
			return err
		}
		var n int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM account_invitations WHERE org = ?`, org).Scan(&n); err != nil {
			return err
		}
		if taken = n < limit; !taken {
			return nil
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO account_invitations (org, at) VALUES (?, ?)`, org, millis(now))
		return err
	})
	return taken && err == nil, err
}

// Memberships implements account.Users.
func (s *Store) Memberships(ctx context.Context, person string) ([]account.User, error) {
	if person == "" {
		return nil, ctx.Err()
	}
	all, err := sqlitex.List(ctx, s.db, scanUser, `SELECT `+userColumns+` FROM account_users WHERE person = ? AND person <> '' ORDER BY created_at, id`, person)
	return all, wrap("read memberships", err)
}

func oneUser(u account.User, err error) (account.User, error) {
	if err != nil {
		return account.User{}, wrap("read user", err)
	}
	return u, nil
}

// ReplaceUser implements account.Users.
func (s *Store) ReplaceUser(ctx context.Context, org string, u account.User, prevRev int64) error {
	return s.write(ctx, "replace user", func(ctx context.Context, tx sqlitex.Tx) error {
		before, err := userAt(ctx, tx, org, u.ID, prevRev)
		if err != nil {
			return err
		}
		if before.CountsAsAdmin() && !u.CountsAsAdmin() {
			var others int64
			if err := tx.QueryRowContext(ctx,
				`SELECT COUNT(*) FROM account_users WHERE org = ? AND deleted = 0 AND disabled = 0 AND has_left = 0 AND role = ? AND id <> ?`,
				org, int64(identity.Admin), u.ID).Scan(&others); err != nil {
				return err
			}
			if others == 0 {
				return account.ErrLastAdmin
			}
		}
		u.Org = org
		return updateUser(ctx, tx, org, u)
	})
}

// Dismiss implements account.Users.
func (s *Store) Dismiss(ctx context.Context, org string, u account.User, prevRev int64) error {
	return s.write(ctx, "dismiss user", func(ctx context.Context, tx sqlitex.Tx) error {
		if _, err := userAt(ctx, tx, org, u.ID, prevRev); err != nil {
			return err
		}
		if u.Org != org {
			if _, err := tx.ExecContext(ctx, `UPDATE account_sessions SET org = ? WHERE org = ? AND user = ?`, u.Org, org, u.ID); err != nil {
				return err
			}
		}
		return updateUser(ctx, tx, org, u)
	})
}

// userAt reads a user at a revision; ErrConflict where it is at another.
func userAt(ctx context.Context, tx sqlitex.Tx, org, id string, rev int64) (account.User, error) {
	u, err := scanUser(tx.QueryRowContext(ctx, `SELECT `+userColumns+` FROM account_users WHERE org = ? AND id = ? AND rev = ?`, org, id, rev))
	if errors.Is(err, sql.ErrNoRows) {
		err = account.ErrConflict
	}
	return u, err
}

// updateUser writes a user that is in org.
func updateUser(ctx context.Context, tx sqlitex.Tx, org string, u account.User) error {
	_, err := tx.ExecContext(ctx, `UPDATE account_users SET org = ?, email = ?, email_key = ?, name = ?, role = ?, disabled = ?, deleted = ?,
			password_hash = ?, setup_hash = ?, setup_until = ?, epoch = ?, kept = ?, rev = ?, mark = ?, updated_at = ?,
			has_left = ?, member_epoch = ?, default_org = ?, person = ?, invited = ?, invite_hash = ?, invited_until = ?, former = ?, invite_key = ?, setup_key = ?
		 WHERE org = ? AND id = ?`,
		u.Org, u.Email, u.StoredEmailKey(), u.Name, int64(u.Role), u.Disabled, u.Deleted,
		u.PasswordHash, u.SetupHash, millis(u.SetupUntil), u.Epoch, u.Kept, u.Rev, u.Mark, millis(u.UpdatedAt),
		u.Left, u.MemberEpoch, u.DefaultOrg, u.Person, u.Invited, u.InviteHash, millis(u.InvitedUntil), u.Former, u.InviteKey, u.SetupKey, org, u.ID)
	return unique(err)
}

// UsersPage implements account.Users.
func (s *Store) UsersPage(ctx context.Context, org string, skip, limit int64) ([]account.User, int64, error) {
	return page(ctx, s, "list users", scanUser,
		`SELECT `+userColumns+` FROM account_users WHERE org = ? AND deleted = 0 AND (has_left = 0 OR invited = 1) ORDER BY created_at DESC, id DESC`,
		`SELECT COUNT(*) FROM account_users WHERE org = ? AND deleted = 0 AND (has_left = 0 OR invited = 1)`, []any{org}, skip, limit)
}

// page reads a part of a query and counts all of it in one read transaction, so that
// both see the same state.
func page[T any](ctx context.Context, s *Store, verb string, read func(sqlitex.Scanner) (T, error), query, count string, args []any, skip, limit int64) ([]T, int64, error) {
	tx, err := s.db.Snapshot(ctx)
	if err != nil {
		return nil, 0, wrap(verb, err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	var total int64
	if err := tx.QueryRowContext(ctx, count, args...).Scan(&total); err != nil {
		return nil, 0, wrap(verb, err)
	}
	items, err := sqlitex.List(ctx, tx, read, query+` LIMIT ? OFFSET ?`, append(append([]any{}, args...), limit, skip)...)
	if err != nil {
		return nil, 0, wrap(verb, err)
	}
	return items, total, nil
}

// MarkedUsers implements account.Changes.
func (s *Store) MarkedUsers(ctx context.Context, limit int) ([]account.User, error) {
	users, err := sqlitex.List(ctx, s.db, scanUser, `SELECT `+userColumns+` FROM account_users WHERE mark <> '' LIMIT ?`, limit)
	return users, wrap("read marked users", err)
}

// ClearUserMark implements account.Changes.
func (s *Store) ClearUserMark(ctx context.Context, org, id, mark string) error {
	return s.write(ctx, "clear user mark", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE account_users SET mark = '' WHERE org = ? AND id = ? AND mark = ?`, org, id, mark)
		return err
	})
}
