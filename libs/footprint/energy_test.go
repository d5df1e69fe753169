package footprint_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

func TestEnergy(t *testing.T) {
	t.Parallel()
	figures(t, "energy", map[string]string{
		`{"source":"diesel","volumeLitres":340}`:                               "1086.147000", // × (2.58354 + 0.61101)
		`{"source":"diesel","energyKWh":100}`:                                  "30.227000",   // × (0.24411 + 0.05816)
		`{"source":"petrol","volumeLitres":10}`:                                "26.559400",
		`{"source":"hvo","volumeLitres":1200}`:                                 "719.964000", // × (0.03558 + 0.56439 of 2025)
		`{"source":"biodiesel","volumeLitres":100}`:                            "56.259000",
		`{"source":"lpg","volumeLitres":100}`:                                  "174.264000",
		`{"source":"lpg","energyKWh":100}`:                                     "23.998000",
		`{"source":"natural_gas","energyKWh":100}`:                             "21.252000",
		`{"source":"natural_gas","volumeM3":100}`:                              "240.332000",
		`{"source":"grid","energyKWh":1000}`:                                   "184.360000",
		`{"source":"grid","energyKWh":1000,"country":"DE"}`:                    "329.000000",
		`{"source":"grid","energyKWh":1000,"country":"US","subdivision":"CA"}`: "179.100000",
	})
}

// TestEnergyOfHeaters: burning oil, and biomass, of which the figure includes only gases other than CO2 and the
// upstream part.
func TestEnergyOfHeaters(t *testing.T) {
	t.Parallel()
	figures(t, "energy", map[string]string{
		`{"source":"kerosene","volumeLitres":100}`:   "307.094000", // × (2.54016 + 0.53078 of 2025)
		`{"source":"kerosene","energyKWh":100}`:      "29.830000",  // × (0.24677 + 0.05153)
		`{"source":"wood_logs","weightKg":250}`:      "24.781270",  // 0.25 × (46.98508 + 52.14)
		`{"source":"wood_pellets","weightKg":500}`:   "116.096945", // 0.5 × (55.19389 + 177)
		`{"source":"biopropane","weightKg":47}`:      "14.616530",  // × (0.00415 + 0.30684)
		`{"source":"biopropane","volumeLitres":100}`: "15.965000",  // × (0.00213 + 0.15752)

		`{"source":"fuel_oil","volumeLitres":100}`:           "387.031000", // × (3.17492 + 0.69539 of 2025)
		`{"source":"fuel_oil","energyKWh":100}`:              "32.726000",  // × (0.26813 + 0.05913)
		`{"source":"cng","weightKg":100}`:                    "310.624328", // 0.1 × (2575.46441 + 530.77887)
		`{"source":"cng","energyKWh":100}`:                   "22.085000",  // × (0.18296 + 0.03789)
		`{"source":"lng","volumeLitres":100}`:                "159.074000", // × (1.17797 + 0.41277)
		`{"source":"biogas","weightKg":100}`:                 "10.410028",  // 0.1 × (1.24314 + 102.85714)
		`{"source":"bioethanol","volumeLitres":10}`:          "6.241700",   // × (0.00901 + 0.61516)
		`{"source":"biodiesel_used_oil","volumeLitres":100}`: "52.091000",  // × (0.16751 + 0.3534)
		`{"source":"biodiesel_tallow","volumeLitres":100}`:   "69.983000",  // × (0.16751 + 0.53232)
		`{"source":"biodiesel","weightKg":100}`:              "63.213000",  // × (0.18822 + 0.44391)
		`{"source":"hvo","weightKg":100}`:                    "76.920000",  // × (0.04562 + 0.72358)
		`{"source":"wood_chips","weightKg":100}`:             "4.505983",   // × 0.04505983; no upstream part is published
	})
	if e := evaluate(t, "energy", `{"source":"wood_chips","weightKg":100}`, london); !has(e.Notices, footprint.NoticeUpstream) {
		t.Errorf("wood chips without their upstream part: %v", e.Notices)
	}
	for _, body := range []string{`{"source":"wood_logs","energyKWh":100}`, `{"source":"biopropane","energyKWh":100}`} {
		if got := faults(t, "energy", body, london); !slices.Equal(got, []string{"energyKWh FACTOR_UNAVAILABLE"}) {
			t.Errorf("%s: %v", body, got)
		}
	}
}

