package footprint_test

import (
	"fmt"
	"math/big"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestVarianceIsThatOfTheInterval: the shares of all records add up to the radicand of the total's upper half-width,
// each follows from the record's own lines, and the order does not matter.
func TestVarianceIsThatOfTheInterval(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var parts []total.Contribution
		var lines [][]footprint.Line
		for range rapid.IntRange(1, 12).Draw(t, "records") {
			typ, body := drawRecord(t)
			e := evaluate(t, typ, body, london)
			if got, want := total.DeviationsOf(e.Lines, e.Engine), total.Of(&e).Deviations(); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s %s: lines deviate by %v, the record by %v", typ, body, got, want)
			}
			parts, lines = append(parts, total.Of(&e)), append(lines, e.Lines)
		}
		sum := total.Sum(parts...)
		variance := sum.Variance()

		// By hand: the upper half-widths of a factor, over all records and over one.
		all := map[string]*big.Rat{}
		ofOne := make([]map[string]*big.Rat, len(lines))
		add := func(to map[string]*big.Rat, l footprint.Line) {
			if to[l.FactorID] == nil {
				to[l.FactorID] = new(big.Rat)
			}
			to[l.FactorID].Add(to[l.FactorID], new(big.Rat).SetInt(l.High.Sub(l.Mass).Big()))
		}
		for i, record := range lines {
			ofOne[i] = map[string]*big.Rat{}
			for _, l := range record {
				add(all, l)
				add(ofOne[i], l)
			}
		}
		whole := new(big.Rat)
		for _, u := range all {
			whole.Add(whole, new(big.Rat).Mul(u, u))
		}
		upper := sum.Breakdown(london).Total
		half := new(big.Rat).SetInt(upper.High.Sub(upper.KgCO2e).Big())
		next := new(big.Rat).Add(half, big.NewRat(1, 1))
		if half.Mul(half, half).Cmp(whole) > 0 || next.Mul(next, next).Cmp(whole) <= 0 {
			t.Fatalf("the interval's half squared is %s, the variance %s", half, whole)
		}

		var together int64
		for i, p := range parts {
			part := new(big.Rat)
			for factor, u := range ofOne[i] {
				part.Add(part, new(big.Rat).Mul(u, all[factor]))
			}
			want := int64(0)
			if whole.Sign() > 0 {
				part.Mul(part.Quo(part, whole), big.NewRat(1_000_000, 1))
				want = new(big.Int).Quo(part.Num(), part.Denom()).Int64()
			}
			share := variance.Share(p.Deviations())
			if share.Millionths() != want {
				t.Fatalf("record %d has a share of %d millionths, want %d", i, share.Millionths(), want)
			}
			together += share.Millionths()
		}
		if n := int64(len(parts)); together > 1_000_000 || whole.Sign() > 0 && together <= 1_000_000-n {
			t.Fatalf("the shares of %d records are %d millionths together", n, together)
		}

		parts = rapid.Permutation(parts).Draw(t, "order")
		var scattered []total.Deviation
		for _, p := range parts {
			scattered = append(scattered, p.Deviations()...)
		}
		if !reflect.DeepEqual(total.VarianceOf(scattered), variance) {
			t.Fatal("the variance of the parts is not that of the sum")
		}
	})
}

func TestVarianceSharesAreWritten(t *testing.T) {
	t.Parallel()
	d := func(factor string, up int64) []total.Deviation {
		return []total.Deviation{{Factor: factor, Up: footprint.MassOf(up)}}
	}
	// Two lines of one factor err together: (3 + 1)² = 16 of 16 + 9.
	v := total.VarianceOf(append(append(d("a", 3), d("b", 3)...), d("a", 1)...))
	for _, c := range []struct {
		part []total.Deviation
		want string
	}{
		{d("a", 3), "0.48"}, {d("a", 1), "0.16"}, {d("b", 3), "0.36"}, {nil, "0"}, {d("c", 9), "0"},
		{d("a", 99), "1"}, // counted after the total was made
	} {
		if text, err := v.Share(c.part).MarshalJSON(); err != nil || string(text) != c.want {
			t.Errorf("%v: %s, %v, want %s", c.part, text, err, c.want)
		}
	}
	for name, none := range map[string]total.Variance{"zero value": {}, "of nothing": total.VarianceOf(nil), "certain": total.VarianceOf(d("a", 0))} {
		if text, err := none.Share(d("a", 1)).MarshalJSON(); err != nil || string(text) != "0" {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	m := footprint.MassOf(100)
	if i := total.IntervalOf(m, []total.Deviation{{Factor: "a", Down: footprint.MassOf(3), Up: footprint.MassOf(6)}, {Factor: "b", Down: footprint.MassOf(4), Up: footprint.MassOf(8)}}); fmt.Sprint(i) != fmt.Sprint(total.Interval{KgCO2e: m, Low: footprint.MassOf(95), High: footprint.MassOf(110)}) {
		t.Errorf("interval %v", i)
	}
}
