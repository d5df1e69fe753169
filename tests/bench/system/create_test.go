package system

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/standalone"
)

// create is a durable write. Its baselines are as many writers on the engine alone, in
// their own files, with group commit and the settings of the product: the statements of
// one creation, and the least that stores the same bytes.
func (s *system) create(event string) work {
	s.t.Helper()
	w := s.creation(event)
	var target vegeta.Target
	if err := w.product(&target); err != nil {
		s.t.Fatal(err)
	}
	path := strings.TrimPrefix(target.URL, s.url+"/api/v2")
	status, answered, _ := s.ask(http.MethodPost, path, target.Body, target.Header)
	var made struct{ Data created }
	if err := json.Unmarshal(answered, &made); err != nil || status != http.StatusCreated {
		s.t.Fatalf("POST %s: %d %s", path, status, answered)
	}
	w.goal = 0.5
	w.baselines = []baseline{
		{"the same statements on the same tables, group commit", repeated(s.statements(made.Data.ID))},
		{"one insert of the same bytes, group commit", repeated(s.insert(string(answered)))},
	}
	return w
}

// creation creates records of an event with the given tokens in rotation, or with that
// of s if there are none.
func (s *system) creation(event string, tokens ...string) work {
	var n atomic.Int64
	if len(tokens) == 0 {
		tokens = []string{s.token}
	}
	var headers []http.Header
	for _, token := range tokens {
		headers = append(headers, http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}})
	}
	return work{
		name: "create a record, durable", status: http.StatusCreated,
		product: func(target *vegeta.Target) error {
			i := int(n.Add(1))
			*target = vegeta.Target{Method: http.MethodPost, URL: s.url + "/api/v2/events/" + event + "/flights", Header: headers[i%len(headers)], Body: fmt.Appendf(nil, flight, 1+i%900)}
			return nil
		},
	}
}

// raw opens a file with the settings of the product and verifies them: each commit is
// synced to disk before it returns.
func (s *system) raw(file string) *sqlitex.DB {
	s.t.Helper()
	db, err := sqlitex.Open(s.t.Context(), file)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = db.Close() })
	var journal string
	var synchronous int
	err = db.Write(s.t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
		if err := tx.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal); err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&synchronous)
	})
	if err != nil || journal != "wal" || synchronous != 2 {
		s.t.Fatalf("journal_mode is %s, synchronous %d (%v), want wal and 2 (FULL)", journal, synchronous, err)
	}
	return db
}

// insert inserts a row of the given size into a table without an index.
func (s *system) insert(body string) func(context.Context) error {
	s.t.Helper()
	db := s.raw(filepath.Join(s.t.TempDir(), "raw.db"))
	write := func(ctx context.Context, statement string, args ...any) error {
		return db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
			_, err := tx.ExecContext(ctx, statement, args...)
			return err
		})
	}
	if err := write(s.t.Context(), "CREATE TABLE records (id INTEGER PRIMARY KEY, body TEXT)"); err != nil {
		s.t.Fatal(err)
	}
	return func(ctx context.Context) error {
		return write(ctx, "INSERT INTO records (body) VALUES (?)", body)
	}
}

// statements executes the statements of a creation in a copy of the product's file,
// with the values of a record that the product has created, under new ids: it reads the
// event, takes the next number and inserts the record, which updates the same indexes
// and fires the same triggers. TestRoundTripsToTheStore of services/standalone verifies
// that a creation executes no others.
func (s *system) statements(id string) func(context.Context) error {
	s.t.Helper()
	ctx, file := s.t.Context(), filepath.Join(s.t.TempDir(), standalone.DatabaseFile)
	if err := sqlitex.Copy(ctx, file, filepath.Join(s.data, standalone.DatabaseFile)); err != nil {
		s.t.Fatal(err)
	}
	db := s.raw(file)
	columns, values := s.row(db, "SELECT * FROM records WHERE id = ?", id)
	of := map[string]int{}
	for i, name := range columns {
		of[name] = i
	}
	org, event, typ := values[of["org"]], values[of["event"]], values[of["type"]]
	const find = "SELECT * FROM events WHERE org = ? AND id = ? AND deleted = 0"
	_, eventRow := s.row(db, find, org, event)
	insert := "INSERT INTO records (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
	var n atomic.Int64
	return func(ctx context.Context) error {
		if err := db.QueryRowContext(ctx, find, org, event).Scan(places(len(eventRow))...); err != nil {
			return err
		}
		mine := append([]any(nil), values...)
		own := fmt.Sprintf("%s-%d", id, n.Add(1))
		mine[of["id"]], mine[of["ref_key"]] = own, "id:"+own
		return db.Write(ctx, func(ctx context.Context, tx sqlitex.Tx) error {
			var seq int64
			err := tx.QueryRowContext(ctx, "SELECT COALESCE(MAX(seq), 0) + 1 FROM records WHERE org = ? AND event = ? AND type = ?", org, event, typ).Scan(&seq)
			if err != nil {
				return err
			}
			mine[of["seq"]] = seq
			_, err = tx.ExecContext(ctx, insert, mine...)
			return err
		})
	}
}

// row reads one row and the names of its columns.
func (s *system) row(db *sqlitex.DB, query string, args ...any) (columns []string, values []any) {
	s.t.Helper()
	rows, err := db.QueryContext(s.t.Context(), query, args...)
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	if columns, err = rows.Columns(); err != nil || !rows.Next() {
		s.t.Fatalf("%s: %v %v", query, err, rows.Err())
	}
	read := places(len(columns))
	if err := rows.Scan(read...); err != nil {
		s.t.Fatal(err)
	}
	for _, place := range read {
		values = append(values, *place.(*any)) //nolint:forcetypeassert // places made it
	}
	return columns, values
}

// places returns destinations for the columns of a row.
func places(n int) []any {
	all := make([]any, n)
	for i := range all {
		all[i] = new(any)
	}
	return all
}
