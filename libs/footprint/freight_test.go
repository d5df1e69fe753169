package footprint_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

func TestFreight(t *testing.T) {
	t.Parallel()
	figures(t, "freight", map[string]string{
		// 18 t × 1280 km × (0.07926 + 0.01823)
		`{"mode":"road","vehicle":"hgv_artic","weightKg":18000,"distanceKm":640,"roundTrip":true}`: "2246.169600",
		// 100 t·km × (0.10356 + 0.02359), and refrigerated × (0.12122 + 0.02769)
		`{"mode":"road","weightKg":1000,"distanceKm":100}`:                                           "12.715000",
		`{"mode":"road","weightKg":1000,"distanceKm":100,"refrigerated":true}`:                       "14.891000",
		`{"mode":"road","weightKg":1000,"distanceKm":100,"refrigerated":true,"vehicle":"hgv_artic"}`: "11.280000",
		// 50 × (0.63511 + 0.15095)
		`{"mode":"road","vehicle":"van","weightKg":500,"distanceKm":100}`: "39.303000",
		`{"mode":"rail","weightKg":1000,"distanceKm":100}`:                "3.274000",
		// 468,000 × (0.01612 + 0.00365)
		`{"mode":"sea","weightKg":24000,"distanceKm":19500}`:                      "9252.360000",
		`{"mode":"sea","vehicle":"ropax_ferry","weightKg":1000,"distanceKm":100}`: "46.140000",
		// 3374 × (0.89939 + 0.13516): Hong Kong is long-haul
		`{"mode":"air","from":"HKG","to":"LHR","weightKg":350,"distanceKm":9640}`: "3490.571700",
		// 50 × (4.60397 + 0.57429)
		`{"mode":"air","haul":"domestic","weightKg":100,"distanceKm":500}`: "258.913000",
		// 369.9 × (1.27835 + 0.20515), and from 3,700 km on 370 × (0.89939 + 0.13516)
		`{"mode":"air","weightKg":100,"distanceKm":3699}`: "548.746650",
		`{"mode":"air","weightKg":100,"distanceKm":3700}`: "382.783500",
	})
}

// TestAirFreightRadiativeForcing uses the rows without it if the event requires so, and reports the addition to CO2;
// the well-to-tank part is unchanged.
func TestAirFreightRadiativeForcing(t *testing.T) {
	t.Parallel()
	const body = `{"mode":"air","haul":"domestic","weightKg":100,"distanceKm":500}`
	without := london
	without.RadiativeForcing = false
	if got := kg(t, "freight", body, without); got != "164.680000" { // 50 × (2.71931 + 0.57429)
		t.Errorf("without radiative forcing %s", got)
	}
	l := evaluate(t, "freight", body, london).Lines
	if l[0].Gases.AviationNonCO2.Kilograms() != "94.233000" || l[0].Gases.Unsplit.Kilograms() != "135.965500" || !l[1].Gases.AviationNonCO2.IsZero() {
		t.Errorf("gases %+v %+v", l[0].Gases, l[1].Gases)
	}
	older := london
	older.FactorSet = "desnz-2025" // its rows have a gas split
	l = evaluate(t, "freight", body, older).Lines
	if l[0].Gases.AviationNonCO2.Kilograms() != "94.233000" || l[0].Gases.CO2.Kilograms() != "134.618500" || l[0].Gases.CH4.Kilograms() != "0.196500" {
		t.Errorf("gases of 2025 %+v", l[0].Gases)
	}
}

func TestFreightNoticesAndScopes(t *testing.T) {
	t.Parallel()
	e := evaluate(t, "freight", `{"mode":"air","weightKg":1,"distanceKm":500,"country":"US"}`, london)
	if !has(e.Notices, footprint.NoticeHaulByDistance) || !has(e.Notices, footprint.NoticeProxy) || e.Lines[0].Scores[3] != 5 {
		t.Errorf("%v %v", e.Notices, e.Lines[0].Scores)
	}
	e = evaluate(t, "freight", `{"mode":"air","from":"CDG","to":"JFK","haul":"domestic","weightKg":1,"distanceKm":9000}`, london)
	if e.Lines[0].FactorID != "desnz-2026-freight-air-international-rf" || !has(e.Notices, footprint.NoticeInputNotUsed) || !has(e.Notices, footprint.NoticeDistanceDiffers) {
		t.Errorf("%s %v", e.Lines[0].FactorID, e.Notices)
	}
	if e = evaluate(t, "freight", `{"mode":"sea","weightKg":1,"distanceKm":1}`, london); !slices.Equal(e.Defaulted, []string{"vehicle"}) {
		t.Errorf("defaulted %v", e.Defaulted)
	}
	for body, want := range map[string][]string{
		`{"mode":"rail","weightKg":1,"distanceKm":1}`:                      {"3 4 Upstream transportation and distribution", "3 4 Upstream transportation and distribution"},
		`{"mode":"rail","weightKg":1,"distanceKm":1,"group":"exhibitors"}`: {"3 optional", "3 optional"},
	} {
		if got := scopesOf(t, "freight", body); !slices.Equal(got, want) {
			t.Errorf("%s: %v", body, got)
		}
	}
}

func TestFreightFaults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{}`: {"mode REQUIRED", "weightKg REQUIRED", "distanceKm REQUIRED"},
		`{"mode":"road","weightKg":1,"distanceKm":1,"from":"LHR","haul":"domestic"}`:            {"to REQUIRED", "haul NOT_ALLOWED"},
		`{"mode":"air","weightKg":1,"distanceKm":1,"from":"LHR","to":"LON"}`:                    {"to NOT_ALLOWED"},
		`{"mode":"air","weightKg":1,"distanceKm":1,"vehicle":"hgv"}`:                            {"vehicle FACTOR_UNAVAILABLE"},
		`{"mode":"sea","weightKg":1,"distanceKm":1,"vehicle":"hgv"}`:                            {"vehicle FACTOR_UNAVAILABLE"},
		`{"mode":"sea","weightKg":1,"distanceKm":1,"refrigerated":true}`:                        {"refrigerated FACTOR_UNAVAILABLE"},
		`{"mode":"road","weightKg":1,"distanceKm":1,"vehicle":"van","refrigerated":true}`:       {"refrigerated FACTOR_UNAVAILABLE"},
		`{"mode":"road","weightKg":1,"distanceKm":1,"vehicle":"hgv_rigid","refrigerated":true}`: {"refrigerated FACTOR_UNAVAILABLE"},
		`{"mode":"pigeon","weightKg":-1,"distanceKm":50000}`:                                    {"mode NOT_ALLOWED", "weightKg OUT_OF_RANGE", "distanceKm OUT_OF_RANGE"},
	} {
		if got := faults(t, "freight", body, london); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
	if got := suggestions(t, "freight", `{"mode":"road","weightKg":1,"distanceKm":1,"vehicle":"van","refrigerated":true}`, "refrigerated"); !slices.Equal(got, []string{"hgv", "hgv_artic"}) {
		t.Errorf("suggested %v", got)
	}
}
