package footprint_test

import (
	"math"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// book is the event whose books the lines are of.
var book = footprint.EventContext{Country: "GB", StartDate: "2026-05-12", EndDate: "2026-05-14", Attendees: 1000, RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"}

// paperLines are forty ordinary lines of an event's books, each with a body that
// says only what the line says, and the interval of a worked answer, without the
// upstream parts. An interval of 0 has no worked answer.
var paperLines = []struct {
	line, typ, body string
	low, high       float64
	// notice is one that the answer must carry, fault the code of a refusal.
	notice, fault string
}{
	{"Uber receipts, £412 total, 31 trips", "purchases", `{"category":"taxi","amount":412,"currency":"GBP"}`, 111.7, 446.7, "SPEND_BASED", ""},
	{"Train London–Manchester return, 12 crew", "ground-transport", `{"mode":"rail","from":"London","to":"Manchester","passengers":12,"roundTrip":true}`, 190.4, 310.9, "DISTANCE_FROM_PLACES", ""},
	{"Mileage claim 112 miles, petrol car", "ground-transport", `{"mode":"car","vehicles":1,"fuel":"petrol","stated":{"distanceKm":"112 miles"}}`, 24.26, 34.94, "", ""},
	{"3 coaches hired, 60 km each", "ground-transport", `{"mode":"coach","vehicles":3,"distanceKm":60}`, 87.05, 348.2, "COACH_LOAD_ASSUMED", ""},
	{"Crew van hire, 55 L diesel on fuel card", "ground-transport", `{"mode":"van","vehicles":1,"fuel":"diesel","stated":{"volumeLitres":"55 L"}}`, 138.6, 144.2, "", ""},
	{"Flight LHR-EDI rtn speaker", "flights", `{"from":"LHR","to":"EDI","passengers":1,"roundTrip":true}`, 0, 0, "", ""},
	{"Flight invoice: London to Berlin, 4 pax", "flights", `{"from":"London","to":"Berlin","passengers":4}`, 393.3, 614.5, "AIRPORT_OF_TOWN", ""},
	{"Flight BA117 12 May", "flights", `{"from":"BA117","to":"","passengers":1,"date":"2026-05-12"}`, 0, 0, "", "UNKNOWN_PLACE"},
	{"Hotel 30 rooms 2 nights Manchester", "accommodation", `{"rooms":30,"nights":2,"city":"Manchester"}`, 0, 0, "", ""},
	{"Airbnb, 6 crew 3 nights", "accommodation", `{"kind":"rental","guests":6,"nights":3}`, 19.53, 97.67, "RENTAL_ROOMS", ""},
	{"Venue meter reading 8400 kWh", "venue", `{"electricityKWh":8400}`, 0, 0, "", ""},
	{"Venue hotel ballroom 900 m2 2 days", "venue", `{"floorAreaM2":900,"days":2,"venueType":"hotel"}`, 75.43, 448.4, "VENUE_BASIC_TIER", ""},
	{"Outdoor site, no meter, house power from festival", "venue", `{"venueType":"outdoor_site","days":3}`, 2480, 8266, "VENUE_BASIC_TIER", ""},
	{"Generator 420 L diesel", "energy", `{"source":"diesel","volumeLitres":420}`, 0, 0, "", ""},
	{"Generator hire 100kVA, 36 hours", "energy", `{"source":"gas_oil","generatorKVA":100,"hours":36}`, 748, 1821, "FUEL_FROM_GENERATOR", ""},
	{"LPG 2x47kg bottles", "energy", `{"source":"propane","weightKg":94}`, 273.3, 287.4, "", ""},
	{"300 lunches, buffet mixed", "catering", `{"meals":300,"diet":"mixed"}`, 0, 0, "", ""},
	{"120 breakfasts", "catering", `{"servings":{"breakfast":120}}`, 34.8, 129.6, "", ""},
	{"300 canapé sets", "catering", `{"servings":{"canapes":300}}`, 59.84, 636.7, "SERVINGS_ASSUMED", ""},
	{"Bar: 180 bottles wine, 20 kegs beer", "catering", `{"servings":{"wine_bottle":180,"beer_keg_50l":20}}`, 635, 1742, "", ""},
	{"Coffee break 900 cups", "catering", `{"servings":{"coffee":900}}`, 89.01, 222.8, "", ""},
	{"Mixed recycling 14 x 240 L bins", "waste", `{"treatment":"recycling","container":"wheelie_240","containers":14}`, 0.2506, 0.8068, "WEIGHT_FROM_CONTAINERS", ""},
	{"Waste transfer note 1.2 t general, incineration", "waste", `{"treatment":"incineration","stated":{"weightKg":"1.2 t"}}`, 0, 0, "", ""},
	{"Food waste 340 kg AD", "waste", `{"treatment":"anaerobic_digestion","material":"food","weightKg":340}`, 0, 0, "", ""},
	{"Toilets: sewage 12 m3", "water", `{"supplyM3":12}`, 0, 0, "", ""},
	{"Carpet 600 m2", "materials", `{"material":"carpet","areaM2":600}`, 0, 0, "", ""},
	{"300 lanyards", "materials", `{"material":"lanyard","items":300}`, 13.39, 200.8, "WEIGHT_FROM_PIECES", ""},
	{"400 T-shirts cotton", "materials", `{"material":"tshirt_cotton","items":400}`, 0, 0, "", ""},
	{"Print: 2,000 A4 programmes", "materials", `{"material":"paper","sheets":2000,"sheetSize":"A4"}`, 12.48, 29.53, "WEIGHT_FROM_PIECES", ""},
	{"Foamex signage 80 m2", "materials", `{"material":"pvc_foam_board","areaM2":80}`, 323.9, 824.5, "WEIGHT_FROM_PIECES", ""},
	{"Set timber 1.4 t hired", "materials", `{"material":"wood","source":"hired","stated":{"weightKg":"1.4 t"}}`, 26.98, 107.9, "USES_ASSUMED", ""},
	{"Artic Birmingham–Manchester 8 t AV kit", "freight", `{"mode":"road","vehicle":"hgv_artic","from":"Birmingham","to":"Manchester","stated":{"weightKg":"8 t"}}`, 77.38, 155.7, "DISTANCE_FROM_PLACES", ""},
	{"Courier pallet 180 kg, 140 km", "freight", `{"mode":"road","weightKg":180,"distanceKm":140}`, 0, 0, "", ""},
	{"Air freight 300 kg LHR-DXB", "freight", `{"mode":"air","weightKg":300,"from":"LHR","to":"DXB"}`, 1187, 1854, "", ""},
	{"AV hire invoice £8,400", "purchases", `{"category":"audio_visual","currency":"GBP","stated":{"amount":"8,400"},"numberFormat":"1,234.5"}`, 513.9, 2056, "SPEND_BASED", ""},
	{"Security staff £6,200", "purchases", `{"category":"security","amount":6200,"currency":"GBP"}`, 261.4, 1046, "SPEND_BASED", ""},
	{"Stream 900 viewers x 3 h", "digital", `{"activity":"streaming","participants":900,"hours":3}`, 0, 0, "", ""},
	{"Venue annual bill 1.2 GWh, we hired 12.5% for 3 days", "venue", `{"stated":{"annualElectricityKWh":"1.2 GWh"},"spaceSharePercent":12.5,"days":3}`, 0, 0, "", ""},
}

// TestPaperLines is the measure of the intake: what ordinary lines say is enough,
// and comes to what was worked out by hand from the same sources.
func TestPaperLines(t *testing.T) {
	t.Parallel()
	accepted := 0
	for _, c := range paperLines {
		d, err := footprint.Decode(c.typ, []byte(c.body), book)
		if c.fault != "" {
			if err == nil || !strings.Contains(strings.Join(faults(t, c.typ, c.body, book), " "), c.fault) {
				t.Errorf("%s: %v, want the fault %s", c.line, err, c.fault)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.line, faults(t, c.typ, c.body, book))
			continue
		}
		accepted++
		kg := 0.0 // without the upstream parts
		for _, l := range d.Evaluation.Lines {
			if l.Stage != footprint.Upstream {
				kg += kilograms(l.Mass)
			}
		}
		if kg <= 0 || c.high > 0 && (kg < c.low || kg > c.high) {
			t.Errorf("%s: %v kg, want %v to %v", c.line, kg, c.low, c.high)
		}
		preview := total.PreviewOf(&d.Evaluation, book.FactorSet)
		found := c.notice == ""
		for _, n := range preview.Notices {
			found = found || n.Code == c.notice
		}
		if !found {
			t.Errorf("%s: the notice %s is missing in %v", c.line, c.notice, preview.Notices)
		}
		again, err := footprint.Decode(c.typ, d.Fields, book)
		if err != nil || string(again.Fields) != string(d.Fields) {
			t.Errorf("%s: reading it again: %v\n%s\n%s", c.line, err, d.Fields, again.Fields)
		}
	}
	if want := len(paperLines) - 1; accepted != want || accepted < 36 {
		t.Errorf("%d lines were accepted, want %d of %d", accepted, want, len(paperLines))
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

// TestCoarserIsNeverNarrower holds that a record that says less has no narrower
// interval than the finer one it stands for.
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

// TestSpendIsAtLeastDouble holds the least width of what is priced by money.
func TestSpendIsAtLeastDouble(t *testing.T) {
	t.Parallel()
	for category, least := range map[string]float64{"av_hire": 4, "security": 4, "artist_fees": 9, "batteries": 9} {
		body := `{"category":"` + category + `","amount":1000,"currency":"GBP"}`
		if w := width(t, "purchases", body); w < least {
			t.Errorf("%s: high is %v times low, want at least %v", category, w, least)
		}
	}
}

// TestOneQuestion holds that the answer names a field that narrows the interval,
// and that the interval with it lies inside.
func TestOneQuestion(t *testing.T) {
	t.Parallel()
	asked := 0
	for _, c := range paperLines {
		d, err := footprint.Decode(c.typ, []byte(c.body), book)
		if err != nil {
			continue
		}
		p := total.PreviewOf(&d.Evaluation, book.FactorSet)
		for _, n := range p.Notices {
			if w := n.WouldNarrowTo; w != nil {
				asked++
				if w.Field == "" || kilograms(w.Low) <= kilograms(p.Low) || kilograms(w.High) >= kilograms(p.High) {
					t.Errorf("%s: %+v does not narrow %s to %s", c.line, w, p.Low.Kilograms(), p.High.Kilograms())
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
