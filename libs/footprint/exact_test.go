package footprint

import (
	"encoding/json"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

func drawMass(t *rapid.T, label string) Mass {
	m := Mass{hi: rapid.Int64Range(-1<<40, 1<<40).Draw(t, label+" high"), lo: rapid.Uint64().Draw(t, label+" low")}
	if rapid.Bool().Draw(t, label+" small") {
		m = MassOf(rapid.Int64().Draw(t, label))
	}
	return m
}

func TestMassIsAnInteger(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawMass(t, "a"), drawMass(t, "b")
		x, y := a.Big(), b.Big()
		if got := a.Add(b).Big(); got.Cmp(new(big.Int).Add(x, y)) != 0 {
			t.Fatalf("%s + %s = %s", x, y, got)
		}
		if got := a.Sub(b).Big(); got.Cmp(new(big.Int).Sub(x, y)) != 0 {
			t.Fatalf("%s - %s = %s", x, y, got)
		}
		if a.Cmp(b) != x.Cmp(y) || a.Sign() != x.Sign() || a.IsZero() != (x.Sign() == 0) || a.String() != x.String() || BigMass(x) != a {
			t.Fatalf("%s and %s do not compare as integers", x, y)
		}
		if back, err := ParseMicrograms(a.String()); err != nil || back != a {
			t.Fatalf("%s reads back as %s, %v", a, back, err)
		}
		text, err := json.Marshal(a)
		if err != nil || !json.Valid(text) {
			t.Fatalf("%s is written as %s, %v", a, text, err)
		}
		served, ok := new(big.Rat).SetString(string(text))
		if !ok {
			t.Fatalf("%s is no number", text)
		}
		// Served kilograms differ from the micrograms by half a milligram at most.
		diff := served.Mul(served, big.NewRat(1e9, 1)).Sub(served, new(big.Rat).SetInt(x))
		if diff.Abs(diff).Cmp(big.NewRat(500, 1)) > 0 {
			t.Fatalf("%s µg is served as %s kg", a, text)
		}
		var back Mass
		if err := json.Unmarshal(text, &back); err != nil || back.Kilograms() != a.Kilograms() {
			t.Fatalf("%s kg reads back as %s, %v", text, back.Kilograms(), err)
		}
	})
}

func TestMassText(t *testing.T) {
	t.Parallel()
	for micrograms, want := range map[int64]string{0: "0.000000", 1: "0.000000", 500: "0.000000", 501: "0.000001", 1500: "0.000002", 2500: "0.000002",
		-1500: "-0.000002", -500: "0.000000", 1e9: "1.000000", 123456789000: "123.456789", -1e9: "-1.000000", 999_999_999: "1.000000"} {
		if got := MassOf(micrograms).Kilograms(); got != want {
			t.Errorf("%d µg is %s kg, want %s", micrograms, got, want)
		}
	}
	for _, bad := range []string{"", "-", "+1", "1.5", "abc", "0x10", "170141183460469231731687303715884105728", "999999999999999999999999999999999999999999"} {
		if m, err := ParseMicrograms(bad); err == nil {
			t.Errorf("%q was read as %s", bad, m)
		}
	}
}

