package sheet

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// perItem are the amounts that a table has of each of something.
type perItem struct {
	*table
	durations *durations
	of        []eachColumn
	// several are the columns with a number per something other than what the column of the field counts.
	several []int
	// eachCounts are what the headings count of each of something, by index; nil until they are needed.
	eachCounts []counting
}

// eachColumn is a column with the amount of each of something, such as "Weight per pallet (kg)" and "Hours per day".
type eachColumn struct {
	at int
	// field is what the amounts come to, and unit its unit in the heading; empty if that is the field's own.
	field Column
	unit  string
	of    counting
}

// multiplied are the counts that a record itself multiplies a field by, by type and field: the distance per trip is the
// distance.
var multiplied = map[string]map[string][]counting{
	"ground-transport": {distanceField: {ofTrip, ofVehicle, ofPerson}},
	"flights":          {distanceField: {ofTrip, ofPerson}},
	"freight":          {distanceField: {ofTrip, ofVehicle}},
	"accommodation":    {"nights": {ofRoom, ofPerson}},
	"digital":          {"hours": {ofPerson}},
}

// products are the fields of a type that a record multiplies with each other: passengers per trip are not multiplied by the trips
// before, and of the hours and the participants of each session only one is multiplied by the sessions.
var products = map[string][][]string{
	"ground-transport": {{"passengers", "vehicles"}, {"trips"}},
	"accommodation":    {{"rooms", "guests"}, {"nights"}},
	"digital":          {{"participants"}, {"hours"}},
	"energy":           {{"generatorKVA"}, {"hours"}},
	"venue":            {{"floorAreaM2"}, {"days"}},
}

// recordMultiplies reports whether records of a type multiply two fields with each other.
func recordMultiplies(typ, one, other string) bool {
	of := products[typ]
	return of != nil && (slices.Contains(of[0], one) && slices.Contains(of[1], other) || slices.Contains(of[1], one) && slices.Contains(of[0], other))
}

// alone are fields that records have with another one only, by type, and the amounts beside which a row may have them
// without it: the hours in which litres were burnt, the number of containers with a volume.
var alone = map[string]struct {
	field, with string
	amounts     []string
}{
	"energy": {"hours", "generatorKVA", []string{"volumeLitres", "energyKWh", "weightKg", "volumeM3"}},
	"waste":  {"containers", "container", []string{"volumeLitres", "weightKg"}},
}

// findEach finds the columns with the amount of each of something whose field has no other column.
func (r *perItem) findEach() {
	for at, head := range r.heads {
		if r.counts[at] = countOf(head); r.counts[at] == "" && r.typ == "materials" && copiesHeads.Has(plain(head)) {
			r.counts[at] = ofPiece
		}
	}
	if r.typ == Mixed || r.typ == footprint.OriginRows {
		return
	}
	for at, head := range r.heads {
		_, of, ok := eachOf(head)
		if !ok || !r.free(at) {
			continue
		}
		field, unit := r.fieldOfEach(at)
		own := r.placeOf(field.Name)
		switch {
		case !field.number():
			continue
		case own >= 0 && r.counts[own] != of:
			if r.counts[own] != "" {
				r.several = append(r.several, at)
			}
			continue
		}
		r.use(at)
		if slices.Contains(multiplied[r.typ][field.Name], of) {
			r.columns[at], r.inUnit[at] = field, unit
			continue
		}
		r.columns[at].Type = "number"
		r.of = append(r.of, eachColumn{at, field, unit, of})
		r.claim(placeAt(at), field.Name, derives|shown|rates)
		r.countPieces()
	}
}

// countPieces makes a column such as Quantity one of a number of pieces, and not of an amount whose unit is in its cells.
func (t *table) countPieces() {
	for _, count := range slices.Clone(t.quantity) {
		if t.counts[count] != "" {
			t.columns[count].Type = ""
			t.quantity = slices.DeleteFunc(t.quantity, func(at int) bool { return at == count })
			t.ignored = append(t.ignored, count)
		}
	}
}

