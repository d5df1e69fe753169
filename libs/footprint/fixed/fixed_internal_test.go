package fixed

import (
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// logByBig and expByBig calculate the same series with arbitrary precision: results were signed with these values.
func logByBig(x *big.Rat) *big.Int {
	x = new(big.Rat).Set(x)
	two, halves := big.NewRat(2, 1), int64(0)
	for x.Cmp(two) > 0 {
		x.Quo(x, two)
		halves++
	}
	return new(big.Int).Add(atanhByBig(x), new(big.Int).Mul(atanhByBig(two), big.NewInt(halves)))
}

func atanhByBig(x *big.Rat) *big.Int {
	power := Quo(new(big.Int).Mul(new(big.Int).Sub(x.Num(), x.Denom()), One), new(big.Int).Add(x.Num(), x.Denom()))
	y2 := Square(power)
	sum := new(big.Int)
	for k := int64(1); power.Sign() != 0; k += 2 {
		sum.Add(sum, Quo(power, big.NewInt(k)))
		power = Quo(new(big.Int).Mul(power, y2), One)
	}
	return sum.Lsh(sum, 1)
}

func expByBig(x *big.Int) *big.Int {
	twos, rest := new(big.Int).QuoRem(x, atanhByBig(big.NewRat(2, 1)), new(big.Int))
	term, sum := One, One
	for n := int64(1); term.Sign() != 0; n++ {
		term = Quo(new(big.Int).Mul(term, rest), new(big.Int).Mul(One, big.NewInt(n)))
		sum = new(big.Int).Add(sum, term)
	}
	return new(big.Int).Lsh(sum, uint(twos.Uint64()))
}

// random returns a number of up to most bits, of which few or many are set.
func random(r *rand.Rand, most int) *big.Int {
	n := new(big.Int)
	for range r.IntN(most) + 1 {
		n.Lsh(n, 1)
		n.Or(n, big.NewInt(int64(r.IntN(2))))
	}
	if r.IntN(4) == 0 { // all ones, for which an estimated word of a quotient is least accurate
		n.Sub(new(big.Int).Lsh(big.NewInt(1), uint(r.IntN(most)+1)), big.NewInt(1))
	}
	return n
}

func TestSeriesAreThoseOfLongNumbers(t *testing.T) {
	t.Parallel()
	r := testkit.Rand(t)
	for range 500 {
		den := new(big.Int).Add(random(r, 160), big.NewInt(1))
		x := new(big.Rat).SetFrac(new(big.Int).Add(den, random(r, 170)), den)
		if got, want := Log(x), logByBig(x); got.Cmp(want) != 0 {
			t.Fatalf("ln(%v) = %v, want %v", x, got, want)
		}
		e := random(r, 86)
		if got, want := Exp(e), expByBig(e); got.Cmp(want) != 0 {
			t.Fatalf("e^%v = %v, want %v", e, got, want)
		}
	}
	for _, n := range []int64{0, 1, 2} {
		for _, near := range []*big.Int{new(big.Int), One, ln2, new(big.Int).Lsh(ln2, 1)} {
			e := new(big.Int).Add(near, big.NewInt(n))
			if got, want := Exp(e), expByBig(e); got.Cmp(want) != 0 {
				t.Errorf("e^%v = %v, want %v", e, got, want)
			}
		}
	}
}

func TestProductIsRoundedHalfEven(t *testing.T) {
	t.Parallel()
	r := testkit.Rand(t)
	most := new(big.Int).Lsh(big.NewInt(1), 128)
	for tried := 0; tried < 10_000; {
		a, b, d := random(r, 128), random(r, 128), random(r, 128)
		if r.IntN(3) == 0 { // a quotient that ends in a half
			d.SetBit(d, 0, 0)
			a.Rsh(d, 1)
			b.Rsh(b, 64).SetBit(b, 0, 1)
		}
		if d.BitLen() <= 64 {
			continue
		}
		want := Quo(new(big.Int).Mul(a, b), d)
		if want.Cmp(most) >= 0 {
			continue
		}
		tried++
		if got := product(wideOf(a), wideOf(b), wideOf(d)).big(); got.Cmp(want) != 0 {
			t.Fatalf("%v · %v / %v = %v, want %v", a, b, d, got, want)
		}
	}
}

func TestRootsAreThoseOfLongNumbers(t *testing.T) {
	t.Parallel()
	r := testkit.Rand(t)
	got, want, near := new(big.Int), new(big.Int), new(big.Int)
	check := func(n *big.Int) {
		t.Helper()
		if SetSqrt(got, n).Cmp(want.Sqrt(n)) != 0 {
			t.Fatalf("√%v = %v, want %v", n, got, want)
		}
	}
	check(new(big.Int))
	for range 5_000 {
		n := random(r, 500)
		check(n)
		// A square, and its neighbours.
		square := new(big.Int).Mul(n, n)
		check(square)
		check(near.Add(square, unit))
		if n.Sign() > 0 {
			check(near.Sub(square, unit))
		}
	}
}

func TestQuotientsAreRoundedHalfEven(t *testing.T) {
	t.Parallel()
	r := testkit.Rand(t)
	half, got := big.NewRat(1, 2), new(big.Int)
	for range 5_000 {
		n, d := random(r, 300), new(big.Int).Add(random(r, 160), unit)
		if r.IntN(3) == 0 { // a quotient that ends in a half
			n.Mul(d.Lsh(d, 1), n).Add(n, new(big.Int).Rsh(d, 1))
		}
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		exact := new(big.Rat).SetFrac(n, d)
		off := new(big.Rat).Sub(exact, new(big.Rat).SetInt(SetQuo(got, n, d)))
		if c := off.Abs(off).Cmp(half); c > 0 || c == 0 && got.Bit(0) == 1 {
			t.Fatalf("%v / %v = %v", n, d, got)
		}
		if same := new(big.Int).Set(n); SetQuo(same, same, d).Cmp(got) != 0 {
			t.Fatalf("%v / %v = %v in its own place, want %v", n, d, same, got)
		}
	}
}

// TestAllocationsOfAQuotient verifies that reused numbers need no allocation.
func TestAllocationsOfAQuotient(t *testing.T) {
	testkit.WithoutRace(t)
	n, d := new(big.Int).Lsh(One, 250), new(big.Int).Lsh(One, 70)
	var q, root big.Int
	if got := testing.AllocsPerRun(100, func() { SetQuo(&q, n, d) }); got > 0 {
		t.Errorf("a quotient allocates %v times", got)
	}
	if got := testing.AllocsPerRun(100, func() { SetSqrt(&root, n) }); got > 0 {
		t.Errorf("a root allocates %v times", got)
	}
	b, moment := make([]byte, 0, 100), new(big.Int).Lsh(One, 170)
	if got := testing.AllocsPerRun(100, func() { AppendInt(b, moment) }); got > 0 {
		t.Errorf("digits allocate %v times", got)
	}
}

// TestAllocationsOfASeries verifies that only the result and a few temporary numbers are allocated, independent of
// the length.
func TestAllocationsOfASeries(t *testing.T) {
	testkit.WithoutRace(t)
	x, e := big.NewRat(1234567, 1000000), new(big.Int).Quo(One, big.NewInt(3))
	if got := testing.AllocsPerRun(100, func() { Log(x) }); got > 16 {
		t.Errorf("Log allocates %v times", got)
	}
	if got := testing.AllocsPerRun(100, func() { Exp(e) }); got > 10 {
		t.Errorf("Exp allocates %v times", got)
	}
}

func BenchmarkSeries(b *testing.B) {
	x, e := big.NewRat(1234567, 1000000), new(big.Int).Quo(One, big.NewInt(3))
	for _, c := range []struct {
		name string
		do   func()
	}{
		{"Log", func() { Log(x) }},
		{"LogByBig", func() { logByBig(x) }},
		{"Exp", func() { Exp(e) }},
		{"ExpByBig", func() { expByBig(e) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.do()
			}
		})
	}
}

