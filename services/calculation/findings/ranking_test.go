package findings_test

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/findings"
)

// TestMeasureNextIsThatOfAllShares: those that are named are the first of all records in
// the order of their shares, by both kinds of deviations, with shares that are equal or
// differ by little, that are below a millionth, and with masses that are negative.
func TestMeasureNextIsThatOfAllShares(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // any values
	for round := range 400 {
		second := round%2 == 0
		scale := int64(1) << (20 + random.IntN(30))
		facts := make([]findings.Fact, 1+random.IntN(60))
		for i := range facts {
			f := findings.Fact{ID: record.ID(fmt.Sprintf("r%02d", i*37%60)), Type: "custom", Mass: footprint.MassOf(int64(1 + random.IntN(3)))}
			for use := range random.IntN(4) {
				n := scale + int64(random.IntN(3))
				switch random.IntN(8) {
				case 0, 1:
					n = 1 + random.Int64N(scale)
				case 2:
					n = 1 + random.Int64N(scale>>18)
				case 3:
					n = -n / 5
				}
				d := total.Deviation{Factor: fmt.Sprint("f", random.IntN(3)), Use: fmt.Sprint("u", use), Mass: footprint.MassOf(n), Basic: 1e9, Fit: int64(use) * 1e9}
				if !second {
					d = total.Deviation{Factor: d.Factor, Up: footprint.MassOf(n)}
				} else if n = max(n, -n); random.IntN(4) == 0 {
					own := new(big.Int).Mul(big.NewInt(n), big.NewInt(n))
					d = total.Deviation{Own: own, OwnThird: new(big.Int).Mul(own, big.NewInt(n))}
				}
				f.Deviations = append(f.Deviations, d)
			}
			facts[i] = f
		}
		var all []total.Deviation
		for _, f := range facts {
			all = append(all, f.Deviations...)
		}
		variance := total.VarianceOf(all)
		type ranked struct {
			findings.Fact
			total.VarianceShare
		}
		var want []ranked
		for _, f := range facts {
			if share := variance.Share(f.Deviations); share.Millionths() > 0 {
				want = append(want, ranked{f, share})
			}
		}
		slices.SortFunc(want, func(a, b ranked) int {
			return cmp.Or(b.VarianceShare.Cmp(a.VarianceShare), b.Mass.Cmp(a.Mass), cmp.Compare(a.ID, b.ID))
		})
		want = want[:min(len(want), findings.MaxMeasure)]
		at := random.IntN(len(facts) + 1)
		got := findings.MeasureNext(facts[:at], facts[at:])
		if len(got) != len(want) {
			t.Fatalf("round %d: %d records are named, want %d", round, len(got), len(want))
		}
		for i, w := range want {
			if got[i].ID != w.ID || got[i].Share.Cmp(w.VarianceShare) != 0 {
				t.Fatalf("round %d: place %d of %d has %s, want %s", round, i, len(facts), got[i].ID, w.ID)
			}
		}
	}
}
