package sqlitestore_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// resultsAt is the component as a program of a version has it.
func resultsAt(version int) []sqlitex.Component {
	components := slices.Clone(sqlitestore.Schema())
	components[0].Steps = components[0].Steps[:version:version]
	return components
}

// ofVersion4 creates a file of version 4.
func ofVersion4(t *testing.T, path string) {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), path, resultsAt(4)...)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// past runs statements on a file, past the store.
func past(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// manyRevisions are those of two organizations, each with what retention stores at revision 0 and documents shorter
// than a page, as long, and longer; some are not in the form that the store writes.
const manyRevisions = `WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 400)
	INSERT INTO result_revisions SELECT 'org' || (i % 2), 'event' || (i % 3), i / 6, CASE i % 67
		WHEN 0 THEN CAST(x'7B22FF00C328' AS TEXT)
		WHEN 1 THEN randomblob(5000)
		WHEN 2 THEN ''
		ELSE printf('{ "Revision": %d, "Note": "%s ü" }', i / 6, hex(randomblob(i * 20))) END FROM n`

// rowsOf returns every row of the tables of results, byte by byte.
func rowsOf(t *testing.T, path string) map[string][]string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	list := func(query string) (all []string) {
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var one string
			if err := rows.Scan(&one); err != nil {
				t.Fatal(err)
			}
			all = append(all, one)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return all
	}
	all := map[string][]string{}
	for _, table := range list(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'result%'`) {
		var values []string
		for _, column := range list(`SELECT name FROM pragma_table_info('` + table + `')`) {
			values = append(values, "typeof("+column+"), hex("+column+")")
		}
		if rows := list(`SELECT concat_ws(' ', ` + strings.Join(values, ", ") + `) AS r FROM ` + table + ` ORDER BY r`); len(rows) > 0 {
			all[table] = rows
		}
	}
	return all
}

// layoutOf returns the definition of a table.
func layoutOf(t *testing.T, path, table string) (layout string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(t.Context(), `SELECT sql FROM sqlite_schema WHERE name = ?`, table).Scan(&layout); err != nil {
		t.Fatal(err)
	}
	return layout
}

// TestRevisionsOfAnOlderFileAreKept opens files of older versions: revisions are in a table of rows, every row of
// every table is unchanged, and the previous version writes concurrently. testdata/v0.sql was written by a server
// before versions were stored.
func TestRevisionsOfAnOlderFileAreKept(t *testing.T) {
	t.Parallel()
	for name, older := range map[string]func(t *testing.T, path string){
		"version 4": ofVersion4,
		"version 0": func(t *testing.T, path string) {
			t.Helper()
			dump, err := os.ReadFile("testdata/v0.sql")
			if err != nil {
				t.Fatal(err)
			}
			past(t, path, string(dump))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "ecf.db")
			older(t, path)
			past(t, path, manyRevisions)
			before := rowsOf(t, path)
			if n := len(before["result_revisions"]); n != 401 {
				t.Fatalf("%d revisions were made", n)
			}
			db, err := sqlitex.Open(t.Context(), path, sqlitestore.Schema()...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			if after := rowsOf(t, path); !reflect.DeepEqual(before, after) {
				t.Error("the rows are others")
			}
			if layout := layoutOf(t, path, "result_revisions"); strings.Contains(layout, "ROWID") {
				t.Errorf("long revisions take pages of their own: %s", layout)
			}
			old, err := sqlitex.Open(t.Context(), path, resultsAt(4)...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = old.Close() })
			both := []*sqlitestore.Store{sqlitestore.New(db), sqlitestore.New(old)}
			for i, s := range both {
				for _, hash := range []string{"first", "again"} { // a revision is inserted once
					r := resulttree.Result{Org: "org0", Event: "event0", Revision: int64(100 + i), InputsHash: hash}
					if err := s.InsertRevision(t.Context(), r); err != nil {
						t.Fatal(err)
					}
				}
			}
			for _, s := range both {
				all, err := s.Revisions(t.Context(), "org0", "event0", 100, 200)
				if err != nil || len(all) != 2 || all[0].Revision != 101 || all[1].Revision != 100 || all[0].InputsHash != "first" || all[1].InputsHash != "first" {
					t.Errorf("%+v, %v", all, err)
				}
			}
		})
	}
}

// TestADeathWhileRevisionsAreCopied: after a crash between the last statement and the commit, the file is unchanged,
// whatever is in it and in its log.
func TestADeathWhileRevisionsAreCopied(t *testing.T) {
	t.Parallel()
	path, dead := filepath.Join(t.TempDir(), "ecf.db"), filepath.Join(t.TempDir(), "ecf.db")
	ofVersion4(t, path)
	// More than fits in the page cache, so that some of it is in the log before the commit.
	past(t, path, manyRevisions, `WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
		INSERT INTO result_revisions SELECT 'org2', 'event', i, hex(randomblob(2000)) FROM n`)
	before := rowsOf(t, path)
	components, died := sqlitestore.Schema(), errors.New("died")
	components[0].Steps = append(slices.Clone(components[0].Steps), sqlitex.Step{MinReader: 1, Apply: func(ctx context.Context, tx sqlitex.Tx) error {
		var layout string
		if err := tx.QueryRowContext(ctx, `SELECT sql FROM sqlite_schema WHERE name = 'result_revisions'`).Scan(&layout); err != nil || strings.Contains(layout, "ROWID") {
			return fmt.Errorf("not copied: %s, %w", layout, err)
		}
		for _, part := range []string{"", "-wal"} {
			bytes, err := os.ReadFile(path + part)
			if err != nil {
				return err
			}
			if part == "-wal" && len(bytes) < 1<<20 {
				return fmt.Errorf("only %d bytes are in the log", len(bytes))
			}
			if err := os.WriteFile(dead+part, bytes, 0o600); err != nil {
				return err
			}
		}
		return died
	}})
	if _, err := sqlitex.Open(t.Context(), path, components...); !errors.Is(err, died) {
		t.Fatalf("opened with %v", err)
	}
	for what, path := range map[string]string{"what a death leaves": dead, "what a failure leaves": path} {
		if after := rowsOf(t, path); !reflect.DeepEqual(before, after) {
			t.Errorf("%s has other rows", what)
		}
		if layout := layoutOf(t, path, "result_revisions"); !strings.Contains(layout, "ROWID") {
			t.Errorf("%s has the new layout: %s", what, layout)
		}
		if all, err := sqlitex.Inspect(t.Context(), path, sqlitestore.Schema()...); err != nil || all[0].Stored.Version != 4 {
			t.Errorf("%s: %+v, %v", what, all, err)
		}
		// The next open performs the upgrade.
		db, err := sqlitex.Open(t.Context(), path, sqlitestore.Schema()...)
		if err != nil {
			t.Fatal(what, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(what, err)
		}
		if after := rowsOf(t, path); !reflect.DeepEqual(before, after) {
			t.Errorf("%s has other rows once it is opened", what)
		}
		if layout := layoutOf(t, path, "result_revisions"); strings.Contains(layout, "ROWID") {
			t.Errorf("%s keeps the old layout: %s", what, layout)
		}
	}
}

// TestRevisionsAreFoundByKey checks the query plan of every statement of the package about revisions: each read uses
// the index, in its order.
func TestRevisionsAreFoundByKey(t *testing.T) {
	t.Parallel()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	about := regexp.MustCompile(`^(SELECT|UPDATE|DELETE).* result_revisions `)
	found := regexp.MustCompile(`^SEARCH result_revisions USING INDEX sqlite_autoindex_result_revisions_1 \(org=\? AND event=\? AND revision(=\?|>\? AND revision<\?)\)$`)
	n := 0
	for _, statement := range literals(t) {
		if !about.MatchString(statement) {
			continue
		}
		n++
		rows, err := db.Read().QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, make([]any, strings.Count(statement, "?"))...)
		if err != nil {
			t.Fatalf("%v: %s", err, statement)
		}
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			if !found.MatchString(step) {
				t.Errorf("%s, in %s", step, statement)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
	if n < 5 {
		t.Errorf("found only %d statements; the search has gone blind", n)
	}
}

// literals returns every string written in the package's sources.
func literals(t *testing.T) (all []string) {
	t.Helper()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, text)
			}
			return true
		})
	}
	return all
}
