package sheet

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// quantityWords returns the headings that name a quantity without its unit, normalized by plain, by its dimension. The name
// of a field without its unit, and its titles, are such headings too.
func quantityWords(dimension string) wordlist.List { return wordlist.OfType("quantity", dimension) }

// grossWords are headings of the weight including packaging: that of freight, but not of waste.
const grossWords wordlist.List = "grossWords"

// amountWords are headings that do not even name the quantity: only the unit of a cell determines it.
const amountWords wordlist.List = "amountWords"

// amountWord is one of them.
const amountWord = "amount"

// ofAmounts are the types for which such a heading is considered. In other types a
// column of that name is more likely to contain money, or people.
var ofAmounts = []string{"energy", "waste", "water", "materials"}

// quantities returns the fields of a type that a heading without a unit may mean: those
// of that name, else those of the dimension.
func quantities(typ, head string) []Column {
	head = plain(head)
	var called, alike []Column
	for _, c := range Columns(typ) {
		target, measured := units.OfField(c.Name)
		if !measured || !c.number() {
			continue
		}
		if plain(units.Stem(c.Name)) == head || slices.Contains(c.titles, head) || slices.Contains(c.headings, head+plain(target.Symbol)) {
			called = append(called, c)
		}
		if quantityWords(target.Dimension).Has(head) || isAmount(head) && slices.Contains(ofAmounts, typ) ||
			typ == "freight" && target.Dimension == "mass" && grossWords.Has(head) {
			alike = append(alike, c)
		}
	}
	if len(called) > 0 {
		return called
	}
	return alike
}

func isAmount(head string) bool { return amountWords.Has(plain(head)) }

// routesOrDistances are headings of distances, or of the places between which somebody went, normalized by plain.
const routesOrDistances wordlist.List = "routesOrDistances"

// headsQuantity reports whether a heading without a unit means fields of the file's rows, none of which has a column.
func (in *interpreter) headsQuantity(head string) bool {
	if slices.ContainsFunc(in.heads, isPrevious) && !slices.ContainsFunc(wordsOf(head), func(word string) bool { return !lastReadingWords.Has(word) }) {
		return false // Actual beside Anterior is a reading
	}
	if routesOrDistances.Has(plain(head)) && slices.ContainsFunc(in.heads, func(other string) bool {
		c, _, ok := inUnits(in.typ, other)
		i := headed(in.known, other)
		return ok && c.Name == distanceField || i >= 0 && in.known[i].Name == distanceField
	}) {
		return false // Strecke beside Kilometer is where somebody went
	}
	if in.typ == "flights" && classHeaded(head) != "" {
		return false // Business is a class here, and elsewhere what was driven for it
	}
	types := []string{in.typ}
	if in.typ == Mixed {
		types = footprint.Types()
	}
	found := false
	for _, typ := range types {
		of := quantities(typ, head)
		if slices.ContainsFunc(of, func(c Column) bool {
			return slices.ContainsFunc(in.columns, func(other Column) bool { return other.Name == c.Name }) ||
				slices.ContainsFunc(in.quantity, func(at int) bool {
					return slices.ContainsFunc(quantities(typ, in.heads[at]), func(other Column) bool { return other.Name == c.Name })
				})
		}) {
			return false
		}
		found = found || len(of) > 0
	}
	return found
}

