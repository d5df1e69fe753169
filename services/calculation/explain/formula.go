package explain

import (
	"encoding/json"
	"math/big"
	"strings"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// amounts are the inputs that multiply each other in the common types. A type
// that is not known here is explained by its quantity alone.
type amounts struct {
	Passengers, Trips, Vehicles int64
	Rooms, Guests, Nights       int64
	Respondents, Population     int64
	RoundTrip                   bool
	DistanceKm, WeightKg, Hours *decimal.Decimal
	Participants                int64
}

func amountsOf(fields json.RawMessage) amounts {
	var a amounts
	// What does not fit is left out; the formula is then a shorter one.
	_ = json.Unmarshal(fields, &a)
	return a
}

// product is a chain of factors with the text that shows it.
type product struct {
	text  []string
	value *big.Rat
}

func (p *product) by(n int64, one, many string) {
	if n <= 0 {
		return
	}
	word := many
	if n == 1 {
		word = one
	}
	p.times(big.NewRat(n, 1), strings.TrimSpace(Grouped(decimal.FromInt(n).String())+" "+word))
}

func (p *product) times(v *big.Rat, text string) {
	p.value = new(big.Rat).Mul(p.value, v)
	p.text = append(p.text, text)
}

func (p *product) amount(d *decimal.Decimal, unit string) {
	if d != nil {
		p.times(ratOf(*d), Grouped(d.String())+" "+unit)
	}
}

// formula writes a line as "5,539.833 km × 1 passenger × 0.11704 kg per
// passenger-km = 648.382054 kg". The chain of inputs is shown only where it
// multiplies to the quantity of the line exactly; else the quantity is.
func formula(typ string, a amounts, l footprint.Line) string {
	quantity, ok := new(big.Rat).SetString(l.Quantity)
	if !ok {
		quantity = new(big.Rat)
	}
	left := chain(typ, a, l, quantity)
	if left == "" {
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
		// Re-basing on AR6 adds what the gases of the line weigh more.
		left += " + " + Grouped(kilograms(rest)) + " kg re-based on AR6 = "
	}
	return left + Grouped(l.Mass.Kilograms()) + " kg"
}

// chain gives the inputs that multiply to a quantity, empty when they do not.
func chain(typ string, a amounts, l footprint.Line, quantity *big.Rat) string {
	p := product{value: big.NewRat(1, 1)}
	base := false // whether the chain begins with a figure that is no input
	switch typ {
	case "flights":
		base = a.DistanceKm == nil
		p.amount(a.DistanceKm, "km")
		p.by(a.Passengers, "passenger", "passengers")
		p.journeys(a)
	case "accommodation":
		if strings.HasPrefix(l.Unit, "guest") && a.Guests > 0 || a.Rooms == 0 {
			p.by(a.Guests, "guest", "guests")
		} else {
			p.by(a.Rooms, "room", "rooms")
		}
		p.by(a.Nights, "night", "nights")
	case "ground-transport":
		p.amount(a.DistanceKm, "km")
		if strings.HasPrefix(l.Unit, "passenger") || a.Vehicles == 0 {
			p.by(a.Passengers, "passenger", "passengers")
		} else {
			p.by(a.Vehicles, "vehicle", "vehicles")
		}
		p.journeys(a)
	case "freight", "waste", "materials":
		p.amount(a.WeightKg, "kg")
		if strings.HasPrefix(l.Unit, "tonne") {
			p.times(big.NewRat(1, 1000), "1/1,000")
		}
		if typ == "freight" {
			p.amount(a.DistanceKm, "km")
			p.journeys(a)
		}
	case "digital":
		p.by(a.Participants, "participant", "participants")
		p.amount(a.Hours, "hours")
	default:
		return ""
	}
	if a.Respondents > 0 && a.Population > a.Respondents {
		p.times(big.NewRat(a.Population, a.Respondents),
			Grouped(decimal.FromInt(a.Population).String())+"/"+Grouped(decimal.FromInt(a.Respondents).String())+" of the survey")
	}
	if base {
		km := new(big.Rat).Quo(quantity, p.value)
		if digits, exact := km.FloatPrec(); !exact || digits > 3 {
			return ""
		}
		p.text = append([]string{Grouped(strings.TrimSuffix(strings.TrimRight(km.FloatString(3), "0"), ".")) + " km"}, p.text...)
		p.value = quantity
	}
	if p.value.Cmp(quantity) != 0 || len(p.text) == 0 {
		return ""
	}
	return strings.Join(p.text, " × ")
}

func (p *product) journeys(a amounts) {
	if a.Trips > 1 {
		p.by(a.Trips, "trip", "trips")
	}
	if a.RoundTrip {
		p.times(big.NewRat(2, 1), "2 (return)")
	}
}

func ratOf(d decimal.Decimal) *big.Rat {
	den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale())), nil)
	return new(big.Rat).SetFrac(big.NewInt(d.Coefficient()), den)
}

// milligrams gives a mass as the whole milligrams it is served in.
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

// Unit writes a unit of a factor set for people: "passenger-km", "room-night".
func Unit(unit string) string {
	return strings.NewReplacer(".", "-", "_", "-").Replace(unit)
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
