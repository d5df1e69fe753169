package sqlitestore_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// statements returns every SQL statement written in the package's sources.
func statements(t *testing.T) []string {
	t.Helper()
	sources, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	constants := map[string]ast.Expr{}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") || name == "schema.go" {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				constants[spec.Names[0].Name] = spec.Values[0]
			}
			return true
		})
	}
	var text func(e ast.Expr) string
	text = func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			s, err := strconv.Unquote(e.Value)
			if err == nil {
				return s
			}
		case *ast.BinaryExpr:
			return text(e.X) + text(e.Y)
		case *ast.Ident:
			if c := constants[e.Name]; c != nil {
				return text(c)
			}
		}
		t.Errorf("part of a statement is not a constant: %#v", e)
		return ""
	}
	start := regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s`)
	var all []string
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			first := e
			for {
				sum, ok := first.(*ast.BinaryExpr)
				if !ok || sum.Op != token.ADD {
					break
				}
				first = sum.X
			}
			lit, ok := first.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING || !start.MatchString(strings.Trim(lit.Value, "`\"")) {
				return true
			}
			all = append(all, text(e))
			return false
		})
	}
	return all
}

// TestStatements checks the plan of every statement of the package: each is for one organization only, and none scans
// a whole table, or an organization's part of one that grows with its records.
func TestStatements(t *testing.T) {
	t.Parallel()
	db, _ := open(t, filepath.Join(t.TempDir(), "plan.db"))
	all := statements(t)
	for _, statement := range all {
		if many := sqlitex.RepeatRow(statement, 64); many != statement {
			all = append(all, many)
		}
	}
	if len(all) < 30 {
		t.Fatalf("found only %d statements; the search has gone blind", len(all))
	}
	// Factor packs are of no organization.
	tenant := regexp.MustCompile(`\borg = \?|^INSERT INTO \w+ \(\s*(id, )?org\b|organizations|factor_packs`)
	// Scans of partial indexes that hold only matching rows.
	allowed := regexp.MustCompile(`^SCAN (records USING COVERING INDEX records_marked|imports USING COVERING INDEX imports_open|events USING COVERING INDEX events_(marked|closing)|factor_packs USING COVERING INDEX factor_packs_added|` +
		`json_each VIRTUAL TABLE.*|types|64-ROW VALUES CLAUSE|\(subquery-\d+\)|CONSTANT ROW)`)
	wholeOrganization := regexp.MustCompile(`^(SEARCH|SCAN) (records|history|record_counts|list_sets|list_counts|segments|event_members|event_history) .*\(org=\?\)$`)
	wholeEvent := regexp.MustCompile(`^SEARCH records .*\(org=\?( AND event=\?( AND type=\?)?)?\)$`)
	// Waiting records, the limit of a plan, which is counted rarely, and events hidden from a user.
	countsAll := regexp.MustCompile(`INDEXED BY records_queue_all|MAX\(seq\) AS highest|^SELECT EXISTS|^SELECT DISTINCT event FROM event_members`)
	for _, statement := range all {
		// The sweepers read all organizations.
		sweep := strings.Contains(statement, "AS oldest") || strings.Contains(statement, "INDEXED BY imports_open") || strings.Contains(statement, "INDEXED BY events_closing")
		if !tenant.MatchString(statement) && !sweep {
			t.Errorf("asks for no organization: %s", statement)
		}
		parameters := strings.Count(statement, "?")
		if strings.Contains(statement, "?1") {
			parameters = 4
			for parameters > 1 && !strings.Contains(statement, "?"+strconv.Itoa(parameters)) {
				parameters--
			}
		}
		rows, err := db.Read().QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+statement, make([]any, parameters)...)
		if err != nil {
			t.Fatalf("%v: %s", err, statement)
		}
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			t.Logf("%s\n    %s", step, strings.Join(strings.Fields(statement), " "))
			// The organizations are counted once, at the start of the program.
			atStart := statement == "SELECT COUNT(*), MIN(created_at) FROM organizations"
			if strings.HasPrefix(step, "SCAN") && !allowed.MatchString(step) && !atStart {
				t.Errorf("%s, in %s", step, statement)
			}
			if wholeOrganization.MatchString(step) && !countsAll.MatchString(statement) {
				t.Errorf("reads all of an organization: %s, in %s", step, statement)
			}
			if strings.Contains(statement, "(VALUES (") && wholeEvent.MatchString(step) {
				t.Errorf("reads all of an event for the rows that are given: %s, in %s", step, statement)
			}
			// The ids of deleted events are looked up in a subquery.
			besides := regexp.MustCompile(`^(LIST SUBQUERY|SEARCH events USING INDEX|SCAN json_each|USE TEMP B-TREE FOR ORDER BY|CREATE BLOOM FILTER)`)
			if strings.Contains(statement, "'submitted', 'in_review'") && !strings.Contains(step, "INDEX records_queue") && !besides.MatchString(step) {
				t.Errorf("the queue is read by more than the queue: %s, in %s", step, statement)
			}
			// A backup reads all of a tenant's keys and imports, and no request does.
			archive := strings.HasSuffix(statement, "WHERE org = ? AND id > ? ORDER BY id LIMIT ?")
			if strings.Contains(step, "TEMP B-TREE FOR ORDER BY") && !sweep && !archive && !strings.Contains(statement, "json_each") && !strings.Contains(statement, "AS part") {
				t.Errorf("%s, in %s", step, statement)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		_ = rows.Close()
	}
}
