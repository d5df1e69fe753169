package footprint_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// describe writes an error with its details.
func describe(err error) string {
	if e, ok := errors.AsType[*apperr.Error](err); ok {
		return fmt.Sprintf("%v %+v", e, e.Details)
	}
	return fmt.Sprint(err)
}

// faults decodes a body that must be refused and lists "field CODE".
func faults(t testing.TB, typ, body string, ev footprint.EventContext) []string {
	t.Helper()
	_, err := footprint.Decode(typ, []byte(body), ev)
	var e *apperr.Error
	if !errors.As(err, &e) || e.Code != apperr.ValidationError {
		t.Errorf("Decode(%s, %s): %v, want a VALIDATION_ERROR", typ, body, err)
		return nil
	}
	var out []string
	for _, d := range e.Details {
		out = append(out, d.Field+" "+d.Code)
	}
	return out
}

func suggestions(t testing.TB, typ, body, field string) []string {
	t.Helper()
	_, err := footprint.Decode(typ, []byte(body), london)
	var e *apperr.Error
	if !errors.As(err, &e) {
		t.Fatalf("%s: %v", body, err)
	}
	for _, d := range e.Details {
		if d.Field == field {
			return d.Suggestions
		}
	}
	return nil
}

func TestFaults(t *testing.T) {
	t.Parallel()
	nowhere := london
	nowhere.Country = ""
	for _, c := range []struct {
		typ, body string
		ev        footprint.EventContext
		want      []string
	}{
		{"flights", ``, london, []string{"from REQUIRED", "to REQUIRED", "passengers REQUIRED"}},
		{"flights", `{"from":"LHR","to":"LON","passengers":1}`, london, []string{"to NOT_ALLOWED"}},
		{"flights", `{"from":"LHR","to":"EGLL","passengers":1,"distanceKm":10}`, london, []string{"to NOT_ALLOWED"}},
		{"flights", `{"from":"XQX","to":"XQX","passengers":1,"distanceKm":10}`, london, []string{"to NOT_ALLOWED"}},
		{"flights", `{"from":"LHR","to":"QQQ","passengers":1}`, london, []string{"to UNKNOWN_CODE"}},
		{"flights", `{"from":"LHR","to":"Nowhereville","passengers":1,"distanceKm":5500}`, london, []string{"to UNKNOWN_PLACE"}},
		{"freight", `{"mode":"sea","weightKg":10,"distanceKm":900,"via":["Leeds, GB"]}`, london, []string{"via NOT_ALLOWED"}},
		{"freight", `{"mode":"air","weightKg":10,"from":"LHR","to":"JFK","via":[]}`, london, []string{"via NOT_ALLOWED"}},
		{"flights", `{"from":"LHR","to":"JFK","via":["KEF"],"passengers":1,"distanceKm":5500}`, london, []string{"distanceKm NOT_ALLOWED"}},
		{"flights", `{"from":"LHR","to":"JFK","via":["LON","QQQ"],"passengers":1}`, london, []string{"via[1] UNKNOWN_CODE", "via[0] NOT_ALLOWED"}},
		{"flights", `{"from":"LHR","to":"JFK","via":[7,"QQQ"],"passengers":1}`, london, []string{"via[0] WRONG_TYPE", "via[1] UNKNOWN_CODE"}},
		{"ground-transport", `{"mode":"rail","passengers":1,"from":"Leeds, GB","to":"York, GB","via":[7,"Nowhereville"]}`, london, []string{"via[0] WRONG_TYPE", "via[1] UNKNOWN_PLACE"}},
		{"flights", `{"from":"LHR","to":"LON","via":["CDG"],"passengers":1}`, london, []string{"to NOT_ALLOWED"}},
		{"flights", `{"from":"LHR","to":"JFK","passengers":0,"class":"cattle","trips":1001,"roundTrip":1,"distanceKm":30000}`, london,
			[]string{"distanceKm OUT_OF_RANGE", "passengers OUT_OF_RANGE", "class NOT_ALLOWED", "roundTrip WRONG_TYPE", "trips OUT_OF_RANGE"}},
		{"flights", `{"from":"LHR","to":"JFK","passengers":2.5,"roundTrip":true,"direction":"outbound"}`, london,
			[]string{"passengers WRONG_TYPE", "direction NOT_ALLOWED"}},
		{"flights", `{"from":1,"to":"JFK","to":"CDG","passengers":"2"}`, london,
			[]string{"to DUPLICATE_KEY", "from WRONG_TYPE", "passengers WRONG_TYPE"}},
		{"accommodation", `{}`, nowhere, []string{"nights REQUIRED", "rooms REQUIRED", "country REQUIRED"}},
		{"accommodation", `{"nights":400,"rooms":1,"country":"UK"}`, london, []string{"country UNKNOWN_CODE", "nights OUT_OF_RANGE"}},
		{"accommodation", `{"nights":1,"rooms":1,"kind":"private"}`, london, []string{"kind FACTOR_UNAVAILABLE"}},
		{"accommodation", `{"nights":1,"rooms":1,"kgCO2ePerRoomNight":5}`, london, []string{"evidence REQUIRED"}},
		{"accommodation", `{"nights":1,"rooms":1,"kgCO2ePerRoomNight":5,"evidence":[]}`, london, []string{"evidence REQUIRED"}},
		{"venue", `{}`, nowhere, []string{"electricityKWh REQUIRED", "country REQUIRED"}},
		{"venue", `{"annualGasKWh":5}`, london, []string{"spaceSharePercent REQUIRED", "days REQUIRED"}},
		{"venue", `{"floorAreaM2":5,"venueType":"barn"}`, london, []string{"venueType NOT_ALLOWED", "days REQUIRED"}},
		{"venue", `{"electricityKWh":-1,"renewablePercent":101,"control":"mine"}`, london,
			[]string{"control NOT_ALLOWED", "electricityKWh OUT_OF_RANGE", "renewablePercent OUT_OF_RANGE"}},
		{"venue", `{"electricityKWh":1,"country":"US","subdivision":"US-ZZ"}`, london, []string{"subdivision UNKNOWN_CODE"}},
		{"venue", `{"electricityKWh":1,"country":"US","subdivision":"CA-ON"}`, london, []string{"subdivision NOT_ALLOWED"}},
		{"waste", `{}`, london, []string{"treatment REQUIRED", "weightKg REQUIRED"}},
		{"waste", `{"treatment":"reuse","weightKg":-1}`, london, []string{"weightKg OUT_OF_RANGE", "treatment FACTOR_UNAVAILABLE"}},
		{"waste", `{"treatment":"landfill","material":"electrical","volumeLitres":5}`, london, []string{"densityKgPerM3 REQUIRED"}},
		{"waste", `{"treatment":"landfill","container":"wheelie_240"}`, london, []string{"containers REQUIRED"}},
		{"waste", `{"treatment":"landfill","weightKg":5,"respondents":5}`, london, []string{"population REQUIRED"}},
		{"waste", `{"treatment":"landfill","weightKg":5,"respondents":50,"population":20}`, london, []string{"respondents OUT_OF_RANGE"}},
		{"waste", `{"treatment":"landfill","weightKg":5,"sampleCV":0.5}`, london, []string{"respondents REQUIRED", "population REQUIRED"}},
		{"waste", `{"treatment":"landfill","weightKg":5,"group":"crowd","date":"2026-13-01","dataQuality":"good","evidence":[{"url":"http://x"},{}],"metadata":{"a":1}}`, london,
			[]string{"date BAD_FORMAT", "group NOT_ALLOWED", "dataQuality NOT_ALLOWED", "metadata.a WRONG_TYPE", "evidence[0].url BAD_FORMAT", "evidence[1].name REQUIRED"}},
	} {
		if got := faults(t, c.typ, c.body, c.ev); !slices.Equal(got, c.want) {
			t.Errorf("%s %s\ngot  %v\nwant %v", c.typ, c.body, got, c.want)
		}
	}
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, field, want string }{
		{"flights", `{"from":"LHT","to":"JFK","passengers":1}`, "from", "LHR"},
		{"flights", `{"from":"Brigthon","to":"JFK","passengers":1}`, "from", "Brighton, England, GB"},
		{"flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"busines"}`, "class", "business"},
		{"accommodation", `{"nights":1,"rooms":1,"kind":"hotell"}`, "kind", "hotel"},
		{"waste", `{"treatment":"landfil","weightKg":1}`, "treatment", "landfill"},
		{"waste", `{"treatment":"composting","weightKg":1,"material":"glass"}`, "treatment", "recycling"},
		{"waste", `{"treatment":"landfill","weightKg":1,"material":"plastics"}`, "material", "plastic"},
		{"venue", `{"electricityKWh":1,"country":"US","subdivision":"CAL"}`, "subdivision", "US-CA"},
	} {
		if got := suggestions(t, c.typ, c.body, c.field); !slices.Contains(got, c.want) {
			t.Errorf("%s: %v, want %s among them", c.body, got, c.want)
		}
	}
}

