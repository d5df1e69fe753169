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

// commandLine is the text in which ecf is called: the program, a command of one or two
// words, and the rest of its line.
var commandLine = regexp.MustCompile(`(-n |=)?\b(?:ecf|admin) ([a-z]+(?: [a-z]+)?)([^\n` + "`" + `|&#]*)`)

// TestRunbooksNameFlags verifies that commands have the flags that a page tells readers to
// type, by the reference, which is generated from the programs.
func TestRunbooksNameFlags(t *testing.T) {
	t.Parallel()
	has := map[string]string{}
	for section := range strings.SplitSeq(source(t, "docs/configuration.md"), "\n## ") {
		if name, ok := strings.CutPrefix(section, "ecf "); ok {
			title, _, _ := strings.Cut(name, "\n")
			has[title] = section
		}
	}
	all, seen := pages(t, "runbooks/*.md", "operations.md", "factor-packs.md", "security.md", "report-bundles.md"), 0
	all["README.md"], all["docker-compose.yml"] = source(t, "README.md"), source(t, "docker-compose.yml")
	for name, text := range all {
		// A command goes on in the next line of a paragraph.
		text = regexp.MustCompile(`\n {1,2}(\S)`).ReplaceAllString(text, " $1")
		for _, m := range commandLine.FindAllStringSubmatch(text, -1) {
			command := m[2]
			if _, ok := has[command]; !ok {
				command, _, _ = strings.Cut(command, " ")
			}
			settings, ok := has[command]
			if m[1] != "" || !ok {
				continue // TestRunbooksNameCommands verifies the commands
			}
			for _, flag := range regexp.MustCompile(` --[a-z-]+`).FindAllString(m[3], -1) {
				if seen++; flag != " --help" && !strings.Contains(settings, "`"+strings.TrimSpace(flag)+"`") {
					t.Errorf("%s tells to type ecf %s%s, which has no such flag", name, command, flag)
				}
			}
		}
		// Commands of jobs are lists of arguments in JSON.
		for _, m := range regexp.MustCompile(`\["([a-z]+)"(?:, "([a-z]+)")?((?:,\s*"--[^"]+")+)\]`).FindAllStringSubmatch(text, -1) {
			command := strings.TrimSpace(m[1] + " " + m[2])
			settings, ok := has[command]
			if !ok {
				t.Errorf("%s has a job run ecf %s, which is no command", name, command)
			}
			for _, flag := range regexp.MustCompile(`"(--[a-z-]+)`).FindAllStringSubmatch(m[3], -1) {
				if seen++; !strings.Contains(settings, "`"+flag[1]+"`") {
					t.Errorf("%s has a job run ecf %s %s, which has no such flag", name, command, flag[1])
				}
			}
		}
	}
	if seen < 40 {
		t.Errorf("only %d flags were found", seen)
	}
}
