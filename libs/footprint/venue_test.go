package footprint_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

func words(s string) []string { return strings.Fields(s) }

func containsWord(list, word string) bool {
	return slices.Contains(words(list), word)
}

func result(e footprint.Evaluation) total.Breakdown { return total.Of(&e).Breakdown(london) }

func TestControlDecidesTheScope(t *testing.T) {
	t.Parallel()
	const energy = `"electricityKWh":1000,"gasKWh":1000,"heatKWh":1000`
	b := result(evaluate(t, "venue", `{`+energy+`,"control":"own"}`, london))
	// Gas burnt; electricity and heat bought; everything upstream.
	if b.ByScope.Scope1.Kilograms() != "182.310000" || b.ByScope.Scope2.Kilograms() != "306.250000" || b.ByScope.Scope3.Kilograms() != "128.230000" {
		t.Errorf("own: %+v", b.ByScope)
	}
	if len(b.ByScope3Category) != 1 || b.ByScope3Category[0].Category != "3 Fuel- and energy-related activities" {
		t.Errorf("own: %+v", b.ByScope3Category)
	}
	for control, category := range map[string]string{"hired": "8 Upstream leased assets", "hired_with_operator": "1 Purchased goods and services"} {
		b := result(evaluate(t, "venue", `{`+energy+`,"control":"`+control+`"}`, london))
		if !b.ByScope.Scope1.IsZero() || !b.ByScope.Scope2.IsZero() || b.ByScope.Scope3.Kilograms() != "616.790000" || b.ByScope3Category[0].Category != category {
			t.Errorf("%s: %+v %+v", control, b.ByScope, b.ByScope3Category)
		}
	}
	if e := evaluate(t, "venue", `{"electricityKWh":10,"country":"CH","control":"own"}`, london); !has(e.Notices, footprint.NoticeScope2Upstream) || e.Lines[0].Scope != 2 || len(e.Lines) != 1 {
		t.Errorf("a life-cycle grid factor: %+v, %v", e.Lines, e.Notices)
	}
	if e := evaluate(t, "venue", `{"electricityKWh":10,"country":"CH"}`, london); has(e.Notices, footprint.NoticeScope2Upstream) {
		t.Error("a hired venue has no scope 2")
	}
}

