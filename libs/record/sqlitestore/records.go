package sqlitestore

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// InsertRecord implements record.Records.
func (s *Store) InsertRecord(ctx context.Context, org record.OrgID, r record.Record) (record.Record, error) {
	row, err := insertionOf(r)
	if err != nil {
		return record.Record{}, wrap("insert record", err)
	}
	var seq int64
	err = s.writeApart(ctx, "insert record", func(ctx context.Context, tx sqlitex.Tx) error {
		var err error
		if seq, err = nextSeq(ctx, tx, org, r.Key().Sub()); err != nil {
			return err
		}
		return row.insert(ctx, tx, org, seq)
	})
	if err != nil {
		return record.Record{}, err
	}
	r.Org, r.Seq = org, seq
	return r, nil
}

// whichDuplicate returns the error for the conflict of a new record: a duplicate id before a duplicate reference, so
// that a retry after a crash finds that the first attempt succeeded.
func whichDuplicate(ctx context.Context, tx sqlitex.Tx, org record.OrgID, r record.Record) error {
	mine, err := exists(ctx, tx, `SELECT 1 FROM records WHERE org = ? AND id = ?`, org, r.ID)
	if err != nil {
		return err
	}
	if mine {
		return record.ErrDuplicate
	}
	reference, err := exists(ctx, tx,
		`SELECT 1 FROM records WHERE org = ? AND event = ? AND type = ? AND ref_key = ?`, org, r.Event, r.Type, r.RefKey())
	if err != nil {
		return err
	}
	if reference {
		return record.ErrDuplicateReference
	}
	// Neither is this organization's, so the id is another's.
	return record.ErrDuplicate
}

// Record implements record.Records.
func (s *Store) Record(ctx context.Context, org record.OrgID, key record.Key) (record.Record, error) {
	r, err := scanRecord(s.db.QueryRowContext(ctx,
		`SELECT `+recordColumns+` FROM records
		 WHERE org = ? AND event = ? AND type = ? AND id = ? AND deleted = 0`, org, key.Event, key.Type, key.ID))
	return found("read record", r, err)
}

// ReplaceRecord implements record.Records.
func (s *Store) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prevRev int64) error {
	body, err := recordBodyOf(r)
	if err != nil {
		return wrap("replace record", err)
	}
	return s.writeApart(ctx, "replace record", replacing(org, r, prevRev, string(body)))
}

// ReplaceRecordKeeping implements record.EntryKeeper, in one transaction.
func (s *Store) ReplaceRecordKeeping(ctx context.Context, org record.OrgID, r record.Record, prevRev int64, last record.Entry) error {
	body, err := recordBodyOf(r)
	if err != nil {
		return wrap("replace record", err)
	}
	entry, err := json.Marshal(entryToJSON(last))
	if err != nil {
		return wrap("replace record", err)
	}
	replace := replacing(org, r, prevRev, string(body))
	return s.writeApart(ctx, "replace record", func(ctx context.Context, tx sqlitex.Tx) error {
		if err := replace(ctx, tx); err != nil {
			return err
		}
		return insertEntry(ctx, tx, org, r.Event, r.ID, last.Rev, string(entry))
	})
}

// replacing returns the write that replaces a record.
func replacing(org record.OrgID, r record.Record, prevRev int64, body string) func(context.Context, sqlitex.Tx) error {
	return func(ctx context.Context, tx sqlitex.Tx) error {
		err := changedOne(tx.ExecContext(ctx,
			`UPDATE records SET rev = ?, status = ?, deleted = ?, ref_key = ?, reference = ?,
				mark = COALESCE(NULLIF(?, ''), mark), context_rev = ?, updated_at = ?,
				fields = ?, preview = ?, contribution = ?, body = ?
			 WHERE org = ? AND event = ? AND type = ? AND id = ? AND rev = ? AND fence = ? AND deleted = 0`,
			r.Rev, r.Status, r.Deleted, r.RefKey(), r.Reference,
			r.Mark, r.ContextRev, millis(r.UpdatedAt),
			text(r.Fields), text(r.Preview), text(r.Contribution), body,
			org, r.Event, r.Type, r.ID, prevRev, r.Fence))
		if sqlitex.IsDuplicate(err) {
			return record.ErrDuplicateReference
		}
		if err != nil || !r.Deleted {
			return err
		}
		return compactRecord(ctx, tx, org, r.ID)
	}
}

