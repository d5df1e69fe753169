package findings_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// supplied is a record of a site's energy.
type supplied struct {
	venue    bool
	date     string
	carriers string // of e, g, h; o is an outdoor site, d diesel and v another fuel of generators
	hours    bool   // of a generator
}

// twice reports whether two records of one site count the same energy.
func (s supplied) twice(o supplied) bool {
	if s.date != "" && o.date != "" && s.date != o.date {
		return false
	}
	burnt := func(s supplied) bool { return strings.ContainsAny(s.carriers, "odv") }
	if s.carriers == "o" || o.carriers == "o" {
		return burnt(s) && burnt(o)
	}
	return strings.ContainsAny(s.carriers, o.carriers) && (s.venue || o.venue || s.hours != o.hours)
}

// TestEnergyOfSitesIsThatOfPairs compares the findings with those of every pair of records of one site.
func TestEnergyOfSitesIsThatOfPairs(t *testing.T) {
	t.Parallel()
	random := testkit.Rand(t)
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	fields := map[rune]string{'e': "electricityKWh", 'g': "gasKWh", 'h': "heatKWh"}
	for range 300 {
		var all []supplied
		var facts []findings.Fact
		for i := range 1 + random.IntN(6) {
			s := supplied{venue: random.IntN(3) > 0, date: one("", "", "2026-06-10", "2026-06-11", "2026-06-12"), carriers: "e"}
			text := fmt.Sprintf(`{"site":"Hall","group":"staff","date":%q`, s.date)
			switch kind := random.IntN(3); {
			case s.venue && kind == 0:
				s.carriers = "o"
				text += `,"venueType":"outdoor_site","days":2,"attendees":3`
			case s.venue:
				s.carriers = one("e", "g", "h", "eg", "gh")
				for _, c := range s.carriers {
					text += fmt.Sprintf(`,%q:1`, fields[c])
				}
			case kind == 0:
				text += `,"source":"grid","energyKWh":1`
			default:
				s.carriers, s.hours = one("d", "v"), kind == 1
				text += fmt.Sprintf(`,"source":%q`, map[string]string{"d": one("diesel", "gas_oil"), "v": "hvo"}[s.carriers])
				text += map[bool]string{true: `,"generatorKVA":100,"hours":2`, false: one(`,"volumeLitres":1`, `,"energyKWh":1`, `,"weightKg":1,"generatorKVA":100,"hours":2`)}[s.hours]
			}
			typ := map[bool]string{true: "venue", false: "energy"}[s.venue]
			all = append(all, s)
			facts = append(facts, findings.FactOf(record.Counted{ID: record.ID(fmt.Sprint("r", i)), Type: typ, Fields: json.RawMessage(text + "}")}))
		}
		var want []record.ID
		for i, a := range all {
			if slices.ContainsFunc(all[i+1:], a.twice) || slices.ContainsFunc(all[:i], a.twice) {
				want = append(want, facts[i].ID)
			}
		}
		var got []record.ID
		for _, f := range findings.Of(findings.Event{Total: footprint.MassOf(1)}, facts) {
			if f.Code == findings.SiteEnergyTwice {
				got = f.RecordIDs
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%+v: found %v, want %v", all, got, want)
		}
	}
}
