package footprint_test

import (
	"encoding/csv"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// london is the event of most tests.
var london = footprint.EventContext{Country: "GB", StartDate: "2026-05-12", EndDate: "2026-05-13", Attendees: 400,
	RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"}

// tester is a test, or a property being checked.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// contributed returns the contribution of a record.
func contributed(t tester, typ, body string, ev footprint.EventContext) total.Contribution {
	t.Helper()
	e := evaluate(t, typ, body, ev)
	return total.Of(&e)
}

// evaluate decodes and evaluates a body that must be good.
func evaluate(t tester, typ, body string, ev footprint.EventContext) footprint.Evaluation {
	t.Helper()
	d, err := footprint.Decode(typ, []byte(body), ev)
	if err != nil {
		t.Fatalf("Decode(%s, %s): %v", typ, body, describe(err))
	}
	e, err := footprint.Evaluate(typ, d.Fields, ev)
	if err != nil {
		t.Fatalf("Evaluate(%s, %s): %v", typ, d.Fields, err)
	}
	return e
}

// kg returns the total of a body in kilograms with six decimals.
func kg(t testing.TB, typ, body string, ev footprint.EventContext) string {
	t.Helper()
	return contributed(t, typ, body, ev).Total().Kilograms()
}

func stage(e footprint.Evaluation, stage string) string {
	var m footprint.Mass
	for _, l := range e.Lines {
		if l.Stage == stage {
			m = m.Add(l.Mass)
		}
	}
	return m.Kilograms()
}

func has(notices []footprint.Notice, code string) bool {
	for _, n := range notices {
		if n.Code == code {
			return n.Message != ""
		}
	}
	return false
}

// TestWorkedExamples compares the engine with the worked examples: the figure of the table within its tolerance, and
// our own exact figure.
func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	exact := map[string]struct{ direct, upstream, body string }{
		"derived-01": {"648.382054", "136.335290", `{"from":"LHR","to":"JFK","class":"economy","passengers":1}`},
		"derived-02": {"1880.219320", "395.377881", `{"from":"LHR","to":"JFK","class":"business","passengers":1}`},
		"derived-03": {"131.147433", "23.453449", `{"from":"LHR","to":"CDG","class":"economy","passengers":3}`},
		"derived-04": {"489.350470", "71.498782", `{"from":"LHR","to":"EDI","class":"average","passengers":2,"roundTrip":true}`},
		"derived-05": {"93.387472", "14.167246", `{"from":"CDG","to":"BER","class":"economy","passengers":1}`},
	}
	f, err := os.Open("../factors/source/worked-examples.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	expected := regexp.MustCompile(`^([0-9.]+) \(WTT ([0-9.]+)\)$`)
	checked := 0
	for _, r := range rows {
		want, ok := exact[r[0]]
		if !ok {
			continue
		}
		checked++
		e := evaluate(t, "flights", want.body, london)
		m := expected.FindStringSubmatch(r[11])
		if m == nil {
			t.Fatalf("%s expects %q", r[0], r[11])
		}
		direct, upstream := stage(e, footprint.Direct), stage(e, footprint.Upstream)
		near(t, r[0], direct, m[1])
		near(t, r[0]+" well-to-tank", upstream, m[2])
		if direct != want.direct || upstream != want.upstream {
			t.Errorf("%s is %s + %s, pinned %s + %s", r[0], direct, upstream, want.direct, want.upstream)
		}
		if id, _, _ := strings.Cut(r[10], " "); e.Lines[0].FactorID != id {
			t.Errorf("%s used %s, want %s", r[0], e.Lines[0].FactorID, id)
		}
	}
	if checked != len(exact) {
		t.Errorf("%d of %d examples were found", checked, len(exact))
	}
}

// near allows a tenth of a percent.
func near(t *testing.T, what, got, want string) {
	t.Helper()
	g, _ := strconv.ParseFloat(got, 64)
	w, _ := strconv.ParseFloat(want, 64)
	if g < w*0.999 || g > w*1.001 {
		t.Errorf("%s: %s, want %s within 0.1%%", what, got, want)
	}
}

// TestFiguresByHand compares with sums calculated by hand from the published factors.
func TestFiguresByHand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, want string }{
		// 1000 × (0.13096 + 0.03682 + 0.01299 + 0.00359)
		{"venue", `{"electricityKWh":1000}`, "184.360000"},
		// 1000 × (0.18231 + 0.03021)
		{"venue", `{"gasKWh":1000}`, "212.520000"},
		// 1000 × (0.17529 + 0.03341 + 0.00945 + 0.00176)
		{"venue", `{"heatKWh":1000}`, "219.910000"},
		// 1,200,000 × 12.5% × 2/365 = 821.917808… kWh × 0.18436
		{"venue", `{"annualElectricityKWh":1200000,"spaceSharePercent":12.5,"days":2}`, "151.528767"},
		// 70 × 1000 × 3/365 = 575.342… × 0.18436 = 106.070137; 200 × 1000 × 3/365 = 1643.835… × 0.21252 = 349.347945
		{"venue", `{"floorAreaM2":1000,"days":3,"venueType":"cultural"}`, "455.418082"},
		// 177 × 1000 × 3/365 = 1454.794… × 0.18436
		{"venue", `{"floorAreaM2":1000,"days":3}`, "268.205917"},
		{"accommodation", `{"nights":2,"rooms":10}`, "208.000000"},
		{"accommodation", `{"nights":2,"rooms":10,"city":"london"}`, "230.000000"},
		{"accommodation", `{"nights":3,"guests":4,"country":"fr"}`, "80.400000"},
		{"accommodation", `{"nights":3,"rooms":2,"guests":4,"country":"SE"}`, "81.600000"},
		{"accommodation", `{"nights":2,"rooms":10,"kind":"hostel"}`, "52.000000"},
		{"accommodation", `{"nights":1,"rooms":1,"country":"AR"}`, "56.000000"},
		{"accommodation", `{"nights":1,"rooms":1,"country":"HU"}`, "12.200000"},
		{"accommodation", `{"nights":1,"rooms":1,"country":"KE"}`, "33.550000"},
		{"accommodation", `{"nights":2,"rooms":3,"kind":"camping","kgCO2ePerRoomNight":1.25,"evidence":[{"name":"site"}]}`, "7.500000"},
		{"waste", `{"treatment":"landfill","weightKg":250}`, "130.145058"},
		{"waste", `{"treatment":"recycling","weightKg":1000,"material":"glass"}`, "4.653580"},
		{"waste", `{"treatment":"anaerobic_digestion","weightKg":100,"material":"food"}`, "0.900687"},
		{"waste", `{"treatment":"landfill","volumeLitres":2000,"densityKgPerM3":120.5,"material":"wood"}`, "223.013507"},
		// 52.5 kg of 30 out of 120 people: 210 kg
		{"waste", `{"treatment":"landfill","weightKg":52.5,"respondents":30,"population":120}`, "109.321848"},
	} {
		if got := kg(t, c.typ, c.body, london); got != c.want {
			t.Errorf("%s %s is %s kg, want %s", c.typ, c.body, got, c.want)
		}
	}
}

func TestPreviewJSON(t *testing.T) {
	t.Parallel()
	e := evaluate(t, "flights", `{"from":"lhr","to":"jfk","passengers":1}`, london)
	preview := total.PreviewOf(&e, "desnz-2026")
	got, err := preview.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"kgCO2e":1024.592113,"low":591.012067,"high":1776.256453,"factorSet":"desnz-2026","defaulted":["class"],"notices":[]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
