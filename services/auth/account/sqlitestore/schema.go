package sqlitestore

import (
	"context"

	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// Schema returns the tables and their versions. Pass it to sqlitex.Open.
//
// A deleted user keeps its row, so that histories can name it, and releases its
// email: email_key is then its id, which no address can be.
func Schema() []sqlitex.Component {
	return []sqlitex.Component{{Name: "accounts", Steps: []sqlitex.Step{baseline(), memberships(), invitations(), invitationKeys(), openSessionsFirst(), networks(), setupKeys(), oneMailbox()}}}
}

// memberships is version 2: people in several organizations. No data is moved: the
// first membership of a person stays in the person's row, so whatever a program of
// version 1 writes there is effective, and a further membership is a row that such a
// program can list, change and disable, and that cannot be used to log in.
func memberships() sqlitex.Step {
	return sqlitex.Statements(1,
		`ALTER TABLE account_users ADD COLUMN person TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE account_users ADD COLUMN has_left INTEGER NOT NULL DEFAULT 0`,
		`ALTER TABLE account_users ADD COLUMN member_epoch INTEGER NOT NULL DEFAULT 0`,
		`ALTER TABLE account_users ADD COLUMN default_org TEXT NOT NULL DEFAULT ''`,
		`CREATE INDEX account_users_person ON account_users (person, created_at, id) WHERE person <> ''`,
		`ALTER TABLE account_sessions ADD COLUMN member TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE account_sessions ADD COLUMN member_org TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE account_sessions ADD COLUMN member_epoch INTEGER NOT NULL DEFAULT 0`,
	)
}

// invitations is version 3. To older programs an invitation looks disabled.
func invitations() sqlitex.Step {
	return sqlitex.Statements(1,
		`ALTER TABLE account_users ADD COLUMN invited INTEGER NOT NULL DEFAULT 0`,
		`ALTER TABLE account_users ADD COLUMN invite_hash TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE account_users ADD COLUMN invited_until INTEGER NOT NULL DEFAULT 0`,
		`ALTER TABLE account_users ADD COLUMN former TEXT NOT NULL DEFAULT ''`,
		`CREATE INDEX account_users_former ON account_users (org, former) WHERE former <> ''`,
		`CREATE TABLE account_invitations (
			org TEXT    NOT NULL,
			at  INTEGER NOT NULL
		) STRICT`,
		`CREATE INDEX account_invitations_at ON account_invitations (org, at)`,
	)
}

// invitationKeys is version 4: invitations have the key of the request that created
// them.
func invitationKeys() sqlitex.Step {
	return sqlitex.Statements(1, `ALTER TABLE account_users ADD COLUMN invite_key TEXT NOT NULL DEFAULT ''`)
}

// openSessionsFirst is version 5: the index puts the open sessions of a user before the
// ended ones.
func openSessionsFirst() sqlitex.Step {
	return sqlitex.Statements(1,
		`CREATE INDEX account_sessions_open ON account_sessions (org, user, ended_at, created_at, id)`,
		`DROP INDEX account_sessions_list`,
	)
}

// networks is version 6: sessions are found by the networks that they were used in.
func networks() sqlitex.Step {
	return sqlitex.Statements(1,
		`ALTER TABLE account_sessions ADD COLUMN created_net TEXT NOT NULL DEFAULT ''`,
		`ALTER TABLE account_sessions ADD COLUMN last_net TEXT NOT NULL DEFAULT ''`,
		`CREATE INDEX account_sessions_created_net ON account_sessions (org, user, created_net)`,
		`CREATE INDEX account_sessions_last_net ON account_sessions (org, user, last_net)`,
	)
}

// setupKeys is version 7: setup links have the key of the request that created them.
func setupKeys() sqlitex.Step {
	return sqlitex.Statements(1, `ALTER TABLE account_users ADD COLUMN setup_key TEXT NOT NULL DEFAULT ''`)
}

// oneMailbox is version 8: both spellings of an internationalized domain have one key. Of two
// accounts with one mailbox the second keeps the key it has, see account.EmailKeys.
func oneMailbox() sqlitex.Step {
	return sqlitex.Step{MinReader: 1, Apply: func(ctx context.Context, tx sqlitex.Tx) error {
		users, err := sqlitex.List(ctx, tx, scanUser, `SELECT `+userColumns+` FROM account_users WHERE email LIKE '%xn--%' AND deleted = 0 AND person = '' ORDER BY created_at, id`)
		if err != nil {
			return err
		}
		for _, u := range users {
			u, changed := u.Rekeyed()
			if !changed {
				continue
			}
			if _, err := tx.ExecContext(ctx, `UPDATE OR IGNORE account_users SET email_key = ? WHERE org = ? AND id = ?`, u.EmailKey, u.Org, u.ID); err != nil {
				return err
			}
		}
		return nil
	}}
}

// baseline is version 1: the layout before versions were stored. Every statement does
// nothing if its object exists.
func baseline() sqlitex.Step {
	tables := sqlitex.Statements(1,
		`CREATE TABLE IF NOT EXISTS account_users (
			id            TEXT PRIMARY KEY,
			org           TEXT NOT NULL,
			email         TEXT NOT NULL,
			email_key     TEXT NOT NULL UNIQUE,
			name          TEXT NOT NULL,
			role          INTEGER NOT NULL,
			disabled      INTEGER NOT NULL,
			deleted       INTEGER NOT NULL,
			password_hash TEXT NOT NULL,
			setup_hash    TEXT NOT NULL,
			setup_until   INTEGER NOT NULL,
			epoch         INTEGER NOT NULL,
			kept          TEXT NOT NULL,
			rev           INTEGER NOT NULL,
			mark          TEXT NOT NULL,
			created_at    INTEGER NOT NULL,
			updated_at    INTEGER NOT NULL
		) STRICT`,
		`CREATE INDEX IF NOT EXISTS account_users_list ON account_users (org, deleted, created_at, id)`,
		`CREATE INDEX IF NOT EXISTS account_users_mark ON account_users (mark) WHERE mark <> ''`,
		`CREATE TABLE IF NOT EXISTS account_sessions (
			id            TEXT PRIMARY KEY,
			user          TEXT NOT NULL,
			org           TEXT NOT NULL,
			secret_hash   TEXT NOT NULL,
			epoch         INTEGER NOT NULL,
			created_at    INTEGER NOT NULL,
			expires       INTEGER NOT NULL,
			last_used_at  INTEGER NOT NULL,
			created_addr  TEXT NOT NULL,
			created_agent TEXT NOT NULL,
			last_addr     TEXT NOT NULL,
			last_agent    TEXT NOT NULL,
			ended_at      INTEGER NOT NULL,
			end_reason    TEXT NOT NULL,
			rev           INTEGER NOT NULL,
			mark          TEXT NOT NULL
		) STRICT`,
		`CREATE INDEX IF NOT EXISTS account_sessions_list ON account_sessions (org, user, created_at, id)`,
		`CREATE INDEX IF NOT EXISTS account_sessions_expires ON account_sessions (expires)`,
		`CREATE INDEX IF NOT EXISTS account_sessions_mark ON account_sessions (mark) WHERE mark <> ''`,
		`CREATE TABLE IF NOT EXISTS account_audit (
			org        TEXT NOT NULL,
			seq        INTEGER NOT NULL,
			id         TEXT NOT NULL UNIQUE,
			at         INTEGER NOT NULL,
			action     TEXT NOT NULL,
			outcome    TEXT NOT NULL,
			reason     TEXT NOT NULL,
			actor      TEXT NOT NULL,
			subject    TEXT NOT NULL,
			session    TEXT NOT NULL,
			before     TEXT NOT NULL,
			after      TEXT NOT NULL,
			address    TEXT NOT NULL,
			request_id TEXT NOT NULL,
			prev       TEXT NOT NULL,
			hash       TEXT NOT NULL,
			PRIMARY KEY (org, seq)
		) STRICT`,
		`CREATE TABLE IF NOT EXISTS account_audit_heads (
			org  TEXT PRIMARY KEY,
			seq  INTEGER NOT NULL,
			hash TEXT NOT NULL
		) STRICT`,
	)
	return sqlitex.Step{MinReader: 1, Apply: func(ctx context.Context, tx sqlitex.Tx) error {
		if err := tables.Apply(ctx, tx); err != nil {
			return err
		}
		return sqlitex.AddColumn(ctx, tx, "account_users", "service", "INTEGER NOT NULL DEFAULT 0")
	}}
}
