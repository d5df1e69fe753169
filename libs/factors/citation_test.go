package factors_test

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
)

// TestPublisherFirst: every row of every set names its publisher, then the place, and a
// transcription last; no word of it is lost.
func TestPublisherFirst(t *testing.T) {
	t.Parallel()
	tables := append(factors.Sets(), factors.Supplement(), factors.Corrections())
	for _, set := range tables {
		for _, f := range set.Factors() {
			c := factors.Cite(f.Source, f.SourceLocation)
			if c.Publication == "" || strings.Contains(c.Publication, "extract") || strings.Contains(c.Publication, "(copy") || strings.Contains(c.Publication, "31 July") ||
				strings.Contains(c.Place, "github:") {
				t.Errorf("%s: %q, %q is cited as %+v", f.ID, f.Source, f.SourceLocation, c)
			}
			whole := c.Publication + " " + c.Located()
			for _, word := range strings.FieldsFunc(strings.ReplaceAll(f.Source, "revised 31 July", "of 10 July")+" "+f.SourceLocation, func(r rune) bool { return strings.ContainsRune(" ();,:", r) }) {
				if !strings.Contains(whole, word) && !strings.Contains("cell-level extract copy github", word) {
					t.Errorf("%s: %q of %q, %q is lost in %q", f.ID, word, f.Source, f.SourceLocation, whole)
				}
			}
		}
	}
	for _, c := range []struct{ source, location, publication, located string }{
		{"DESNZ GHG conversion factors 2026 full set v1 (cell-level extract: themisiqco/themisiq lib/emissionFactors/defraTravel2026.json)", "Business travel- air!I23:L23; WTT- business travel- air!F20",
			"DESNZ, UK Government GHG conversion factors 2026 full set v1", "Business travel- air!I23:L23; WTT- business travel- air!F20; read in the transcription themisiqco/themisiq lib/emissionFactors/defraTravel2026.json"},
		{"DESNZ UK Government GHG conversion factors 2025 v1 (June 2025, OGL v3.0)", `github:a/b reference/2025/flat-file.xlsx sheet "Factors by Category" ID 3_201_2269_3_1`,
			"DESNZ, UK Government GHG conversion factors 2025 v1 (June 2025, OGL v3.0)", `sheet "Factors by Category" ID 3_201_2269_3_1; read in the transcription a/b reference/2025/flat-file.xlsx`},
		{"CIBSE TM46:2008 energy benchmarks", "table 1", "CIBSE TM46:2008 energy benchmarks", "table 1"},
		{"IPCC AR5", "github:a/b", "IPCC AR5", "read in the transcription a/b"},
	} {
		if got := factors.Cite(c.source, c.location); got.Publication != c.publication || got.Located() != c.located {
			t.Errorf("%q, %q is cited as %q, %q", c.source, c.location, got.Publication, got.Located())
		}
	}
}
