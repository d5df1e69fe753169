package total

import (
	"math/big"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestIntervalsAreRememberedByAllTheyAreMadeOf: an interval is calculated once, and the cache distinguishes sums that
// differ in any number.
func TestIntervalsAreRememberedByAllTheyAreMadeOf(t *testing.T) {
	t.Parallel()
	const kilogram = 1_000_000_000
	sum := func() (footprint.Mass, own) {
		a, b := lognormalPart(100*kilogram, 800_000_000), lognormalPart(70*kilogram, 700_000_000)
		o := own{new(big.Int).Add(a.Variance, b.Variance), new(big.Int).Add(a.Third, b.Third), []wide{a, b}}
		return footprint.MassOf(200 * kilogram), o
	}
	more := func(n *big.Int) *big.Int {
		return new(big.Int).Div(new(big.Int).Mul(n, big.NewInt(11)), big.NewInt(10))
	}
	seen := map[string]bool{}
	for name, change := range map[string]func(*footprint.Mass, *own){
		"nothing":         func(*footprint.Mass, *own) {},
		"mass":            func(m *footprint.Mass, _ *own) { *m = footprint.MassOf(210 * kilogram) },
		"variance":        func(_ *footprint.Mass, o *own) { o.Variance = more(o.Variance) },
		"third":           func(_ *footprint.Mass, o *own) { o.Third = more(o.Third) },
		"mass of one":     func(_ *footprint.Mass, o *own) { o.Wide[1].Mass = footprint.MassOf(80 * kilogram) },
		"variance of one": func(_ *footprint.Mass, o *own) { o.Wide[0].Variance = more(o.Wide[0].Variance) },
		"third of one":    func(_ *footprint.Mass, o *own) { o.Wide[1].Third = more(o.Wide[1].Third) },
		"one record less": func(_ *footprint.Mass, o *own) { o.Wide = o.Wide[:1] },
		"no records":      func(_ *footprint.Mass, o *own) { o.Wide = nil },
		"no moments":      func(_ *footprint.Mass, o *own) { *o = own{} },
	} {
		m, o := sum()
		change(&m, &o)
		want := o.makeInterval(m)
		for range 2 {
			if got := o.interval(m); got != want {
				t.Errorf("%s: %v, made anew it is %v", name, got, want)
			}
		}
		key := o.key(m)
		if kept, ok := intervals.Get(key); !ok || kept != want || seen[key] {
			t.Errorf("%s: %v is remembered (%v), under the key of another: %v", name, kept, ok, seen[key])
		}
		seen[key] = true
	}
}
