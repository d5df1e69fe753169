package decimal_test

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/decimal"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{"0", "0"}, {"-0", "0"}, {"0.000", "0"}, {"0e999999", "0"}, {"1", "1"}, {"2.0", "2"}, {"2e0", "2"},
		{"1.20e3", "1200"}, {"100", "100"}, {"1e17", "100000000000000000"}, {"0.10", "0.1"}, {"-12.50", "-12.5"},
		{"0.30000000000000004", "0.30000000000000004"}, {"1e-30", "0.000000000000000000000000000001"},
		{"123456789012345678", "123456789012345678"}, {"1000000e-6", "1"}, {"10.01", "10.01"}, {"1.5E+1", "15"},
		{"1000000000000000000000e-4", "100000000000000000"},
	} {
		d, err := decimal.Parse(c.in)
		if err != nil || d.String() != c.want {
			t.Errorf("Parse(%q) = %v, %v; want %s", c.in, d, err, c.want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, in := range []string{"", "-", "+1", "01", "1.", ".5", "1e", "1e+", "NaN", "Infinity", "1 ", " 1", "0x1", "1_0", "1,5", "--1"} {
		if _, err := decimal.Parse(in); !errors.Is(err, decimal.ErrSyntax) {
			t.Errorf("Parse(%q): %v, want ErrSyntax", in, err)
		}
	}
	for _, in := range []string{"1e999999", "1e-999999", "1e99999999999999999999", "1234567890123456789", "1e18", "1e-31", strings.Repeat("9", 100000)} {
		if _, err := decimal.Parse(in); !errors.Is(err, decimal.ErrRange) {
			t.Errorf("Parse(%.20q): %v, want ErrRange", in, err)
		}
	}
}

func TestDecimalKeepsValueAndOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (decimal.Decimal, *big.Rat) {
			coef := rapid.Int64Range(-999_999_999_999_999_999, 999_999_999_999_999_999).Draw(t, label)
			scale := rapid.IntRange(0, decimal.MaxScale).Draw(t, label+" scale")
			d := decimal.New(coef, scale)
			den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
			return d, new(big.Rat).SetFrac(big.NewInt(coef), den)
		}
		a, ra := draw("a")
		b, rb := draw("b")
		if a.Cmp(b) != ra.Cmp(rb) || (a == b) != (ra.Cmp(rb) == 0) {
			t.Fatalf("%v.Cmp(%v) = %d, want %d", a, b, a.Cmp(b), ra.Cmp(rb))
		}
		text, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var back decimal.Decimal
		if err := json.Unmarshal(text, &back); err != nil || back != a {
			t.Fatalf("%s came back as %v, %v", text, back, err)
		}
		if got, ok := new(big.Rat).SetString(a.String()); !ok || got.Cmp(ra) != 0 {
			t.Fatalf("String of %v is %s", ra, a)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"1", "-0.5e3", "1e999999", "00", "9223372036854775807"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := decimal.Parse(s)
		if err != nil {
			return
		}
		if !json.Valid([]byte(s)) {
			t.Fatalf("%q is no JSON number but was read as %v", s, d)
		}
		if again, err := decimal.Parse(d.String()); err != nil || again != d {
			t.Fatalf("%q: %v reads back as %v, %v", s, d, again, err)
		}
	})
}
