package auth

import (
	"math"
	"testing"

	"github.com/eventcarbon/ecf/services/auth/password"
)

// TestHashesFitIntoTheMemory verifies that hashing takes no more than half of the memory of a container, however many
// processors its node has: the kernel would kill auth while many people sign in at once.
func TestHashesFitIntoTheMemory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		processors int
		limit      int64
		want       int
	}{
		{1, math.MaxInt64, 1},
		{4, math.MaxInt64, 3},
		{64, math.MaxInt64, 63},
		{4, 460 << 20, 3},
		{64, 460 << 20, 12}, // of the manifests
		{64, 10 << 20, 1},
	} {
		params := password.Recommended()
		got := hashSlots(c.processors, c.limit, params)
		if got != c.want || got > 1 && int64(got)*int64(params.MemoryKiB)<<10 > c.limit/2 {
			t.Errorf("%d processors and %d MiB: %d at once, want %d", c.processors, c.limit>>20, got, c.want)
		}
	}
}
