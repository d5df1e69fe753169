package footprint_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// figures verifies the kilograms of bodies of a type.
func figures(t *testing.T, typ string, want map[string]string) {
	t.Helper()
	for body, w := range want {
		if got := kg(t, typ, body, london); got != w {
			t.Errorf("%s %s is %s kg, want %s", typ, body, got, w)
		}
	}
}

// scopesOf lists the lines of a body as "scope category".
func scopesOf(t *testing.T, typ, body string) []string {
	t.Helper()
	var out []string
	for _, l := range evaluate(t, typ, body, london).Lines {
		out = append(out, fmt.Sprintf("%d %s", l.Scope, l.Category))
	}
	return out
}

// TestThemisiqRail is the golden example of 2 people on 100 km of national rail.
func TestThemisiqRail(t *testing.T) {
	t.Parallel()
	e := evaluate(t, "ground-transport", `{"mode":"rail","distanceKm":100,"passengers":2}`, london)
	if d, u := stage(e, footprint.Direct), stage(e, footprint.Upstream); d != "6.184000" || u != "1.794000" {
		t.Errorf("rail is %s + %s, want 6.184 + 1.794", d, u)
	}
	if e.Lines[0].FactorID != "desnz-2026-rail-national" || len(e.Defaulted) != 0 || len(e.Notices) != 0 {
		t.Errorf("%s %v %v", e.Lines[0].FactorID, e.Defaulted, e.Notices)
	}
}

func TestGroundTransport(t *testing.T) {
	t.Parallel()
	figures(t, "ground-transport", map[string]string{
		// 30 people in cars of 2.5 are 12 cars; 12 × 85 × (0.17209 + 0.04103)
		`{"mode":"car","fuel":"diesel","size":"medium","distanceKm":42.5,"passengers":30,"occupancy":2.5,"roundTrip":true}`: "217.382400",
		// 3 cars, 30 × (0.16591 + 0.04399)
		`{"mode":"car","distanceKm":10,"passengers":3}`: "6.297000",
		// 7 people in cars of 2 are 4 cars, not 3.5
		`{"mode":"car","distanceKm":10,"passengers":7,"occupancy":2}`: "8.396000",
		`{"mode":"car","distanceKm":10,"passengers":7,"vehicles":4}`:  "8.396000",
		// 200 × (0.30604 + 0.07634) by vehicle, 200 × (0.20402 + 0.0509) by passenger
		`{"mode":"taxi","size":"black_cab","distanceKm":8,"vehicles":25}`:   "76.476000",
		`{"mode":"taxi","size":"black_cab","distanceKm":8,"passengers":25}`: "50.984000",
		// 300 × (0.08319 + 0.02148)
		`{"mode":"motorbike","size":"small","distanceKm":100,"vehicles":1,"trips":3}`: "31.401000",
		// The well-to-tank parts of vans and ferries are of 2025: 200 × (0.25716 + 0.06128)
		`{"mode":"van","fuel":"diesel","distanceKm":100,"vehicles":2}`:           "63.688000",
		`{"mode":"van","distanceKm":100,"vehicles":1}`:                           "31.742000",
		`{"mode":"van","fuel":"battery_electric","distanceKm":100,"vehicles":1}`: "6.019000",
		`{"mode":"bus","size":"local_london","distanceKm":5,"passengers":10}`:    "4.090500",
		`{"mode":"bus","distanceKm":5,"passengers":10}`:                          "6.400000",
		`{"mode":"coach","distanceKm":250,"passengers":40}`:                      "460.400000",
		`{"mode":"international_rail","distanceKm":492,"passengers":10}`:         "61.598400",
		`{"mode":"tram","distanceKm":10,"passengers":10}`:                        "2.870000",
		`{"mode":"metro","distanceKm":10,"passengers":10}`:                       "2.277000",
		// 2000 × (0.01871 + 0.00424), 2000 × (0.1127 + 0.02555)
		`{"mode":"ferry","size":"foot","distanceKm":40,"passengers":50}`: "45.900000",
		`{"mode":"ferry","distanceKm":40,"passengers":50}`:               "276.500000",
		`{"mode":"walk","distanceKm":4,"passengers":50}`:                 "0.000000",
		`{"mode":"bicycle","distanceKm":4,"passengers":50}`:              "0.000000",
	})
}