// RecordSpan implements record.Pages.
func (s *Store) RecordSpan(ctx context.Context, org record.OrgID, sub record.Sub, skip, limit int64) (record.Span, error) {
	span, err := s.span(ctx, recordsOf(org, sub), skip, limit)
	return span, wrap("find page of records", err)
}

// RecordRevisions implements record.Pages.
func (s *Store) RecordRevisions(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Revision, error) {
	revisions, err := sqlitex.List(ctx, s.db, scanRevisions(),
		`SELECT seq, rev, context_rev FROM records INDEXED BY records_page
		 WHERE org = ? AND event = ? AND type = ? AND seq BETWEEN ? AND ? AND deleted = 0
		 ORDER BY seq DESC`, org, sub.Event, sub.Type, from, to)
	return revisions, wrap("read revisions of records", err)
}

// scanRevisions returns a function that reads a row. All rows share the destination, which saves an allocation per
// row.
func scanRevisions() func(sqlitex.Scanner) (record.Revision, error) {
	var r record.Revision
	into := []any{(*number)(&r.Number), (*number)(&r.Rev), (*number)(&r.ContextRev)}
	return func(row sqlitex.Scanner) (record.Revision, error) {
		err := row.Scan(into...)
		return r, err
	}
}

// RecordRange implements record.Pages.
func (s *Store) RecordRange(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Record, error) {
	records, err := sqlitex.List(ctx, s.db, scanRecord,
		`SELECT `+recordColumns+` FROM records INDEXED BY records_page
		 WHERE org = ? AND event = ? AND type = ? AND seq BETWEEN ? AND ? AND deleted = 0
		 ORDER BY seq DESC`, org, sub.Event, sub.Type, from, to)
	return records, wrap("read records", err)
}

// ApprovedPage implements record.Pages, in one read transaction.
func (s *Store) ApprovedPage(ctx context.Context, org record.OrgID, sub record.Sub, skip, limit int64) (page []record.Record, total int64, err error) {
	const from = ` FROM records INDEXED BY records_approved
		WHERE org = ? AND event = ? AND type = ? AND deleted = 0 AND status = 'approved'`
	args := []any{org, sub.Event, sub.Type}
	tx, err := s.db.Snapshot(ctx)
	if err != nil {
		return nil, 0, wrap("read approved records", err)
	}
	defer tx.Rollback() //nolint:errcheck // it only read
	if total, err = scanNumber(tx.QueryRowContext(ctx, `SELECT COUNT(*)`+from, args...)); err != nil {
		return nil, 0, wrap("count approved records", err)
	}
	page, err = sqlitex.List(ctx, tx, scanRecord, `SELECT `+recordColumns+from+` ORDER BY seq DESC LIMIT ? OFFSET ?`, append(args, max(limit, 0), max(skip, 0))...)
	if err != nil {
		return nil, 0, wrap("read approved records", err)
	}
	return page, total, nil
}

// inQueue is the condition of the two partial indexes of the review queue; the engine uses them only for identical
// text.
const inQueue = `deleted = 0 AND status IN ('submitted', 'in_review')`

// ofLiveEvents excludes the records of deleted events.
const ofLiveEvents = ` AND event NOT IN (SELECT id FROM events WHERE org = ?1 AND deleted = 1)`

