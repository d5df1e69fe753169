package release_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesNameTests: every row of docs/operations.md, and of the smaller points of
// docs/security.md, names a test that exists, or the page where it says why there is none.
func TestPromisesNameTests(t *testing.T) {
	t.Parallel()
	_, points, there := strings.Cut(textOf(t, "docs/security.md"), "\n## Smaller points ")
	points, _, ended := strings.Cut(points, "\n## ")
	if !there || !ended {
		t.Error("docs/security.md has no smaller points")
	}
	for name, table := range map[string]struct {
		text  string
		least int
	}{"docs/operations.md": {textOf(t, "docs/operations.md"), 40}, "docs/security.md": {points, 19}} {
		if rows := rowsNameTests(t, table.text); rows < table.least {
			t.Errorf("only %d rows of %s were read", rows, name)
		}
	}
}

func textOf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// rowsNameTests checks the rows of the tables in a page, and returns how many there are.
func rowsNameTests(t *testing.T, page string) (rows int) {
	t.Helper()
	token, link := regexp.MustCompile("`([a-z]+/[a-z0-9/]+) (Test\\w+)`"), regexp.MustCompile(`\]\((\S+\.md)`)
	head, sources := regexp.MustCompile(`^\| (Promise|Found|Point) \|`), map[string]string{}
	for line := range strings.Lines(page) {
		if !strings.HasPrefix(line, "| ") || head.MatchString(line) {
			continue
		}
		rows++
		named := token.FindAllStringSubmatch(line, -1)
		if len(named) == 0 && !link.MatchString(line) {
			t.Errorf("this row names neither a test nor a reason: %s", line)
		}
		for _, m := range named {
			if _, read := sources[m[1]]; !read {
				files, err := filepath.Glob(filepath.Join(root, m[1], "*_test.go"))
				if err != nil {
					t.Fatal(err)
				}
				for _, file := range files {
					text, err := os.ReadFile(file)
					if err != nil {
						t.Fatal(err)
					}
					sources[m[1]] += string(text)
				}
			}
			if !strings.Contains(sources[m[1]], "\nfunc "+m[2]+"(t *testing.T)") {
				t.Errorf("%s has no test %s", m[1], m[2])
			}
		}
		for _, m := range link.FindAllStringSubmatch(line, -1) {
			if _, err := os.Stat(filepath.Join(root, "docs", m[1])); err != nil {
				t.Errorf("this row leads to %s, which is not there: %s", m[1], line)
			}
		}
	}
	return rows
}
