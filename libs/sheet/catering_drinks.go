package sheet

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// drinks are those that have a row each.
type drinks struct {
	*table
	subjects *subjects
	of       drinkColumns
}

// Headings of the kind of drink of a row, normalized by plain; words beside the kind in the name of a drink that say nothing more
// of it; and words of the glasses and bottles that a serving without its volume is.
const (
	drinkHeads     wordlist.List = "drinkHeads"
	besideServings wordlist.List = "besideServings"
	pintWords      wordlist.List = "pintWords"
	bottleWords    wordlist.List = "bottleWords"
	// servingHeads are headings of what one serving is.
	servingHeads wordlist.List = "servingHeads"
)

// drinkKinds are the drinks that records have by the litre. The words for them are in lists of their names.
var drinkKinds = [...]string{"coffee", "tea", "beer", "wine", "fruit_juice", "soft_drink", "cocktail", "bottled_water", "tap_water"}

// servedAs are the servings of drinks by their volume in millilitres.
var servedAs = map[string]map[int64]string{
	"beer":          {330: "beer_330ml", 50_000: "beer_keg_50l"},
	"wine":          {125: "wine_125ml", 175: "wine_175ml", 750: "wine_bottle"},
	"fruit_juice":   {200: "fruit_juice_200ml"},
	"soft_drink":    {330: "soft_drink_330ml"},
	"cocktail":      {150: "cocktail_150ml"},
	"bottled_water": {500: "water_500ml"},
	"tap_water":     {500: "tap_water_500ml"},
}

// drinkColumns are the columns of drinks that have a row each. sized is that of what is in one bottle, keg or piece of them, in unit
// sizedIn, and counted how many there are where it is not number.
type drinkColumns struct {
	name, serving, litres, number, unit, sized, counted place
	sizedIn                                             *units.Unit
}

// findDrinks finds the drinks of a table that has one in each row, with how many there are or their litres.
func (r *drinks) findDrinks() {
	if r.typ != "catering" {
		return
	}
	if r.of.name = placeAt(-1); !r.heading("diet", "drinks") {
		r.of.name = r.aside(drinkHeads)
	}
	r.claim(r.of.name, "", derives)
	if !r.of.name.found() {
		r.of.litres, r.of.serving = placeAt(-1), placeAt(-1)
		r.of.unit, r.of.number = r.beside(besideHeads), placeAt(r.placeOf("meals"))
		return
	}
	for at, head := range r.heads {
		if r.free(at) && headsLitres(head) && !r.of.litres.found() {
			r.of.litres = placeAt(at)
			r.addCounts(at)
		}
	}
	if !r.of.litres.found() {
		r.findSized()
	}
	r.of.unit, r.of.serving = r.beside(besideHeads), r.aside(servingHeads)
	if r.of.number = placeAt(r.placeOf("meals")); !r.of.number.found() {
		r.of.number = placeAt(r.placeOf("servings"))
	}
}

// findSized finds the column of what is in one of what another column counts: Liter je Fass beside Fässer.
func (r *drinks) findSized() {
	for at, head := range r.heads {
		stem, of, each := eachOf(head)
		if !each || !r.free(at) || of != ofBottle && of != ofContainer && of != ofPiece {
			continue
		}
		_, unit, ok := unitOfHead(stem)
		if !ok {
			unit = stem
		}
		u, err := units.ByName(strings.TrimSpace(unit), "volume")
		if err != nil {
			continue
		}
		counted := slices.IndexFunc(r.heads, func(other string) bool { return countOf(other) == of })
		if counted < 0 && r.placeOf("meals") < 0 && r.placeOf("servings") < 0 {
			continue
		}
		r.of.sized, r.of.sizedIn, r.of.counted = placeAt(at), u, placeAt(counted)
		r.addCounts(at)
		if counted >= 0 && r.free(counted) {
			r.addCounts(counted)
		}
		return
	}
}

// litresOfSized returns the litres of a row of what is in one times how many there are; false if it does not say both.
func (r *drinks) litresOfSized(row *row) (litres *big.Rat, ok bool, fault *apperr.Detail) {
	if !r.of.sized.found() {
		return nil, false, nil
	}
	size, sized, fault := r.partNumber(r.of.sized.index(), oneCell(row.cells, r.of.sized.index()))
	if fault != nil || !sized {
		return nil, false, fault
	}
	at := r.of.counted.index()
	if at < 0 {
		at = r.of.number.index()
	}
	number, some, fault := r.partNumber(at, oneCell(row.cells, at))
	if fault != nil || !some {
		return nil, false, fault
	}
	target, _ := units.OfField("volumeLitres")
	return new(big.Rat).Mul(target.Convert(units.Rat(size), r.of.sizedIn), units.Rat(number)), true, nil
}

// headsLitres reports whether a heading is that of litres: Litres, Menge (l), Litros.
func headsLitres(head string) bool {
	energy := Columns("energy")
	if i := headed(energy, head); i >= 0 {
		return energy[i].Name == "volumeLitres"
	}
	_, unit, ok := unitOfHead(head)
	if !ok {
		unit = head
	}
	target, _ := units.OfField("volumeLitres")
	u, err := units.ByName(strings.TrimSpace(unit), target.Dimension)
	return err == nil && u.Symbol == target.Symbol
}

// volumeOf is the volume of a serving in the name of a drink: Bier 0,5 l, Wine (175ml).
var volumeOf = regexp.MustCompile(`(?i)(\d+(?:[.,]\d+)?)\s*(ml|cl|dl|l|ltr|liter|litre|liters|litres|litro|litri|litros)\b`)

