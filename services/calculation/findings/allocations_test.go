package findings_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// TestAllocationsOfAFact bounds the allocations of a result's first read per record, of which there may be ten
// thousand.
func TestAllocationsOfAFact(t *testing.T) {
	testkit.WithoutRace(t)
	fields := json.RawMessage(`{"class":"economy","date":"2026-09-01","description":"Team","from":"LHR","group":"attendees","passengers":12,"to":"JFK"}`)
	e, err := footprint.Evaluate("flights", fields, footprint.EventContext{Country: "GB", RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"})
	if err != nil {
		t.Fatal(err)
	}
	contribution, err := json.Marshal(total.Of(&e))
	if err != nil {
		t.Fatal(err)
	}
	c := record.Counted{ID: "r1", Type: "flights", Fields: fields, Contribution: contribution}
	if f := findings.FactOf(c); f.Mass.IsZero() || len(f.Deviations) == 0 {
		t.Fatalf("the fact of the record is %+v", f)
	}
	const most = 80
	if got := testing.AllocsPerRun(100, func() { findings.FactOf(c) }); got > most {
		t.Errorf("%v allocations of a fact, at most %d", got, most)
	}
}

// TestAllocationsOfChecks bounds the allocations of the checks and the ranking for ten thousand different records:
// hardly any keys, and no exact share for each.
func TestAllocationsOfChecks(t *testing.T) {
	testkit.WithoutRace(t)
	facts := make([]findings.Fact, 10_000)
	for i := range facts {
		n := int64(i*7919%10_000 + 1)
		facts[i] = findings.FactOf(record.Counted{ID: record.ID(fmt.Sprint(i)), Type: "flights",
			Fields: fmt.Appendf(nil, `{"from":"LHR","to":"JFK","date":"2026-09-01","passengers":%d}`, n)})
		facts[i].Deviations = []total.Deviation{{Factor: "f", Up: footprint.MassOf(n)}}
	}
	const mostOfChecks, mostOfRanking = 4_000, 500
	if got := testing.AllocsPerRun(3, func() { findings.Of(findings.Event{}, facts) }); got > mostOfChecks {
		t.Errorf("the checks: %v allocations, at most %d", got, mostOfChecks)
	}
	if got := testing.AllocsPerRun(3, func() { findings.MeasureNext(facts) }); got > mostOfRanking {
		t.Errorf("what to measure next: %v allocations, at most %d", got, mostOfRanking)
	}
}