// TestBiogenicCO2IsOutsideScopes reports it separately from the total, including an extrapolated survey.
func TestBiogenicCO2IsOutsideScopes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"source":"hvo","volumeLitres":1200}`:                                "2916.000000",
		`{"source":"biodiesel","volumeLitres":100,"control":"own"}`:           "239.000000",
		`{"source":"hvo","volumeLitres":100,"respondents":5,"population":10}`: "486.000000",
		`{"source":"diesel","volumeLitres":100}`:                              "0.000000",
		`{"source":"wood_logs","weightKg":250}`:                               "359.057500",
		`{"source":"wood_pellets","weightKg":500}`:                            "838.590000",
		`{"source":"biopropane","weightKg":47,"control":"own"}`:               "140.530000",
		`{"source":"biopropane","volumeLitres":100}`:                          "154.000000",
		`{"source":"wood_chips","weightKg":100}`:                              "133.571000",
		`{"source":"biogas","weightKg":100}`:                                  "110.566950",
		`{"source":"bioethanol","volumeLitres":10}`:                           "15.200000",
		`{"source":"biodiesel_used_oil","volumeLitres":100}`:                  "239.000000",
		`{"source":"hvo","weightKg":100}`:                                     "312.000000",
	} {
		for _, set := range []string{"desnz-2026", "desnz-2025", "desnz-2024"} {
			ev := london
			ev.FactorSet = set
			b := contributed(t, "energy", body, ev).Breakdown(ev)
			if got := b.OutsideScopes.BiogenicCO2Kg.Kilograms(); got != want {
				t.Errorf("%s in %s has %s kg outside of scopes, want %s", body, set, got, want)
			}
			if b.ByGas.CO2.Cmp(b.Total.KgCO2e) > 0 {
				t.Errorf("%s: gases %+v", body, b.ByGas)
			}
		}
	}
}

func TestEnergyScopes(t *testing.T) {
	t.Parallel()
	const cat3, cat8, cat1 = "3 3 Fuel- and energy-related activities", "3 8 Upstream leased assets", "3 1 Purchased goods and services"
	for body, want := range map[string][]string{
		`{"source":"diesel","volumeLitres":1,"control":"own"}`:                 {"1 ", cat3},
		`{"source":"diesel","volumeLitres":1,"control":"hired"}`:               {cat8, cat8},
		`{"source":"diesel","volumeLitres":1}`:                                 {cat8, cat8},
		`{"source":"diesel","volumeLitres":1,"control":"hired_with_operator"}`: {cat1, cat1},
		`{"source":"grid","energyKWh":1,"control":"own"}`:                      {"2 ", cat3, cat3, cat3},
		`{"source":"grid","energyKWh":1,"control":"own","country":"KE"}`:       {"2 "},
	} {
		if got := scopesOf(t, "energy", body); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
	if e := evaluate(t, "energy", `{"source":"grid","energyKWh":1,"control":"own","country":"KE"}`, london); !has(e.Notices, footprint.NoticeScope2Upstream) {
		t.Errorf("%v", e.Notices)
	}
	if e := evaluate(t, "energy", `{"source":"diesel","volumeLitres":1,"energyKWh":10,"country":"FR","subdivision":"IDF"}`, london); !has(e.Notices, footprint.NoticeInputNotUsed) || !has(e.Notices, footprint.NoticeProxy) {
		t.Errorf("%v", e.Notices)
	}
}

func TestEnergyFaults(t *testing.T) {
	t.Parallel()
	nowhere := london
	nowhere.Country = ""
	for _, c := range []struct {
		body string
		ev   footprint.EventContext
		want []string
	}{
		{`{}`, nowhere, []string{"source REQUIRED", "energyKWh REQUIRED"}},
		{`{"source":"grid","energyKWh":1}`, nowhere, []string{"country REQUIRED"}},
		{`{"source":"grid","volumeLitres":1}`, london, []string{"volumeLitres FACTOR_UNAVAILABLE"}},
		// Published per GJ of net calorific value, unlike energyKWh.
		{`{"source":"hvo","energyKWh":1}`, london, []string{"energyKWh FACTOR_UNAVAILABLE"}},
		{`{"source":"natural_gas","volumeLitres":1}`, london, []string{"volumeLitres FACTOR_UNAVAILABLE"}},
		{`{"source":"coal","volumeLitres":-1}`, london, []string{"source NOT_ALLOWED", "volumeLitres OUT_OF_RANGE"}},
	} {
		if got := faults(t, "energy", c.body, c.ev); !slices.Equal(got, c.want) {
			t.Errorf("%s\ngot  %v\nwant %v", c.body, got, c.want)
		}
	}
	if kg(t, "energy", `{"source":"diesel","volumeLitres":1}`, nowhere) == "0.000000" {
		t.Error("a fuel needs no country")
	}
	if got := suggestions(t, "energy", `{"source":"natural_gas","volumeLitres":1}`, "volumeLitres"); !slices.Equal(got, []string{"energyKWh", "volumeM3"}) {
		t.Errorf("suggested %v", got)
	}
}
