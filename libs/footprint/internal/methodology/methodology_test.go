package methodology_test

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/internal/methodology"
)

var update = flag.Bool("update", false, "write docs/methodology.md")

const document = "../../../../docs/methodology.md"

// TestDocument fails if the committed page differs from the one generated now.
func TestDocument(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := methodology.Write(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(document, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	committed, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Equal(committed, b.Bytes()) {
		return
	}
	was, is := strings.Split(string(committed), "\n"), strings.Split(b.String(), "\n")
	for i := range is {
		if i >= len(was) || was[i] != is[i] {
			t.Fatalf("docs/methodology.md is not what go generate ./footprint makes; line %d must be %q", i+1, is[i])
		}
	}
	t.Fatal("docs/methodology.md is longer than what go generate ./footprint makes")
}

// TestTemplate verifies that the text around the figures contains no figures, which would not be updated.
func TestTemplate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"methodology.tmpl", "sections.tmpl"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			holdsNoFigure(t, string(raw))
		})
	}
}

func holdsNoFigure(t *testing.T, raw string) {
	t.Helper()
	names := regexp.MustCompile(`\b(CO2e?|CH4|N2O|[Ss]copes? [123]|scope3Category|category [0-9]+|AR[56]|ISO [0-9]+(-[0-9])?|UN M49|SHA-256)\b|\]\(#[0-9]+-[a-z-]+\)`)
	section := regexp.MustCompile(`^#+ [0-9]+(\.[0-9]+)?\.? `)
	actions := regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	// An action keeps its line breaks, so that a fault has the right line number.
	words := actions.ReplaceAllStringFunc(raw, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	for i, line := range strings.Split(words, "\n") {
		line = names.ReplaceAllString(section.ReplaceAllString(line, ""), "")
		if strings.ContainsAny(line, "0123456789") {
			t.Errorf("line %d of the template holds a figure: %q", i+1, line)
		}
	}
}

// TestRulesAreThoseOfTheNewestEngine: an event that is made today follows the page from its beginning; what earlier
// engines do differently is in the last section.
func TestRulesAreThoseOfTheNewestEngine(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := methodology.Write(&b); err != nil {
		t.Fatal(err)
	}
	rules, earlier, ok := strings.Cut(b.String(), "\n## 12. Earlier engines\n")
	if !ok {
		t.Fatal("the page has no section on earlier engines")
	}
	for _, engine := range footprint.Engines() {
		heading := "\n### Engine " + engine + "\n"
		if newest := engine == footprint.NewestEngine; strings.Contains(earlier, heading) == newest {
			t.Errorf("the section on earlier engines has engine %s: %t", engine, newest)
		} else if named := strings.Contains(rules, "engine "+engine); named != newest {
			t.Errorf("the rules name engine %s: %t", engine, named)
		}
	}
}

// TestGridsThatServeNoRecord: the list of publishers counts the rows used by the engine, so a national row that is
// not used is listed with the one used instead.
func TestGridsThatServeNoRecord(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := methodology.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| Australia NGA | 0 | 7 |", "`elec.au.ember.2024` in Australia, whose states have NGA", "AU (`elec.au.ember.2024` for `elec.au.nga.2025`)"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}
