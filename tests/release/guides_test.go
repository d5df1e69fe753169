package release_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pages returns the pages below docs that match a pattern, by name.
func pages(t *testing.T, patterns ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(root, "docs", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("there is no docs/%s (%v)", pattern, err)
		}
		for _, file := range files {
			name, err := filepath.Rel(root, file)
			if err != nil {
				t.Fatal(err)
			}
			all[name] = source(t, name)
		}
	}
	return all
}

// TestRunbooksNameCommands verifies that what a page tells readers to type is a command
// of the program, a target of the Makefile, or a file of the repository.
func TestRunbooksNameCommands(t *testing.T) {
	t.Parallel()
	var commands, targets []string
	for _, m := range regexp.MustCompile(`NewCommand\("([a-z ]+)"`).FindAllStringSubmatch(source(t, "services/standalone/*.go"), -1) {
		commands = append(commands, m[1])
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(source(t, "Makefile"), -1) {
		targets = append(targets, m[1])
	}
	seen := map[string]int{}
	for name, text := range pages(t, "runbooks/*.md", "operations.md", "availability.md", "benchmarks.md", "security.md") {
		for _, m := range regexp.MustCompile(`(-n |=)?\becf ([a-z]+)(?: ([a-z]+))?`).FindAllStringSubmatch(text, -1) {
			if m[1] != "" {
				continue // a namespace or a label
			}
			if seen["command"]++; !slices.Contains(commands, m[2]) && !slices.Contains(commands, m[2]+" "+m[3]) {
				t.Errorf("%s names the command %q, which ecf does not have", name, strings.TrimSpace(m[2]+" "+m[3]))
			}
		}
		for _, m := range regexp.MustCompile("(?:`|^    )make ([a-z][a-z0-9-]*)").FindAllStringSubmatch(text, -1) {
			if seen["target"]++; !slices.Contains(targets, m[1]) {
				t.Errorf("%s names make %s, which is not a target", name, m[1])
			}
		}
		for _, m := range regexp.MustCompile("`((?:deploy|k8s|libs|services|tests)/[A-Za-z0-9_./-]+)`").FindAllStringSubmatch(text, -1) {
			seen["file"]++
			if files, err := filepath.Glob(filepath.Join(root, strings.TrimSuffix(m[1], "/"))); err != nil || len(files) == 0 {
				t.Errorf("%s names %s, which does not exist", name, m[1])
			}
		}
	}
	if seen["command"] < 40 || seen["target"] < 20 || seen["file"] < 20 {
		t.Errorf("only %v were found", seen)
	}
}
