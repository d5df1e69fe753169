package monitoring

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const runbooks = "../../docs/runbooks"

// TestRunbooksNameDashboards verifies that the panels that runbooks refer to exist.
func TestRunbooksNameDashboards(t *testing.T) {
	t.Parallel()
	var dashboards, panels []string
	for _, d := range Dashboards() {
		dashboards = append(dashboards, d.Title)
		for _, p := range d.Panels {
			panels = append(panels, p.Title)
		}
	}
	seen := 0
	for _, page := range []string{"alerts.md", "capacity.md", "upgrade.md"} {
		text := runbook(t, page)
		for _, m := range regexp.MustCompile(`\*([A-Z][a-z]+)\*`).FindAllStringSubmatchIndex(text, -1) {
			if text[m[0]-1] == '*' {
				continue // bold
			}
			if seen++; !slices.Contains(dashboards, text[m[2]:m[3]]) {
				t.Errorf("%s names the dashboard %s; there are %v", page, text[m[2]:m[3]], dashboards)
			}
		}
	}
	for _, m := range regexp.MustCompile(`"([A-Z][^"\n]+)"`).FindAllStringSubmatch(runbook(t, "alerts.md"), -1) {
		if seen++; !slices.Contains(panels, m[1]) && m[1] != "Event Carbon Footprint" { // the folder
			t.Errorf("alerts.md names the panel %q, which no dashboard has", m[1])
		}
	}
	if seen < 15 {
		t.Errorf("only %d dashboards and panels were found in the runbooks", seen)
	}
}

// TestRunbooksNameMetrics verifies that the sources declare the metrics that runbooks
// explain.
func TestRunbooksNameMetrics(t *testing.T) {
	t.Parallel()
	declared := declaredMetrics(t)
	var names []string
	for line := range strings.Lines(runbook(t, "recalculation.md")) {
		cell := strings.Split(line, "|")
		if len(cell) < 4 || !strings.Contains(line, "`") {
			continue
		}
		for _, m := range regexp.MustCompile("`(?:…|ecf\\.recalculation\\.)?([a-z][a-z_]*(?:\\.[a-z_]+)*)(?:\\{[^`]*\\})?`").FindAllStringSubmatch(cell[1], -1) {
			names = append(names, "ecf.recalculation."+m[1])
		}
	}
	if len(names) < 15 {
		t.Fatalf("only the metrics %v were found", names)
	}
	for _, name := range names {
		if !declared[name] {
			t.Errorf("recalculation.md explains %s, which nothing declares", name)
		}
	}
	for _, m := range regexp.MustCompile("`(ecf_[a-z_]+?)(?:_total|_seconds)?`").FindAllStringSubmatch(runbook(t, "mongodb.md")+runbook(t, "alerts.md"), -1) {
		if m[1] != "ecf_auth" && !declared[strings.ReplaceAll(m[1], "_", ".")] {
			t.Errorf("a runbook names %s, which nothing declares", m[0])
		}
	}
}

// declaredMetrics returns the names of the product's metrics in the sources.
func declaredMetrics(t *testing.T) map[string]bool {
	t.Helper()
	declared, name := map[string]bool{}, regexp.MustCompile(`"(ecf\.[a-z_.]+)"`)
	walkSources(t, func(text string) {
		for _, m := range name.FindAllStringSubmatch(text, -1) {
			declared[m[1]] = true
		}
	})
	return declared
}

// walkSources calls do with the text of each source of the product that is no test.
func walkSources(t *testing.T, do func(text string)) {
	t.Helper()
	for _, root := range []string{"../../libs", "../../services"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if entry != nil && entry.IsDir() && entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path) //nolint:gosec // a source of this repository
			do(string(text))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func runbook(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(runbooks, page))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestRunbooksNameLogLines verifies that the log lines of runbooks are those that the
// sources write, and that logs.md lists every operation whose outages are logged.
func TestRunbooksNameLogLines(t *testing.T) {
	t.Parallel()
	var code strings.Builder
	outages := map[string]bool{}
	walkSources(t, func(text string) {
		code.WriteString(text)
		// The name is the last string of the call.
		for _, m := range regexp.MustCompile(`NewOutage\(.*"([^"\n]+)"[^"\n]*\n`).FindAllStringSubmatch(text, -1) {
			outages[strings.TrimSuffix(m[1], " ")] = true
		}
	})
	listed := map[string]bool{}
	for line := range strings.Lines(runbook(t, "logs.md")) {
		if first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |"); strings.HasPrefix(line, "| `") {
			for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(first, -1) {
				name, _, _ := strings.Cut(m[1], " …")
				listed[name] = true
			}
		}
	}
	if len(outages) < 10 || !maps.Equal(outages, listed) {
		t.Errorf("logs.md lists the outages\n%v\nand the programs log those of\n%v", slices.Sorted(maps.Keys(listed)), slices.Sorted(maps.Keys(outages)))
	}
	// A phrase of three words or more that is no command.
	phrase := regexp.MustCompile("[`\"](?:log(?:s|ged)? |says )?([a-z][a-zA-Z,;:' -]* [a-zA-Z,;:' -]* [a-zA-Z,;:' -]*)[`\"]")
	typed := regexp.MustCompile(`^(ecf|make|kubectl|docker|gh|mongodump|mongorestore|chronyc|systemctl|journalctl) | --`)
	pages, err := filepath.Glob(filepath.Join(runbooks, "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal("there are no runbooks", err)
	}
	seen := 0
	for _, page := range pages {
		text := strings.Join(strings.Fields(runbook(t, filepath.Base(page))), " ")
		for _, m := range regexp.MustCompile("`[^`]*`").FindAllString(text, -1) {
			found := phrase.FindStringSubmatch(m)
			if found == nil || typed.MatchString(found[1]) {
				continue
			}
			seen++
			said := regexp.MustCompile(` (fails|still fails|works again)$`).ReplaceAllString(found[1], "")
			for part := range strings.SplitSeq(regexp.MustCompile(`\b(DIR|DATE|N)\b`).ReplaceAllString(said, "…"), "…") {
				if part = strings.TrimSpace(strings.TrimPrefix(part, ",")); !strings.Contains(code.String(), part) {
					t.Errorf("%s names the line %q, of which no program writes %q", filepath.Base(page), found[1], part)
				}
			}
		}
	}
	if seen < 15 {
		t.Errorf("only %d log lines were found", seen)
	}
}
