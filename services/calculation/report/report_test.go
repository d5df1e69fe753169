package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/services/calculation/report"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// data returns the data of a report from "type {fields}" lines.
func data(t *testing.T, ev footprint.EventContext, lines ...string) report.Data {
	t.Helper()
	s := bundle.Source{Event: bundle.Event{ID: "e", Title: "Event", Context: bundle.ContextOf(ev)}, FactorSet: ev.FactorSet, Engine: ev.Engine, Revision: 1,
		CalculatedAt: "2026-06-12T09:00:00.000Z", Tree: bundle.Tree{Fanout: 512, Levels: 2}}
	for i, line := range lines {
		typ, body, _ := strings.Cut(line, " ")
		decoded, err := footprint.Decode(typ, []byte(body), ev)
		if err != nil {
			t.Fatal(err)
		}
		s.Records = append(s.Records, bundle.Input{ID: fmt.Sprint("r", i), Type: typ, Seq: int64(i + 1), Revision: 3, Fields: decoded.Fields})
	}
	built, err := bundle.Build(s)
	if err != nil {
		t.Fatal(err)
	}
	return report.Data{Built: built, Context: ev}
}

func page(t *testing.T, d report.Data) string {
	t.Helper()
	return pageIn(t, footprint.English, d)
}

// pageIn returns the page in a language, with spaces for those at which a line does not end before a unit.
func pageIn(t *testing.T, language string, d report.Data) string {
	t.Helper()
	var out bytes.Buffer
	if err := report.HTML(&out, d, language); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "%!") || !strings.HasSuffix(strings.TrimSpace(out.String()), "</html>") {
		t.Fatal("the page is broken")
	}
	return regexp.MustCompile(`(\d)\x{a0}(kg|km|kWh|tonnes|Tonnen)\b`).ReplaceAllString(out.String(), "$1 $2")
}

