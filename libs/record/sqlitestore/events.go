package sqlitestore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// InsertEvent implements record.Events.
func (s *Store) InsertEvent(ctx context.Context, org record.OrgID, e record.Event, quota int64) (record.Event, error) {
	body, err := eventBodyOf(e)
	if err != nil {
		return record.Event{}, said("insert event", err)
	}
	var slot int64
	err = s.write(ctx, "insert event", func(ctx context.Context, tx sqlitex.Tx) error {
		if err := tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(slot), 0) + 1 FROM events WHERE org = ?`, org).Scan(&slot); err != nil {
			return err
		}
		if quota != record.Unlimited && slot > quota {
			// An event that is there already is said to be: who tries again
			// after the last slot was taken must learn that it has it.
			taken, err := exists(ctx, tx, `SELECT 1 FROM events WHERE org = ? AND id = ?`, org, e.ID)
			if err != nil {
				return err
			}
			if taken {
				return record.ErrDuplicate
			}
			return record.ErrQuota
		}
		_, err := tx.ExecContext(ctx,
			`INSERT INTO events (`+eventColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			e.ID, org, slot, e.Rev, e.ContextRev, e.Mark, e.Deleted,
			millis(e.CreatedAt), millis(e.UpdatedAt), text(e.Boundary), string(body))
		if sqlitex.IsDuplicate(err) {
			// The slot was free in this transaction, so it is the id.
			return record.ErrDuplicate
		}
		return err
	})
	if err != nil {
		return record.Event{}, err
	}
	e.Org, e.Slot = org, slot
	return e, nil
}

// Event implements record.Events.
func (s *Store) Event(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	e, err := scanEvent(s.db.QueryRowContext(ctx,
		`SELECT `+eventColumns+` FROM events WHERE org = ? AND id = ? AND deleted = 0`, org, id))
	return found("read event", e, err)
}

// EventContext implements record.Marks.
func (s *Store) EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	e, err := scanEvent(s.db.QueryRowContext(ctx,
		`SELECT `+eventColumns+` FROM events WHERE org = ? AND id = ?`, org, id))
	return found("read event context", e, err)
}

// EventSlots implements record.Events.
func (s *Store) EventSlots(ctx context.Context, org record.OrgID) ([]int64, error) {
	slots, err := list(ctx, s.db, scanNumber,
		`SELECT slot FROM events WHERE org = ? AND deleted = 0 ORDER BY slot DESC`, org)
	return slots, said("list event slots", err)
}

// EventsAt implements record.Events.
func (s *Store) EventsAt(ctx context.Context, org record.OrgID, slots []int64) ([]record.Event, error) {
	if len(slots) == 0 {
		return nil, ctx.Err()
	}
	wanted, err := json.Marshal(slots)
	if err != nil {
		return nil, said("read events", err)
	}
	events, err := list(ctx, s.db, scanEvent,
		`SELECT `+eventColumns+` FROM events
		 WHERE org = ? AND slot IN (SELECT value FROM json_each(?)) AND deleted = 0
		 ORDER BY slot DESC`, org, string(wanted))
	return events, said("read events", err)
}

// UsedSlots implements record.Events.
func (s *Store) UsedSlots(ctx context.Context, org record.OrgID) (int64, error) {
	used, err := scanNumber(s.db.QueryRowContext(ctx, `SELECT COALESCE(MAX(slot), 0) FROM events WHERE org = ?`, org))
	return used, said("read used slots", err)
}

// ReplaceEvent implements record.Events.
func (s *Store) ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error {
	body, err := eventBodyOf(e)
	if err != nil {
		return fmt.Errorf("replace event: %w", err)
	}
	return s.write(ctx, "replace event", func(ctx context.Context, tx sqlitex.Tx) error {
		return changedOne(tx.ExecContext(ctx,
			`UPDATE events SET rev = ?, context_rev = ?, mark = COALESCE(NULLIF(?, ''), mark), deleted = ?,
				created_at = ?, updated_at = ?, boundary = ?, body = ?
			 WHERE org = ? AND id = ? AND rev = ? AND deleted = 0`,
			e.Rev, e.ContextRev, e.Mark, e.Deleted,
			millis(e.CreatedAt), millis(e.UpdatedAt), text(e.Boundary), string(body),
			org, e.ID, prevRev))
	})
}

func scanNumber(row scanner) (int64, error) {
	var n int64
	err := row.Scan(&n)
	return n, err
}
