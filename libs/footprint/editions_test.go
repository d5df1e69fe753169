package footprint_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestEventsOfEachYear evaluates the same records for events of different years, each with the set for its start
// date.
func TestEventsOfEachYear(t *testing.T) {
	t.Parallel()
	const electricity, rail, water, flight = `{"electricityKWh":1000}`, `{"mode":"rail","distanceKm":100,"passengers":2}`, `{"supplyM3":10,"treated":false}`,
		`{"from":"LHR","to":"JFK","class":"economy","passengers":1}`
	for _, c := range []struct {
		start, set                string
		electricity, rail, flight string // direct kg
		railIsOther, waterIsOther bool   // of another edition than the set
		setIsNewer                bool
	}{
		{"2026-05-12", "desnz-2026", "130.960000", "6.184000", "648.382054", false, true, false},
		{"2025-11-03", "desnz-2025", "177.000000", "7.092000", "648.382054", false, false, false},
		{"2024-02-29", "desnz-2024", "207.050000", "7.092000", "1108.575982", true, false, false},
		{"2023-09-01", "desnz-2024", "207.050000", "7.092000", "1108.575982", true, false, true},
		{"", "desnz-2026", "130.960000", "6.184000", "648.382054", false, true, false},
	} {
		ev := london
		ev.StartDate, ev.EndDate = c.start, c.start
		set, notice := factors.ForStart(c.start)
		ev.FactorSet = set.ID
		if set.ID != c.set || notice != c.setIsNewer {
			t.Errorf("an event of %q has %s, %v", c.start, set.ID, notice)
		}
		e := evaluate(t, "venue", electricity, ev)
		if got := stage(e, footprint.Direct); got != c.electricity {
			t.Errorf("%q: electricity is %s, want %s", c.start, got, c.electricity)
		}
		if got := has(total.Of(&e).Breakdown(ev).Notices, footprint.NoticeSetNewer); got != c.setIsNewer {
			t.Errorf("%q: the set is newer: %v", c.start, got)
		}
		if got := stage(evaluate(t, "flights", flight, ev), footprint.Direct); got != c.flight {
			t.Errorf("%q: flight is %s, want %s", c.start, got, c.flight)
		}
		e = evaluate(t, "ground-transport", rail, ev)
		if got := stage(e, footprint.Direct); got != c.rail {
			t.Errorf("%q: rail is %s, want %s", c.start, got, c.rail)
		}
		for _, other := range []struct {
			e    footprint.Evaluation
			want bool
		}{{e, c.railIsOther}, {evaluate(t, "water", water, ev), c.waterIsOther}} {
			score := 1
			switch {
			case c.start == "":
				score = 5 // of unknown year
			case other.want:
				score = 2
			}
			if has(other.e.Notices, footprint.NoticeFactorYear) != other.want || other.e.Lines[0].Scores[2] != score {
				t.Errorf("%q: %s %v, notices %v", c.start, other.e.Lines[0].FactorID, other.e.Lines[0].Scores, other.e.Notices)
			}
		}
		// An event that names no set is evaluated with the one of its start.
		ev.FactorSet = ""
		if got := stage(evaluate(t, "venue", electricity, ev), footprint.Direct); got != c.electricity {
			t.Errorf("%q without a set: %s", c.start, got)
		}
		if got := has(contributed(t, "venue", electricity, ev).Breakdown(ev).Notices, footprint.NoticeSetNewer); got != c.setIsNewer {
			t.Errorf("%q without a set: the set is newer: %v", c.start, got)
		}
	}
}

// TestDateDoesNotChooseTheSet moves only the temporal score and adds a notice.
func TestDateDoesNotChooseTheSet(t *testing.T) {
	t.Parallel()
	e := evaluate(t, "venue", `{"electricityKWh":1000,"date":"2024-05-01"}`, london)
	if e.Lines[0].FactorID != "elec.gb.location.2026" || !has(e.Notices, footprint.NoticeDateOtherYear) {
		t.Errorf("%s %v", e.Lines[0].FactorID, e.Notices)
	}
}