func TestGroundTransportNotices(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body      string
		notices   []string
		defaulted []string
	}{
		{`{"mode":"car","distanceKm":1,"passengers":1}`, nil, []string{"occupancy", "fuel", "size"}},
		{`{"mode":"van","distanceKm":1,"vehicles":1,"fuel":"diesel"}`, []string{footprint.NoticeFactorYear}, nil},
		{`{"mode":"van","distanceKm":1,"vehicles":1,"fuel":"battery_electric"}`, []string{footprint.NoticeFactorYear, footprint.NoticeUpstream}, nil},
		{`{"mode":"ferry","distanceKm":1,"passengers":1,"size":"average"}`, []string{footprint.NoticeFactorYear}, nil},
		{`{"mode":"rail","distanceKm":1,"passengers":1,"fuel":"diesel","size":"small","country":"FR"}`, []string{footprint.NoticeInputNotUsed, footprint.NoticeInputNotUsed, footprint.NoticeProxy}, nil},
		{`{"mode":"car","distanceKm":1,"passengers":3,"vehicles":1,"fuel":"petrol","size":"small"}`, []string{footprint.NoticeInputNotUsed}, nil},
		{`{"mode":"walk","distanceKm":1,"passengers":1,"country":"FR"}`, nil, nil},
		{`{"mode":"car","fuel":"battery_electric","size":"small","distanceKm":1,"vehicles":1,"control":"own"}`, []string{footprint.NoticeScope2Upstream}, nil},
		{`{"mode":"car","fuel":"plug_in_hybrid","size":"small","distanceKm":1,"vehicles":1,"control":"own"}`, []string{footprint.NoticeScopeNotSplit}, nil},
	} {
		e := evaluate(t, "ground-transport", c.body, london)
		var got []string
		for _, n := range e.Notices {
			got = append(got, n.Code)
		}
		if !slices.Equal(got, c.notices) || !slices.Equal(e.Defaulted, c.defaulted) {
			t.Errorf("%s: %v %v", c.body, got, e.Defaulted)
		}
	}
	// A part of another edition lowers the temporal score, the other does not.
	e := evaluate(t, "ground-transport", `{"mode":"ferry","distanceKm":1,"passengers":1,"size":"foot"}`, london)
	if e.Lines[0].Scores[2] != 1 || e.Lines[1].Scores[2] != 2 || e.Lines[1].FactorID != "desnz-2025-ferry-foot" {
		t.Errorf("%+v", e.Lines)
	}
}

func TestGroundTransportScopes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{"mode":"coach","distanceKm":1,"passengers":1,"control":"own"}`:                                      {"1 ", "3 3 Fuel- and energy-related activities"},
		`{"mode":"coach","distanceKm":1,"passengers":1,"control":"hired_with_operator","group":"attendees"}`:  {"3 1 Purchased goods and services", "3 1 Purchased goods and services"},
		`{"mode":"coach","distanceKm":1,"passengers":1,"group":"attendees"}`:                                  {"3 optional", "3 optional"},
		`{"mode":"coach","distanceKm":1,"passengers":1,"group":"staff","control":"hired"}`:                    {"3 6 Business travel", "3 6 Business travel"},
		`{"mode":"car","fuel":"battery_electric","size":"small","distanceKm":1,"vehicles":1,"control":"own"}`: {"2 ", "3 3 Fuel- and energy-related activities"},
		`{"mode":"car","fuel":"plug_in_hybrid","size":"average","distanceKm":1,"vehicles":1,"control":"own"}`: {"1 ", "3 3 Fuel- and energy-related activities"},
		`{"mode":"walk","distanceKm":1,"passengers":1,"group":"staff"}`:                                       {"3 6 Business travel"},
	} {
		if got := scopesOf(t, "ground-transport", body); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
}

func TestGroundTransportFaults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{}`: {"mode REQUIRED", "distanceKm REQUIRED", "passengers REQUIRED"},
		`{"mode":"rail","distanceKm":1,"vehicles":1}`:                                  {"passengers REQUIRED"},
		`{"mode":"rail","distanceKm":1,"passengers":1,"control":"own"}`:                {"control NOT_ALLOWED"},
		`{"mode":"car","distanceKm":1,"passengers":1,"size":"small","fuel":"cng"}`:     {"fuel FACTOR_UNAVAILABLE"},
		`{"mode":"car","distanceKm":1,"passengers":1,"size":"black_cab"}`:              {"size FACTOR_UNAVAILABLE"},
		`{"mode":"van","distanceKm":1,"passengers":1,"fuel":"lpg"}`:                    {"fuel FACTOR_UNAVAILABLE"},
		`{"mode":"tank","distanceKm":-1,"passengers":0,"occupancy":0.5,"trips":1001}`:  {"mode NOT_ALLOWED", "distanceKm OUT_OF_RANGE", "passengers OUT_OF_RANGE", "occupancy OUT_OF_RANGE", "trips OUT_OF_RANGE"},
		`{"mode":"car","distanceKm":1,"passengers":1,"fuel":"electric","size":"huge"}`: {"fuel NOT_ALLOWED", "size NOT_ALLOWED"},
	} {
		if got := faults(t, "ground-transport", body, london); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
	if got := suggestions(t, "ground-transport", `{"mode":"car","distanceKm":1,"passengers":1,"size":"small","fuel":"lpg"}`, "fuel"); !slices.Contains(got, "petrol") || slices.Contains(got, "cng") {
		t.Errorf("a small car suggests %v", got)
	}
}

// TestOneFaultForPassengers: a journey by train that says neither how many people nor what it used has one fault, about the people.
func TestOneFaultForPassengers(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"mode":"rail","distanceKm":50}`:              "passengers is required with mode rail.",
		`{"mode":"rail","distanceKm":50,"vehicles":2}`: "passengers is required with mode rail.",
		`{"mode":"car","distanceKm":50}`:               "At least one of passengers, vehicles, volumeLitres, energyKWh is required.",
	} {
		_, err := footprint.Decode("ground-transport", []byte(body), london)
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok || len(e.Details) != 1 || e.Details[0].Message != want {
			t.Errorf("%s: %v, want %q alone", body, err, want)
		}
	}
}
