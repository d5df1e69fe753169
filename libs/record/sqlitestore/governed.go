package sqlitestore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// CurrentEvent implements record.Gates. Every read of the file sees every
// acknowledged write.
func (s *Store) CurrentEvent(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	return s.Event(ctx, org, id)
}

// SetEverApproved implements record.Gates.
func (s *Store) SetEverApproved(ctx context.Context, org record.OrgID, id record.EventID) error {
	return s.write(ctx, "govern event", func(ctx context.Context, tx sqlitex.Tx) error {
		err := changedOne(tx.ExecContext(ctx, `UPDATE events SET ever_approved = 1 WHERE org = ? AND id = ?`, org, id))
		if errors.Is(err, record.ErrConflict) {
			return record.ErrNotFound
		}
		return err
	})
}

// Fence implements record.Gates.
func (s *Store) Fence(ctx context.Context, org record.OrgID, sub record.Sub, from, to, epoch int64) error {
	return s.write(ctx, "fence records", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`UPDATE records SET fence = ? WHERE org = ? AND event = ? AND type = ? AND seq BETWEEN ? AND ? AND fence < ?`,
			epoch, org, sub.Event, sub.Type, from, to, epoch)
		return err
	})
}

// ClosingEvents implements record.Gates.
func (s *Store) ClosingEvents(ctx context.Context, limit int) ([]record.EventRef, error) {
	closing, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (e record.EventRef, err error) {
		return e, row.Scan(&e.Org, &e.Event)
	}, `SELECT org, id FROM events INDEXED BY events_closing WHERE gate = 'closing' ORDER BY id LIMIT ?`, max(limit, 0))
	return closing, wrap("read closing events", err)
}

// InsertEventEntry implements record.Gates.
func (s *Store) InsertEventEntry(ctx context.Context, org record.OrgID, id record.EventID, e record.EventEntry) error {
	entry, err := json.Marshal(e)
	if err != nil {
		return wrap("insert event history entry", err)
	}
	return s.write(ctx, "insert event history entry", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx,
			`INSERT INTO event_history (org, event, rev, entry) VALUES (?, ?, ?, ?)
			 ON CONFLICT (org, event, rev) DO NOTHING`, org, id, e.Rev, string(entry))
		return err
	})
}

// EventEntries implements record.Gates.
func (s *Store) EventEntries(ctx context.Context, org record.OrgID, id record.EventID, from, to int64) ([]record.EventEntry, error) {
	entries, err := sqlitex.List(ctx, s.db, scanJSON[record.EventEntry],
		`SELECT entry FROM event_history WHERE org = ? AND event = ? AND rev BETWEEN ? AND ? ORDER BY rev`, org, id, from, to)
	return entries, wrap("read event history", err)
}
