package report_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestSharesOfOnePartAreNamed: a bar of a single part is not drawn, but what the whole is of is said.
func TestSharesOfOnePartAreNamed(t *testing.T) {
	t.Parallel()
	text := page(t, data(t, footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"},
		`waste {"treatment":"landfill","weightKg":1000}`))
	if !strings.Contains(text, `</i>Estimated 100.0%</li>`) || strings.Contains(text, `<svg class="stack"`) {
		t.Error("the page does not say how the only quantity was determined, or draws a bar of it")
	}
}

// TestNoticesOfARecordAreSaidOnce: each of its lines can have the same one.
func TestNoticesOfARecordAreSaidOnce(t *testing.T) {
	t.Parallel()
	d := data(t, footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"},
		`venue {"annualElectricityKWh":1200000,"annualGasKWh":450000,"spaceSharePercent":12.5,"days":3}`)
	for _, tag := range []string{"en", "de"} {
		text := pageIn(t, tag, d)
		_, annex, _ := strings.Cut(text, `class="record"`)
		annex, _, _ = strings.Cut(annex, "</div>")
		said := regexp.MustCompile(`<p class="note">.*?</p>`).FindAllString(annex, -1)
		for i, s := range said {
			if slices.Contains(said[:i], s) {
				t.Errorf("%s: said twice: %s", tag, s)
			}
		}
		if len(said) < 2 {
			t.Errorf("%s: the record says %q", tag, said)
		}
	}
}
