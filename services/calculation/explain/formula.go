package explain

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// formula writes a line as "5,539.833 km × 1 passenger × 0.11704 kg per
// passenger-km = 648.382054 kg". The inputs are shown only where they
// multiply to the quantity of the line; else the quantity is.
func formula(of footprint.Products, l footprint.Line) string {
	left, quantity := inputs(of.Terms(l))
	if left == "" {
		var ok bool
		if quantity, ok = new(big.Rat).SetString(l.Quantity); !ok {
			quantity = new(big.Rat)
		}
		left = Grouped(l.Quantity) + " " + Unit(l.Unit)
	}
	left += " × " + Grouped(l.KgPerUnit.String()) + " kg per " + Unit(l.Unit)
	stated := milligrams(l.Mass)
	exact := new(big.Rat).Mul(new(big.Rat).Mul(quantity, ratOf(l.KgPerUnit)), big.NewRat(1_000_000, 1))
	rounded := nearest(exact)
	// A quantity that does not end is shown with twelve decimals, which can move
	// the last digit of a very large line.
	switch rest := new(big.Int).Sub(stated, rounded); {
	case rest.Sign() == 0:
		left += " = "
	case rest.IsInt64() && rest.Int64() >= -1 && rest.Int64() <= 1:
		left += " ≈ "
	default:
		// Conversion to AR6 potentials adds the increase of the line's gases.
		left += " + " + Grouped(kilograms(rest)) + " kg re-based on AR6 = "
	}
	return left + Grouped(l.Mass.Kilograms()) + " kg"
}

// inputs writes the inputs that multiply to the quantity of a line, and
// multiplies them; it is empty where there are none.
func inputs(terms []footprint.Term) (string, *big.Rat) {
	text := make([]string, 0, len(terms))
	product := big.NewRat(1, 1)
	for _, t := range terms {
		product.Mul(product, t.Value)
		number := make([]string, 0, 2)
		for part := range strings.SplitSeq(t.Number, "/") {
			number = append(number, Grouped(part))
		}
		text = append(text, strings.TrimSpace(strings.Join(number, "/")+" "+cmp.Or(powers[t.Word], t.Word)))
	}
	return strings.Join(text, " × "), product
}

func ratOf(d decimal.Decimal) *big.Rat {
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale())), nil)
	return new(big.Rat).SetFrac(big.NewInt(d.Coefficient()), den)
}

// milligrams returns a mass as the whole milligrams it is served in.
func milligrams(m footprint.Mass) *big.Int {
	n, _ := new(big.Rat).SetString(m.Kilograms())
	n.Mul(n, big.NewRat(1_000_000, 1))
	return n.Num()
}

func kilograms(milligrams *big.Int) string {
	return new(big.Rat).SetFrac(milligrams, big.NewInt(1_000_000)).FloatString(6)
}

// nearest rounds half-even.
func nearest(r *big.Rat) *big.Int {
	double := new(big.Int).Lsh(r.Denom(), 1)
	n := new(big.Int).Add(new(big.Int).Lsh(r.Num(), 1), r.Denom())
	q, rest := new(big.Int).DivMod(n, double, new(big.Int))
	if rest.Sign() == 0 && q.Bit(0) == 1 {
		q.Sub(q, big.NewInt(1))
	}
	return q
}

// powers are the units of factors that are written with a raised digit.
var powers = map[string]string{"m2": "m²", "m3": "m³"}

// Unit writes a unit of a factor set for people: "passenger-km", "room-night", "m²".
func Unit(unit string) string {
	return cmp.Or(powers[unit], strings.NewReplacer(".", "-", "_", "-").Replace(unit))
}

// Grouped puts commas between the thousands of a number in plain digits.
func Grouped(number string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "-", number[1:]
	}
	whole, rest, point := strings.Cut(number, ".")
	var b strings.Builder
	for i, c := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	if point {
		b.WriteString("." + rest)
	}
	return sign + b.String()
}
