package footprint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

func TestTypes(t *testing.T) {
	t.Parallel()
	// Newer types follow these, whose order clients know.
	first := []string{
		"flights", "accommodation", "venue", "waste", "ground-transport", "freight", "catering", "materials", "energy", "water", "digital", "purchases", "custom",
	}
	if got := footprint.Types(); len(got) < len(first) || !slices.Equal(got[:len(first)], first) {
		t.Errorf("types %v", got)
	}
	for _, typ := range footprint.Types() {
		if !footprint.Known(typ) || footprint.Formula(typ) == "" {
			t.Errorf("%s is not known", typ)
		}
	}
	if footprint.Known("review") || footprint.Formula("review") != "" {
		t.Error("review is no type")
	}
	if _, err := footprint.Decode("review", nil, london); err == nil || apperr.CodeOf(err) != apperr.Internal {
		t.Errorf("an unknown type: %v", err)
	}
	ev := london
	ev.FactorSet = "desnz-1999"
	if _, err := footprint.Evaluate("waste", json.RawMessage(`{}`), ev); err == nil || apperr.CodeOf(err) != apperr.Internal {
		t.Errorf("an unknown factor set: %v", err)
	}
}

func TestCanonicalFields(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, want string }{
		{"flights", `{"passengers":2e0,"to":"jfk","from":" lhr ","class":"Business Class","roundTrip":false,"via":["kef"],"description":"<b>&","status":"approved","_id":"x","foo":1}`,
			`{"from":"LHR","to":"JFK","via":["KEF"],"class":"business","passengers":2,"roundTrip":false,"description":"<b>&"}`},
		{"accommodation", `{"rooms":2,"nights":1.0,"metadata":{"b":"2","a":"1"}}`,
			`{"country":"GB","nights":1,"rooms":2,"metadata":{"a":"1","b":"2"}}`},
		{"venue", `{"electricityKWh":10.500,"gasKWh":0,"country":"us","subdivision":"ca","evidence":[{"url":"https://a.example/x","sha256":null}]}`,
			`{"country":"US","subdivision":"US-CA","electricityKWh":10.5,"gasKWh":0,"evidence":[{"url":"https://a.example/x"}]}`},
		{"waste", `{"weightKg":1e3,"treatment":"landfill","externalReference":"bin 7","group":null}`,
			`{"country":"GB","treatment":"landfill","weightKg":1000,"externalReference":"bin 7"}`},
	} {
		d, err := footprint.Decode(c.typ, []byte(c.body), london)
		if err != nil {
			t.Errorf("%s: %s", c.body, describe(err))
			continue
		}
		if string(d.Fields) != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.body, d.Fields, c.want)
		}
		if c.typ == "waste" && d.ExternalReference != "bin 7" {
			t.Errorf("reference %q", d.ExternalReference)
		}
	}
}

func TestUnknownFieldsAreNamed(t *testing.T) {
	t.Parallel()
	d, err := footprint.Decode("flights", []byte(`{"from":"LHR","to":"JFK","passengers":1,"roundtrip":true,"colour":"red","createdBy":{},"footprint":{"x":1},"evidence":[{"name":"a","link":"b"}]}`), london)
	if err != nil {
		t.Fatal(err)
	}
	want := []footprint.Notice{
		{Code: "UNKNOWN_FIELD_IGNORED", Field: "colour"},
		{Code: "UNKNOWN_FIELD_IGNORED", Field: "evidence[0].link"},
		{Code: "UNKNOWN_FIELD_IGNORED", Field: "roundtrip", Suggestions: []string{"roundTrip"}},
	}
	if len(d.Notices) != len(want) {
		t.Fatalf("notices %+v", d.Notices)
	}
	for i, n := range d.Notices {
		if n.Code != want[i].Code || n.Field != want[i].Field || !slices.Equal(n.Suggestions, want[i].Suggestions) || n.Message == "" {
			t.Errorf("notice %+v", n)
		}
	}
}