// TestShortQuotientsAreThoseOfLongNumbers compares the division by words with that of package big, also for words for
// which an estimated word of the quotient is least accurate.
func TestShortQuotientsAreThoseOfLongNumbers(t *testing.T) {
	t.Parallel()
	r := testkit.Rand(t)
	long := func(most int) *big.Int {
		words := make([]big.Word, 1+r.IntN(most))
		for i := range words {
			switch r.IntN(6) {
			case 0: // 0
			case 1:
				words[i] = ^big.Word(0)
			case 2:
				words[i] = 1 << (bits.UintSize - 1)
			case 3:
				words[i] = big.Word(r.IntN(3))
			default:
				words[i] = big.Word(r.Uint64())
			}
		}
		return new(big.Int).SetBits(words)
	}
	var got, want big.Int
	for range 100_000 {
		n, d := long(mostWords+1), long(mostWords)
		if d.Sign() == 0 {
			d.Set(unit)
		}
		if setFloor(&got, n, d); got.Cmp(want.Quo(n, d)) != 0 {
			t.Fatalf("%v / %v = %v, want %v", n, d, &got, &want)
		}
		if r.IntN(2) == 0 {
			n.Neg(n)
		}
		if SetQuo(&got, n, d).Cmp(setLongQuo(&want, n, d)) != 0 {
			t.Fatalf("%v / %v = %v rounded, want %v", n, d, &got, &want)
		}
	}
}

func TestDigitsAreThoseOfLongNumbers(t *testing.T) {
	t.Parallel()
	r := testkit.Rand(t)
	check := func(n *big.Int) {
		t.Helper()
		if got := string(AppendInt([]byte("n="), n)); got != "n="+n.String() {
			t.Fatalf("%s, want %v", got, n)
		}
	}
	check(new(big.Int))
	for i := range 80 { // groups of zeros only
		check(Pow10(i))
		check(new(big.Int).Sub(Pow10(i), unit))
	}
	for range 20_000 {
		n := random(r, 280)
		check(n)
		check(n.Neg(n))
	}
}
