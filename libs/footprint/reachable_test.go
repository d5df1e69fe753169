package footprint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/locations"
)

// choices are bodies that together cover every choice of a row: the fields vary over all their values.
var choices = []struct {
	typ, rest string
	fields    []string
}{
	{"ground-transport", `"distanceKm":10,"passengers":3`, []string{"mode", "fuel", "size"}},
	{"ground-transport", `"distanceKm":10,"vehicles":3`, []string{"mode", "fuel", "size"}},
	{"ground-transport", `"volumeLitres":10`, []string{"mode", "fuel"}},
	{"freight", `"weightKg":10,"distanceKm":500`, []string{"mode", "vehicle"}},
	{"freight", `"weightKg":10,"distanceKm":500,"refrigerated":true`, []string{"mode", "vehicle"}},
	{"freight", `"mode":"air","weightKg":10,"distanceKm":500`, []string{"haul"}},
	{"catering", `"meals":10`, []string{"diet", "mealType"}},
	{"materials", `"weightKg":10`, []string{"material", "source", "endOfLife"}},
	{"materials", `"areaM2":10`, []string{"material", "source"}},
	{"materials", `"items":10`, []string{"material"}},
	{"energy", `"energyKWh":10`, []string{"source"}},
	{"energy", `"volumeLitres":10`, []string{"source"}},
	{"energy", `"volumeM3":10`, []string{"source"}},
	{"energy", `"weightKg":10`, []string{"source"}},
	{"energy", `"weightKg":10,"source":"refrigerant"`, []string{"refrigerant"}},
	{"digital", `"participants":10,"hours":2`, []string{"activity", "videoQuality"}},
	{"waste", `"weightKg":10`, []string{"material", "treatment"}},
	{"flights", `"from":"LHR","to":"SYD","passengers":1`, []string{"class"}},
	{"flights", `"from":"LHR","to":"EDI","passengers":1`, []string{"class"}},
	{"flights", `"from":"LHR","to":"CDG","passengers":1`, []string{"class"}},
	{"flights", `"from":"CDG","to":"JFK","passengers":1`, []string{"class"}},
	{"venue", `"floorAreaM2":100,"days":1`, []string{"venueType"}},
	{"venue", `"heatKWh":100,"gasKWh":10`, []string{"control"}},
	{"water", `"supplyM3":3`, nil},
}

// everyBody calls use with a body for each choice of a row.
func everyBody(t *testing.T, use func(typ, body string)) {
	t.Helper()
	for _, c := range choices {
		combine(c.fields, func(f string) []string { return values(t, c.typ, f) }, func(chosen []string) {
			body := "{" + c.rest
			for i, v := range chosen {
				if v != "" {
					body += fmt.Sprintf(",%q:%q", c.fields[i], v)
				}
			}
			use(c.typ, body+"}")
		})
	}
	for _, country := range locations.Countries() {
		use("accommodation", fmt.Sprintf(`{"nights":1,"rooms":1,"country":%q}`, country.Code))
		use("venue", fmt.Sprintf(`{"electricityKWh":9,"country":%q}`, country.Code))
	}
	use("accommodation", `{"nights":1,"rooms":1,"country":"GB","city":"London"}`)
	for _, drink := range []string{"beer", "bottled_water", "cocktail", "coffee", "cow_milk", "fruit_juice", "soft_drink", "soy_milk", "tap_water", "tea", "wine"} {
		use("catering", fmt.Sprintf(`{"meals":1,"diet":"mixed","drinks":{%q:2}}`, drink))
	}
	regions := map[string]bool{}
	for _, set := range factors.Sets() {
		for _, f := range set.Factors() {
			if country, _, ok := strings.Cut(f.Region, "-"); ok && f.Category == "venue" && !regions[f.Region] {
				regions[f.Region] = true
				use("venue", fmt.Sprintf(`{"electricityKWh":9,"country":%q,"subdivision":%q}`, country, f.Region))
			}
		}
	}
}

// TestEveryRowIsUsedOrNamed: each row of each built-in set is in a line of some valid record, or is listed in the
// methodology with a reason.
func TestEveryRowIsUsedOrNamed(t *testing.T) {
	t.Parallel()
	sets := factors.Sets()
	calculators, rows := make([]footprint.Calculator, len(sets)), make([]func() []factors.Factor, len(sets))
	for i, set := range sets {
		var traced *factors.Set
		traced, rows[i] = set.Traced()
		calculators[i] = footprint.NewCalculator(traced)
	}
	used := map[string]bool{}
	for _, ev := range []footprint.EventContext{{RadiativeForcing: true, GWP: "AR6"}, {GWP: "published", Engine: footprint.NewestEngine}} {
		ev.Country, ev.StartDate, ev.EndDate, ev.Attendees = "GB", "2026-05-12", "2026-05-13", 400
		everyBody(t, func(typ, body string) {
			d, err := footprint.Decode(typ, []byte(body), ev)
			if err != nil {
				return
			}
			for i, set := range sets {
				of := ev
				of.FactorSet = set.ID
				e, err := calculators[i].Evaluate(typ, d.Fields, of)
				if err != nil {
					continue
				}
				for _, l := range e.Lines {
					used[set.ID+" "+l.FactorID] = true
				}
			}
		})
	}
	unused, named := footprint.UnusedRows(), map[string]bool{}
	for i, set := range sets {
		for _, f := range rows[i]() {
			// No lines have these: residual mixes are of the market-based figure, and the potentials convert the
			// gases of lines.
			if strings.HasSuffix(f.Series, ".residual") || f.Series == "gwp.ch4_fossil.ar6" || f.Series == "gwp.n2o.ar6" {
				used[set.ID+" "+f.ID] = true
			}
		}
		for _, f := range set.Factors() {
			at := slices.IndexFunc(unused, func(u footprint.Unused) bool { return u.Names(set, f.Series) })
			switch {
			case used[set.ID+" "+f.ID] && at >= 0:
				t.Errorf("%s: the row %s is used, and is named as one that is not", set.ID, f.ID)
			case !used[set.ID+" "+f.ID] && at < 0:
				t.Errorf("%s: no record uses the row %s", set.ID, f.ID)
			case at >= 0:
				named[unused[at].Title] = true
			}
		}
	}
	for _, u := range unused {
		if !named[u.Title] || u.Reason == "" {
			t.Errorf("no row is of %s (%q)", u.Title, u.Reason)
		}
	}
}
