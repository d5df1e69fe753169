package system

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/standalone"
)

// The statements of a page that is not cached, as in libs/record/sqlitestore; nothing
// was deleted from these lists. TestRoundTripsToTheStore of services/records verifies
// how many statements a request makes.
const (
	eventColumns  = `id, org, slot, rev, context_rev, mark, deleted, created_at, updated_at, boundary, body, governance, gate, team, reference`
	recordColumns = `id, org, event, type, seq, rev, status, deleted, reference, mark, context_rev,
	created_at, created_by, updated_at, fields, preview, contribution, body, fence`

	readEvent  = `SELECT ` + eventColumns + ` FROM events WHERE org = ? AND id = ? AND deleted = 0`
	recordHead = `SELECT (SELECT COALESCE(MAX(seq), 0) FROM records WHERE org = ?1 AND event = ?2 AND type = ?3),
		(SELECT counts FROM list_counts WHERE org = ?1 AND event = ?2 AND type = ?3),
		EXISTS (SELECT 1 FROM records WHERE org = ?1 AND event = ?2 AND type = ?3 AND deleted = 1)`
	recordRange = `SELECT ` + recordColumns + ` FROM records INDEXED BY records_page
		WHERE org = ? AND event = ? AND type = ? AND seq BETWEEN ? AND ? AND deleted = 0
		ORDER BY seq DESC`

	anyTeams  = `SELECT EXISTS (SELECT 1 FROM event_members WHERE org = ?)`
	eventHead = `SELECT (SELECT COALESCE(MAX(slot), 0) FROM events WHERE org = ?1),
		(SELECT counts FROM list_counts WHERE org = ?1 AND event = ?2 AND type = ?3),
		EXISTS (SELECT 1 FROM events WHERE org = ?1 AND deleted = 1)`
	eventRange = `SELECT ` + eventColumns + ` FROM events INDEXED BY events_live WHERE org = ?1 AND deleted = 0 AND slot IN (
		SELECT slot FROM events INDEXED BY events_open WHERE org = ?1 AND deleted = 0 AND team IS NULL AND slot BETWEEN ?3 AND ?4
		UNION ALL SELECT slot FROM event_members WHERE org = ?1 AND member = ?2 AND slot BETWEEN ?3 AND ?4)`
	marked = `SELECT json_each.value FROM json_each(?2)
		WHERE EXISTS (SELECT 1 FROM records INDEXED BY records_marked WHERE org = ?1 AND event = json_each.value AND mark <> '')`
	headlines = `SELECT e.id, e.mark, e.headline FROM json_each(?2) CROSS JOIN events AS e
		WHERE e.org = ?1 AND e.id = json_each.value`
	statusCounts = `SELECT c.event, c.status, c.n FROM json_each(?2) CROSS JOIN record_counts AS c
		WHERE c.org = ?1 AND c.event = json_each.value AND c.n > 0`
)

// query is a statement with its arguments and the number of rows it returns.
type query struct {
	text string
	args []any
	rows int
}

// alsoBeside adds a baseline.
func (s *system) alsoBeside(w work, b baseline) work {
	w.baselines = append(w.baselines, b)
	return w
}

// copied opens a copy of the product's file with its settings.
func (s *system) copied() *sqlitex.DB {
	s.t.Helper()
	file := filepath.Join(s.t.TempDir(), standalone.DatabaseFile)
	if err := sqlitex.Copy(s.t.Context(), file, filepath.Join(s.data, standalone.DatabaseFile)); err != nil {
		s.t.Fatal(err)
	}
	return s.raw(file)
}

// pageOfRecords reads what makes up the first page of a list of records.
func (s *system) pageOfRecords(event string, records int) baseline {
	s.t.Helper()
	db := s.copied()
	_, values := s.row(db, "SELECT org FROM events WHERE id = ?", event)
	of := []any{values[0], event, "flights"}
	to := int64(records)
	return s.statementsOf(db, query{readEvent, of[:2], 1}, query{recordHead, of, 1}, query{recordRange, append(of, to-24, to), 25})
}

// pageOfEvents reads what makes up the first page of the list of events.
func (s *system) pageOfEvents() baseline {
	s.t.Helper()
	db := s.copied()
	_, values := s.row(db, "SELECT org, json_extract(body, '$.createdBy.id') FROM events WHERE json_extract(body, '$.createdBy.id') IS NOT NULL ORDER BY created_at LIMIT 1")
	org, member := values[0], values[1]
	_, values = s.row(db, "SELECT MAX(slot) FROM events WHERE org = ?", org)
	to, _ := values[0].(int64)
	_, values = s.row(db, "SELECT json_group_array(id), COUNT(*) FROM events WHERE org = ? AND slot BETWEEN ? AND ?", org, to-24, to)
	ids, n := values[0], values[1]
	events, _ := n.(int64)
	_, values = s.row(db, "SELECT COUNT(*) FROM record_counts WHERE n > 0 AND event IN (SELECT value FROM json_each(?))", ids)
	counts, _ := values[0].(int64)
	return s.statementsOf(db, query{anyTeams, []any{org}, 1}, query{eventHead, []any{org, "", ""}, 1}, query{eventRange, []any{org, member, to - 24, to}, int(events)},
		query{marked, []any{org, ids}, 0}, query{headlines, []any{org, ids}, int(events)}, query{statusCounts, []any{org, ids}, int(counts)})
}

// statementsOf executes the statements one after the other and scans every column of
// every row without copying.
func (s *system) statementsOf(db *sqlitex.DB, all ...query) baseline {
	s.t.Helper()
	once := func(ctx context.Context) error {
		for _, q := range all {
			rows, err := db.QueryContext(ctx, q.text, q.args...)
			if err != nil {
				return err
			}
			n, err := taken(rows)
			if err != nil {
				return err
			}
			if n != q.rows {
				return fmt.Errorf("%d rows, want %d: %s", n, q.rows, q.text)
			}
		}
		return nil
	}
	if err := once(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
	return baseline{"the same statements on the same tables, nothing remembered", repeated(once)}
}

// taken reads all rows.
func taken(rows *sql.Rows) (n int, err error) {
	defer rows.Close() //nolint:errcheck // Err says what Close would
	columns, err := rows.Columns()
	if err != nil {
		return 0, err
	}
	cells, to := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
	for i := range cells {
		to[i] = &cells[i]
	}
	for ; rows.Next(); n++ {
		if err := rows.Scan(to...); err != nil {
			return n, err
		}
	}
	return n, rows.Err()
}
