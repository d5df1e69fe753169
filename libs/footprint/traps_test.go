package footprint_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/locations"
)

// The tests of this file are mistakes that public calculators make. Others of
// their kind stand with their subject: vehicle-km against passenger-km in
// TestGroundTransport, London to itself in TestFaults, a misspelt roundTrip in
// TestUnknownFieldsAreNamed, reuse and other unserved waste in TestEveryPairOfWaste,
// biofuels per net calorific value in TestEnergyFaults, biogenic CO2 in
// TestBiogenicCO2IsOutsideScopes, and routes that must not be ranked in
// TestEveryPairOfWaste.

// published returns a row of a factor set, which must have it.
func published(t *testing.T, set, id string) factors.Factor {
	t.Helper()
	s, err := factors.ByID(set)
	if err != nil {
		t.Fatal(err)
	}
	f, ok := s.Factor(id)
	if !ok {
		t.Fatalf("%s has no row %s", set, id)
	}
	return f
}

// times returns metres × people × the kg per passenger.km as a mass, rounded
// half-even to a milligram.
func times(metres, people int64, perKm decimal.Decimal) footprint.Mass {
	milligrams := new(big.Rat).SetInt64(metres * people * 1000)
	milligrams.Mul(milligrams, big.NewRat(perKm.Coefficient(), 1))
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(perKm.Scale())), nil)
	milligrams.Quo(milligrams, new(big.Rat).SetInt(scale))
	n, rest := new(big.Int).QuoRem(milligrams.Num(), milligrams.Denom(), new(big.Int))
	switch rest.Lsh(rest, 1).Cmp(milligrams.Denom()) {
	case 1:
		n.Add(n, big.NewInt(1))
	case 0:
		n.Add(n, new(big.Int).And(n, big.NewInt(1)))
	}
	return footprint.MassOf(n.Int64() * 1000)
}

// TestTrapPassengersCountInBothStages multiplies both combustion and well-to-tank; a public package multiplies only
// the second.
func TestTrapPassengersCountInBothStages(t *testing.T) {
	t.Parallel()
	f := published(t, "desnz-2026", "desnz-2026-flight-long_haul-economy-rf")
	for _, people := range []int64{1, 2, 10, 250} {
		e := evaluate(t, "flights", fmt.Sprintf(`{"from":"LHR","to":"JFK","class":"economy","passengers":%d}`, people), london)
		if got, want := e.Lines[0].Mass, times(5_539_833, people, f.KgCO2e); got != want {
			t.Errorf("%d passengers: direct %s kg, want %s", people, got.Kilograms(), want.Kilograms())
		}
		if got, want := e.Lines[1].Mass, times(5_539_833, people, f.WTT.Decimal); got != want {
			t.Errorf("%d passengers: well-to-tank %s kg, want %s", people, got.Kilograms(), want.Kilograms())
		}
	}
}

// TestTrapUpliftIsInTheFactor uses the great circle unchanged: the 8% for detours are in the published figure.
func TestTrapUpliftIsInTheFactor(t *testing.T) {
	t.Parallel()
	set, _ := factors.ByID("desnz-2026")
	for _, route := range [][2]string{{"LHR", "JFK"}, {"LHR", "CDG"}, {"EDI", "SOU"}, {"CDG", "NCE"}, {"SIN", "MAN"}} {
		from, _ := locations.Resolve(route[0])
		to, _ := locations.Resolve(route[1])
		circle := locations.GreatCircleMetres(from, to)
		e := evaluate(t, "flights", fmt.Sprintf(`{"from":%q,"to":%q,"passengers":1}`, route[0], route[1]), london)
		l := e.Lines[0]
		f, _ := set.Factor(l.FactorID)
		if want := decimal.New(circle, 3).String(); l.Quantity != want || l.KgPerUnit.Cmp(f.KgCO2e) != 0 || l.Mass != times(circle, 1, f.KgCO2e) {
			t.Errorf("%v: %s km × %s = %s kg, the great circle is %s km and the factor %s", route, l.Quantity, l.KgPerUnit, l.Mass.Kilograms(), want, f.KgCO2e)
		}
	}
}

