package release_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPromisesNameTests: every row of docs/operations.md names a test that exists, or
// the page where it says why there is none.
func TestPromisesNameTests(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join(root, "docs/operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	token, link := regexp.MustCompile("`([a-z]+/[a-z/]+) (Test\\w+)`"), regexp.MustCompile(`\]\((\S+\.md)`)
	rows, sources := 0, map[string]string{}
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| Promise ") || strings.HasPrefix(line, "| Found ") {
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
	if rows < 40 {
		t.Errorf("only %d rows were read", rows)
	}
}
