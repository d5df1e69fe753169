package footprint

import (
	"math/big"

	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// doubtOf is one unknown of a leg.
type doubtOf struct {
	code, field string
	variance    *big.Int
}

// widen applies the uncertainty of the unknowns of the legs to all lines. The lines of a record are fully correlated,
// so the uncertainty of their sum is the mass-weighted mean of theirs; it is applied to each line.
func (l *attendeeLegs) widen() {
	whole := l.mean("")
	if whole.Sign() == 0 {
		return
	}
	seen := map[string]bool{}
	for _, line := range l.doubts {
		for _, d := range line {
			if d.field == "" || seen[d.code] {
				continue
			}
			seen[d.code] = true
			if less := new(big.Int).Sub(whole, l.mean(d.code)); less.Sign() > 0 {
				l.c.assumptions = append(l.c.assumptions, assumption{d.code, d.field, less})
			}
			if d.code == NoticeAirportOfTown {
				l.c.note(NoticeAirportOfTown, codeField, "The airports are those that people of the towns are assumed to use.")
			}
		}
	}
	l.c.note(NoticeDistanceFromPlaces, placeField, "Ways on the ground are great circles by published detour factors.")
	for i := range l.c.out.Lines {
		l.c.rewiden(&l.c.out.Lines[i], whole)
	}
}

// mean returns the square of the mean standard deviation of the lines, weighed by
// their mass, without the doubt of one code.
func (l *attendeeLegs) mean(without string) *big.Int {
	sum, mass := new(big.Int), new(big.Int)
	deviation := new(big.Int)
	for i, known := range l.doubts {
		if i == 0 || !sameDoubts(known, l.doubts[i-1]) {
			variance := new(big.Int)
			for _, d := range known {
				if d.code != without {
					variance.Add(variance, d.variance)
				}
			}
			deviation = variance.Sqrt(variance.Mul(variance, fixed.One))
		}
		m := l.c.out.Lines[i].Mass.Big()
		mass.Add(mass, m)
		sum.Add(sum, new(big.Int).Mul(deviation, m))
	}
	if mass.Sign() == 0 {
		return new(big.Int)
	}
	return fixed.Square(fixed.Quo(sum, mass))
}

// sameDoubts reports whether two lines are of one leg.
func sameDoubts(a, b []doubtOf) bool { return len(a) > 0 && len(b) > 0 && &a[0] == &b[0] }

// rewiden adds a variance to a finished line.
func (c *calculation) rewiden(line *Line, variance *big.Int) {
	line.variance = sum(line.variance, variance)
	if line.Doubt == nil {
		line.GSD2 = c.engine.pedigree.gsd2(line.quality, line.variance)
		down, up := half(line.Mass, line.GSD2)
		line.Low, line.High = line.Mass.Sub(down), line.Mass.Add(up)
		return
	}
	line.Doubt.Activity += ofFactor(variance)
	c.spreadOut(line)
}

// townsFactor is the 95 % factor of towns that represent a country: at home, people nearby come more often than their
// share.
func townsFactor(o *origin, venue Venue) *big.Rat {
	if o.Country == venue.Country || o.People < fewPeopleOfCountry {
		return big.NewRat(10, 6)
	}
	return big.NewRat(10, 9)
}

// surveyFactor is the 95 % factor of shares from a survey of n people: that of a share of one half, 1 + 2/√n, at
// most that of a table.
func surveyFactor(n int64) *big.Rat {
	const scale = 1_000_000
	root := new(big.Int).Sqrt(new(big.Int).Mul(big.NewInt(n), big.NewInt(scale*scale)))
	f := new(big.Rat).SetFrac(big.NewInt(2*scale), root)
	f.Add(f, big.NewRat(1, 1))
	if most := big.NewRat(maxSplitFactor, 1); f.Cmp(most) > 0 {
		return most
	}
	return f
}

// variance returns the square of the logarithm of a 95 % factor.
func (l *attendeeLegs) variance(factor *big.Rat) *big.Int {
	key := factor.RatString()
	v, ok := l.logs[key]
	if !ok {
		v = fixed.Square(fixed.Log(factor))
		l.logs[key] = v
	}
	return v
}