// fieldOfEach returns the field that the heading of a column means without what it is of each of, and its unit.
func (r *perItem) fieldOfEach(at int) (field Column, unit string) {
	stem, _, _ := eachOf(r.heads[at])
	stem = usualUnits(stem)
	known := Columns(r.typ)
	for i, c := range known {
		if plain(c.Name) == plain(stem) || i == headed(known, stem) {
			return c, ""
		}
	}
	if field, unit = meant(stem, known); field.Name != "" {
		return field, unit
	}
	if c, symbol, ok := inUnits(r.typ, stem); ok {
		return c, symbol
	}
	if of := quantities(r.typ, stem); len(of) == 1 && of[0].needed {
		return of[0], ""
	}
	name, _, _ := unitOfHead(stem)
	if priceHeads.Has(strings.ToLower(stem)) || priceHeads.Has(strings.ToLower(name)) {
		if i := slices.IndexFunc(known, func(c Column) bool { return c.Name == moneyField && r.typ == "purchases" }); i >= 0 {
			if r.currency == "" {
				r.currency = moneyHead(known, "Amount"+strings.TrimPrefix(stem, name))
			}
			return known[i], ""
		}
	}
	return Column{}, ""
}

// takeEach sets the fields that a row has of each of something, and returns the fault of a row that does not say how many
// there are.
func (r *perItem) takeEach(row *row) *apperr.Detail {
	taken := map[int][]string{} // the fields of each of what a column counts
	for _, each := range r.of {
		cell := Unguard(oneCell(row.cells, each.at))
		if strings.Trim(cell, "-–—") == "" || row.has(each.field.Name) && r.counts[r.placeOf(each.field.Name)] != each.of {
			continue
		}
		at := r.countAt(each, row.cells)
		if at < 0 {
			return &apperr.Detail{Field: r.heads[each.at], Code: fields.Required, Suggestions: []string{each.field.Name},
				Message: fmt.Sprintf("%s is that of each, and no column says how many there are. Write it into a column Number of %ss, or all of it into a column %s.", r.heads[each.at], each.of, each.field.Name)}
		}
		n, fault := r.exactly(at, row.cells[at])
		if fault != nil {
			return fault
		}
		if recordMultiplies(r.typ, each.field.Name, r.columns[at].Name) || slices.ContainsFunc(taken[at], func(other string) bool { return recordMultiplies(r.typ, each.field.Name, other) }) {
			n = decimal.FromInt(1) // the record itself counts them
		}
		taken[at] = append(taken[at], each.field.Name)
		if fault := r.setProduct(&row.body, each, cell, n); fault != nil {
			return fault
		}
		if fault := r.discounted(each, row.cells); fault != nil {
			return fault
		}
		if fault := r.belowProduct(&row.body, each, row.cells); fault != nil {
			return fault
		}
		row.counted = append(row.counted, at)
		r.use(at)
	}
	return nil
}

// discountWords are words of headings of discounts.
const discountWords wordlist.List = "discountWords"

// discounted returns the fault of a row with a discount on the price of each, which its product would not have.
func (r *perItem) discounted(each eachColumn, cells []string) *apperr.Detail {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if each.field.Name != moneyField || !r.free(at) || !strings.ContainsAny(cells[at], "123456789") || !discountWords.HasAny(wordsOf(head)) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{moneyField},
			Message: fmt.Sprintf("%s is %.40q, and the record would count %s times the quantity without it. Write what was paid into a column amount, and leave %s out.", head, strings.TrimSpace(cells[at]), r.heads[each.at], head)}
	}
	return nil
}

// belowProduct returns the fault of a row whose total is less than the price of each times the quantity: one with tax is more.
func (r *perItem) belowProduct(b *body, each eachColumn, cells []string) *apperr.Detail {
	product := b.number(moneyField)
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if each.field.Name != moneyField || product == 0 || !r.free(at) || !isWhole(head) {
			continue
		}
		if total, ok := r.asNumber(oneCell(cells, at)); ok && total > 0 && total < product*0.995 {
			return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{moneyField},
				Message: fmt.Sprintf("%s is %.40q, and %s times the quantity is %.12g. Write what was paid into a column amount, and leave the price of each out.", head, oneCell(cells, at), r.heads[each.at], product)}
		}
	}
	return nil
}

// priceHeads are headings of the price of one piece.
const priceHeads wordlist.List = "priceHeads"

