package release_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// TestDecisionsHaveAStatus verifies the head of each decision record, that its index lists it by its title, and that a
// record which another one replaces, extends or completes says so in its status.
func TestDecisionsHaveAStatus(t *testing.T) {
	t.Parallel()
	head := regexp.MustCompile(`\A# ADR (\d{4}): (.+)\n\nDate: \d{4}-\d\d-\d\d · Status: ((?:accepted|superseded by).*(?:\n.+)*)\n\n## Context\n`)
	number := regexp.MustCompile(`\b0\d{3}\b`)
	index := source(t, "docs/adr/README.md")
	status := map[string]string{}
	for _, page := range tracked(t, "docs/adr/0*.md", ":(exclude)docs/adr/0000-template.md") {
		m := head.FindStringSubmatch(source(t, page))
		if m == nil || !strings.HasPrefix(filepath.Base(page), m[1]+"-") {
			t.Errorf("%s does not begin with its number, title, date and status", page)
			continue
		}
		status[m[1]] = m[3]
		if line := "- [" + m[1] + "](" + filepath.Base(page) + "): " + m[2] + "\n"; !strings.Contains(index, line) {
			t.Errorf("docs/adr/README.md does not have %q", line)
		}
	}
	for of, text := range status {
		for _, other := range number.FindAllString(text, -1) {
			if !slices.Contains(number.FindAllString(status[other], -1), of) {
				t.Errorf("the status of %s names %s, whose status %q does not name it", of, other, status[other])
			}
		}
	}
	if len(status) < 90 {
		t.Errorf("only %d records were found", len(status))
	}
}

// TestArchitectureNamesEveryPackage verifies that the page which says where everything is names each folder of the
// libraries, of the tests, and of packages of a service.
func TestArchitectureNamesEveryPackage(t *testing.T) {
	t.Parallel()
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(fenced.ReplaceAllString(source(t, "docs/ARCHITECTURE.md"), ""), -1) {
		for _, name := range strings.FieldsFunc(m[1], func(r rune) bool { return strings.ContainsRune("/{},", r) }) {
			named[name] = true
		}
	}
	// Folders that each Go project has, both stores, which the page has as rules, and the sources of generated pages.
	for _, name := range []string{"cmd", "testdata", "internal", "mongostore", "sqlitestore", "docs"} {
		named[name] = true
	}
	seen := map[string]bool{}
	for _, file := range tracked(t, "libs", "services", "tests") {
		parts := strings.Split(file, "/")
		depth := 2
		if parts[0] == "services" {
			depth = 3
		}
		if len(parts) <= depth {
			continue
		}
		folder := strings.Join(parts[:depth], "/")
		if !seen[folder] && !named[parts[depth-1]] {
			t.Errorf("docs/ARCHITECTURE.md does not name %s", folder)
		}
		seen[folder] = true
	}
	if len(seen) < 70 {
		t.Errorf("only %d folders were found", len(seen))
	}
}

// TestPagesNameIdentifiers verifies that exported identifiers which pages name with their package exist in it.
func TestPagesNameIdentifiers(t *testing.T) {
	t.Parallel()
	files := map[string][]string{}
	for _, file := range tracked(t, "libs/*.go", "services/*.go", "tests/*.go") {
		name := filepath.Base(filepath.Dir(file))
		files[name] = append(files[name], file)
	}
	words := map[string]map[string]bool{}
	wordsOf := func(name string) map[string]bool {
		if words[name] == nil {
			words[name] = map[string]bool{}
			for _, file := range files[name] {
				for word := range strings.FieldsFuncSeq(source(t, file), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
					words[name][word] = true
				}
			}
		}
		return words[name]
	}
	quoted := regexp.MustCompile("`(?:[a-z/]+/)?([a-z]+)\\.((?:[A-Za-z]\\w*\\.)*[A-Z]\\w*)`")
	seen := 0
	for _, page := range tracked(t, "README.md", "CONTRIBUTING.md", "docs/*.md") {
		for _, m := range quoted.FindAllStringSubmatch(source(t, page), -1) {
			if files[m[1]] == nil {
				continue
			}
			for name := range strings.SplitSeq(m[2], ".") {
				if seen++; !wordsOf(m[1])[name] {
					t.Errorf("%s names %s.%s; the package has no %s", page, m[1], m[2], name)
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d identifiers were found", seen)
	}
}
