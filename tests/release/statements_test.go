package release_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the table of docs/security.md")

const (
	firstStatement, lastStatement = 1, 42

	tableBegin = "<!-- statements: made by go test ./tests/release -run Statement -update -->\n"
	tableEnd   = "<!-- end of statements -->\n"
)

var (
	named   = regexp.MustCompile(`(?i)\bstatements?\s+((?:\d+(?:–|-|, and | and |, )?)+)`)
	numbers = regexp.MustCompile(`(\d+)(?:(?:–|-)(\d+))?`)
	opening = regexp.MustCompile(`^func (?:\([^)]*\) )?(\w+)`)
)

// holders returns the tests that name a statement in their doc comment or body, by
// statement.
func holders(t *testing.T) map[int][]string {
	t.Helper()
	found := map[int][]string{}
	for _, folder := range []string{"libs", "services", "tests"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.Contains(path, "tests/release/statements") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			where, err := filepath.Rel(root, filepath.Dir(path))
			if err != nil {
				return err
			}
			collect(string(text), filepath.ToSlash(where), found)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for n := range found {
		found[n] = slices.DeleteFunc(found[n], isBenchmark)
		for i, name := range found[n] {
			found[n][i] = asked(t, name)
		}
		slices.Sort(found[n])
		found[n] = slices.Compact(found[n])
	}
	return found
}

// isBenchmark reports whether a function is a benchmark, which verifies nothing.
func isBenchmark(name string) bool {
	_, function, _ := strings.Cut(name, " ")
	return strings.HasPrefix(function, "Benchmark")
}

// asked returns how the table names a function: by its name if it is a test, and with a
// note if tests of its folder call it.
func asked(t *testing.T, name string) string {
	t.Helper()
	where, function, _ := strings.Cut(name, " ")
	if strings.HasPrefix(function, "Test") || strings.HasPrefix(function, "Fuzz") {
		return name
	}
	files, err := filepath.Glob(filepath.Join(root, where, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		calls += len(regexp.MustCompile(`(?m)^[^/\n]*\b`+function+`\b`).FindAll(text, -1))
	}
	if calls < 2 { // one is its declaration
		t.Errorf("%s names a statement, but no test calls it", name)
	}
	return name + " (by tests that call it)"
}

// collect adds the functions of one file: a comment belongs to the function after it, a
// mention inside a function to that function.
func collect(text, where string, found map[int][]string) {
	var waiting []int
	function := ""
	// A line break may separate the word and the number.
	text = regexp.MustCompile(`(?i)(statements?)\n\s*// (\d)`).ReplaceAllString(text, "$1 $2")
	for line := range strings.SplitSeq(text, "\n") {
		if m := opening.FindStringSubmatch(line); m != nil {
			function = m[1]
			for _, n := range waiting {
				found[n] = append(found[n], where+" "+function)
			}
			waiting = nil
		}
		for _, m := range named.FindAllStringSubmatch(line, -1) {
			for _, span := range numbers.FindAllStringSubmatch(m[1], -1) {
				from, _ := strconv.Atoi(span[1])
				to := from
				if span[2] != "" {
					to, _ = strconv.Atoi(span[2])
				}
				for n := from; n <= to; n++ {
					if strings.HasPrefix(line, "//") || function == "" {
						waiting = append(waiting, n)
					} else {
						found[n] = append(found[n], where+" "+function)
					}
				}
			}
		}
	}
}

// TestEachStatementIsHeld verifies that every statement of docs/security.md has a test
// that names its number, and that every test on the page exists and names it. (-update
// adds a new test to the page.)
func TestEachStatementIsHeld(t *testing.T) {
	t.Parallel()
	path := filepath.Join(root, "docs/security.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	head, rest, ok := strings.Cut(page, tableBegin)
	_, tail, closed := strings.Cut(rest, tableEnd)
	if !ok || !closed {
		t.Fatal("docs/security.md has no place for the table")
	}
	found := holders(t)
	table := "| Statement | Tests |\n|---|---|\n"
	for n := firstStatement; n <= lastStatement; n++ {
		if !regexp.MustCompile(fmt.Sprintf(`(?m)^%d\. `, n)).MatchString(head) {
			t.Errorf("docs/security.md has no statement %d", n)
		}
		if len(found[n]) == 0 {
			t.Errorf("statement %d is held by no test", n)
		}
		table += fmt.Sprintf("| %d | %s |\n", n, strings.Join(found[n], "<br>"))
	}
	if *update {
		if err := os.WriteFile(path, []byte(head+tableBegin+table+tableEnd+tail), 0o644); err != nil { //nolint:gosec // everybody may read it
			t.Fatal(err)
		}
		return
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \| (.*) \|$`).FindAllStringSubmatch(rest, -1)
	if len(rows) != lastStatement {
		t.Errorf("the table has %d rows: go test ./tests/release -run Statement -update", len(rows))
	}
	for _, row := range rows {
		n, _ := strconv.Atoi(row[1])
		for test := range strings.SplitSeq(row[2], "<br>") {
			if !slices.Contains(found[n], test) {
				t.Errorf("docs/security.md says that statement %d is verified by %q, which does not exist or does not name it: go test ./tests/release -run Statement -update", n, test)
			}
		}
	}
}
