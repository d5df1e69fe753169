package e2e

import (
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
)

// TestAStoreThatFailsIsNotShown renames all tables while the server runs, so that each
// operation that needs a store fails inside it. Every response must be the error
// envelope and must not reveal the cause (statement 31).
func TestAStoreThatFailsIsNotShown(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ours := s.furnish(t)
	calls := map[string]call{}
	for _, o := range api.Operations() {
		k, err := ours.call(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		calls[o.ID] = k
	}
	renameTables(t, filepath.Join(s.settings.Data.Dir.Path, "ecf.db"))
	failed := 0
	for _, o := range api.Operations() {
		a := calls[o.ID].make(ours.admin, false)
		if a.status < http.StatusBadRequest {
			continue
		}
		a.want(a.status) // in the envelope
		if a.status >= http.StatusInternalServerError {
			failed++
		}
		whole := strings.ToLower(fmt.Sprint(a.header, string(a.body)))
		for _, word := range []string{"no such", "sql", "table", "gone_", "ecf.db", s.settings.Data.Dir.Path, "goroutine", ".go:"} {
			if strings.Contains(whole, strings.ToLower(word)) {
				t.Errorf("%s reveals %q: %d %s", o.ID, word, a.status, a.body)
			}
		}
	}
	if all := len(api.Operations()); failed < all/2 {
		t.Errorf("of %d operations %d failed because of the store", all, failed)
	}
}

// renameTables renames all tables of a file.
func renameTables(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)&_pragma=legacy_alter_table(ON)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		t.Fatalf("tables %v: %v", names, err)
	}
	for _, name := range names {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf(`ALTER TABLE %q RENAME TO %q`, name, "gone_"+name)); err != nil {
			t.Fatal(err)
		}
	}
}
