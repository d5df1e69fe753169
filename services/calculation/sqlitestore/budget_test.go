package sqlitestore_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// recalculationAllocations is the most that a recalculation after one approval may
// allocate, in an event of three segments.
const recalculationAllocations = 3930

// TestAllocationsOfARecalculation measures an approval with its recalculation, minus an approval alone.
func TestAllocationsOfARecalculation(t *testing.T) {
	testkit.WithoutRace(t)
	_, records, recalculator := openFilled(t, 1100)
	const runs = 20
	withdrawn := make([]int64, 2*(1+runs)) // the first of each is not measured
	for i := range withdrawn {
		withdrawn[i] = int64(600 + i)
	}
	recalculate := func() {
		if err := recalculator.Recalculate(t.Context(), "org", "event"); err != nil {
			t.Fatal(err)
		}
	}
	move(t, records, record.ChangesRequested, withdrawn...)
	recalculate()
	approve := func() {
		move(t, records, record.Approved, withdrawn[0])
		withdrawn = withdrawn[1:]
	}
	both := testkit.Allocations(runs, func() { approve(); recalculate() })
	got := both - testkit.Allocations(runs, approve)
	t.Logf("%v allocations, %v with the approval", got, both)
	if got > recalculationAllocations {
		t.Errorf("a recalculation allocates %v times, want at most %d", got, recalculationAllocations)
	}
}
