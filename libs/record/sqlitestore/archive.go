package sqlitestore

import (
	"context"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// EventsAfter implements record.Archive.
func (s *Store) EventsAfter(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.Event, error) {
	events, err := sqlitex.List(ctx, s.db, scanEvent,
		`SELECT `+eventColumns+` FROM events WHERE org = ? AND slot > ? ORDER BY slot LIMIT ?`, org, after, max(limit, 0))
	return events, wrap("read all events", err)
}

// KeysAfter implements record.Archive.
func (s *Store) KeysAfter(ctx context.Context, org record.OrgID, after string, limit int) ([]record.KeyEntry, error) {
	keys, err := sqlitex.List(ctx, s.db, scanKey,
		`SELECT `+keyColumns+` FROM idempotency_keys WHERE org = ? AND id > ? ORDER BY id LIMIT ?`, org, after, max(limit, 0))
	return keys, wrap("read all idempotency keys", err)
}

// ImportsAfter implements record.Archive.
func (s *Store) ImportsAfter(ctx context.Context, org record.OrgID, after string, limit int) ([]record.Import, error) {
	imports, err := sqlitex.List(ctx, s.db, scanJSON[record.Import],
		`SELECT body FROM imports WHERE org = ? AND id > ? ORDER BY id LIMIT ?`, org, after, max(limit, 0))
	return imports, wrap("read all imports", err)
}
