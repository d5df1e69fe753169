package units

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/decimal"
)

//go:embed source/unit_conversions.csv
var table string

// Unit is a unit of measurement.
type Unit struct {
	// ID names the unit: "mi", "gal_uk".
	ID string
	// Symbol is the usual symbol, which messages suggest.
	Symbol string
	// Dimension is length, area, volume, mass or energy.
	Dimension string
	// perBase is how many of the dimension's base unit one is.
	perBase *big.Rat
}

// dimensions are those that fields are measured in; the table has others.
var dimensions = []string{"length", "area", "volume", "mass", "energy"}

// Dimensions returns those that fields are measured in.
func Dimensions() []string { return slices.Clone(dimensions) }

// ratios are units whose factor is not a finite decimal.
var ratios = map[string]*big.Rat{"mj": big.NewRat(5, 18), "gj": big.NewRat(2500, 9)}

// meanings are words that denote different units in different countries or trades, with unambiguous alternatives.
var meanings = map[string][]string{
	"gal": {"UK gallon", "US gallon"}, "gallon": {"UK gallon", "US gallon"},
	"ton": {"tonne", "long ton", "short ton"},
	"cwt": {"kg", "lb"}, "hundredweight": {"kg", "lb"},
	"pint":   {"UK pint", "l"},
	"barrel": {"bbl", "l"},
}

// inCapitals are symbols that mean another unit with a capital M, the prefix of a million: waste is weighed in Mg in Poland, and
// bills of water in Australia have ML, which others write for millilitres. A unit stands for a symbol, an empty text for one
// that is ambiguous.
var inCapitals = map[string]string{"Mg": "t", "ML": "", "Ml": ""}

// otherNames are the names of units of the table in other languages, by the unit's id, where they are spelled differently.
// Words that are other amounts in other countries or in everyday use, such as Zentner and Pfund, are none;
// nor is "to", a heading of places.
var otherNames = map[string]string{
	"meile": "mi", "meilen": "mi", "seemeile": "nmi", "seemeilen": "nmi",
	"qm": "m2", "mq": "m2", "quadratmeter": "m2", "hektar": "ha",
	"zentiliter": "cl", "hektoliter": "hl", "kubikmeter": "m3", "mc": "m3",
	"kilogramm": "kg", "gramm": "g", "tonnen": "t",
	"kilowattstunde": "kwh", "kilowattstunden": "kwh", "megawattstunde": "mwh", "megawattstunden": "mwh",
	"gigawattstunde": "gwh", "gigawattstunden": "gwh",

	"litro": "l", "litros": "l", "litri": "l", "litr": "l", "litry": "l", "litra": "l", "litrów": "l", "litrů": "l",
	"kilogramo": "kg", "kilogramos": "kg", "chilogrammi": "kg", "kilogramy": "kg", "kilogramów": "kg",
	"tonelada": "t", "toneladas": "t", "tonnellata": "t", "tonnellate": "t", "tony": "t",
	"chilometri": "km", "kilómetros": "km", "kilometrów": "km",
}

type unitTable struct {
	units []*Unit
	alias map[string]*Unit
}

var all = sync.OnceValue(func() *unitTable {
	t := &unitTable{alias: map[string]*Unit{}}
	// The tests parse every line; an invalid one is skipped.
	records, _ := csv.NewReader(strings.NewReader(table)).ReadAll()
	for i, r := range records {
		if i == 0 || len(r) < 5 || !slices.Contains(dimensions, r[2]) || r[4] == "" {
			continue
		}
		factor, ok := ratios[r[0]]
		if !ok {
			if factor, ok = new(big.Rat).SetString(r[4]); !ok {
				continue
			}
		}
		names := strings.Split(r[1], "|")
		u := &Unit{ID: r[0], Symbol: names[0], Dimension: r[2], perBase: factor}
		t.units = append(t.units, u)
		for _, name := range names {
			t.alias[key(name)] = u
		}
		for name, id := range otherNames {
			if id == u.ID {
				t.alias[key(name)] = u
			}
		}
	}
	return t
})

// key normalizes unit names. Case is preserved where it distinguishes units: MJ is not mJ, but no unit of the table
// is that small.
func key(name string) string {
	return spellings.Replace(strings.ToLower(marks.Replace(name)))
}

var (
	marks = strings.NewReplacer(" ", "", ".", "", "²", "2", "³", "3", "^", "", "-", "")
	// spellings are those of the United States, in British.
	spellings = strings.NewReplacer("meter", "metre", "liter", "litre")
)

// AmbiguousUnitError reports a word that denotes different units.
type AmbiguousUnitError struct {
	Unit string
	// Meanings are unambiguous alternatives.
	Meanings []string
}

func (e *AmbiguousUnitError) Error() string {
	return fmt.Sprintf("%q names different units in different countries; write %s", e.Unit, strings.Join(e.Meanings, " or "))
}

// UnknownUnitError reports a word that is not a unit, or not one of the dimension.
type UnknownUnitError struct {
	Unit string
	// Offered are the symbols of the units that can be written.
	Offered []string
}

func (e *UnknownUnitError) Error() string {
	return fmt.Sprintf("%q is no unit that can be converted; units are %s", e.Unit, strings.Join(e.Offered, ", "))
}

