package release_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/settings"
)

var (
	fenced   = regexp.MustCompile("(?ms)^```.*?^```")
	linked   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)
	external = regexp.MustCompile(`^(https?|mailto):`)
	toText   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
)

// tracked returns the files of the repository that match patterns of git.
func tracked(t *testing.T, patterns ...string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", root, "ls-files", "--"}, patterns...)...).Output() //nolint:gosec // of this test
	if err != nil {
		t.Skipf("this is no checkout: %v", err)
	}
	return strings.Fields(string(out))
}

// anchors returns the targets of links within a page, as GitHub names them: the second
// heading of a name has a number.
func anchors(page string) []string {
	var all []string
	seen := map[string]int{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		name := strings.ToLower(toText.ReplaceAllString(strings.TrimSpace(m[1]), "$1"))
		name = strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N}_ -]`).ReplaceAllString(name, ""), " ", "-")
		if n := seen[name]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", name, n))
		} else {
			all = append(all, name)
		}
		seen[name]++
	}
	return all
}

// brokenLink returns what is wrong with a link of a page, or the empty string.
func brokenLink(page, text, to string) string {
	file, anchor, _ := strings.Cut(to, "#")
	target := text
	if file != "" {
		path := filepath.Join(root, filepath.Dir(page), file)
		info, err := os.Stat(path)
		if err != nil {
			return "there is no such file"
		}
		if info.IsDir() || filepath.Ext(path) != ".md" {
			return ""
		}
		other, err := os.ReadFile(path) //nolint:gosec // a page of this repository
		if err != nil {
			return err.Error()
		}
		target = string(other)
	}
	if anchor != "" && !slices.Contains(anchors(target), anchor) {
		return "there is no such heading"
	}
	return ""
}

// TestLinksLeadSomewhere verifies that links between pages lead to files and headings that
// exist.
func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, page := range tracked(t, "*.md") {
		text := source(t, page)
		for _, m := range linked.FindAllStringSubmatch(fenced.ReplaceAllString(text, ""), -1) {
			if external.MatchString(m[1]) {
				continue
			}
			seen++
			if wrong := brokenLink(page, text, m[1]); wrong != "" {
				t.Errorf("%s links to %s: %s", page, m[1], wrong)
			}
		}
	}
	if seen < 250 {
		t.Errorf("only %d links were found", seen)
	}
	for _, to := range []string{"none.md", "README.md#none", "#none"} {
		if brokenLink("CHANGELOG.md", source(t, "CHANGELOG.md"), to) == "" {
			t.Errorf("a link to %s is not found to be broken", to)
		}
	}
}

// TestPagesNameSettings verifies that the variables that pages and manifests name are
// settings of a program, or variables of the Makefile, the compose file or a test.
func TestPagesNameSettings(t *testing.T) {
	t.Parallel()
	variable := regexp.MustCompile(`\bECF_[A-Z0-9]+(?:_[A-Z0-9]+)*\b`)
	known := map[string]bool{}
	for _, name := range settings.Names {
		known[name] = true
	}
	for _, file := range append(tracked(t, "*_test.go", "*.mjs"), "Makefile", ".ci/run", "docker-compose.yml") {
		for _, name := range variable.FindAllString(source(t, file), -1) {
			known[name] = true
		}
	}
	seen := 0
	for _, file := range tracked(t, "README.md", "CONTRIBUTING.md", "docs/*.md", ":(exclude)docs/adr", "deploy/*", "k8s/*") {
		for _, name := range variable.FindAllString(source(t, file), -1) {
			if seen++; !known[name] {
				t.Errorf("%s names the variable %s, which nothing reads", file, name)
			}
		}
	}
	if seen < 300 {
		t.Errorf("only %d variables were found", seen)
	}
}

// TestPagesNameCodes verifies that the codes of errors, details, notices and findings that pages name are in the
// document of the API.
func TestPagesNameCodes(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`\b[A-Z]{2,}(?:_[A-Z0-9]+)+\b`)
	known := map[string]bool{}
	// The last two have variables that look alike.
	for _, file := range []string{"libs/spec/openapi.yaml", "Makefile", "k8s/overlays/prod/site.env.example"} {
		for _, name := range code.FindAllString(source(t, file), -1) {
			known[name] = true
		}
	}
	quoted := regexp.MustCompile("`(" + code.String() + ")`")
	seen := 0
	for _, file := range tracked(t, "*.md", ":(exclude)docs/adr", ":(exclude)CHANGELOG.md") {
		for _, m := range quoted.FindAllStringSubmatch(source(t, file), -1) {
			if strings.HasPrefix(m[1], "ECF_") || strings.HasPrefix(m[1], "OTEL_") {
				continue
			}
			if seen++; !known[m[1]] {
				t.Errorf("%s names the code %s, which the document of the API does not have", file, m[1])
			}
		}
	}
	if seen < 60 {
		t.Errorf("only %d codes were found", seen)
	}
}
