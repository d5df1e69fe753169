package findings

import (
	"math/rand/v2"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestRepeatedLeavesOutNone: for any digests, all facts that share one are returned in order, and hardly any others.
func TestRepeatedLeavesOutNone(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // any values
	for _, kinds := range []uint64{1, 10, 10_000, 1 << 60} {
		n := 1 + random.IntN(10_000)
		facts, digests, count := make([]*Fact, n), map[*Fact]uint64{}, map[uint64]int{}
		for i := range facts {
			facts[i] = &Fact{}
			if random.IntN(10) > 0 {
				digests[facts[i]] = (1 + random.Uint64N(kinds)) * 0x9e3779b97f4a7c15
				count[digests[facts[i]]]++
			}
		}
		found := repeated(facts, func(f *Fact) uint64 { return digests[f] })
		at, alone := 0, 0
		for _, f := range facts {
			came := at < len(found) && found[at] == f
			if came {
				at++
			}
			switch d := digests[f]; {
			case d == 0 && came:
				t.Fatal("a fact without a digest came back")
			case d != 0 && count[d] > 1 && !came:
				t.Fatalf("of %d kinds one of %d alike was left out", kinds, count[d])
			case count[d] == 1 && came:
				alone++
			}
		}
		if at != len(found) {
			t.Errorf("%d of %d kinds: %d of %d in their order", n, kinds, at, len(found))
		}
		if n >= 1000 && alone*10 > n { // about 3 % of many; of a dozen two may collide by chance
			t.Errorf("%d of %d kinds: %d like no other came back", n, kinds, alone)
		}
	}
}
