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

// supplied is a record of a site, as far as its energy goes.
type supplied struct {
	venue    bool
	date     string
	carriers string // of e, g, h
}

// twice reports whether two records of one site count the same energy.
func (s supplied) twice(o supplied) bool {
	return strings.ContainsAny(s.carriers, o.carriers) && (s.venue || o.venue) && (s.date == "" || o.date == "" || s.date == o.date)
}

// TestEnergyOfSitesIsThatOfPairs compares what is counted with every pair of
// records of one site.
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
			if s.venue {
				s.carriers = one("e", "g", "h", "eg", "gh")
				for _, c := range s.carriers {
					text += fmt.Sprintf(`,%q:1`, fields[c])
				}
			} else {
				text += `,"source":"grid","energyKWh":1`
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
