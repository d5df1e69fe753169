package footprint_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

func TestCatering(t *testing.T) {
	t.Parallel()
	figures(t, "catering", map[string]string{
		`{"meals":100,"diet":"vegan"}`:      "54.000000",
		`{"meals":100,"diet":"vegetarian"}`: "85.000000",
		`{"meals":100,"diet":"fish"}`:       "243.000000",
		`{"meals":100,"diet":"white_meat"}`: "146.000000",
		`{"meals":100,"diet":"red_meat"}`:   "497.000000",
		`{"meals":100,"diet":"mixed"}`:      "205.000000",
		// 340 + 60 × 0.635463 + 200 × 0.000132
		`{"meals":400,"diet":"vegetarian","mealType":"lunch","drinks":{"coffee":60,"tap_water":200}}`: "378.154180",
		`{"meals":0,"diet":"vegan","drinks":{"beer":100}}`:                                            "134.703000",
		`{"drinks":{},"servings":{"tea":0}}`:                                                          "0.000000",
		`{"meals":0,"diet":"vegan","servings":{}}`:                                                    "0.000000",
		// Wasted food was produced as well.
		`{"meals":100,"diet":"vegan","wastedPercent":50}`: "54.000000",
	})
	if got := scopesOf(t, "catering", `{"meals":1,"diet":"vegan","drinks":{"tea":1}}`); !slices.Equal(got, []string{"3 1 Purchased goods and services", "3 1 Purchased goods and services"}) {
		t.Errorf("scopes %v", got)
	}
	// The factors are French.
	for country, want := range map[string]int{"FR": 1, "DE": 2, "US": 3} {
		e := evaluate(t, "catering", `{"meals":1,"diet":"vegan","country":"`+country+`"}`, london)
		if e.Lines[0].Scores[3] != want || has(e.Notices, footprint.NoticeFactorRegion) == (country == "FR") || has(e.Notices, footprint.NoticeProxy) {
			t.Errorf("%s: %v %v", country, e.Lines[0].Scores, e.Notices)
		}
	}
}

func TestCateringFaults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{}`:                                 {"meals REQUIRED"},
		`{"servings":{}}`:                    {"servings REQUIRED"},
		`{"servings":{"tea":null}}`:          {"servings REQUIRED"},
		`{"drinks":{}}`:                      {"drinks REQUIRED"},
		`{"meals":1}`:                        {"diet REQUIRED"},
		`{"servings":{"coffe":1,"tea":0.5}}`: {"servings.tea WRONG_TYPE", "servings.coffe FACTOR_UNAVAILABLE"},
		`{"meals":2.5,"diet":"keto","drinks":[],"wastedPercent":101}`:           {"meals WRONG_TYPE", "diet NOT_ALLOWED", "drinks WRONG_TYPE", "wastedPercent OUT_OF_RANGE"},
		`{"meals":1,"diet":"vegan","drinks":{"coffe":1,"mead":2,"tea":"much"}}`: {"drinks.tea WRONG_TYPE", "drinks.coffe FACTOR_UNAVAILABLE", "drinks.mead FACTOR_UNAVAILABLE"},
	} {
		if got := faults(t, "catering", body, london); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
	if got := suggestions(t, "catering", `{"meals":1,"diet":"vegan","drinks":{"coffe":1}}`, "drinks.coffe"); !slices.Equal(got, []string{"coffee"}) {
		t.Errorf("suggested %v", got)
	}
}
