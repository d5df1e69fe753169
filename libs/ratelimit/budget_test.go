package ratelimit_test

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/ratelimit"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// localAllocations is the maximum number of allocations of a request that is counted in the process.
const localAllocations = 1

// TestAllocationsOfALocalCount verifies that no timer is set for a count in the process.
func TestAllocationsOfALocalCount(t *testing.T) {
	testkit.WithoutRace(t)
	l := ratelimit.New(ratelimit.Options{Name: "write", Rule: ratelimit.Rule{Limit: 1 << 20, Window: time.Hour}, Shared: ratelimit.NewLocal(time.Now, 0)})
	ctx := t.Context()
	if got := testing.AllocsPerRun(1000, func() { l.Take(ctx, "org:user") }); got > localAllocations {
		t.Errorf("a count in the process allocates %v times, want at most %d", got, localAllocations)
	}
}