// quantityCell adds a cell below a heading without a unit to the object, by its own unit.
func (in *interpreter) quantityCell(b *body, typ string, i int, cell string) *apperr.Detail {
	of := quantities(typ, in.heads[i])
	fault := func(code, format string, args ...any) *apperr.Detail {
		d := &apperr.Detail{Field: in.heads[i], Code: code, Message: fmt.Sprintf(format, args...)}
		for _, c := range of {
			d.Suggestions = append(d.Suggestions, c.Name)
		}
		return d
	}
	if bareNumber(cell) && !isAmount(in.heads[i]) && !slices.ContainsFunc(of, func(c Column) bool { return c.needed }) {
		b.unread = append(b.unread, i) // no field needs it
		return nil
	}
	if len(of) == 0 {
		return fault(fields.NotAllowed, "%s is no field of %s; leave the cell empty.", in.heads[i], typ)
	}
	format, _ := units.ParseFormat(in.declared())
	var fit, same []Column
	var gallons *apperr.Detail
	bare := false
	for _, c := range of {
		target, _ := units.OfField(c.Name)
		m, err := units.Parse(cell, target, format)
		if e, ok := errors.AsType[*units.AmbiguousNumberError](err); ok {
			return in.ambiguousNumber(i, e)
		}
		if e, ok := errors.AsType[*units.AmbiguousUnitError](err); ok && gallons == nil {
			gallons = &apperr.Detail{Field: in.heads[i], Code: footprint.AmbiguousUnit, Suggestions: e.Meanings, Message: e.Error() + "."}
		}
		bare = bare || err == nil && m.Unit == nil
		if err != nil || m.Unit == nil {
			continue
		}
		if fit = append(fit, c); m.Unit.Symbol == target.Symbol {
			same = append(same, c)
		}
	}
	if len(same) == 1 {
		fit = same
	}
	switch {
	case len(fit) == 1:
		b.stated[fit[0].Name] = cell
		return nil
	case len(fit) > 1:
		return fault(fields.NotAllowed, "%s may be %s; head the column with the field that is meant.", in.heads[i], orOf(fit))
	case isAmount(in.heads[i]):
		switch unit := strings.TrimSpace(strings.TrimLeft(cell, "0123456789"+separators+"-−(")); {
		case gallons != nil:
			b.unknownAmount = gallons
		case strings.HasPrefix(cell, "-"), strings.HasPrefix(cell, "−"):
			b.unknownAmount = fault(fields.NotAllowed, "%s is %.40q: an amount below zero takes back another one. Delete both rows, or write what is left into one of them.", in.heads[i], cell)
		case unit != "" && !bareNumber(cell) && strings.ContainsAny(cell, "0123456789"):
			b.unknownAmount = fault(fields.BadFormat, "%s is %.40q, and %.20q is no unit of %s; a number there has its unit, such as %s.", in.heads[i], cell, unit, orOf(of), example(of[0]))
		default:
			b.unknownAmount = fault(fields.BadFormat, "Below %s a number needs its unit, such as %s; or head the column %s.", in.heads[i], example(of[0]), orOf(of))
		}
		b.amountAt, b.amountCell, b.unread = i, cell, append(b.unread, i)
		return nil
	case gallons != nil:
		return gallons
	case bare:
		return fault(fields.BadFormat, "The head %s says no unit, and the cell has none: write it behind the number, such as %s, or head the column %s.", in.heads[i], example(of[0]), orOf(of))
	}
	return fault(fields.BadFormat, "Below %s the cells are numbers with their units, such as %s; got %q.", in.heads[i], example(of[0]), cell)
}

// unitHeads are headings of columns with the unit of an adjacent quantity, normalized by plain.
const unitHeads wordlist.List = "unitHeads"

// weightUnitHeads are those of columns with the unit of a weight.
const weightUnitHeads wordlist.List = "weightUnitHeads"

// findUnits finds the columns with the units of columns whose heads have none: anywhere for the only one, and of several behind
// each of them. It removes them from the ignored ones.
func (r *unitsBeside) findUnits() {
	found := map[int]int{}
	for _, at := range r.quantity {
		beside := placeAt(at + 1)
		if len(r.quantity) == 1 {
			if beside = r.beside(unitHeads); !beside.found() && quantityWords("mass").Has(plain(r.heads[at])) {
				beside = r.beside(weightUnitHeads)
			}
		} else if !r.isUnitColumn(at + 1) {
			return
		}
		if beside.found() {
			found[at] = beside.index()
		}
	}
	r.units = found
	for _, at := range r.quantity {
		if beside, ok := found[at]; ok {
			r.use(beside)
			r.claim(placeAt(beside), "", shown)
		}
	}
}

// isUnitColumn reports whether a column has units, by its heading.
func (r *unitsBeside) isUnitColumn(at int) bool {
	return at < len(r.heads) && r.free(at) && besideHeads.Has(plain(r.heads[at]))
}

// unitOf returns the unit of a cell of a column from the unit cell of its row.
func (r *unitsBeside) unitOf(at int, cells []string) string {
	beside, ok := r.units[at]
	if !ok || beside >= len(cells) {
		return ""
	}
	return Unguard(strings.TrimSpace(cells[beside]))
}

// bareNumber reports whether a cell is a number in any notation, without a unit.
func bareNumber(cell string) bool {
	cell = Unguard(strings.TrimSpace(cell))
	return strings.ContainsAny(cell, "0123456789") && strings.Trim(cell, "0123456789"+separators) == ""
}

