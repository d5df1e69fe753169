package sqlitestore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// InsertEvent implements record.Events.
func (s *Store) InsertEvent(ctx context.Context, org record.OrgID, e record.Event, quota int64) (record.Event, error) {
	body, err := eventBodyOf(e)
	if err != nil {
		return record.Event{}, wrap("insert event", err)
	}
	governance, err := json.Marshal(e.Governance)
	if err != nil {
		return record.Event{}, wrap("insert event", err)
	}
	team, err := e.EncodeTeam()
	if err != nil {
		return record.Event{}, wrap("insert event", err)
	}
	var slot int64
	err = s.write(ctx, "insert event", func(ctx context.Context, tx sqlitex.Tx) error {
		if err := tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(slot), 0) + 1 FROM events WHERE org = ?`, org).Scan(&slot); err != nil {
			return err
		}
		if quota != record.Unlimited && slot > quota {
			// An existing event is reported as a duplicate before the quota: a retry after the last slot was taken
			// must find its event.
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
			`INSERT INTO events (`+eventColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			e.ID, org, slot, e.Rev, e.ContextRev, e.Mark, e.Deleted,
			millis(e.CreatedAt), millis(e.UpdatedAt), text(e.Boundary), string(body), string(governance), e.Gate.State, team, e.Reference, e.EverApproved)
		if sqlitex.IsDuplicate(err) {
			// The slot was free in this transaction, so it is the id or the reference.
			mine, err := exists(ctx, tx, `SELECT 1 FROM events WHERE org = ? AND id = ?`, org, e.ID)
			if err == nil && !mine && e.Reference != "" {
				return record.ErrDuplicateReference
			}
			return errors.Join(err, record.ErrDuplicate)
		}
		if err == nil {
			err = putTeam(ctx, tx, org, e)
		}
		if err != nil || !e.Deleted {
			return err
		}
		return compactEvent(ctx, tx, org, e.ID)
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

// EventByReference implements record.Events.
func (s *Store) EventByReference(ctx context.Context, org record.OrgID, reference string) (record.Event, error) {
	if reference == "" {
		return record.Event{}, record.ErrNotFound
	}
	e, err := scanEvent(s.db.QueryRowContext(ctx,
		`SELECT `+eventColumns+` FROM events WHERE org = ? AND reference = ? AND reference <> '' AND deleted = 0`, org, reference))
	return found("read event by reference", e, err)
}

// EventSpan implements record.Pages.
func (s *Store) EventSpan(ctx context.Context, org record.OrgID, skip, limit int64) (record.Span, error) {
	span, err := s.span(ctx, eventsOf(org), skip, limit)
	return span, wrap("find page of events", err)
}

// EventRange implements record.Pages.
func (s *Store) EventRange(ctx context.Context, org record.OrgID, from, to int64) ([]record.Event, error) {
	events, err := sqlitex.ListUpTo(ctx, s.db, record.RangeBytes, scanEventSize,
		`SELECT `+eventColumns+` FROM events INDEXED BY events_live
		 WHERE org = ? AND slot BETWEEN ? AND ? AND deleted = 0 ORDER BY slot DESC`, org, from, to)
	return events, wrap("read events", err)
}

// EventRevisions implements record.Pages. What an event's context moves is not
// shown with the event.
func (s *Store) EventRevisions(ctx context.Context, org record.OrgID, from, to int64) ([]record.Revision, error) {
	revisions, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (r record.Revision, err error) {
		return r, row.Scan(&r.Number, &r.Rev, &r.Event)
	},
		`SELECT slot, rev, id FROM events INDEXED BY events_live
		 WHERE org = ? AND slot BETWEEN ? AND ? AND deleted = 0 ORDER BY slot DESC`, org, from, to)
	return revisions, wrap("read revisions of events", err)
}

// UsedSlots implements record.Events.
func (s *Store) UsedSlots(ctx context.Context, org record.OrgID) (int64, error) {
	used, err := scanNumber(s.db.QueryRowContext(ctx, `SELECT COALESCE(MAX(slot), 0) FROM events WHERE org = ?`, org))
	return used, wrap("read used slots", err)
}

// ReplaceEvent implements record.Events.
func (s *Store) ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error {
	body, err := eventBodyOf(e)
	if err != nil {
		return fmt.Errorf("replace event: %w", err)
	}
	governance, err := json.Marshal(e.Governance)
	if err != nil {
		return fmt.Errorf("replace event: %w", err)
	}
	team, err := e.EncodeTeam()
	if err != nil {
		return fmt.Errorf("replace event: %w", err)
	}
	return s.write(ctx, "replace event", func(ctx context.Context, tx sqlitex.Tx) error {
		err := changedOne(tx.ExecContext(ctx,
			`UPDATE events SET rev = ?, context_rev = ?, mark = COALESCE(NULLIF(?, ''), mark), deleted = ?,
				created_at = ?, updated_at = ?, boundary = ?, body = ?, governance = ?, gate = ?, team = ?, reference = ?
			 WHERE org = ? AND id = ? AND rev = ? AND deleted = 0 AND ever_approved <= ?`,
			e.Rev, e.ContextRev, e.Mark, e.Deleted,
			millis(e.CreatedAt), millis(e.UpdatedAt), text(e.Boundary), string(body), string(governance), e.Gate.State, team, e.Reference,
			org, e.ID, prevRev, e.EverApproved))
		if sqlitex.IsDuplicate(err) {
			return record.ErrDuplicateReference
		}
		if err == nil {
			err = putTeam(ctx, tx, org, e)
		}
		if err != nil || !e.Deleted {
			return err
		}
		return compactEvent(ctx, tx, org, e.ID)
	})
}

func scanNumber(row sqlitex.Scanner) (int64, error) {
	var n int64
	err := row.Scan(&n)
	return n, err
}
