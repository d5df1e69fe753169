package sqlitestore

import (
	"context"
	"errors"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// insertion is a record on its way in, with the parts that are JSON.
type insertion struct {
	record    record.Record
	createdBy string
	body      string
}

func insertionOf(r record.Record) (insertion, error) {
	createdBy := actorToJSON(r.CreatedBy)
	body, err := recordBodyOf(r)
	return insertion{record: r, createdBy: string(createdBy.append(nil)), body: string(body)}, err
}

// nextSeq returns the number of the next record of a sub-collection.
func nextSeq(ctx context.Context, tx sqlitex.Tx, org record.OrgID, sub record.Sub) (seq int64, err error) {
	err = tx.QueryRowContext(ctx,
		`SELECT COALESCE(MAX(seq), 0) + 1 FROM records WHERE org = ? AND event = ? AND type = ?`,
		org, sub.Event, sub.Type).Scan(&seq)
	return seq, err
}

// insert stores the record under seq. The sentinels ErrDuplicate and
// ErrDuplicateReference leave the transaction as it was.
func (i insertion) insert(ctx context.Context, tx sqlitex.Tx, org record.OrgID, seq int64) error {
	r := i.record
	_, err := tx.ExecContext(ctx,
		`INSERT INTO records (id, org, event, type, seq, rev, status, deleted, ref_key, reference, mark, context_rev,
			created_at, created_by, updated_at, fields, preview, contribution, body, fence)
		 VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.ID, org, r.Event, r.Type, seq, r.Rev, r.Status, r.Deleted, r.RefKey(), r.Reference, r.Mark, r.ContextRev,
		millis(r.CreatedAt), i.createdBy, millis(r.UpdatedAt),
		text(r.Fields), text(r.Preview), text(r.Contribution), i.body, r.Fence)
	if sqlitex.IsDuplicate(err) {
		return whichDuplicate(ctx, tx, org, r)
	}
	if err != nil || !r.Deleted {
		return err
	}
	return foldRecord(ctx, tx, org, r.ID)
}

// InsertRecords implements record.Records: one transaction.
func (s *Store) InsertRecords(ctx context.Context, org record.OrgID, sub record.Sub, records []record.Record) ([]record.Record, []error, error) {
	rows := make([]insertion, len(records))
	for i, r := range records {
		r.Event, r.Type = sub.Event, sub.Type
		var err error
		if rows[i], err = insertionOf(r); err != nil {
			return nil, nil, wrap("insert records", err)
		}
	}
	var stored []record.Record
	var refused []error
	err := s.write(ctx, "insert records", func(ctx context.Context, tx sqlitex.Tx) error {
		// The function may run again, so it begins with nothing.
		stored, refused = make([]record.Record, len(rows)), make([]error, len(rows))
		seq, err := nextSeq(ctx, tx, org, sub)
		if err != nil {
			return err
		}
		for i, row := range rows {
			err := row.insert(ctx, tx, org, seq)
			if errors.Is(err, record.ErrDuplicate) || errors.Is(err, record.ErrDuplicateReference) {
				refused[i] = err
				continue
			}
			if err != nil {
				return err
			}
			stored[i] = row.record
			stored[i].Org, stored[i].Seq = org, seq
			seq++
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return stored, refused, nil
}

// FindRecord implements record.Records.
func (s *Store) FindRecord(ctx context.Context, org record.OrgID, event record.EventID, id record.ID) (record.Record, error) {
	r, err := scanRecord(s.db.QueryRowContext(ctx,
		`SELECT `+recordColumns+` FROM records WHERE org = ? AND event = ? AND id = ? AND deleted = 0`, org, event, id))
	return found("find record", r, err)
}

// RecordByReference implements record.Records.
func (s *Store) RecordByReference(ctx context.Context, org record.OrgID, sub record.Sub, reference string) (record.Record, error) {
	r, err := scanRecord(s.db.QueryRowContext(ctx,
		`SELECT `+recordColumns+` FROM records WHERE org = ? AND event = ? AND type = ? AND ref_key = ? AND deleted = 0`,
		org, sub.Event, sub.Type, record.Record{Reference: reference}.RefKey()))
	return found("find record by reference", r, err)
}