// TestTrapRadiativeForcingIsOfCO2Only multiplies CO2 by 1.7, but not methane, nitrous oxide and the well-to-tank
// part, as others do.
func TestTrapRadiativeForcingIsOfCO2Only(t *testing.T) {
	t.Parallel()
	for _, set := range []string{"desnz-2026", "desnz-2025", "desnz-2024"} {
		for _, to := range []string{"JFK", "CDG", "EDI"} {
			body := fmt.Sprintf(`{"from":"LHR","to":%q,"passengers":1000}`, to)
			with, without := london, london
			with.FactorSet, without.FactorSet, without.RadiativeForcing = set, set, false
			a, b := evaluate(t, "flights", body, with), evaluate(t, "flights", body, without)
			on, off := a.Lines[0], b.Lines[0]
			if on.Gases.CH4 != off.Gases.CH4 || on.Gases.N2O != off.Gases.N2O || on.Gases.CO2 != off.Gases.CO2 || on.Gases.CH4.IsZero() || on.Gases.N2O.IsZero() {
				t.Errorf("%s to %s: gases %+v with and %+v without", set, to, on.Gases, off.Gases)
			}
			if a.Lines[1].Mass != b.Lines[1].Mass || a.Lines[1].Mass.IsZero() {
				t.Errorf("%s to %s: well-to-tank %s and %s", set, to, a.Lines[1].Mass, b.Lines[1].Mass)
			}
			// The published figures have five decimals.
			ratio := kilograms(on.Gases.CO2.Add(on.Gases.AviationNonCO2)) / kilograms(off.Gases.CO2)
			if ratio < 1.6995 || ratio > 1.7005 {
				t.Errorf("%s to %s: CO2 is %v times that without", set, to, ratio)
			}
		}
	}
}

// TestTrapRadiativeForcingIsOfFlightsOnly does not affect ground transport and freight by road, rail and sea.
func TestTrapRadiativeForcingIsOfFlightsOnly(t *testing.T) {
	t.Parallel()
	without := london
	without.RadiativeForcing = false
	for _, r := range []uncertainRecord{
		{"ground-transport", `{"mode":"rail","distanceKm":100,"passengers":2}`},
		{"ground-transport", `{"mode":"ferry","distanceKm":100,"passengers":2}`},
		{"freight", `{"mode":"road","weightKg":1000,"distanceKm":100}`},
		{"freight", `{"mode":"rail","weightKg":1000,"distanceKm":100}`},
		{"freight", `{"mode":"sea","weightKg":1000,"distanceKm":100}`},
	} {
		if a, b := kg(t, r.typ, r.body, london), kg(t, r.typ, r.body, without); a != b {
			t.Errorf("%s %s is %s kg with radiative forcing, %s without", r.typ, r.body, a, b)
		}
	}
}

// TestTrapHaulIsOfTheCountry decides by the published table, in which neither
// kilometres nor the continent count.
func TestTrapHaulIsOfTheCountry(t *testing.T) {
	t.Parallel()
	for route, want := range map[[2]string]string{
		{"LHR", "CAI"}: "short_haul",           // Cairo: 3,500 km
		{"LHR", "SVO"}: "long_haul",            // Moscow: 2,500 km
		{"KBP", "LHR"}: "long_haul",            // Kyiv: 2,200 km
		{"RAK", "LHR"}: "short_haul",           // Marrakesh
		{"LHR", "AMM"}: "long_haul",            // Amman: 3,700 km
		{"LHR", "LCA"}: "short_haul",           // Cyprus: 3,300 km
		{"LHR", "JER"}: "domestic",             // Jersey
		{"ABZ", "JER"}: "domestic",             // the whole of Britain
		{"CDG", "NCE"}: "international_non_uk", // inside of one other country
		{"JFK", "SYD"}: "international_non_uk",
	} {
		e := evaluate(t, "flights", fmt.Sprintf(`{"from":%q,"to":%q,"passengers":1}`, route[0], route[1]), london)
		if got := e.Lines[0].FactorID; got != "desnz-2026-flight-"+want+"-average-rf" || has(e.Notices, footprint.NoticeHaulByDistance) {
			t.Errorf("%v: %s, %v", route, got, e.Notices)
		}
	}
}

