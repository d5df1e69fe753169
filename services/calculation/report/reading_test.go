package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/services/calculation/findings"
	"github.com/eventcarbon/ecf/services/calculation/report"
)

// london is the context of an event by the newest engine.
func london() footprint.EventContext {
	return footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026", Engine: footprint.NewestEngine}
}

// lacks reports what a page does not say.
func lacks(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestSmallFiguresAreNotNothing: the total, and the part of a scope, of little is not written as zero or left out.
func TestSmallFiguresAreNotNothing(t *testing.T) {
	t.Parallel()
	lacks(t, page(t, data(t, london(), `waste {"treatment":"landfill","weightKg":0.08}`)), "<strong>0.042 kg</strong>", "caused 0.042 kg of", "between 0.0")
	text := page(t, data(t, london(), `energy {"source":"natural_gas","energyKWh":1,"control":"own"}`, `custom {"kgCO2e":5000,"description":"x","evidence":[{"name":"x"}]}`))
	lacks(t, text, `<i class="c1"></i>Scope 1 &lt;0.1%`, `<i class="c3"></i>Scope 3 100.0%`)
	if strings.Contains(text, `<i class="c2">`) {
		t.Error("a scope of nothing is in the legend")
	}
}

// TestMarketBasedFactorsHaveSources: the residual mix and the supplier's rate behind the market-based figure are in the
// annex with their values, though no line uses them.
func TestMarketBasedFactorsHaveSources(t *testing.T) {
	t.Parallel()
	d := data(t, london(), `venue {"electricityKWh":1000,"country":"FR"}`, `venue {"electricityKWh":2000}`)
	annex := func() string {
		_, annex, _ := strings.Cut(page(t, d), "Annex B")
		return annex
	}
	lacks(t, annex(), "<code>elec.fr.residual.2024</code></span><span>", "elec.gb.location.2026")
	if strings.Contains(annex(), "supplier:") {
		t.Error("the annex names a supplier without a record of one")
	}
	d.Records[1].Fields = json.RawMessage(`{"country":"GB","electricityKWh":2000,"supplierFactor":"Green Power@1","supplier":{"id":"s","name":"Green Power","version":1,` +
		`"kgCO2ePerUnit":0.021,"unit":"kWh","stage":"direct","source":"Fuel mix disclosure, page 2","evidence":[{"name":"mix.pdf"}]}}`)
	lacks(t, annex(), "<code>supplier:Green Power@1</code></span><span>0.021 per kWh", "Fuel mix disclosure, page 2")
	if len(d.Factors) >= strings.Count(annex(), `class="record whole"`) {
		t.Error("the rows of the bundle changed")
	}
}

// TestFactorsAreDescribedByWhatIsPublished: nothing stands for a detail or a region that a row does not have, and a
// number has its thousands apart.
func TestFactorsAreDescribedByWhatIsPublished(t *testing.T) {
	t.Parallel()
	d := data(t, london(), `ground-transport {"mode":"coach","passengers":4,"distanceKm":10}`, `energy {"source":"refrigerant","refrigerant":"r410a","weightKg":1}`)
	d.Factors[0].Region = ""
	text := page(t, d)
	lacks(t, text, "<p>Coach. Year: 2026.", "1,924 per kg", "Region: worldwide.")
	if m := regexp.MustCompile(`Region: *\.|\. \.`).FindString(text); m != "" {
		t.Errorf("the page has %q", m)
	}
}

// TestAlikeFindingsAreSummedUp: of many findings of one check a few are shown, and the others are counted.
func TestAlikeFindingsAreSummedUp(t *testing.T) {
	t.Parallel()
	d := data(t, london(), `waste {"treatment":"landfill","weightKg":1000}`)
	add := func(code, message string, records int) {
		d.Findings = append(d.Findings, findings.Finding{Code: code, Severity: findings.Warning, Message: message, Records: records})
	}
	for i := range 8 {
		add(findings.DuplicateRecord, fmt.Sprintf("%d look the same.", 1200-i), 1200-i)
	}
	add(findings.DuplicateRecord, "341 more findings of the same kind are not listed.", 1000)
	add(findings.ExcludedTypeCounted, "1 record of the type waste is counted, although the boundary of the event excludes it.", 1)
	lacks(t, page(t, d), "1196 look the same.", "344 more findings of this kind are not shown here. (4,582 records)", "1 record of the type waste is counted")
	lacks(t, pageIn(t, "de", d), "344 weitere Hinweise dieser Art sind hier nicht aufgeführt. (4.582 Einträge)", "(Abfall, 1 Eintrag)")
	if strings.Contains(page(t, d), "1195 look") || strings.Contains(page(t, d), "341") {
		t.Error("the page shows the findings that it counts")
	}
	d.Findings = d.Findings[:6]
	lacks(t, page(t, d), "1195 look the same.")
}

// TestCountsHaveTheirThousandsApart: also in sentences, where years and numbers of editions remain as they are.
func TestCountsHaveTheirThousandsApart(t *testing.T) {
	t.Parallel()
	for sentence, want := range map[string]string{
		"It is about 1200 records of 157413.000000 kg together.":            "This concerns 1,200 records of 157,413 kg together.",
		"470 of 1170 answered; the event of 2028 has the factors of 2024.":  "470 of 1,170 answered; the event of 2028 has the factors of 2024.",
		"1170 people in 4 rows travel to Leeds.":                            "1,170 people in 4 rows travel to Leeds.",
		"Prices of 2026 are not held; 999 records of rooms 2024 were used.": "Prices of 2026 are not held; 999 records of rooms 2024 were used.",
	} {
		if got := report.Legible(sentence); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestAssumedGuestsAreStated: how many guests share a room decides a figure that is per guest.
func TestAssumedGuestsAreStated(t *testing.T) {
	t.Parallel()
	d := data(t, london(), `accommodation {"nights":1,"rooms":2,"country":"FI"}`)
	lacks(t, page(t, d), "Guests (one in each room).")
	lacks(t, pageIn(t, "de", d), "(eine Person je Zimmer).")
}

// TestShortRecordsStayOnOnePage: and so do paragraphs, which have a few lines each: by orphans and widows alone Chromium
// divides one of two lines, below a heading at the end of a page. Records of many lines are divided, since a page could not hold them.
func TestShortRecordsStayOnOnePage(t *testing.T) {
	t.Parallel()
	text := page(t, data(t, london(), `waste {"treatment":"landfill","weightKg":1000}`,
		`attendee-travel {"to":"Leeds, GB","group":"attendees","origins":[{"country":"FR","people":50}]}`))
	lacks(t, text, `<div class="record whole"><h3><span>Waste`, `<div class="record"><h3><span>Attendee travel`, ".annex > h2 + p { break-after: avoid; }", "  table, p, .bars,")
}

// TestPrintedTablesHaveOneTotal: a chart and its table stay on one page, and the total of a table that is divided stands
// at its end alone; browsers repeat the foot of a table on each page.
func TestPrintedTablesHaveOneTotal(t *testing.T) {
	t.Parallel()
	text := page(t, data(t, london(), `waste {"treatment":"landfill","weightKg":1000,"group":"staff"}`, `waste {"treatment":"landfill","weightKg":1000}`))
	lacks(t, text, `<div class="whole"><h3>Emissions by group of people`, "tfoot { display: table-row-group; }")
}

// TestLongTablesAreDivided: a page is not half empty because a table of many rows begins on the next one, nor does a
// table leave its first or last row alone.
func TestLongTablesAreDivided(t *testing.T) {
	t.Parallel()
	lacks(t, page(t, data(t, london(), `waste {"treatment":"landfill","weightKg":1000}`)),
		"table:has(tbody tr:nth-child(7)), .bars:has(.row:nth-child(10)) { break-inside: auto; }", "  thead, tbody tr:nth-child(-n+2), ", "tbody tr:nth-last-child(-n+2), tfoot tr, ", "thead { display: table-header-group; }")
}

// TestNumbersAreNotPartedFromUnits: no line ends between a number and its unit, in sentences and in formulas.
func TestNumbersAreNotPartedFromUnits(t *testing.T) {
	t.Parallel()
	d := data(t, london(), `flights {"from":"LHR","to":"JFK","passengers":30}`, `venue {"electricityKWh":18000}`)
	parted := regexp.MustCompile(`\d (?:kg|km|kWh|tonnes|Tonnen)\b`)
	for _, tag := range footprint.Languages() {
		var out bytes.Buffer
		if err := report.HTML(&out, d, tag); err != nil {
			t.Fatal(err)
		}
		if found := parted.FindAllString(out.String(), 3); found != nil {
			t.Errorf("%s: a line may end within %q", tag, found)
		}
	}
}

// TestScopesDifferInGrey: a report is printed without colours too. The brightness of neighbours in the chart differs by a
// tenth of the scale at least.
func TestScopesDifferInGrey(t *testing.T) {
	t.Parallel()
	text := page(t, data(t, london(), `waste {"treatment":"landfill","weightKg":1000}`))
	var grey []float64
	for _, class := range []string{"c1", "c2", "c3"} {
		m := regexp.MustCompile(`\.` + class + ` \{ fill: #(..)(..)(..);`).FindStringSubmatch(text)
		if m == nil {
			t.Fatal("the page has no colour for " + class)
		}
		var sum float64
		for i, weight := range []float64{0.299, 0.587, 0.114} {
			n, err := strconv.ParseUint(m[i+1], 16, 8)
			if err != nil {
				t.Fatal(err)
			}
			sum += weight * float64(n) / 255
		}
		grey = append(grey, sum)
	}
	for i, g := range grey {
		if next := grey[(i+1)%len(grey)]; math.Abs(g-next) < 0.1 {
			t.Errorf("c%d and the next one are alike in grey: %.2f and %.2f", i+1, g, next)
		}
	}
}

// TestTablesNameSourcesAsThePageDoes: one publication has one name in all forms for people.
func TestTablesNameSourcesAsThePageDoes(t *testing.T) {
	t.Parallel()
	d := data(t, london(), `flights {"from":"LHR","to":"JFK","passengers":1}`)
	const name, place = "DESNZ, UK Government GHG conversion factors 2026 full set v1", "read in the transcription themisiqco/themisiq"
	lacks(t, page(t, d), name, place)
	var table bytes.Buffer
	if err := report.CSV(&table, d); err != nil || !strings.Contains(table.String(), `"`+name+`",`) || !strings.Contains(table.String(), place) {
		t.Errorf("%v\n%s", err, table.String())
	}
}
