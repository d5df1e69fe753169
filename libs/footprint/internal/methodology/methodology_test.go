package methodology_test

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

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
	raw, err := os.ReadFile("methodology.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`\b(CO2e?|CH4|N2O|[Ss]copes? [123]|category [0-9]+|AR[56]|ISO [0-9]+(-[0-9])?|UN M49|SHA-256)\b`)
	section := regexp.MustCompile(`^#+ [0-9]+(\.[0-9]+)?\.? `)
	actions := regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	// An action keeps its line breaks, so that a fault has the right line number.
	words := actions.ReplaceAllStringFunc(string(raw), func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	for i, line := range strings.Split(words, "\n") {
		line = names.ReplaceAllString(section.ReplaceAllString(line, ""), "")
		if strings.ContainsAny(line, "0123456789") {
			t.Errorf("line %d of the template holds a figure: %q", i+1, line)
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