// TestProductIsRoundedOnce compares the fast product with rational arithmetic.
func TestProductIsRoundedOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := exactly(decimal.New(rapid.Int64Range(0, 999_999_999_999_999_999).Draw(t, "quantity"), rapid.IntRange(0, 30).Draw(t, "scale")))
		if rapid.Bool().Draw(t, "ratio") {
			num, den := rapid.Int64Range(0, 1000).Draw(t, "num"), rapid.Int64Range(1, 1_000_000).Draw(t, "den")
			want := new(big.Rat).Mul(q.rat(), big.NewRat(num, den))
			if q = q.times(num, den); q.rat().Cmp(want) != 0 {
				t.Fatalf("%s is not %s", q, want)
			}
			by := decimal.New(rapid.Int64Range(0, 999_999_999_999).Draw(t, "by"), rapid.IntRange(0, 30).Draw(t, "by scale"))
			want.Mul(want, decimalRat(by))
			if q = q.by(by).perThousand(); q.rat().Cmp(want.Mul(want, big.NewRat(1, 1000))) != 0 {
				t.Fatalf("%s is not %s", q, want)
			}
		}
		f := decimal.New(rapid.Int64Range(0, 99_999_999_999).Draw(t, "factor"), rapid.IntRange(0, 12).Draw(t, "factor scale"))
		mg := new(big.Rat).Mul(q.rat(), decimalRat(f))
		mg.Mul(mg, big.NewRat(1e6, 1))
		if mg.Cmp(new(big.Rat).SetInt(fixed.Pow10(34))) > 0 {
			return // far above the limits of inputs, and of a Mass
		}
		got := q.mass(f).Big()
		rest := new(big.Int)
		got.QuoRem(got, big.NewInt(1000), rest)
		if rest.Sign() != 0 {
			t.Fatalf("%s × %s is no whole number of milligrams", q, f)
		}
		diff := new(big.Rat).Sub(new(big.Rat).SetInt(got), mg)
		switch diff.Abs(diff).Cmp(big.NewRat(1, 2)) {
		case 1:
			t.Fatalf("%s × %s = %s mg", q, f, got)
		case 0:
			if got.Bit(0) == 1 {
				t.Fatalf("%s × %s is a tie and not rounded to even", q, f)
			}
		}
	})
}

// TestUncertaintyFollowsTheFormula compares the whole-number arithmetic with
// floating point, and with the published check value.
func TestUncertaintyFollowsTheFormula(t *testing.T) {
	t.Parallel()
	set := factors.Sets()[0]
	p := newPedigree(set)
	if got := p.gsd2(scores{2, 2, 1, 2, 2}, nil); got != 1_592_045 {
		t.Errorf("scores 2 2 1 2 2 give %d, published is 1.592", got)
	}
	if got := p.gsd2(scores{1, 1, 1, 1, 1}, nil); got != gsdScale {
		t.Errorf("the best scores give %d", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) uint8 { return uint8(rapid.IntRange(1, 5).Draw(t, name)) }
		s := scores{draw("reliability"), draw("completeness"), draw("time"), draw("geography"), draw("technology")}
		var sum float64
		for i, v := range []uint8{s.reliability, s.completeness, s.time, s.geography, s.technology} {
			u, _ := set.Pedigree(indicators[i], int(v))
			f, _ := decimalRat(u).Float64()
			sum += math.Log(f) * math.Log(f)
		}
		var variance *big.Int
		if rapid.Bool().Draw(t, "survey") {
			total := rapid.Int64Range(2, 10_000).Draw(t, "population")
			n := rapid.Int64Range(1, total-1).Draw(t, "respondents")
			cv := decimal.New(rapid.Int64Range(0, 1000).Draw(t, "cv"), 2)
			variance = sampling(cv, n, total)
			c, _ := decimalRat(cv).Float64()
			r2 := c * c / float64(n) * float64(total-n) / float64(total-1)
			sum += 4 * math.Log1p(r2)
		}
		want := math.Exp(math.Sqrt(sum)) * gsdScale
		if got := float64(p.gsd2(s, variance)); math.Abs(got-want) > 0.51+want*1e-12 {
			t.Fatalf("%+v gives %v, want %v", s, got, want)
		}
		m := drawMass(t, "mass")
		if m.Sign() < 0 {
			return
		}
		g := p.gsd2(s, variance)
		down, up := half(m, g)
		exact := new(big.Rat).SetInt(m.Big())
		low := new(big.Rat).Mul(exact, new(big.Rat).SetFrac(big.NewInt(gsdScale), new(big.Int).SetUint64(g)))
		high := new(big.Rat).Mul(exact, new(big.Rat).SetFrac(new(big.Int).SetUint64(g), big.NewInt(gsdScale)))
		for _, c := range []struct {
			got  Mass
			want *big.Rat
		}{{m.Sub(down), low}, {m.Add(up), high}} {
			diff := c.want.Sub(c.want, new(big.Rat).SetInt(c.got.Big()))
			if diff.Abs(diff).Cmp(big.NewRat(1, 2)) > 0 {
				t.Fatalf("an end of %s at %d is %s", m, g, c.got)
			}
		}
	})
}

func TestShare(t *testing.T) {
	t.Parallel()
	if got := MassOf(100_000_000_000).Share(1, 3).Kilograms(); got != "33.333333" {
		t.Errorf("a third of 100 kg is %s", got)
	}
}