// TestPageSaysWhoSignedAndWhatIsLeftOut: the boundary is in the sentence with the headline figure, and uncounted
// parts next to it; a text from before does not turn its sentence around.
func TestPageSaysWhoSignedAndWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	d := data(t, footprint.EventContext{GWP: "published", FactorSet: "desnz-2026"}, `waste {"treatment":"landfill","weightKg":1000}`)
	d.Event.Boundary = json.RawMessage(`{"included":["flights","waste"],"excluded":[{"type":"digital","reason":"small"}]}`)
	d.Organization = "Example Events"
	d.NotCounted = &bundle.NotCounted{Waiting: 2, Rejected: 1}
	d.SignOff = &bundle.SignOff{Edition: 3, By: record.Actor{ID: "u", Name: "Morgan Lee", Role: identity.Manager}, At: "2026-06-12T10:00:00.000Z", Statement: "Com\u202eplete"}
	d.Causes = []resulttree.Cause{{Action: "approve", By: d.SignOff.By}}
	text := page(t, d)
	for _, want := range []string{"Example Events", "Including flights and waste and excluding digital, the event caused", "Not counted: 2 waiting for a decision and 1 rejected.",
		"Morgan Lee (manager), 12 June 2026, 10:00 UTC, as edition 3", "“Com\ufffdplete”", "Approved, by Morgan Lee (manager)"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestPageOfOneSource: what is from one source has no largest one, a first revision none before it, and causes say
// what was done.
func TestPageOfOneSource(t *testing.T) {
	t.Parallel()
	d := data(t, footprint.EventContext{GWP: "published", FactorSet: "desnz-2026"}, `waste {"treatment":"landfill","weightKg":1000}`)
	d.Causes = []resulttree.Cause{{Action: "approve", Records: 1}, {Action: "auto-approve", Records: 2}}
	text := page(t, d)
	for _, want := range []string{"All of it is from waste.", "The changes that led to the first revision.", "Approved, 1 record change<", "Approved by rule, 2 record changes<"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, wrong := range []string{"The largest source", "previous revision"} {
		if strings.Contains(text, wrong) {
			t.Errorf("the page says %q", wrong)
		}
	}
	d.Result.Revision = 2
	if text = page(t, d); !strings.Contains(text, "The changes from the previous revision to this one.") {
		t.Error("the page of a second revision does not say since when changes are listed")
	}
}

// TestPageOfLittle: an event that says nothing of itself, with a total of 0.
// TestPageLinksToWhatIsServed: a report leads to the methodology and to the
// page on its JSON form, and to nothing that the server does not have.
func TestPageLinksToWhatIsServed(t *testing.T) {
	t.Parallel()
	text := page(t, data(t, footprint.EventContext{GWP: "published", FactorSet: "desnz-2026"}, `waste {"treatment":"landfill","weightKg":1000}`))
	served := map[string]bool{}
	for _, one := range api.Texts() {
		served[one.Path()] = true
	}
	links := map[string]bool{}
	for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		if links[m[1]] = true; !served[m[1]] {
			t.Errorf("the page links to %s", m[1])
		}
	}
	if !links["/methodology"] || !links["/report-bundles"] {
		t.Errorf("the page links to %v", links)
	}
}

// TestPageNamesWhatWasPublished: the factor set and the sources are named as they were published, also in notices; ids
// remain where they identify a row or are checked.
func TestPageNamesWhatWasPublished(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"}
	d := data(t, ev, `energy {"source":"hvo","volumeLitres":1000}`)
	d.Result.Notices = append(d.Result.Notices, footprint.Notice{Code: "SOME", Message: "The event can adopt desnz-2025. The row desnz-2026-coach is not in it."})
	text := page(t, d)
	for _, want := range []string{
		"<dt>Factor set</dt><dd>UK Government GHG conversion factors 2026 (DESNZ)</dd>", "the factor set “UK Government GHG conversion factors 2026 (DESNZ)”",
		"can adopt UK Government GHG conversion factors 2025 (DESNZ). The row desnz-2026-coach is", "<code>desnz-2026, SHA-256 ",
		"DESNZ, UK Government GHG conversion factors 2026 (11 June 2026; flat file v1.2 of 10 July 2026; OGL v3.0); ",
		"not in the total: 2,430 kg, where it is published", "Operational control", "no verification of the figures by an independent party",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "31 July") || strings.Contains(text, "desnz-2026 (2026)") {
		t.Error("the page has another date of the publication, or the id of the set")
	}
}

func TestPageOfLittle(t *testing.T) {
	t.Parallel()
	text := page(t, data(t, footprint.EventContext{GWP: "AR6", FactorSet: "desnz-2026"}, `venue {"country":"GB","electricityKWh":0}`))
	for _, want := range []string{"caused 0 kg", "Attendees</dt><dd>not stated", "not stated a boundary", "Not included", "IPCC AR6"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, never := range []string{"per attendee", "<svg", "What to measure next", "Signed"} {
		if strings.Contains(text, never) {
			t.Errorf("the page has %q", never)
		}
	}
}

// TestPageOfMany: the page names the largest records and sums up the rest; the
// table has all of them.
func TestPageOfMany(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "DE", StartDate: "2026-01-31", EndDate: "2026-02-01", Attendees: 7, RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"}
	var lines []string
	for i := range 305 {
		lines = append(lines, fmt.Sprintf(`waste {"treatment":"landfill","weightKg":%d}`, i+1))
	}
	d := data(t, ev, lines...)
	text := page(t, d)
	for _, want := range []string{"<strong>5 more records</strong> with 7.81 kg", "31 January 2026 to 1 February 2026, Germany", "Record <code>r304</code>", "tonnes"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(text, "Record <code>r4</code>") {
		t.Error("a small record is listed")
	}
	var out bytes.Buffer
	if err := report.CSV(&out, d); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil || len(rows) != 306 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
}

// TestVarianceNamesWhatToMeasure: the records' shares of the variance determine the list, and measured records are
// not in it.
func TestVarianceNamesWhatToMeasure(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"}
	text := page(t, data(t, ev,
		`flights {"from":"LHR","to":"JFK","passengers":30,"class":"economy"}`,
		`accommodation {"nights":2,"rooms":300,"description":"Guests of the gala"}`,
		`venue {"electricityKWh":20000,"dataQuality":"measured","evidence":[{"name":"meter"}],"name":"Hall"}`))
	_, after, _ := strings.Cut(text, "What to measure next")
	table, _, _ := strings.Cut(after, "</table>")
	flights, hotels := strings.Index(table, "LHR → JFK"), strings.Index(table, "Guests of the gala")
	if flights < 0 || hotels < flights || strings.Contains(table, "Hall") {
		t.Errorf("ranking: %s", table)
	}
}

// TestTablesEndWithTheTotal: each table of parts has a total, and a part that is too small to be shown is not shown
// as zero.
func TestTablesEndWithTheTotal(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"}
	d := data(t, ev, `flights {"from":"LHR","to":"JFK","passengers":30,"class":"economy","group":"staff"}`, `water {"supplyM3":1}`)
	d.Result.CalculatedAt = "2026-11-21T03:08:50.786Z"
	text := page(t, d)
	totals := strings.Count(text, `<tfoot><tr><td>Total</td>`)
	if totals != 9 { // by source, group, scope, stage and gas, and of four standards
		t.Errorf("%d tables end with the total", totals)
	}
	for _, want := range []string{
		`<td>Water</td><td class="n">1</td><td class="n">0.362</td><td class="n">&lt;0.1%</td>`,
		`<td>Scope 1: own fuels and vehicles</td><td class="n">0</td><td class="n">0.0%</td>`,
		`<td>Total</td><td class="n">2</td><td class="n">23,542</td><td class="n">100.0%</td>`,
		"tonnes</strong><span>CO₂ equivalent; between", " tonnes given the known uncertainties", "21 November 2026, 03:08 UTC",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestShortFlightsAreALimit: reports with flights by the factor of all flights outside the UK state that short ones
// are understated; others do not.
func TestShortFlightsAreALimit(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "FR", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026", Engine: footprint.NewestEngine}
	for record, want := range map[string]bool{`flights {"from":"CDG","to":"NCE","passengers":2}`: true, `flights {"from":"CDG","to":"LHR","passengers":2}`: false} {
		if got := strings.Contains(page(t, data(t, ev, record)), "may be 1.5 to 1.6 times the figure"); got != want {
			t.Errorf("%s: %v", record, got)
		}
	}
}

func TestDirectOnlyGridsAreNamed(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"}
	for body, named := range map[string]bool{`venue {"electricityKWh":5,"country":"AU","subdivision":"NSW"}`: true, `venue {"electricityKWh":5,"country":"NZ"}`: true, `venue {"electricityKWh":5,"country":"GB"}`: false, `venue {"electricityKWh":5,"country":"KE"}`: false} {
		if text := page(t, data(t, ev, body)); strings.Contains(text, "cover generation only") != named {
			t.Errorf("%s: named %v", body, !named)
		}
	}
}

func TestTextCannotBeAFormula(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"}
	for _, evil := range []string{"=1+1", "+1", "-1", "@sum", "\t=1", "\n=1", "＝1+1", "＋1", "－1", "＠x", "a;=1;b"} {
		field, err := json.Marshal(evil)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := report.CSV(&out, data(t, ev, `waste {"treatment":"landfill","weightKg":1,"description":`+string(field)+`}`)); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&out).ReadAll()
		if err != nil || len(rows) != 2 || rows[1][3] == evil || rows[1][3] != sheet.Guard(evil) {
			t.Errorf("%q: %v %v", evil, rows, err)
		}
	}
}

// newestStyle is the SHA-256 of page.css.
const newestStyle = "7IV0jDZLkTHNapxCModMNV2cm4simR04s8hq4gPYvRU="

// TestStylesOfSignedPagesAreAllowed: a page is stored as signed, and served with the content security policy of the
// current release.
func TestStylesOfSignedPagesAreAllowed(t *testing.T) {
	t.Parallel()
	policy := report.ContentSecurityPolicy()
	// The styles of all pages so far; a change of page.css adds the newest one here, and
	// the one before it to those that the policy allows.
	for _, hash := range []string{
		"1aYpqaa0kcrX2GQvuvFPnjEeIfC1tgyHC1Njb0XQqHw=",
		"5KuMx5a3ZRbLA3QlMMjv6FIWVOIns6cUhn40oBb4VM4=",
		"dQ+nMVMqN2LgHpXwES+5TXAxMfSghKtfCKJTCD3vUco=",
		"A6p9nam25nSBiCbv45JIQ05YxPL8Di5uDtadL905z+U=",
		"29LiW3XHU9NCg4+MwDheSqjeYQKEXkazTM4U7HcdbLM=",
		"DB2FpqYSExyFUwbuKBQhKFoSNj1Bap2npbJeoRnmdhw=",
		"P25/epuH228DlCZPdFqIjgP9oSQ4/q5MSXygDvt9a5A=",
		"/hF4ksjlp11UOTi+6U/znoGksVvMnBodBx5dhzG6fQ8=",
		"32yOC7rXES9hbg6Uqhcw+z/E7FROwZutnPvB06IbxqE=",
		newestStyle,
	} {
		if !strings.Contains(policy, "'sha256-"+hash+"'") {
			t.Errorf("the policy forbids the style %s: %s", hash, policy)
		}
	}
	newest := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(page(t, data(t, footprint.EventContext{GWP: "published", FactorSet: "desnz-2026"}, `waste {"treatment":"landfill","weightKg":1000}`)))
	if newest == nil {
		t.Fatal("the page has no style")
	}
	if sum := sha256.Sum256([]byte(newest[1])); base64.StdEncoding.EncodeToString(sum[:]) != newestStyle {
		t.Errorf("the style has changed: add %s to those that are allowed, and name the new one here: %s", newestStyle, base64.StdEncoding.EncodeToString(sum[:]))
	}
}

// TestChartsKeepTheirWordsOnNarrowScreens: bars scale with the width, texts of charts do not.
func TestChartsKeepTheirWordsOnNarrowScreens(t *testing.T) {
	t.Parallel()
	text := page(t, data(t, footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"},
		`flights {"from":"LHR","to":"JFK","passengers":30,"group":"staff"}`, `water {"supplyM3":1}`))
	if strings.Contains(text, "viewBox") {
		t.Error("a chart is scaled as a whole")
	}
	for _, want := range []string{
		`<span class="name">Flights</span>`, `<span class="value">`, `<line class="whisker" x1="`, `x2="96.00%"`,
		`<div class="frame" tabindex="0" role="group" aria-label="By source">`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

func TestPolicyNamesTheStyle(t *testing.T) {
	t.Parallel()
	if p := report.ContentSecurityPolicy(); !strings.HasPrefix(p, "default-src 'none'; style-src 'sha256-") || strings.Contains(p, "unsafe") {
		t.Error(p)
	}
}

// TestElectricityIsComparedLikeForLike: the page compares generation with generation if the engine can, and otherwise
// omits the comparison.
func TestElectricityIsComparedLikeForLike(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"}
	const hired = `venue {"electricityKWh":18000}`
	if text := page(t, data(t, ev, hired)); strings.Contains(text, "by contract") && strings.Contains(text, "2,357") || !strings.Contains(text, "narrower than a 95% interval") {
		t.Error("engine 1.2.0 compares generation with the whole, or calls its intervals 95%")
	}
	ev.Engine = footprint.Engine2
	text := page(t, data(t, ev, hired))
	for _, want := range []string{
		`<td>Other electricity (scope 3)</td><td class="n">2,357</td><td class="n">2,357</td>`, "add 961 kg to each", "The 95% interval covers the uncertainty",
		"ISO 14064-1:2018", "ESRS E1-6", "Net Zero Carbon Events",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// TestFiguresOfSentences: a sentence has the figures as the tables round them.
func TestFiguresOfSentences(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"It is about 1 record of 138.000000 kg.":                "This concerns 1 record of 138 kg.",
		"It is about 2 records of 4760.535669 kg together.":     "This concerns 2 records of 4,761 kg together.",
		"It is about 1 record of 0.058545 kg.":                  "This concerns 1 record of 0.059 kg.",
		"5271.489917 kg are of records, 1.500000 kg of others.": "5,271 kg are of records, 1.50 kg of others.",
		"0.000300 kg are of records.":                           "<0.001 kg are of records.",
		"The event is of 2024; 12.5 kg, 1234567890.000000 kg.":  "The event is of 2024; 12.5 kg, 1234567890.000000 kg.",
	} {
		if got := report.Legible(message); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", message, got, want)
		}
	}
}

// TestPageTellsWhichFactorsArePastTheirBest: each factor has its date, and the number of those expired at the start
// of the event is shown above them.
func TestPageTellsWhichFactorsArePastTheirBest(t *testing.T) {
	t.Parallel()
	for start, want := range map[string]string{
		"2026-12-31": "", // the last day itself
		"2027-01-01": "When the event began, 1 of these 1 were past their “best before” date",
		"":           "",
	} {
		text := page(t, data(t, footprint.EventContext{StartDate: start, GWP: "published", FactorSet: "desnz-2026"}, `waste {"treatment":"landfill","weightKg":1000}`))
		if !strings.Contains(text, "Year: 2026. Best before: 2026-12-31.") || !strings.Contains(text, want) || strings.Contains(text, "were past their") != (want != "") {
			t.Errorf("an event of %q: the page lacks %q, or says too much", start, want)
		}
	}
}

// TestLinesSayWhatTheyAreOf: each formula has its factor, lines of attendee travel have their leg above them, once;
// records are identified by what they count.
func TestLinesSayWhatTheyAreOf(t *testing.T) {
	t.Parallel()
	d := data(t, footprint.EventContext{GWP: "published", FactorSet: "desnz-2026", Country: "GB"},
		`attendee-travel {"to":"LHR","origins":[{"place":"Brighton, GB","people":20,"mode":"rail"},{"place":"Leeds, GB","people":1,"mode":"coach"}]}`,
		`catering {"drinks":{"beer":5,"bottled_water":2}}`, `purchases {"category":"toilet_hire","amount":100,"currency":"GBP"}`,
		`energy {"source":"natural_gas","energyKWh":5}`)
	text := page(t, d)
	for _, want := range []string{
		"<h3><span>Attendee travel</span>", "<h3><span>Catering: beer, bottled water</span>", "<h3><span>Purchases: toilet hire</span>", "<h3><span>Energy: natural gas</span>",
		`<p class="way">Brighton, England, GB, rail, door to door: 20 people</p>`, `<p class="way">Leeds, England, GB, coach, door to door: 1 person</p>`,
		`kg <span class="by">direct: desnz-2026-rail-national</span></p>`,
	} {
		if strings.Count(text, want) != 1 {
			t.Errorf("the page has %q %d times, not once: %s", want, strings.Count(text, want), regexp.MustCompile(`<h3>.*`).FindAllString(text, -1))
		}
	}
	var table bytes.Buffer
	if err := report.CSV(&table, d); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&table).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]bool{}
	for _, row := range rows {
		of[strings.Join(row[len(row)-4:], " ")] = true
	}
	for _, want := range []string{"legOrigin legMode legPart legPeople", "Brighton, England, GB rail door to door 20", "   "} {
		if !of[want] {
			t.Errorf("no line of the table is of %q: %v", want, of)
		}
	}
}
