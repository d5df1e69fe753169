package compact_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/compact"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// values are one of each kind.
type values struct {
	n      int64
	text   string
	raw    string
	mass   footprint.Mass
	number decimal.Decimal
	large  *big.Int
	list   []int64
}

func (v *values) code(c *compact.Coder) {
	c.Int(&v.n)
	c.Text(&v.text)
	c.Raw(&v.raw)
	c.Mass(&v.mass)
	c.Decimal(&v.number)
	c.Big(&v.large)
	c.Group()
	if c.Has(len(v.list) > 0) {
		n := c.Len(len(v.list))
		if c.Reading() {
			v.list = make([]int64, n)
		}
		for i := range v.list {
			c.Int(&v.list[i])
		}
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	wide := footprint.BigMass(new(big.Int).Lsh(big.NewInt(-3), 100))
	for _, want := range []values{
		{},
		{n: math.MinInt64, text: "é", raw: "\x00\xff", mass: wide, number: decimal.New(-125, 3), large: new(big.Int).Lsh(big.NewInt(5), 300), list: []int64{0, -1, math.MaxInt64}},
		{n: math.MaxInt64, text: "text", raw: "text", mass: footprint.MassOf(math.MinInt64), number: decimal.FromInt(math.MaxInt64), large: new(big.Int)},
	} {
		c := compact.NewWriter()
		want.code(c)
		want.code(c)
		if !c.OK() {
			t.Fatalf("%+v is not written", want)
		}
		stored := string(c.Bytes())
		c = compact.NewReader(stored)
		for range 2 {
			var got values
			got.code(c)
			equal := got.n == want.n && got.text == want.text && got.raw == want.raw && got.mass == want.mass && got.number == want.number &&
				(got.large == nil) == (want.large == nil) && (got.large == nil || got.large.Cmp(want.large) == 0) && len(got.list) == len(want.list)
			for i := range got.list {
				equal = equal && got.list[i] == want.list[i]
			}
			if !equal {
				t.Fatalf("read %+v, want %+v", got, want)
			}
		}
		if !c.Ended() {
			t.Errorf("%q has more than was written", stored)
		}
	}
	c := compact.NewWriter()
	negative := big.NewInt(-1)
	if c.Big(&negative); c.OK() {
		t.Error("a negative number was written as if it had no sign")
	}
}

// TestDamageIsFound: invalid input is rejected, whatever lengths it states, without using more memory than its size.
func TestDamageIsFound(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // any bytes
	c := compact.NewWriter()
	v := values{n: 1, text: "text", raw: "raw", mass: footprint.MassOf(7), number: decimal.New(5, 1), large: big.NewInt(9), list: []int64{1, 2}}
	v.code(c)
	stored := c.Bytes()
	for range 20_000 {
		damaged := append([]byte(nil), stored...)
		for range 1 + random.IntN(4) {
			damaged[random.IntN(len(damaged))] = byte(random.Uint32())
		}
		damaged = damaged[:random.IntN(len(damaged)+1)]
		c := compact.NewReader(string(damaged))
		var got values
		got.code(c)
		if len(got.list) > len(stored) || c.Ended() && !c.OK() {
			t.Fatalf("%q was read as %+v", damaged, got)
		}
	}
	for i := range stored {
		c := compact.NewReader(string(stored[:i]))
		var got values
		if got.code(c); c.OK() {
			t.Errorf("the first %d of %d bytes were read", i, len(stored))
		}
	}
}
