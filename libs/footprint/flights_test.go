package footprint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/locations"
)

// TestEveryClassOnEveryHaul finds the row by its published name, or the average
// with a notice where the class is not published.
func TestEveryClassOnEveryHaul(t *testing.T) {
	t.Parallel()
	set, _ := factors.ByID("desnz-2026")
	for haul, route := range map[string]string{"domestic": `"LHR","to":"EDI"`, "short_haul": `"CDG","to":"LHR"`, "long_haul": `"LHR","to":"JFK"`, "international_non_uk": `"CDG","to":"BER"`} {
		for _, class := range []string{"economy", "premium_economy", "business", "first", "average"} {
			for _, rf := range []bool{true, false} {
				ev := london
				ev.RadiativeForcing = rf
				suffix := map[bool]string{true: "rf", false: "norf"}[rf]
				e := evaluate(t, "flights", `{"from":`+route+`,"passengers":1,"class":"`+class+`"}`, ev)
				want := "desnz-2026-flight-" + haul + "-" + class + "-" + suffix
				_, published := set.Factor(want)
				if !published {
					want = "desnz-2026-flight-" + haul + "-average-" + suffix
				}
				if e.Lines[0].FactorID != want || has(e.Notices, footprint.NoticeClassSubstituted) == published {
					t.Errorf("%s %s: %s, notices %v", haul, class, e.Lines[0].FactorID, e.Notices)
				}
				if len(e.Lines) != 2 || e.Lines[1].Stage != footprint.Upstream || e.Lines[1].FactorID != want {
					t.Errorf("%s %s has the lines %+v", haul, class, e.Lines)
				}
			}
		}
	}
}