// TestSubdivisionOfAnotherCountry: a list of allowed values follows "must be one of", and a country is none.
func TestSubdivisionOfAnotherCountry(t *testing.T) {
	t.Parallel()
	_, err := footprint.Decode("venue", []byte(`{"country":"GB","subdivision":"US-CA","electricityKWh":1}`), london)
	const want = `subdivision must be a state, province or territory of GB; got "US-CA".`
	if e, ok := errors.AsType[*apperr.Error](err); !ok || len(e.Details) != 1 || e.Details[0].Message != want {
		t.Errorf("%+v", err)
	}
}

// TestDateOfAPurchase: money is priced in the year of its date, in whatever form JSON has it, and a date with a fault
// is in no year.
func TestDateOfAPurchase(t *testing.T) {
	t.Parallel()
	const purchase = `{"category":"av_hire","amount":8400,"currency":"GBP","date":`
	plain, err := footprint.Decode("purchases", []byte(purchase+`"2017-05-05"}`), newest)
	if err != nil {
		t.Fatal(err)
	}
	escaped, err := footprint.Decode("purchases", []byte(purchase+`"\u0032017-05-05"}`), newest)
	if err != nil || !bytes.Equal(plain.Fields, escaped.Fields) {
		t.Errorf("%v\n%s\n%s", err, plain.Fields, escaped.Fields)
	}
	for date, want := range map[string][]string{
		`1000000000000.0`: {"date WRONG_TYPE"}, `"2014-13-01"`: {"date BAD_FORMAT"}, `"2014-12-01"`: {"date FACTOR_UNAVAILABLE"}, `[2014]`: {"date WRONG_TYPE"},
	} {
		if got := faults(t, "purchases", purchase+date+`}`, newest); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", date, got, want)
		}
	}
	if d, err := footprint.Decode("purchases", []byte(purchase+`null}`), newest); err != nil || bytes.Contains(d.Fields, []byte(`"date"`)) {
		t.Errorf("no date: %v %s", err, d.Fields)
	}
}
