package sqlitestore

import (
	"context"
	"database/sql"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// insertion is a record to insert, with its JSON parts.
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

// seqKey is that of the number of the next record of a sub-collection, which the writes of a transaction remember.
type seqKey struct {
	org   record.OrgID
	event record.EventID
	typ   string
}

// nextSeq returns the number of the next record of a sub-collection.
func nextSeq(ctx context.Context, tx sqlitex.Tx, org record.OrgID, sub record.Sub) (seq int64, err error) {
	if seq, ok := sqlitex.Remembered(tx, seqKey{org, sub.Event, sub.Type}); ok {
		return seq, nil
	}
	err = tx.QueryRowContext(ctx,
		`SELECT COALESCE(MAX(seq), 0) + 1 FROM records WHERE org = ? AND event = ? AND type = ?`,
		string(org), string(sub.Event), sub.Type).Scan(&seq)
	return seq, err
}

// newColumns are the columns of a new record, in the order of insertion.values, and
// newRow its parameters.
const (
	newColumns = `id, org, event, type, seq, rev, status, deleted, ref_key, reference, mark, context_rev,
		created_at, created_by, updated_at, fields, preview, contribution, body, fence`
	newRow   = `(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	newWidth = 20
)

// values are of the driver's types, which database/sql would otherwise convert them to by reflection.
func (i insertion) values(org record.OrgID, seq int64) [newWidth]any {
	r := i.record
	return [...]any{
		string(r.ID), string(org), string(r.Event), r.Type, seq, r.Rev, string(r.Status), r.Deleted, r.RefKey(), r.Reference, r.Mark, r.ContextRev,
		millis(r.CreatedAt), i.createdBy, millis(r.UpdatedAt),
		text(r.Fields), text(r.Preview), text(r.Contribution), i.body, r.Fence,
	}
}

// insert stores the record under seq. After ErrDuplicate and ErrDuplicateReference the transaction is unchanged.
func (i insertion) insert(ctx context.Context, tx sqlitex.Tx, org record.OrgID, seq int64) error {
	values := i.values(org, seq)
	_, err := tx.ExecContext(ctx, `INSERT INTO records (`+newColumns+`) VALUES `+newRow, values[:]...)
	if sqlitex.IsDuplicate(err) {
		return whichDuplicate(ctx, tx, org, i.record)
	}
	if err != nil {
		return err
	}
	sqlitex.Remember(tx, seqKey{org, i.record.Event, i.record.Type}, seq+1)
	if !i.record.Deleted {
		return nil
	}
	return compactRecord(ctx, tx, org, i.record.ID)
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
	err := s.writeApart(ctx, "insert records", func(ctx context.Context, tx sqlitex.Tx) error {
		// The function may run again, so it starts from empty results.
		stored, refused = make([]record.Record, 0, len(rows)), make([]error, 0, len(rows))
		seq, err := nextSeq(ctx, tx, org, sub)
		if err != nil {
			return err
		}
		for part := range slices.Chunk(rows, sqlitex.MostRows) {
			refusals, err := insertAll(ctx, tx, org, sub, seq, part)
			if err != nil {
				return err
			}
			for i, row := range part {
				var r record.Record
				if refusals[i] == nil {
					r = row.record
					r.Org, r.Seq = org, seq
					seq++
				}
				stored = append(stored, r)
			}
			refused = append(refused, refusals...)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return stored, refused, nil
}

// insertAll stores new records under the numbers from seq on with one statement, and returns an error in place of
// each one that is rejected, which takes no number. Rejections are rare, so they are determined only after the
// statement has failed.
func insertAll(ctx context.Context, tx sqlitex.Tx, org record.OrgID, sub record.Sub, seq int64, all []insertion) (refused []error, err error) {
	refused = make([]error, len(all))
	err = insertRows(ctx, tx, org, sub, seq, all)
	if !sqlitex.IsDuplicate(err) {
		return refused, err
	}
	if refused, err = duplicates(ctx, tx, org, sub, all); err != nil {
		return nil, err
	}
	accepted := make([]insertion, 0, len(all))
	for i, row := range all {
		if refused[i] == nil {
			accepted = append(accepted, row)
		}
	}
	if len(accepted) == 0 {
		return refused, nil
	}
	return refused, insertRows(ctx, tx, org, sub, seq, accepted)
}

// insertRows stores new records under the numbers from seq on: all of them or none.
func insertRows(ctx context.Context, tx sqlitex.Tx, org record.OrgID, sub record.Sub, seq int64, all []insertion) error {
	rows := sqlitex.NewRows(newWidth, len(all))
	var deleted []int64
	for i, row := range all {
		number := seq + int64(i)
		values := row.values(org, number)
		rows.Add(values[:]...)
		if row.record.Deleted {
			deleted = append(deleted, number)
		}
	}
	_, err := rows.Exec(ctx, tx, `INSERT INTO records (`+newColumns+`)
		SELECT * FROM (VALUES `+newRow+`) WHERE column1 IS NOT NULL`)
	if err != nil {
		return err
	}
	sqlitex.Remember(tx, seqKey{org, sub.Event, sub.Type}, seq+int64(len(all)))
	if len(deleted) == 0 {
		return nil
	}
	return recordsOf(org, sub).compact(ctx, tx, deleted...)
}

// duplicates returns for each new record the error of whichDuplicate: its conflict with stored records or with
// earlier accepted ones.
func duplicates(ctx context.Context, tx sqlitex.Tx, org record.OrgID, sub record.Sub, all []insertion) ([]error, error) {
	ids, references := sqlitex.NewRows(1, len(all)), sqlitex.NewRows(1, len(all))
	for _, row := range all {
		ids.Add(row.record.ID)
		references.Add(row.record.RefKey())
	}
	mine := map[record.ID]bool{} // whether a taken id belongs to this organization
	rows, err := ids.Query(ctx, tx, `SELECT id, org = ? FROM records WHERE id IN (VALUES (?))`, org)
	if err := each(rows, err, func(row sqlitex.Scanner) error {
		var id record.ID
		var own bool
		err := row.Scan(&id, &own)
		mine[id] = own
		return err
	}); err != nil {
		return nil, err
	}
	taken := map[string]bool{}
	rows, err = references.Query(ctx, tx,
		`SELECT ref_key FROM records WHERE org = ? AND event = ? AND type = ? AND ref_key IN (VALUES (?))`, org, sub.Event, sub.Type)
	if err := each(rows, err, func(row sqlitex.Scanner) error {
		var key string
		err := row.Scan(&key)
		taken[key] = true
		return err
	}); err != nil {
		return nil, err
	}
	refused := make([]error, len(all))
	for i, row := range all {
		id, key := row.record.ID, row.record.RefKey()
		own, there := mine[id]
		switch {
		case own:
			refused[i] = record.ErrDuplicate
		case taken[key]:
			refused[i] = record.ErrDuplicateReference
		case there: // another organization's
			refused[i] = record.ErrDuplicate
		default:
			mine[id], taken[key] = true, true
		}
	}
	return refused, nil
}

// each calls f for every row.
func each(rows *sql.Rows, err error, f func(sqlitex.Scanner) error) error {
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err says what Close would
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
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

// DeletedByReference implements record.Records.
func (s *Store) DeletedByReference(ctx context.Context, org record.OrgID, sub record.Sub, reference string) ([]record.Record, error) {
	deleted, err := sqlitex.List(ctx, s.db, scanRecord,
		`SELECT `+recordColumns+` FROM records WHERE org = ? AND event = ? AND type = ? AND deleted = 1 AND reference = ?`,
		org, sub.Event, sub.Type, reference)
	return deleted, wrap("find deleted records by reference", err)
}