// leaveOutAlone leaves out a number that records have with another field only, or the kind of container that was not
// counted, beside an amount that decides.
func (r *perItem) leaveOutAlone(row *row) *apperr.Detail {
	only, ok := alone[row.typ]
	if !ok || row.has(only.field) == row.has(only.with) || !slices.ContainsFunc(only.amounts, row.has) {
		return nil
	}
	for _, name := range [...]string{only.field, only.with} {
		at := r.placeOf(name)
		if at < 0 || !row.has(name) {
			continue
		}
		row.remove(name)
		if !slices.Contains(row.counted, at) {
			row.unread = append(row.unread, at)
		}
	}
	return nil
}

// setProduct sets a field to the number of a cell times a count.
func (r *perItem) setProduct(b *body, each eachColumn, cell string, count decimal.Decimal) *apperr.Detail {
	if each.field.Name == moneyField {
		text, currency, ofThousands := money(cell)
		cell, b.currency = text, currency
		if ofThousands {
			count, _ = units.Rounded(new(big.Rat).Mul(units.Rat(count), big.NewRat(1000, 1)))
		}
	}
	if fault := r.twoReadings(each.at, cell); fault != nil {
		return fault
	}
	format, _ := units.ParseFormat(r.declared())
	text := cell
	if r.declared() == "" && json.Valid([]byte(text)) && ambiguous(text) != nil {
		text += "0" // the point is the decimal separator
	}
	target, measured := units.OfField(each.field.Name)
	m := units.Measure{}
	var err error
	if measured {
		m, err = units.Parse(text, target, format)
	} else {
		m.Number, err = units.ParseNumber(text, format)
	}
	unit := each.unit
	if err == nil && m.Unit != nil {
		unit = m.Unit.Symbol
	}
	if e, ok := errors.AsType[*units.AmbiguousNumberError](err); ok {
		return r.ambiguousNumber(each.at, e)
	}
	if err != nil {
		return &apperr.Detail{Field: r.heads[each.at], Code: fields.BadFormat, Message: fmt.Sprintf("%s has a number; got %.40q.", r.heads[each.at], cell)}
	}
	product := new(big.Rat).Mul(units.Rat(m.Number), units.Rat(count))
	n := product.FloatString(m.Number.Scale() + count.Scale()) // all of its digits
	if strings.Contains(n, ".") {
		n = strings.TrimRight(strings.TrimRight(n, "0"), ".")
	}
	b.remove(each.field.Name)
	if unit == "" || unit == target.Symbol {
		b.set(each.field.Name, json.RawMessage(n))
	} else {
		b.stated[each.field.Name] = strings.TrimSpace(r.written(n) + " " + unit)
	}
	return nil
}

// countAt returns the place of the column that counts what an amount is of each of; -1 if the row has none.
func (r *perItem) countAt(each eachColumn, cells []string) int {
	among := [][]counting{{each.of}}
	switch {
	case each.of == ofPiece:
		among = append(among, pieceLike[1:])
	case each.of == ofContainer:
		among = append(among, []counting{ofPiece}, []counting{ofCollection})
	case each.of == ofTrip:
		among = append(among, []counting{ofVehicle}, []counting{ofPiece})
	case each.of == ofVehicle:
		among = append(among, []counting{ofTrip}, []counting{ofPiece})
	case slices.Contains(pieceLike, each.of):
		among = append(among, []counting{ofPiece})
	}
	for _, of := range among {
		for at := range r.heads[:min(len(r.heads), len(cells))] {
			if _, number := r.asNumber(oneCell(cells, at)); number && slices.Contains(of, r.counts[at]) && (r.columns[at].Name == "" || r.columns[at].number()) {
				return at
			}
		}
	}
	if each.of == ofPiece {
		// Sizes, or colors, and a total of them.
		return slices.IndexFunc(r.heads[:min(len(r.heads), len(cells))], func(head string) bool { return r.free(slices.Index(r.heads, head)) && isWhole(head) })
	}
	return -1
}

// exactly returns the number of a count: 24 of 24 and of 24 pcs.
func (t *table) exactly(at int, cell string) (decimal.Decimal, *apperr.Detail) {
	cell = strings.TrimSpace(Unguard(cell))
	if end := strings.LastIndexAny(cell, "0123456789"); end >= 0 {
		cell = cell[:end+1]
	}
	n, _, fault := t.partNumber(at, cell)
	return n, fault
}