func TestUnknownFieldsAreBounded(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	b.WriteString(`{"from":"LHR","to":"JFK","passengers":1`)
	for i := range 1900 {
		fmt.Fprintf(&b, `,"x%d":%d`, i, i)
	}
	b.WriteString("}")
	d, err := footprint.Decode("flights", b.Bytes(), london)
	if err != nil || len(d.Notices) != 21 {
		t.Errorf("%d notices, %v", len(d.Notices), err)
	}
}

// TestDecodingAgainChangesNothing: an edit decodes stored fields with some of them replaced.
func TestDecodingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	elsewhere := london
	elsewhere.Country = "FR"
	rapid.Check(t, func(t *rapid.T) {
		typ, body := drawRecord(t)
		once, err := footprint.Decode(typ, []byte(body), london)
		if err != nil {
			t.Fatalf("%s: %s", body, describe(err))
		}
		// The country was taken from the event and stays, even if the event's changes.
		twice, err := footprint.Decode(typ, once.Fields, elsewhere)
		if err != nil || !bytes.Equal(once.Fields, twice.Fields) || len(twice.Notices) != 0 {
			t.Fatalf("%s became %s, %v, %v", once.Fields, twice.Fields, err, twice.Notices)
		}
		a, err1 := footprint.Evaluate(typ, once.Fields, london)
		b, err2 := footprint.Evaluate(typ, once.Fields, elsewhere)
		if err1 != nil || err2 != nil || total.Of(&a).Total() != total.Of(&b).Total() {
			t.Fatalf("%v %v: the event's country moved a stored record", err1, err2)
		}
	})
}

// TestDamagedFields evaluates stored fields of which one is missing or has another value: the result may be a figure
// or an error, but never a panic.
func TestDamagedFields(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		for _, example := range append(footprint.Examples(typ), json.RawMessage(`{}`)) {
			var v map[string]any
			if err := json.Unmarshal(example, &v); err != nil {
				t.Fatal(err)
			}
			for name, value := range v {
				for _, damage := range []any{nil, "", "x", json.Number("0"), json.Number("7"), true} {
					v[name] = damage
					body, err := json.Marshal(v)
					if err != nil {
						t.Fatal(err)
					}
					e, err := footprint.Evaluate(typ, body, london)
					if err == nil && total.Of(&e).Total().Sign() < 0 {
						t.Errorf("%s %s is negative", typ, body)
					}
				}
				v[name] = value
			}
		}
		if e, err := footprint.Evaluate(typ, json.RawMessage(`{}`), london); err == nil && len(e.Lines) > 0 && total.Of(&e).Total().Sign() > 0 {
			t.Errorf("nothing of %s has a figure", typ)
		}
	}
}

func fuzz(f *testing.F, typ string, seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d, err := footprint.Decode(typ, body, london)
		if err != nil {
			if apperr.CodeOf(err) != apperr.ValidationError {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		again, err := footprint.Decode(typ, d.Fields, london)
		if err != nil || !bytes.Equal(again.Fields, d.Fields) {
			t.Fatalf("%q gives %s, and that %s, %v", body, d.Fields, again.Fields, err)
		}
		e, err := footprint.Evaluate(typ, d.Fields, london)
		if err != nil {
			t.Fatalf("%s: %v", d.Fields, err)
		}
		if !reflect.DeepEqual(d.Evaluation, e) {
			t.Fatalf("%q is decoded to %+v, and evaluated to %+v", body, d.Evaluation, e)
		}
		if sum := total.Of(&e).Total(); sum.Sign() < 0 {
			t.Fatalf("%s is %s µg", d.Fields, sum)
		}
		preview := total.PreviewOf(&e, `"x"`)
		want, err := json.Marshal(preview)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := preview.AppendJSON(nil); err != nil || string(got) != string(want) {
			t.Fatalf("%s (%v), want %s", got, err, want)
		}
	})
}

func FuzzFlights(f *testing.F) {
	fuzz(f, "flights", `{"from":"LHR","to":"JFK","passengers":1}`, `{"from":"QQQ","to":"LHR","passengers":1,"distanceKm":5.5,"class":"first"}`,
		`{"from":"LON","to":"SYD","via":["DXB"],"passengers":3,"trips":2,"roundTrip":true,"population":9,"respondents":3,"sampleCV":0.4}`)
}