// TestTrapFlightsOf2024 has the figures of the 2024 workbook, which public
// pages that name it do not.
func TestTrapFlightsOf2024(t *testing.T) {
	t.Parallel()
	ev := london
	ev.FactorSet = "desnz-2024"
	for body, want := range map[string]string{
		`{"from":"LHR","to":"EDI","passengers":1}`:                   "0.27257",
		`{"from":"LHR","to":"CDG","class":"economy","passengers":1}`: "0.18287",
		`{"from":"LHR","to":"JFK","class":"economy","passengers":1}`: "0.20011",
	} {
		if got := evaluate(t, "flights", body, ev).Lines[0].KgPerUnit.String(); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
}

// TestTrapCityThatIsAlsoAnAirport uses the airport: the code is not a city's, and nothing is approximate.
func TestTrapCityThatIsAlsoAnAirport(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"DXB", "IST", "BKK", "SHA"} {
		l, _ := locations.Resolve(code)
		e := evaluate(t, "flights", fmt.Sprintf(`{"from":"LHR","to":%q,"passengers":1}`, code), london)
		if l.Airport != code || has(e.Notices, footprint.NoticeApproximate) {
			t.Errorf("%s is %s, %v", code, l.Airport, e.Notices)
		}
	}
}

// TestTrapCodesThatReadAsNotANumber preserves Namibia (NA) and Nadi (NAN), which table readers take for missing
// values.
func TestTrapCodesThatReadAsNotANumber(t *testing.T) {
	t.Parallel()
	e := evaluate(t, "flights", `{"from":"LHR","to":"NAN","passengers":1}`, london)
	if e.Lines[0].FactorID != "desnz-2026-flight-long_haul-average-rf" || len(e.Notices) != 0 {
		t.Errorf("Nadi: %s, %v", e.Lines[0].FactorID, e.Notices)
	}
	e = evaluate(t, "flights", `{"from":"LHR","to":"WDH","passengers":1}`, london)
	if e.Lines[0].FactorID != "desnz-2026-flight-long_haul-average-rf" || len(e.Notices) != 0 {
		t.Errorf("Windhoek: %s, %v", e.Lines[0].FactorID, e.Notices)
	}
	e = evaluate(t, "venue", `{"electricityKWh":1000,"country":"na"}`, london)
	if !strings.HasPrefix(e.Lines[0].FactorID, "elec.na.") {
		t.Errorf("Namibia has the grid factor %s", e.Lines[0].FactorID)
	}
}

// TestTrapDaysAreInclusive counts the first and the last day.
func TestTrapDaysAreInclusive(t *testing.T) {
	t.Parallel()
	const body = `{"kgCO2e":42000,"description":"x","evidence":[{"name":"a"}]}`
	c := contributed(t, "custom", body, london)
	for dates, want := range map[[2]string]string{
		{"2026-05-12", "2026-05-12"}: "420.000000",
		{"2026-05-12", "2026-05-14"}: "140.000000",
		{"2026-02-28", "2026-03-01"}: "210.000000",
		{"2028-02-28", "2028-03-01"}: "140.000000", // a leap year
		{"2026-03-28", "2026-03-30"}: "140.000000", // a day of 23 hours in London
		{"2025-12-31", "2026-01-01"}: "210.000000",
	} {
		ev := london
		ev.Attendees, ev.StartDate, ev.EndDate = 100, dates[0], dates[1]
		b := c.Breakdown(ev)
		if b.PerAttendeeDayKg == nil || b.PerAttendeeDayKg.Kilograms() != want || b.PerAttendeeKg.Kilograms() != "420.000000" {
			t.Errorf("%v: %v kg per attendee and day, want %s", dates, b.PerAttendeeDayKg, want)
		}
	}
}