func TestClassSpellings(t *testing.T) {
	t.Parallel()
	want := kg(t, "flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"premium_economy"}`, london)
	for _, class := range []string{"Premium Economy", "premium-economy", "PREMIUM", "premium economy class", " premium_economy ", "Premium-Class"} {
		if got := kg(t, "flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"`+class+`"}`, london); got != want {
			t.Errorf("%q is %s kg, want %s", class, got, want)
		}
	}
	for _, class := range []string{"Business Class", "FIRST", "Economy class"} {
		evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"`+class+`"}`, london)
	}
}

func TestRoundTripTripsAndVia(t *testing.T) {
	t.Parallel()
	quantity := func(body string) string { return evaluate(t, "flights", body, london).Lines[0].Quantity }
	for body, want := range map[string]string{
		`{"from":"LHR","to":"JFK","passengers":1}`:                                   "5539.833",
		`{"from":"LHR","to":"JFK","passengers":1,"roundTrip":true}`:                  "11079.666",
		`{"from":"LHR","to":"JFK","passengers":3,"roundTrip":true,"trips":5}`:        "166194.99",
		`{"from":"LHR","to":"JFK","passengers":2,"distanceKm":5600.5}`:               "11201",
		`{"from":"LHR","to":"JFK","passengers":10000,"trips":1000,"roundTrip":true}`: "110796660000",
	} {
		if got := quantity(body); got != want {
			t.Errorf("%s: %s passenger.km, want %s", body, got, want)
		}
	}
	// London–Dubai–Sydney: a UK leg and a leg between other countries.
	e := evaluate(t, "flights", `{"from":"LHR","to":"SYD","via":["DXB"],"passengers":1,"class":"economy"}`, london)
	var ids []string
	for _, l := range e.Lines {
		ids = append(ids, l.FactorID+" "+l.Stage)
	}
	want := "desnz-2026-flight-long_haul-economy-rf direct,desnz-2026-flight-long_haul-economy-rf upstream," +
		"desnz-2026-flight-international_non_uk-economy-rf direct,desnz-2026-flight-international_non_uk-economy-rf upstream"
	if got := strings.Join(ids, ","); got != want {
		t.Errorf("got %s", got)
	}
	// Two legs of one haul are one line of their sum.
	if e := evaluate(t, "flights", `{"from":"LAX","to":"NRT","via":["SFO"],"passengers":1}`, london); len(e.Lines) != 2 {
		t.Errorf("two legs abroad make %d lines", len(e.Lines))
	}
}

func TestHaulOfTerritoriesOutsideTheTable(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"PPT": "long_haul", "KEF": "short_haul", "SVO": "long_haul", "TLV": "long_haul", "JER": "domestic", "GCI": "domestic",
		"FDF": "long_haul",  // Martinique is not in the table: 6,800 km
		"MCM": "short_haul", // nor is Monaco: 1,000 km
	} {
		l, ok := locations.Resolve(code)
		if !ok {
			t.Fatalf("%s is not known", code)
		}
		_, listed := locations.HaulOf(l.Country)
		e := evaluate(t, "flights", `{"from":"`+code+`","to":"LHR","passengers":1}`, london)
		if got := e.Lines[0].FactorID; got != "desnz-2026-flight-"+want+"-average-rf" || has(e.Notices, footprint.NoticeHaulByDistance) == listed {
			t.Errorf("%s: %s, %v", code, got, e.Notices)
		}
	}
}

func TestUnknownAirportsNeedADistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, km, haul, notice string }{
		{"LHR", "QQQ", "3699.9", "short_haul", footprint.NoticeHaulByDistance},
		{"LHR", "QQQ", "3700", "long_haul", footprint.NoticeHaulByDistance},
		{"QQQ", "EGLL", "20100", "long_haul", footprint.NoticeHaulByDistance},
		{"CDG", "QQQ", "900", "international_non_uk", footprint.NoticeHaulAssumed},
		{"QQQQ", "QQZ", "1", "international_non_uk", footprint.NoticeHaulAssumed},
		{"LHR", "JFK", "9000", "long_haul", footprint.NoticeDistanceDiffers},
		{"LHR", "JFK", "5555", "long_haul", ""},
		{"LHR", "CDG", "4000", "short_haul", footprint.NoticeDistanceDiffers},
	} {
		body := fmt.Sprintf(`{"from":%q,"to":%q,"passengers":1,"distanceKm":%s}`, c.from, c.to, c.km)
		e := evaluate(t, "flights", body, london)
		if e.Lines[0].FactorID != "desnz-2026-flight-"+c.haul+"-average-rf" || e.Lines[0].Quantity != c.km {
			t.Errorf("%s: %s × %s", body, e.Lines[0].Quantity, e.Lines[0].FactorID)
		}
		if c.notice != "" && !has(e.Notices, c.notice) || c.notice == "" && len(e.Notices) != 0 {
			t.Errorf("%s: notices %v", body, e.Notices)
		}
	}
}

func TestCityCodeIsApproximate(t *testing.T) {
	t.Parallel()
	e := evaluate(t, "flights", `{"from":"lon","to":"nyc","passengers":1}`, london)
	if e.Lines[0].Quantity != "5539.833" || !has(e.Notices, footprint.NoticeApproximate) {
		t.Errorf("%s km, %v", e.Lines[0].Quantity, e.Notices)
	}
}

func TestGasesOfAFlight(t *testing.T) {
	t.Parallel()
	l := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"economy"}`, london).Lines[0]
	// 5,539.833 km × 0.06826, 0.11604 - 0.06826, 0.00001, 0.00099
	g := l.Gases
	if g.CO2.Kilograms() != "378.149001" || g.AviationNonCO2.Kilograms() != "264.693220" || g.CH4.Kilograms() != "0.055398" || g.N2O.Kilograms() != "5.484435" {
		t.Errorf("gases %+v", g)
	}
	if sum := g.CO2.Add(g.AviationNonCO2).Add(g.CH4).Add(g.N2O).Add(g.Unsplit); sum != l.Mass {
		t.Errorf("gases add up to %s, the line is %s", sum, l.Mass)
	}
	ev := london
	ev.RadiativeForcing = false
	if l := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"economy"}`, ev).Lines[0]; !l.Gases.AviationNonCO2.IsZero() || l.Gases.CO2 != g.CO2 {
		t.Errorf("without radiative forcing %+v", l.Gases)
	}
}

func TestAR6(t *testing.T) {
	t.Parallel()
	ev := london
	ev.GWP = "AR6"
	e := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"economy"}`, ev)
	// CH4 0.055398 × 1.8/28 and N2O 5.484435 × 8/265 more.
	if got := e.Lines[0].Mass.Kilograms(); got != "648.551183" {
		t.Errorf("direct is %s kg", got)
	}
	if got := e.Lines[1].Mass.Kilograms(); got != "136.335290" || !has(e.Notices, footprint.NoticeNotRebased) {
		t.Errorf("upstream is %s kg, %v", got, e.Notices)
	}
	g := e.Lines[0].Gases
	if sum := g.CO2.Add(g.AviationNonCO2).Add(g.CH4).Add(g.N2O).Add(g.Unsplit); sum != e.Lines[0].Mass {
		t.Errorf("gases add up to %s", sum)
	}
}

func TestWhoTravels(t *testing.T) {
	t.Parallel()
	for group, category := range map[string]string{"attendees": footprint.CategoryOptional, "exhibitors": footprint.CategoryOptional, "staff": "6 Business travel", "speakers": "6 Business travel"} {
		for typ, body := range map[string]string{"flights": `{"from":"LHR","to":"JFK","passengers":1,"group":"%s"}`, "accommodation": `{"nights":1,"rooms":1,"group":"%s"}`} {
			l := evaluate(t, typ, fmt.Sprintf(body, group), london).Lines[0]
			if l.Category != category || l.Scope != 3 || l.Group != group {
				t.Errorf("%s of %s: %+v", typ, group, l)
			}
		}
	}
}