// ReviewQueue implements record.ReviewQueue. The page and the count are of one
// state: one transaction reads both.
func (s *Store) ReviewQueue(ctx context.Context, org record.OrgID, event record.EventID, skip, limit int64) ([]record.Record, int64, error) {
	// The index is named because the engine would otherwise count with one that holds every record.
	count, read, args := `SELECT COUNT(*) FROM records INDEXED BY records_queue WHERE org = ? AND event = ? AND `+inQueue,
		`SELECT `+recordColumns+` FROM records INDEXED BY records_queue
		 WHERE org = ? AND event = ? AND `+inQueue+` ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
		[]any{org, event}
	if event == "" {
		count, read, args = `SELECT COUNT(*) FROM records INDEXED BY records_queue_all WHERE org = ?1 AND `+inQueue+ofLiveEvents,
			`SELECT `+recordColumns+` FROM records INDEXED BY records_queue_all
			 WHERE org = ?1 AND `+inQueue+ofLiveEvents+` ORDER BY created_at DESC, id DESC LIMIT ?2 OFFSET ?3`,
			[]any{org}
	}
	return s.countedPage(ctx, skip, limit, count, read, args...)
}

// countedPage reads a page of records and counts them all, in one transaction.
func (s *Store) countedPage(ctx context.Context, skip, limit int64, count, read string, args ...any) (page []record.Record, total int64, err error) {
	tx, err := s.db.Snapshot(ctx)
	if err != nil {
		return nil, 0, wrap("read review queue", err)
	}
	defer tx.Rollback() //nolint:errcheck // it only read
	if total, err = scanNumber(tx.QueryRowContext(ctx, count, args...)); err != nil {
		return nil, 0, wrap("count review queue", err)
	}
	// A negative LIMIT would mean no limit.
	page, err = sqlitex.List(ctx, tx, scanRecord, read, append(args, max(limit, 0), max(skip, 0))...)
	if err != nil {
		return nil, 0, wrap("read review queue", err)
	}
	return page, total, nil
}

// Waiting implements record.ReviewQueue.
func (s *Store) Waiting(ctx context.Context, org record.OrgID, event record.EventID, after record.QueuePlace, limit int64) ([]record.Record, error) {
	const order = ` ORDER BY created_at DESC, id DESC LIMIT ?3`
	query, args := `SELECT `+recordColumns+` FROM records INDEXED BY records_queue WHERE org = ?1 AND event = ?2 AND `+inQueue, []any{org, event, max(limit, 0)}
	if after != (record.QueuePlace{}) {
		query, args = query+` AND (created_at, id) < (?4, ?5)`, append(args, millis(after.CreatedAt), after.ID)
	}
	page, err := sqlitex.List(ctx, s.db, scanRecord, query+order, args...)
	return page, wrap("read review queue", err)
}

// EachDraft implements record.Drafts.
func (s *Store) EachDraft(ctx context.Context, org record.OrgID, event record.EventID, f func(record.Record) error) error {
	rows, err := s.db.QueryContext(ctx, `SELECT `+recordColumns+` FROM records INDEXED BY records_status
		WHERE org = ? AND event = ? AND deleted = 0 AND status IN ('unsubmitted', 'changes_requested')`, org, event)
	if err != nil {
		return wrap("read drafts", err)
	}
	defer rows.Close() //nolint:errcheck // Err says what Close would
	for rows.Next() {
		r, err := scanRecord(rows)
		if err != nil {
			return wrap("read drafts", err)
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return wrap("read drafts", rows.Err())
}

// InsertEntry implements record.Entries.
func (s *Store) InsertEntry(ctx context.Context, org record.OrgID, event record.EventID, id record.ID, e record.Entry) error {
	entry, err := json.Marshal(entryToJSON(e))
	if err != nil {
		return wrap("insert history entry", err)
	}
	return s.writeApart(ctx, "insert history entry", func(ctx context.Context, tx sqlitex.Tx) error {
		return insertEntry(ctx, tx, org, event, id, e.Rev, string(entry))
	})
}

func insertEntry(ctx context.Context, tx sqlitex.Tx, org record.OrgID, event record.EventID, id record.ID, rev int64, entry string) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO history (org, record, rev, event, entry) VALUES (?, ?, ?, ?, ?)
		 ON CONFLICT (org, record, rev) DO NOTHING`, org, id, rev, event, entry)
	return err
}

// Entries implements record.Entries.
func (s *Store) Entries(ctx context.Context, org record.OrgID, id record.ID) ([]record.Entry, error) {
	entries, err := sqlitex.List(ctx, s.db, scanEntry, `SELECT entry FROM history WHERE org = ? AND record = ? ORDER BY rev`, org, id)
	return entries, wrap("read history", err)
}

// EntryRange implements record.Entries.
func (s *Store) EntryRange(ctx context.Context, org record.OrgID, id record.ID, from, to int64) ([]record.Entry, error) {
	entries, err := sqlitex.List(ctx, s.db, scanEntry,
		`SELECT entry FROM history WHERE org = ? AND record = ? AND rev BETWEEN ? AND ? ORDER BY rev DESC`, org, id, from, to)
	return entries, wrap("read history", err)
}

func scanEntry(row sqlitex.Scanner) (record.Entry, error) {
	var text []byte
	var e entryJSON
	if err := errors.Join(row.Scan(&text), json.Unmarshal(text, &e)); err != nil {
		return record.Entry{}, err
	}
	return entryFromJSON(e)
}