func TestRenewableSupplyNeverLowersTheTotal(t *testing.T) {
	t.Parallel()
	const proof = `,"evidence":[{"name":"REGO certificate"}]`
	plain := contributed(t, "venue", `{"electricityKWh":1000}`, london).Total()
	for body, want := range map[string]string{
		`{"electricityKWh":1000}`:                                     `{"kgCO2e":130.960000,"coveredKWh":0.000000,"residualMixKWh":0.000000,"gridAverageKWh":1000.000000}`,
		`{"electricityKWh":1000,"renewablePercent":60` + proof + `}`:  `{"kgCO2e":52.384000,"coveredKWh":600.000000,"residualMixKWh":0.000000,"gridAverageKWh":400.000000}`,
		`{"electricityKWh":1000,"renewablePercent":100` + proof + `}`: `{"kgCO2e":0.000000,"coveredKWh":1000.000000,"residualMixKWh":0.000000,"gridAverageKWh":0.000000}`,
		`{"electricityKWh":1000,"renewablePercent":60}`:               `{"kgCO2e":130.960000,"coveredKWh":0.000000,"residualMixKWh":0.000000,"gridAverageKWh":1000.000000}`,
	} {
		e := evaluate(t, "venue", body, london)
		if total.Of(&e).Total() != plain {
			t.Errorf("%s moved the total to %s", body, total.Of(&e).Total().Kilograms())
		}
		got, _ := json.Marshal(result(e).MarketBased)
		if string(got) != want {
			t.Errorf("%s\ngot  %s\nwant %s", body, got, want)
		}
		if has(e.Notices, footprint.NoticeRenewableEvidence) != (strings.Contains(body, "renewable") && !strings.Contains(body, "evidence")) {
			t.Errorf("%s: %v", body, e.Notices)
		}
	}
	// Germany has a residual mix: 400 × 0.72456.
	got, _ := json.Marshal(result(evaluate(t, "venue", `{"electricityKWh":1000,"renewablePercent":60,"country":"DE"`+proof+`}`, london)).MarketBased)
	if want := `{"kgCO2e":289.824000,"coveredKWh":600.000000,"residualMixKWh":400.000000,"gridAverageKWh":0.000000}`; string(got) != want {
		t.Errorf("got %s", got)
	}
	if b := result(evaluate(t, "venue", `{"gasKWh":1000}`, london)); b.MarketBased != nil {
		t.Error("gas has no market-based figure")
	}
	rapid.Check(t, func(t *rapid.T) {
		percent := rapid.StringMatching(`[0-9]{1,2}(\.[0-9]{1,12})?`).Filter(func(s string) bool { return s[0] != '0' || len(s) == 1 || s[1] == '.' }).Draw(t, "percent")
		country := rapid.SampledFrom([]string{"GB", "DE", "CH", "AU", "US"}).Draw(t, "country")
		kwh := rapid.IntRange(0, 1_000_000).Draw(t, "kWh")
		body := func(more string) []byte {
			b, _ := json.Marshal(map[string]any{"electricityKWh": kwh, "country": country})
			return []byte(strings.TrimSuffix(string(b), "}") + more + proof + "}")
		}
		with, err1 := footprint.Decode("venue", body(`,"renewablePercent":`+percent), london)
		without, err2 := footprint.Decode("venue", body(""), london)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		a, _ := footprint.Evaluate("venue", with.Fields, london)
		b, _ := footprint.Evaluate("venue", without.Fields, london)
		if total.Of(&a).Total() != total.Of(&b).Total() {
			t.Fatalf("%s%% renewable moved the total", percent)
		}
		m := total.Of(&a).Breakdown(london).MarketBased
		if m != nil && m.CoveredKWh.Add(m.ResidualMixKWh).Add(m.GridAverageKWh).Kilograms() != footprint.MassOf(int64(kwh)*1e9).Kilograms() {
			t.Fatalf("%+v is not %d kWh", m, kwh)
		}
	})
}

func TestEstimatesGiveWayToWhatIsKnown(t *testing.T) {
	t.Parallel()
	want := kg(t, "venue", `{"electricityKWh":1000}`, london)
	for _, body := range []string{
		`{"electricityKWh":1000,"annualElectricityKWh":9000000,"spaceSharePercent":50,"days":2}`,
		`{"electricityKWh":1000,"floorAreaM2":5000,"days":2}`,
	} {
		e := evaluate(t, "venue", body, london)
		if got := total.Of(&e).Total().Kilograms(); got != want || !has(e.Notices, footprint.NoticeInputNotUsed) {
			t.Errorf("%s is %s kg, %v", body, got, e.Notices)
		}
	}
}

func TestEveryVenueType(t *testing.T) {
	t.Parallel()
	for kind, lines := range map[string]int{"convention_centre": 4, "entertainment": 4, "recreation": 4, "cultural": 6, "office": 6,
		"dry_sports": 6, "public_light": 6, "school": 6, "pool": 6} {
		e := evaluate(t, "venue", `{"floorAreaM2":1000,"days":1,"dataQuality":"measured","venueType":"`+kind+`"}`, london)
		if len(e.Lines) != lines || !has(e.Notices, footprint.NoticeFloorArea) || has(e.Notices, footprint.NoticeAllFuels) != (lines == 4) {
			t.Errorf("%s: %d lines, %v", kind, len(e.Lines), e.Notices)
		}
		for _, l := range e.Lines {
			if l.Quality != footprint.Estimated {
				t.Errorf("%s: an estimate counts as %s", kind, l.Quality)
			}
		}
	}
	if e := evaluate(t, "venue", `{"floorAreaM2":1000,"days":1}`, london); len(e.Defaulted) != 1 || e.Defaulted[0] != "venueType" {
		t.Errorf("defaulted %v", e.Defaulted)
	}
}
