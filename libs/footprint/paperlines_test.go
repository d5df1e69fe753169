package footprint_test

import (
	_ "embed"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// book is the event with these accounts.
var book = footprint.EventContext{Country: "GB", StartDate: "2026-05-12", EndDate: "2026-05-14", Attendees: 1000, RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"}

//go:embed testdata/paper-lines.json
var paperLinesText []byte

// paperLine is a typical line of an event's accounts with a body of only the information in the line.
type paperLine struct {
	Line, Type string
	Body       json.RawMessage
	// Low and High are the interval of a worked answer, without the upstream parts; 0 if there is none.
	Low, High float64
	// Notice is one that the answer must carry, Fault the code of a refusal.
	Notice, Fault string
}

// paperLines reads the forty lines; the service of records sends the same over HTTP.
func paperLines(t *testing.T) (lines []paperLine) {
	t.Helper()
	if err := json.Unmarshal(paperLinesText, &lines); err != nil || len(lines) != 40 {
		t.Fatal(len(lines), err)
	}
	return lines
}

// TestPaperLines measures the intake: typical lines suffice, and the figures agree with those calculated by hand from
// the same sources.
func TestPaperLines(t *testing.T) {
	t.Parallel()
	accepted := 0
	lines := paperLines(t)
	for _, c := range lines {
		d, err := footprint.Decode(c.Type, c.Body, book)
		if c.Fault != "" {
			if err == nil || !strings.Contains(strings.Join(faults(t, c.Type, string(c.Body), book), " "), c.Fault) {
				t.Errorf("%s: %v, want the fault %s", c.Line, err, c.Fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.Line, faults(t, c.Type, string(c.Body), book))
			continue
		}
		accepted++
		kg := 0.0 // without the upstream parts
		for _, l := range d.Evaluation.Lines {
			if l.Stage != footprint.Upstream {
				kg += kilograms(l.Mass)
			}
		}
		if kg <= 0 || c.High > 0 && (kg < c.Low || kg > c.High) {
			t.Errorf("%s: %v kg, want %v to %v", c.Line, kg, c.Low, c.High)
		}
		preview := total.PreviewOf(&d.Evaluation, book.FactorSet)
		found := c.Notice == ""
		for _, n := range preview.Notices {
			found = found || n.Code == c.Notice
		}
		if !found {
			t.Errorf("%s: the notice %s is missing in %v", c.Line, c.Notice, preview.Notices)
		}
		again, err := footprint.Decode(c.Type, d.Fields, book)
		if err != nil || string(again.Fields) != string(d.Fields) {
			t.Errorf("%s: reading it again: %v\n%s\n%s", c.Line, err, d.Fields, again.Fields)
		}
	}
	if want := len(lines) - 1; accepted != want || accepted < 36 {
		t.Errorf("%d lines were accepted, want %d of %d", accepted, want, len(lines))
	}
}

// width is the ratio of the ends of a record's interval.
func width(t *testing.T, typ, body string) float64 {
	t.Helper()
	d, err := footprint.Decode(typ, []byte(body), book)
	if err != nil {
		t.Fatalf("%s %s: %v", typ, body, err)
	}
	p := total.PreviewOf(&d.Evaluation, book.FactorSet)
	return kilograms(p.High) / math.Max(kilograms(p.Low), 1e-12)
}

// TestCoarserIsNeverNarrower verifies that a record with less information never has a narrower interval than the
// finer one.
func TestCoarserIsNeverNarrower(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, coarse, fine string }{
		{"ground-transport", `{"mode":"rail","from":"London","to":"Manchester","passengers":12}`, `{"mode":"rail","distanceKm":314.063,"passengers":12}`},
		{"ground-transport", `{"mode":"car","from":"BS1 4DJ","to":"M1 1AA","vehicles":1}`, `{"mode":"car","distanceKm":300,"vehicles":1}`},
		{"ground-transport", `{"mode":"coach","vehicles":3,"distanceKm":60}`, `{"mode":"coach","vehicles":3,"passengers":74,"distanceKm":60}`},
		{"flights", `{"from":"Brighton, GB","to":"Berlin","passengers":1}`, `{"from":"LGW","to":"BER","passengers":1}`},
		{"freight", `{"mode":"road","weightKg":8000,"from":"Birmingham","to":"Manchester"}`, `{"mode":"road","weightKg":8000,"distanceKm":155}`},
		{"energy", `{"source":"diesel","generatorKVA":100,"hours":36}`, `{"source":"diesel","generatorKVA":100,"hours":36,"loadPercent":35}`},
		{"energy", `{"source":"diesel","generatorKVA":100,"hours":36,"loadPercent":35}`, `{"source":"diesel","volumeLitres":392.8}`},
		{"waste", `{"treatment":"landfill","container":"wheelie_240","containers":14}`, `{"treatment":"landfill","container":"wheelie_240","containers":14,"fillPercent":100}`},
		{"waste", `{"treatment":"landfill","container":"wheelie_240","containers":14,"fillPercent":100}`, `{"treatment":"landfill","weightKg":275}`},
		{"waste", `{"treatment":"landfill","volumeLitres":3360}`, `{"treatment":"landfill","volumeLitres":3360,"densityKgPerM3":82}`},
		{"materials", `{"material":"paper","sheets":2000}`, `{"material":"paper","sheets":2000,"gramsPerM2":80}`},
		{"materials", `{"material":"pvc_foam_board","areaM2":80}`, `{"material":"pvc_foam_board","areaM2":80,"gramsPerM2":2750}`},
		{"materials", `{"material":"wood","weightKg":1400,"source":"hired"}`, `{"material":"wood","weightKg":1400,"source":"hired","usesOverLife":10}`},
		{"venue", `{"floorAreaM2":900,"days":2,"venueType":"hotel"}`, `{"electricityKWh":640,"gasKWh":640}`},
		{"accommodation", `{"kind":"rental","guests":6,"nights":3}`, `{"kind":"rental","rooms":3,"nights":3}`},
		{"purchases", `{"category":"taxi","amount":412,"currency":"GBP"}`, `{"category":"taxi","amount":412,"currency":"GBP","kgCO2ePerUnit":0.5,"factorSource":"x","evidence":[{"name":"y"}]}`},
	} {
		if coarse, fine := width(t, c.typ, c.coarse), width(t, c.typ, c.fine); coarse < fine {
			t.Errorf("%s: %s has the width %v, %s has %v", c.typ, c.coarse, coarse, c.fine, fine)
		}
	}
}

// TestSpendIsAtLeastDouble verifies the minimum interval of figures from spending.
func TestSpendIsAtLeastDouble(t *testing.T) {
	t.Parallel()
	for category, least := range map[string]float64{"av_hire": 4, "security": 4, "artist_fees": 9, "batteries": 9} {
		body := `{"category":"` + category + `","amount":1000,"currency":"GBP"}`
		if w := width(t, "purchases", body); w < least {
			t.Errorf("%s: high is %v times low, want at least %v", category, w, least)
		}
	}
}

// TestOneQuestion verifies that the response names a field that narrows the interval, and that the interval with it
// lies inside.
func TestOneQuestion(t *testing.T) {
	t.Parallel()
	asked := 0
	for _, c := range paperLines(t) {
		d, err := footprint.Decode(c.Type, c.Body, book)
		if err != nil {
			continue
		}
		p := total.PreviewOf(&d.Evaluation, book.FactorSet)
		for _, n := range p.Notices {
			if w := n.WouldNarrowTo; w != nil {
				asked++
				if w.Field == "" || kilograms(w.Low) <= kilograms(p.Low) || kilograms(w.High) >= kilograms(p.High) {
					t.Errorf("%s: %+v does not narrow %s to %s", c.Line, w, p.Low.Kilograms(), p.High.Kilograms())
				}
			}
		}
	}
	if asked < 14 {
		t.Errorf("%d answers name a question", asked)
	}
}

func TestAmbiguousPlaceIsNoNumber(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, want string }{
		{"ground-transport", `{"mode":"rail","from":"Newcastle","to":"London","passengers":1}`, ""},
		{"ground-transport", `{"mode":"rail","from":"Springfield, US","to":"Chicago","passengers":1}`, "from AMBIGUOUS_PLACE"},
		{"freight", `{"mode":"road","weightKg":1,"from":"London","to":"Springfield, US"}`, "to AMBIGUOUS_PLACE"},
		{"flights", `{"from":"LHR","to":"Springfield, US","passengers":1}`, "to AMBIGUOUS_PLACE"},
		{"ground-transport", `{"mode":"rail","from":"Qwxzy","to":"London","passengers":1}`, "from UNKNOWN_PLACE"},
		{"ground-transport", `{"mode":"rail","from":"London","to":"London","passengers":1}`, "to NOT_ALLOWED"},
		{"freight", `{"mode":"sea","weightKg":1,"from":"Southampton","to":"Rotterdam"}`, "from NOT_ALLOWED"},
	} {
		if c.want == "" {
			continue
		}
		got := strings.Join(faults(t, c.typ, c.body, book), " ")
		if !strings.Contains(got, c.want) {
			t.Errorf("%s %s: %s, want %s", c.typ, c.body, got, c.want)
		}
	}
}

func TestStated(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"mode":"car","vehicles":1,"stated":{"distanceKm":"1,200 km"}}`:                               "stated.distanceKm AMBIGUOUS_NUMBER",
		`{"mode":"car","vehicles":1,"distanceKm":5,"stated":{"distanceKm":"112 mi"}}`:                  "distanceKm NOT_ALLOWED",
		`{"mode":"car","vehicles":1,"stated":{"distanceKm":"5 kg"}}`:                                   "stated.distanceKm UNKNOWN_UNIT",
		`{"mode":"car","vehicles":1,"stated":{"volumeLitres":"5 gal"}}`:                                "stated.volumeLitres AMBIGUOUS_UNIT",
		`{"mode":"car","vehicles":1,"distanceKm":1,"stated":{"mode":"5"}}`:                             "stated.mode NOT_ALLOWED",
		`{"mode":"car","vehicles":1,"stated":{"distanceKm":"far"}}`:                                    "stated.distanceKm BAD_FORMAT",
		`{"mode":"car","vehicles":1,"stated":{"distanceKm":"40,001 km"},"numberFormat":"1,234.5"}`:     "distanceKm OUT_OF_RANGE",
		`{"mode":"car","vehicles":1,"stated":{"distanceKm":"40,001 km"},"numberFormat":"1 and a bit"}`: "numberFormat NOT_ALLOWED",
	} {
		if got := strings.Join(faults(t, "ground-transport", body, book), " "); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	d, err := footprint.Decode("ground-transport", []byte(`{"mode":"car","fuel":"petrol","vehicles":1,"stated":{"distanceKm":"112 mi"}}`), book)
	if err != nil || !strings.Contains(string(d.Fields), `"distanceKm":180.246528`) || !strings.Contains(string(d.Fields), `"stated":{"distanceKm":"112 mi"}`) {
		t.Errorf("%s, %v", d.Fields, err)
	}
}

func TestCodesStayCodes(t *testing.T) {
	t.Parallel()
	d, err := footprint.Decode("flights", []byte(`{"from":"nan","to":"LHR","passengers":1}`), book)
	if err != nil || !strings.Contains(string(d.Fields), `"from":"NAN"`) {
		t.Errorf("%s, %v", d.Fields, err)
	}
	d, err = footprint.Decode("flights", []byte(`{"from":"Nan","to":"LHR","passengers":1}`), book)
	if err != nil || !strings.Contains(string(d.Fields), `"from":"NAN"`) || len(d.Notices) != 1 || d.Notices[0].Code != "CODE_IS_ALSO_A_PLACE" {
		t.Errorf("%s, %v, %v", d.Fields, d.Notices, err)
	}
	d, err = footprint.Decode("flights", []byte(`{"from":"Brighton, GB","to":"Berlin","passengers":1}`), book)
	if err != nil || !strings.Contains(string(d.Fields), `"from":"LGW","to":"BER"`) {
		t.Errorf("%s, %v", d.Fields, err)
	}
}