func FuzzAccommodation(f *testing.F) {
	fuzz(f, "accommodation", `{"nights":1,"rooms":2}`, `{"nights":3,"guests":2,"country":"SE","kind":"hostel"}`,
		`{"nights":1,"rooms":1,"kind":"camping","kgCO2ePerRoomNight":0.5,"evidence":[{"name":"x"}]}`)
}

func FuzzVenue(f *testing.F) {
	fuzz(f, "venue", `{"electricityKWh":10.5,"renewablePercent":33.3,"evidence":[{"name":"x"}],"country":"DE"}`,
		`{"annualElectricityKWh":1e6,"annualGasKWh":5,"spaceSharePercent":5,"days":3}`, `{"floorAreaM2":100,"days":1,"venueType":"pool","control":"own"}`)
}

func FuzzWaste(f *testing.F) {
	fuzz(f, "waste", `{"treatment":"landfill","weightKg":1}`, `{"treatment":"recycling","material":"glass","volumeLitres":5,"densityKgPerM3":0.1}`)
}

func FuzzGroundTransport(f *testing.F) {
	fuzz(f, "ground-transport", `{"mode":"car","distanceKm":12.5,"passengers":7,"occupancy":1.5,"size":"small","fuel":"diesel","roundTrip":true}`,
		`{"mode":"taxi","distanceKm":3,"vehicles":2,"size":"black_cab"}`, `{"mode":"van","distanceKm":3,"vehicles":2,"fuel":"battery_electric","control":"own"}`,
		`{"mode":"ferry","distanceKm":40,"passengers":2,"size":"foot"}`, `{"mode":"walk","distanceKm":0.2,"passengers":2}`)
}

func FuzzFreight(f *testing.F) {
	fuzz(f, "freight", `{"mode":"road","weightKg":12.5,"distanceKm":300,"refrigerated":true,"vehicle":"hgv_artic"}`, `{"mode":"air","weightKg":5,"distanceKm":5500,"from":"LHR","to":"JFK"}`,
		`{"mode":"air","weightKg":5,"distanceKm":3700,"haul":"domestic"}`, `{"mode":"sea","weightKg":1e6,"distanceKm":20000,"vehicle":"bulk_carrier","roundTrip":true}`)
}

func FuzzCatering(f *testing.F) {
	fuzz(f, "catering", `{"meals":120,"diet":"mixed","drinks":{"beer":1.5,"tea":0},"wastedPercent":12}`, `{"meals":0,"diet":"vegan","mealType":"lunch"}`)
}

func FuzzMaterials(f *testing.F) {
	fuzz(f, "materials", `{"material":"paper","weightKg":12.5,"source":"recycled","endOfLife":"recycling"}`, `{"material":"carpet","areaM2":120}`, `{"material":"pvc","areaM2":3,"gramsPerM2":510}`,
		`{"material":"tshirt_cotton","items":300}`, `{"material":"steel","weightKg":1,"source":"hired","usesOverLife":7}`)
}

func FuzzEnergy(f *testing.F) {
	fuzz(f, "energy", `{"source":"hvo","volumeLitres":120,"control":"own"}`, `{"source":"grid","energyKWh":1e3,"country":"US","subdivision":"CA"}`, `{"source":"natural_gas","volumeM3":3.5,"energyKWh":2}`)
}

func FuzzWater(f *testing.F) {
	fuzz(f, "water", `{"supplyM3":12.5}`, `{"supplyM3":0,"treated":false,"site":"hall 3"}`)
}

func FuzzDigital(f *testing.F) {
	fuzz(f, "digital", `{"activity":"streaming","participants":1200,"hours":6.5,"videoQuality":"hd"}`, `{"activity":"conference","participants":2,"hours":1}`)
}

func FuzzPurchases(f *testing.F) {
	fuzz(f, "purchases", `{"category":"security","amount":1200.5,"currency":"eur","kgCO2ePerUnit":0.25,"factorSource":"supplier","evidence":[{"name":"a"}]}`)
}

func FuzzCustom(f *testing.F) {
	fuzz(f, "custom", `{"kgCO2e":12.5,"description":"fireworks","evidence":[{"url":"https://example.org"}],"scope":1}`)
}
