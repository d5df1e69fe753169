package total

import (
	"math/big"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint/fixed"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestTheRootOfASkewnessIsRounded: results were signed with these roots, whatever Newton's method starts with.
func TestTheRootOfASkewnessIsRounded(t *testing.T) {
	t.Parallel()
	r := testkit.Rand(t)
	value := func(eta *big.Int) *big.Int { // η³ + 3η in 10^-72
		v := new(big.Int).Mul(eta, eta)
		return v.Mul(v.Add(v, new(big.Int).Mul(three, one2)), eta)
	}
	check := func(gamma *big.Int) {
		t.Helper()
		// The value at a half below and above the root, of eight times the size.
		eta := ofSkewness(gamma)
		want := new(big.Int).Mul(gamma, one2)
		want.Lsh(want, 3)
		twice := new(big.Int).Lsh(eta, 1)
		at := func(double *big.Int) *big.Int { // 8 · value(double / 2)
			v := new(big.Int).Mul(double, double)
			v.Add(v, new(big.Int).Mul(big.NewInt(12), one2))
			return v.Mul(v, double)
		}
		if at(new(big.Int).Sub(twice, one)).Cmp(want) > 0 || at(new(big.Int).Add(twice, one)).Cmp(want) < 0 {
			t.Fatalf("the root of %v is not %v", gamma, eta)
		}
	}
	for _, near := range []int64{0, 1, 2, 3, maxCoarse - 1, maxCoarse, maxCoarse + 1} {
		for _, more := range []int64{-1, 0, 1} {
			if g := new(big.Int).Mul(big.NewInt(near), billionth); g.Add(g, big.NewInt(more)).Sign() >= 0 {
				check(g)
			}
		}
	}
	most := new(big.Int).Mul(big.NewInt(8), fixed.One)
	for i := range 20_000 {
		g := new(big.Int).Rsh(most, uint(r.IntN(84)))
		g.Mul(g, big.NewInt(r.Int64N(1<<40)))
		check(g.Rsh(g, 40))
		// A root without decimals, and its neighbours.
		exact := value(new(big.Int).Mul(big.NewInt(int64(i)), fixed.Pow10(20)))
		check(exact.Quo(exact, one2))
	}
}