// ByName returns the unit of a name, in the singular or the plural, or of a symbol that
// measures the dimension. The error is an *AmbiguousUnitError or an *UnknownUnitError.
func ByName(name, dimension string) (*Unit, error) {
	k := key(name)
	if unit, ok := inCapitals[strings.TrimSpace(name)]; ok {
		if unit == "" {
			return nil, &AmbiguousUnitError{Unit: name, Meanings: []string{"ml", "m3"}}
		}
		k = unit
	}
	for _, k := range [...]string{k, singular(k)} {
		if list, ok := meanings[k]; ok {
			return nil, &AmbiguousUnitError{Unit: name, Meanings: list}
		}
	}
	for _, k := range [...]string{k, singular(k)} {
		if u, ok := all().alias[k]; ok && u.Dimension == dimension {
			return u, nil
		}
	}
	return nil, &UnknownUnitError{Unit: name, Offered: Offered(dimension)}
}

// IsUnit reports whether a text is the name or symbol of a unit, of whatever dimension.
func IsUnit(name string) bool {
	if _, ok := inCapitals[strings.TrimSpace(name)]; ok {
		return true
	}
	k := key(name)
	for _, k := range [...]string{k, singular(k)} {
		if meanings[k] != nil || all().alias[k] != nil {
			return true
		}
	}
	return false
}

// singular returns the key of a name without its plural s, which the table has for some names only. A single letter
// has none: 5 ms is not metres.
func singular(k string) string {
	if one, plural := strings.CutSuffix(k, "s"); plural && len(one) > 1 {
		return one
	}
	return k
}

// Offered returns the symbols of a dimension's units.
func Offered(dimension string) []string {
	var out []string
	for _, u := range all().units {
		if _, two := meanings[key(u.Symbol)]; u.Dimension == dimension && !two {
			out = append(out, u.Symbol)
		}
	}
	return out
}

// Target is the unit that a field is in.
type Target struct {
	Dimension string
	// Symbol is the unit's, as in the field's documentation.
	Symbol string
	// perBase is how many of the dimension's base unit one is.
	perBase *big.Rat
}

// suffixes are how field names end, with the unit that means; the contract's
// names carry their units.
var suffixes = []struct {
	ending string
	target Target
}{
	{"Km", Target{"length", "km", big.NewRat(1, 1)}},
	{"M2", Target{"area", "m2", big.NewRat(1, 1)}},
	{"M3", Target{"volume", "m3", big.NewRat(1000, 1)}},
	{"Litres", Target{"volume", "l", big.NewRat(1, 1)}},
	{"Kg", Target{"mass", "kg", big.NewRat(1, 1)}},
	{"KWh", Target{"energy", "kWh", big.NewRat(1, 1)}},
}

// OfField returns the unit in the name of a field: km for distanceKm. Fields of a ratio, such as densityKgPerM3, have
// none.
func OfField(name string) (Target, bool) {
	if strings.Contains(name, "Per") || strings.Contains(name, "per") {
		return Target{}, false
	}
	for _, s := range suffixes {
		if strings.HasSuffix(name, s.ending) {
			return s.target, true
		}
	}
	return Target{}, false
}

// Stem returns the name of a field without its unit: distance for distanceKm. It is empty if the name has none.
func Stem(field string) string {
	if _, ok := OfField(field); ok {
		for _, s := range suffixes {
			if stem, cut := strings.CutSuffix(field, s.ending); cut {
				return stem
			}
		}
	}
	return ""
}

// FieldMeant returns which of the fields a heading means that names another unit
// in the place of the field's: distanceKm and mi of "distanceMiles". A heading in the unit
// of one of the fields means none in another: with volumeLitres, "Volume (litre)" does not
// mean volumeM3.
func FieldMeant(heading string, known []string) (field string, unit *Unit, ok bool) {
	for _, f := range known {
		t, has := OfField(f)
		if !has {
			continue
		}
		for _, s := range suffixes {
			stem, cut := strings.CutSuffix(f, s.ending)
			if !cut || len(stem) == 0 || len(heading) <= len(stem) || !strings.EqualFold(heading[:len(stem)], stem) {
				continue
			}
			u, err := ByName(strings.Trim(heading[len(stem):], " _-()"), t.Dimension)
			switch {
			case err != nil:
			case u.Symbol == t.Symbol:
				return "", nil, false
			case !ok:
				field, unit, ok = f, u, true
			}
		}
	}
	return field, unit, ok
}

// Convert returns n of a unit in the target's unit, exactly.
func (t Target) Convert(n *big.Rat, u *Unit) *big.Rat {
	out := new(big.Rat).Mul(n, u.perBase)
	return out.Quo(out, t.perBase)
}

// Rat returns d as a ratio.
func Rat(d decimal.Decimal) *big.Rat {
	return new(big.Rat).SetFrac(big.NewInt(d.Coefficient()), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale())), nil))
}

// Rounded returns r as a decimal number: exactly where it has one of at most 18
// digits, else rounded to twelve decimals or as many as fit.
func Rounded(r *big.Rat) (decimal.Decimal, error) {
	if n, exact := r.FloatPrec(); exact && n <= decimal.MaxScale {
		if d, err := decimal.Parse(r.FloatString(n)); err == nil {
			return d, nil
		}
	}
	for places := 12; ; places-- {
		d, err := decimal.Parse(r.FloatString(places))
		if err == nil || places == 0 {
			return d, err
		}
	}
}