// TestTrapTwoGuestsInOneRoom counts the room once, except where the published
// figure is per guest.
func TestTrapTwoGuestsInOneRoom(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"nights":3,"rooms":1,"kind":"hotel"}`:                           "31.200000",
		`{"nights":3,"rooms":1,"guests":2,"kind":"hotel"}`:                "31.200000",
		`{"nights":3,"rooms":2,"guests":2,"kind":"hotel"}`:                "62.400000",
		`{"nights":3,"rooms":1,"guests":1,"kind":"hotel","country":"SE"}`: "20.400000",
		`{"nights":3,"rooms":1,"guests":2,"kind":"hotel","country":"SE"}`: "40.800000",
	} {
		e := evaluate(t, "accommodation", body, london)
		if got := total.Of(&e).Total().Kilograms(); got != want || has(e.Notices, footprint.NoticeGuestNights) != strings.Contains(body, "SE") {
			t.Errorf("%s is %s kg, want %s; %v", body, got, want, e.Notices)
		}
	}
}

// TestTrapGasByGrossCalorificValue uses the basis of gas meters; by the net
// value, also published, each kWh counts a tenth more.
func TestTrapGasByGrossCalorificValue(t *testing.T) {
	t.Parallel()
	for set, want := range map[string]string{"desnz-2026": "0.18231", "desnz-2025": "0.18296", "desnz-2024": "0.1829"} {
		ev := london
		ev.FactorSet = set
		for typ, body := range map[string]string{"venue": `{"gasKWh":1000}`, "energy": `{"source":"natural_gas","energyKWh":1000}`} {
			e := evaluate(t, typ, body, ev)
			for _, l := range e.Lines {
				if !strings.HasPrefix(l.FactorID, "energy.natural_gas.kwh_gross_cv.") {
					t.Errorf("%s of %s uses %s", typ, set, l.FactorID)
				}
			}
			if got := e.Lines[0].KgPerUnit.String(); got != want {
				t.Errorf("%s of %s: %s kg per kWh, want %s", typ, set, got, want)
			}
		}
	}
}

// TestTrapLifeCycleGridFactors tries all countries. A life-cycle figure includes the upstream part; a direct one has
// a separate upstream part or a notice that none is published.
func TestTrapLifeCycleGridFactors(t *testing.T) {
	t.Parallel()
	alone := 0
	for _, country := range locations.Countries() {
		for typ, body := range map[string]string{"venue": `{"electricityKWh":1000,"country":%q}`, "energy": `{"source":"grid","energyKWh":1000,"country":%q}`} {
			e := evaluate(t, typ, fmt.Sprintf(body, country.Code), london)
			f := published(t, "desnz-2026", e.Lines[0].FactorID)
			if strings.Contains(f.ID, ".ember.") {
				alone++
				if len(e.Lines) != 1 || e.Lines[0].Stage != footprint.Combined || e.Lines[0].Mass != times(1_000_000, 1, f.KgCO2e) || has(e.Notices, footprint.NoticeUpstream) {
					t.Errorf("%s in %s: %+v %v", typ, country.Code, e.Lines, e.Notices)
				}
				continue
			}
			upstream := slices.ContainsFunc(e.Lines[1:], func(l footprint.Line) bool { return l.FactorID == f.ID && l.Stage == footprint.Upstream })
			if upstream != f.WTT.Published || !upstream && !has(e.Notices, footprint.NoticeUpstream) || e.Lines[0].Stage != footprint.Direct {
				t.Errorf("%s in %s: %+v %v", typ, country.Code, e.Lines, e.Notices)
			}
		}
	}
	if alone < 200 {
		t.Errorf("%d life-cycle figures were tried", alone)
	}
}

// TestTrapElectricCarsAreNotZero counts the grid: the published tailpipe figure is zero.
func TestTrapElectricCarsAreNotZero(t *testing.T) {
	t.Parallel()
	for _, set := range factors.Sets() {
		ev := london
		ev.FactorSet = set.ID
		e := evaluate(t, "ground-transport", `{"mode":"car","fuel":"battery_electric","distanceKm":100,"vehicles":1}`, ev)
		for _, l := range e.Lines {
			if l.Mass.Sign() <= 0 {
				t.Errorf("%s: %s %s is %s kg", set.ID, l.FactorID, l.Stage, l.Mass.Kilograms())
			}
		}
		if len(e.Lines) != 2 {
			t.Errorf("%s: %d lines, %v", set.ID, len(e.Lines), e.Notices)
		}
	}
}

// TestTrapInternationalFreightIsLongHaul finds the two published names for one
// figure.
func TestTrapInternationalFreightIsLongHaul(t *testing.T) {
	t.Parallel()
	abroad := kg(t, "freight", `{"mode":"air","from":"CDG","to":"JFK","weightKg":1000,"distanceKm":5800}`, london)
	long := kg(t, "freight", `{"mode":"air","from":"LHR","to":"JFK","weightKg":1000,"distanceKm":5800}`, london)
	if abroad != long {
		t.Errorf("between other countries %s kg, from the UK %s kg", abroad, long)
	}
}

// TestTrapTreatmentRenamed finds one route in all editions, though 2025 calls
// it incineration and the others combustion with energy recovery.
func TestTrapTreatmentRenamed(t *testing.T) {
	t.Parallel()
	for _, set := range factors.Sets() {
		ev := london
		ev.FactorSet = set.ID
		l := evaluate(t, "waste", `{"treatment":"incineration","weightKg":1000}`, ev).Lines[0]
		if want := fmt.Sprintf("waste.commercial_and_industrial_waste.incineration_energy_recovery.%d", set.Year); l.FactorID != want || l.Mass.Sign() <= 0 {
			t.Errorf("%s uses %s", set.ID, l.FactorID)
		}
	}
}
