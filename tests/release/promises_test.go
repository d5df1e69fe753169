package release_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	goTest = regexp.MustCompile("`([a-z]+/[a-z0-9/]+) (Test\\w+)`")
	// A test of the console by the beginning of its name, or by the contents of a file.
	consoleTest = regexp.MustCompile("`(e2e|tests)/([a-z]+) ([^`T][^`]+)`")
	held        = regexp.MustCompile("`([\\w/]+(?:\\.\\w+)*\\.(?:ts|mjs)|Makefile) ([^`]+)`")
	head        = regexp.MustCompile(`^\| (Guarantee|Finding|Guide) \|`)
	link        = regexp.MustCompile(`\]\((\S+\.md)`)
)

// TestPromisesNameTests verifies that every row of these pages, and of the findings and
// limits of docs/security.md, names an existing test, or the page that says why there
// is none.
func TestPromisesNameTests(t *testing.T) {
	t.Parallel()
	_, points, there := strings.Cut(source(t, "docs/security.md"), "\n## Resolved findings\n")
	points, _, ended := strings.Cut(points, "\n## ")
	if !there || !ended {
		t.Error("docs/security.md has no resolved findings")
	}
	_, bounds, there := strings.Cut(source(t, "docs/security.md"), "\n## Isolation and denial of service\n")
	bounds, _, ended = strings.Cut(bounds, "\n## ")
	if !there || !ended {
		t.Error("docs/security.md does not say how the service is isolated")
	}
	for name, table := range map[string]struct {
		text  string
		least int
	}{
		"docs/operations.md":          {source(t, "docs/operations.md"), 60},
		"docs/console.md":             {source(t, "docs/console.md"), 38},
		"docs/security.md":            {points, 19},
		"docs/security.md, isolation": {bounds, 24},
	} {
		rows := 0
		for line := range strings.Lines(table.text) {
			if !strings.HasPrefix(line, "| ") || head.MatchString(line) {
				continue
			}
			rows++
			named := holdNames(t, line)
			links := link.FindAllStringSubmatch(line, -1)
			if named == 0 && len(links) == 0 {
				t.Errorf("%s: this row names neither a test nor a reason: %s", name, line)
			}
			for _, m := range links {
				if _, err := os.Stat(filepath.Join(root, "docs", m[1])); err != nil {
					t.Errorf("%s: this row refers to %s, which does not exist: %s", name, m[1], line)
				}
			}
			if all := strings.Count(line, "`") / 2; name == "docs/console.md" && named != all {
				t.Errorf("%s: %d of %d names were read: %s", name, named, all, line)
			}
		}
		if rows < table.least {
			t.Errorf("only %d rows of %s were read", rows, name)
		}
	}
}

// holdNames returns how many tests and checks a row names, and verifies that each
// exists.
func holdNames(t *testing.T, line string) int {
	t.Helper()
	const console = "services/gateway/console/"
	named := 0
	for _, m := range goTest.FindAllStringSubmatch(line, -1) {
		named++
		if !strings.Contains(source(t, m[1]+"/*_test.go"), "\nfunc "+m[2]+"(t *testing.T)") {
			t.Errorf("%s has no test %s", m[1], m[2])
		}
	}
	for _, m := range consoleTest.FindAllStringSubmatch(line, -1) {
		named++
		pattern := `(?m)^\s*(?:test|it)\(\s*['"` + "`" + `]` + regexp.QuoteMeta(m[3])
		if !regexp.MustCompile(pattern).MatchString(source(t, console+m[1]+"/"+m[2]+".test.*")) {
			t.Errorf("%s/%s of the console has no test that begins with %q", m[1], m[2], m[3])
		}
	}
	for _, m := range held.FindAllStringSubmatch(line, -1) {
		named++
		file := m[1]
		if file != "Makefile" {
			file = console + file
		}
		if !strings.Contains(source(t, file), m[2]) {
			t.Errorf("%s does not hold %q", file, m[2])
		}
	}
	return named
}

// source returns the text of the files that match a pattern.
func source(t *testing.T, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, pattern))
	if err != nil || len(files) == 0 {
		t.Errorf("there is no %s (%v)", pattern, err)
	}
	var all strings.Builder
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}