// drinkNamed returns the kind of drink that a text names, and the volume of a serving in millilitres, 0 if it says none. The
// kind is empty where it says more than that: a pot, a crate, oat milk.
func drinkNamed(text string) (kind string, millilitres *big.Rat) {
	rest, millilitres := text, new(big.Rat)
	if m := volumeOf.FindStringSubmatch(text); m != nil {
		n, err := units.ParseNumber(m[1], units.Format{})
		per := map[string]int64{"ml": 1, "cl": 10, "dl": 100}[strings.ToLower(m[2])]
		if per == 0 {
			per = 1000
		}
		if err != nil {
			return "", millilitres
		}
		millilitres.Mul(units.Rat(n), big.NewRat(per, 1))
		rest = strings.Replace(text, m[0], " ", 1)
	}
	if strings.ContainsAny(rest, "0123456789&+/") {
		return "", millilitres
	}
	words := wordsOf(rest)
	all := strings.Join(slices.DeleteFunc(slices.Clone(words), besideServings.Has), "")
	for _, k := range drinkKinds {
		if wordlist.OfType("drink", k).Has(all) {
			return k, millilitres
		}
	}
	for _, word := range words {
		named := ""
		for _, k := range drinkKinds {
			if wordlist.OfType("drink", k).Has(word) {
				named = k
			}
		}
		switch {
		case named == "" && besideServings.Has(word):
		case named == "" || kind != "" && kind != named:
			return "", millilitres
		default:
			kind = named
		}
	}
	return kind, millilitres
}

// serving returns the serving of a drink; empty if records have none of it.
func serving(kind, text string, millilitres *big.Rat) string {
	words := wordsOf(text)
	if millilitres.IsInt() && millilitres.Sign() > 0 {
		return servedAs[kind][millilitres.Num().Int64()]
	}
	switch {
	case kind == "coffee" || kind == "tea":
		return kind
	case kind == "beer" && pintWords.HasAny(words):
		return map[bool]string{true: "beer_half_pint", false: "beer_pint"}[slices.Contains(words, "half")]
	case kind == "wine" && bottleWords.HasAny(words):
		return "wine_bottle"
	}
	return ""
}

// drinkAmong returns the column of a row's subject if that is a drink of which it is known what one is, such as Coffee by the cup
// or Red wine 75cl, in a table that may have meals, too; -1 if it is not.
func (r *drinks) drinkAmong(row *row) int {
	if row.typ != "catering" || !r.of.number.found() || row.has("diet") || row.has("drinks") || row.has("servings") {
		return -1
	}
	unit := Unguard(oneCell(row.cells, r.of.unit.index()))
	for _, at := range r.subjects.at {
		cell := Unguard(oneCell(row.cells, at))
		kind, millilitres := drinkNamed(cell + " " + unit)
		one := serving(kind, cell+" "+unit, millilitres) != "" && unit != "" || millilitres.Sign() > 0
		if kind != "" && one {
			return at
		}
	}
	return -1
}

// takeDrink makes the drink of a row a serving of the record, or its litres.
func (r *drinks) takeDrink(row *row) *apperr.Detail {
	at := r.of.name.index()
	if !r.of.name.found() {
		if at = r.drinkAmong(row); at < 0 {
			return nil
		}
	}
	name := Unguard(oneCell(row.cells, at))
	if name == "" {
		return nil
	}
	name += " " + Unguard(oneCell(row.cells, r.of.serving.index()))
	unit := strings.ToLower(Unguard(oneCell(row.cells, r.of.unit.index())))
	litres, filled, fault := r.partNumber(r.of.litres.index(), oneCell(row.cells, r.of.litres.index()))
	if fault != nil {
		return fault
	}
	amount := units.Rat(litres)
	if all, sized, fault := r.litresOfSized(row); fault != nil {
		return fault
	} else if sized && !filled {
		amount, filled = all, true
	}
	if !filled {
		number, some, fault := r.partNumber(r.of.number.index(), oneCell(row.cells, r.of.number.index()))
		if fault != nil || !some {
			return fault // the decoder of the record says what is missing
		}
		amount = units.Rat(number)
		if u, err := units.ByName(unit, "volume"); err == nil {
			target, _ := units.OfField("volumeLitres")
			amount, filled = target.Convert(amount, u), true
		} else {
			name += " " + unit
		}
	}
	kind, millilitres := drinkNamed(name)
	row.remove("meals")
	row.remove("servings")
	switch as := serving(kind, name, millilitres); {
	case kind != "" && !filled && as != "" && amount.IsInt():
		row.put("servings", map[string]json.RawMessage{as: json.RawMessage(amount.Num().String())})
		return nil
	case kind != "" && !filled && millilitres.Sign() > 0:
		amount.Mul(amount, millilitres.Quo(millilitres, big.NewRat(1000, 1)))
		fallthrough
	case kind != "" && filled:
		n, err := units.Rounded(amount)
		if err != nil {
			return &apperr.Detail{Field: r.heads[at], Code: fields.OutOfRange, Message: err.Error() + "."}
		}
		row.put("drinks", map[string]json.RawMessage{kind: json.RawMessage(n.String())})
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"servings", "drinks"},
		Message: fmt.Sprintf("%s is %.60q, of which it is not known what or how much one is. Write it as one of %s with the volume of one, such as Beer 0.33 l, or its litres into a column Litres.", r.heads[at], strings.TrimSpace(name), strings.Join(drinkKinds[:], ", "))}
}
