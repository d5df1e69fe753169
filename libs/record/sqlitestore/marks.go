package sqlitestore

import (
	"context"
	"slices"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// MarkedRecords implements record.Marks.
func (s *Store) MarkedRecords(ctx context.Context, org record.OrgID, event record.EventID, limit int) ([]record.MarkedRecord, error) {
	marked, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (m record.MarkedRecord, err error) {
		return m, row.Scan(&m.Type, &m.ID, &m.Seq, &m.Mark)
	}, `SELECT type, id, seq, mark FROM records
		WHERE org = ? AND event = ? AND mark <> '' ORDER BY mark LIMIT ?`, org, event, max(limit, 0))
	return marked, wrap("read marked records", err)
}

// ClearRecordMarks implements record.Marks.
func (s *Store) ClearRecordMarks(ctx context.Context, org record.OrgID, event record.EventID, marked []record.MarkedRecord) error {
	if len(marked) == 0 {
		return ctx.Err()
	}
	return s.writeApart(ctx, "clear record marks", func(ctx context.Context, tx sqlitex.Tx) error {
		if len(marked) == 1 { // as after most decisions
			_, err := tx.ExecContext(ctx, `UPDATE records SET mark = '' WHERE org = ? AND event = ? AND id = ? AND mark = ?`,
				org, event, marked[0].ID, marked[0].Mark)
			return err
		}
		for part := range slices.Chunk(marked, sqlitex.MostRows) {
			rows := sqlitex.NewRows(2, len(part))
			for _, m := range part {
				rows.Add(m.ID, m.Mark)
			}
			// The unary pluses keep the engine from using the indexes by organization, with which it would read the
			// whole event.
			if _, err := rows.Exec(ctx, tx, `UPDATE records SET mark = ''
				FROM (VALUES (?, ?)) WHERE +org = ? AND +event = ? AND id = column1 AND mark = column2`, org, event); err != nil {
				return err
			}
		}
		return nil
	})
}

// ClearEventMark implements record.Marks.
func (s *Store) ClearEventMark(ctx context.Context, org record.OrgID, id record.EventID, mark string) error {
	return s.write(ctx, "clear event mark", func(ctx context.Context, tx sqlitex.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE events SET mark = '' WHERE org = ? AND id = ? AND mark = ?`, org, id, mark)
		return err
	})
}

// HasMarks implements record.Marks.
func (s *Store) HasMarks(ctx context.Context, org record.OrgID, event record.EventID) (bool, error) {
	var marked bool
	err := s.db.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM events WHERE org = ?1 AND id = ?2 AND mark <> '')
			OR EXISTS (SELECT 1 FROM records WHERE org = ?1 AND event = ?2 AND mark <> '')`, org, event).Scan(&marked)
	return marked, wrap("read marks", err)
}

// HasMarkedRecords implements record.Marks.
func (s *Store) HasMarkedRecords(ctx context.Context, org record.OrgID, event record.EventID) (bool, error) {
	var marked bool
	err := s.db.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM records WHERE org = ? AND event = ? AND mark <> '')`, org, event).Scan(&marked)
	return marked, wrap("read marks", err)
}

// MaxSeqs implements record.Counting. It steps from type to type by the index, so
// its cost is that of the types, not of the records.
func (s *Store) MaxSeqs(ctx context.Context, org record.OrgID, event record.EventID) (map[string]int64, error) {
	type last struct {
		typ string
		seq int64
	}
	all, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (l last, err error) {
		return l, row.Scan(&l.typ, &l.seq)
	}, `WITH RECURSIVE types (type) AS (
			SELECT MIN(type) FROM records WHERE org = ?1 AND event = ?2
			UNION ALL
			SELECT (SELECT MIN(r.type) FROM records r WHERE r.org = ?1 AND r.event = ?2 AND r.type > types.type)
			FROM types WHERE types.type IS NOT NULL
		)
		SELECT type, (SELECT MAX(r.seq) FROM records r WHERE r.org = ?1 AND r.event = ?2 AND r.type = types.type)
		FROM types WHERE type IS NOT NULL`, org, event)
	if err != nil {
		return nil, wrap("read highest numbers", err)
	}
	highest := make(map[string]int64, len(all))
	for _, l := range all {
		highest[l.typ] = l.seq
	}
	return highest, nil
}

// RecordsNumbered implements record.Counting.
func (s *Store) RecordsNumbered(ctx context.Context, org record.OrgID) (int64, error) {
	// A query that ctx cancels, since it reads many rows.
	one, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (n int64, err error) { return n, row.Scan(&n) },
		`SELECT COALESCE(SUM(highest), 0) FROM (SELECT MAX(seq) AS highest FROM records WHERE org = ? GROUP BY event, type)`, org)
	if err != nil || len(one) == 0 {
		return 0, wrap("count the numbers of records", err)
	}
	return one[0], nil
}

// storedAtOnce is how many contributions are stored in one transaction, which bounds how long other writes wait:
// those of a whole segment take ten times as long as most writes.
const storedAtOnce = 32

// StoreContributions implements record.Counting: one transaction, or several behind what
// others write.
func (s *Store) StoreContributions(ctx context.Context, org record.OrgID, all []record.Recalculated) error {
	if len(all) == 0 {
		return ctx.Err()
	}
	if len(all) > storedAtOnce {
		// Lost contributions are calculated again: the result that includes them is stored later, by a synced write.
		ctx = sqlitex.Unsynced(fairshare.LowPriority(ctx))
	}
	unseen := false // as another engine calculates them: no other revision, and no other context
	defer func() {
		if unseen { // After the writes: readers that read the changed rows before or meanwhile read them again.
			s.segments.stored.Add(1)
		}
	}()
	for part := range slices.Chunk(all, storedAtOnce) {
		err := s.writeApart(ctx, "store contributions", func(ctx context.Context, tx sqlitex.Tx) error {
			rows := sqlitex.NewRows(5, len(part))
			for _, r := range part {
				rows.Add(r.ID, r.Rev, r.ContextRev, text(r.Preview), text(r.Contribution))
			}
			// The unary plus keeps the engine from using the indexes by organization here too.
			done, err := rows.Exec(ctx, tx, `UPDATE records SET preview = column4, contribution = column5, context_rev = column3
				FROM (VALUES (?, ?, ?, ?, ?)) WHERE +org = ? AND id = column1 AND rev = column2 AND context_rev < column3`, org)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil || n == int64(len(part)) {
				return err
			}
			// A row that was just stored also has this context and already has the new values.
			other, err := changed(rows.Exec(ctx, tx, `UPDATE records SET preview = column4, contribution = column5
				FROM (VALUES (?, ?, ?, ?, ?)) WHERE +org = ? AND id = column1 AND rev = column2 AND context_rev = column3
				AND (preview IS NOT column4 OR contribution IS NOT column5)`, org))
			if err != nil {
				return err
			}
			unseen = unseen || other
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// MarkedEvents implements record.Marks.
func (s *Store) MarkedEvents(ctx context.Context, limit int) ([]record.MarkedEvent, error) {
	marked, err := sqlitex.List(ctx, s.db, func(row sqlitex.Scanner) (m record.MarkedEvent, err error) {
		return m, row.Scan(&m.Org, &m.Event, &m.Mark)
	}, `SELECT org, event, MIN(mark) AS oldest FROM (
			SELECT org, event, MIN(mark) AS mark FROM records WHERE mark <> '' GROUP BY org, event
			UNION ALL
			SELECT org, id, mark FROM events WHERE mark <> ''
		) GROUP BY org, event ORDER BY oldest LIMIT ?`, max(limit, 0))
	return marked, wrap("read marked events", err)
}