// noteUnread records columns with ignored cells.
func (in *interpreter) noteUnread(columns []int) {
	for _, at := range columns {
		if !slices.Contains(in.unread, at) {
			in.unread = append(in.unread, at)
			slices.Sort(in.unread)
		}
	}
}

// unitOfHead returns the parts of a head that has a unit at its end: Weight (kg), Menge in t.
func unitOfHead(head string) (stem, unit string, ok bool) {
	text := strings.TrimRight(strings.TrimSpace(head), ")].?:")
	at := strings.LastIndexAny(text, "([")
	if at < 0 {
		at = strings.LastIndexAny(text, " /_")
	}
	if at < 1 {
		return "", "", false
	}
	unit = strings.TrimPrefix(strings.TrimSpace(text[at+1:]), "in ")
	return strings.TrimSuffix(strings.TrimSpace(text[:at]), " in"), unit, true
}

// inUnits returns the field meant by a heading that names a quantity with another word than the field's, and its
// unit: "Gross weight (t)". The unit is empty if it is the field's own.
func inUnits(typ, head string) (Column, string, bool) {
	stem, word, ok := unitOfHead(head)
	if !ok && len(plain(head)) > 1 {
		stem, word, ok = amountWord, strings.TrimSpace(head), true // Miles, Tonnes
	}
	if !ok {
		return Column{}, "", false
	}
	of := quantities(typ, stem)
	if isAmount(stem) {
		of = slices.DeleteFunc(slices.Clone(Columns(typ)), func(c Column) bool { return !c.number() })
	}
	var fit, same []Column
	symbol := ""
	for _, c := range of {
		target, measured := units.OfField(c.Name)
		u, err := units.ByName(word, target.Dimension)
		if !measured || err != nil {
			continue
		}
		fit, symbol = append(fit, c), u.Symbol
		if u.Symbol == target.Symbol {
			same = append(same, c)
		}
	}
	switch {
	case len(same) == 1:
		return same[0], "", true
	case len(same) == 0 && len(fit) == 1:
		return fit[0], symbol, true
	}
	return Column{}, "", false
}

// orOf returns the names of fields, joined for a message.
func orOf(columns []Column) string {
	names := make([]string, 0, len(columns))
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return strings.Join(names, " or ")
}

// example is a number in the unit of a field.
func example(c Column) string {
	target, _ := units.OfField(c.Name)
	return "120 " + target.Symbol
}

// tareWords are words of headings of the weight of an empty vehicle.
const tareWords wordlist.List = "tareWords"

// grossFirst returns some columns with those of weights with packaging before the others, in a table of freight, since what is
// carried is all of it. Beside the weight of an empty vehicle gross is that of the vehicle, too: then they are left out.
func (in *interpreter) grossFirst(columns []int) []int {
	if in.typ != "freight" || in.reading != interpreted || !slices.ContainsFunc(in.heads, isGrossWeight) {
		return columns
	}
	gross := func(at int) bool { return isGrossWeight(in.heads[at]) }
	first := slices.DeleteFunc(slices.Clone(columns), func(at int) bool { return !gross(at) })
	rest := slices.DeleteFunc(slices.Clone(columns), gross)
	if slices.ContainsFunc(in.heads, isTare) && slices.ContainsFunc(in.heads, isNetWeight) {
		in.ignored = append(in.ignored, first...)
		return rest
	}
	return append(first, rest...)
}

// isTare reports whether a heading is that of the weight of an empty vehicle.
func isTare(head string) bool { return tareWords.HasAny(wordsOf(head)) }

// isNetWeight reports whether a heading is that of a weight without packaging or vehicle: Net weight, Nettogewicht.
func isNetWeight(head string) bool {
	return isNet(head) || slices.ContainsFunc(wordsOf(head), func(word string) bool { return strings.HasPrefix(word, "netto") })
}

// carriesGross reports whether the weight of a table of freight is that with packaging.
func (t *table) carriesGross() bool {
	return t.typ == "freight" && slices.ContainsFunc(t.heads, isGrossWeight) && !slices.ContainsFunc(t.heads, isTare)
}

// isGrossWeight reports whether a heading is that of a weight with packaging.
func isGrossWeight(head string) bool {
	if stem, _, ok := unitOfHead(head); ok && grossWords.Has(plain(stem)) {
		return true
	}
	return grossWords.Has(plain(head))
}
