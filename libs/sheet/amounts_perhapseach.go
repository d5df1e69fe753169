package sheet

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// AmbiguousCount is the code of a number of items, more than one, next to an amount that may be per item or in total.
const AmbiguousCount = "AMBIGUOUS_COUNT"

// perhapsEach are the fields of a type whose amount may be per item that another column counts. The record would take it
// as the total.
var perhapsEach = map[string][]struct {
	field string
	of    []counting
	// each: only where the amount is that of each of something else.
	each bool
}{
	"freight":          {{field: "weightKg", of: []counting{ofTrip, ofVehicle, ofShipment}}},
	"waste":            {{field: "volumeLitres", of: []counting{ofPiece, ofContainer, ofCollection, ofSchedule, ofWeek}}, {field: "containers", of: []counting{ofPiece, ofContainer, ofCollection, ofSchedule, ofWeek}}, {field: "weightKg", of: []counting{ofPiece, ofContainer, ofCollection, ofSchedule, ofWeek}, each: true}},
	"materials":        {{field: "weightKg", of: []counting{ofPiece, ofPerson}}, {field: "areaM2", of: []counting{ofPiece}}},
	"catering":         {{field: "meals", of: []counting{ofDay, ofPiece, ofSession}}},
	"digital":          {{field: "hours", of: []counting{ofDay, ofSession}}},
	"energy":           {{field: "hours", of: []counting{ofDay, ofGenerator, ofPiece}}, {field: "volumeLitres", of: []counting{ofPiece, ofBottle}}, {field: "volumeM3", of: []counting{ofPiece, ofBottle}}, {field: "weightKg", of: []counting{ofPiece, ofBottle}}},
	"water":            {{field: "supplyM3", of: []counting{ofPiece, ofBottle, ofTrip}}},
	"ground-transport": {{field: distanceField, of: []counting{ofTrip, ofDay, ofWeek, ofPiece}}, {field: "from", of: []counting{ofTrip, ofDay, ofWeek, ofPiece}}},
	"flights":          {{field: "passengers", of: []counting{ofTrip, ofPiece}}},
	"purchases":        {{field: moneyField, of: []counting{ofPiece}}, {field: moneyField, of: []counting{ofDay, ofWeek, ofMonth, ofHour, ofNight, ofSession, ofTrip}, each: true}},
	"accommodation":    {{field: "nights", of: []counting{ofPiece}}},
}

// perhapsEachOf returns the fault of a row with an amount and a number of items, if the amount may be per item.
func (r *perItem) perhapsEachOf(row *row) *apperr.Detail {
	for _, amount := range perhapsEach[row.typ] {
		at := r.amountAt(amount.field)
		if at < 0 || !row.has(amount.field) || row.decidedOtherwise(row.typ, amount.field) || saysAll(r.heads[at], amount.field) || amount.each && !r.ofEach(at) {
			continue
		}
		for i := range r.heads[:min(len(r.heads), len(row.cells))] {
			of := cmp.Or(r.counts[i], r.countOfEachAt(i))
			if i == at || !slices.Contains(amount.of, of) || slices.Contains(row.counted, i) || !r.uncountedColumn(row.typ, i) {
				continue
			}
			n, number := r.asNumber(oneCell(row.cells, i))
			if !number || n <= 1 || of == ofPiece && (r.measuresUnit(row.cells) || isOwnName(r.heads[at], amount.field)) || r.saysTheSame(&row.body, amount.field, at, of, n) {
				continue
			}
			return r.askCount(amount.field, at, i, of, row.cells)
		}
	}
	return nil
}

// countOfEachAt returns countOfEach of the heading of a column, which it looks at once: rows are many.
func (r *perItem) countOfEachAt(at int) counting {
	if r.eachCounts == nil {
		r.eachCounts = make([]counting, len(r.heads))
		for i, head := range r.heads {
			r.eachCounts[i] = countOfEach(head)
		}
	}
	return r.eachCounts[at]
}

// countOfEach returns what a heading counts of each of something: trips for Trips per vehicle; empty if it counts nothing so.
func countOfEach(head string) counting {
	stem, _, _ := eachOf(head)
	return countOf(stem)
}

// ofEach reports whether a column has amounts per item.
func (r *perItem) ofEach(at int) bool {
	return slices.ContainsFunc(r.of, func(each eachColumn) bool { return each.at == at })
}

// askCount is the fault of a number of items whose amount, in the column at, may be per item.
func (r *perItem) askCount(field string, at, count int, of counting, cells []string) *apperr.Detail {
	d := apperr.Detail{Field: r.heads[count], Code: AmbiguousCount, Suggestions: []string{field}}
	said := fmt.Sprintf("%s is %.40s, and ", r.heads[count], oneCell(cells, count))
	switch {
	case r.ofEach(at):
		d.Message = said + fmt.Sprintf("the record would count %s once. Write all of it into a column %s, and leave the column %s out.", r.heads[at], field, r.heads[count])
	case field != distanceField && field != "from" && field != "passengers":
		d.Message = said + fmt.Sprintf("%s, %.40q, may be that of each or of all. Write %q above it if it is that of each, or \"Total %s\" if it is that of all; or leave the column %s out.",
			r.heads[at], oneCell(cells, at), r.heads[at]+eachWords(of), r.heads[at], r.heads[count])
	case of == ofPiece:
		d.Suggestions = []string{"passengers", "trips"}
		if r.typ == "ground-transport" {
			d.Suggestions = []string{"passengers", "vehicles", "trips"}
		}
		d.Message = said + fmt.Sprintf("the record would not count it. Head the column with what it is the number of, %s, or leave it out.", strings.Join(d.Suggestions, " or "))
	default:
		d.Suggestions = []string{"trips", "roundTrip"}
		d.Message = said + "the record would count one journey. Write into a column trips how often it was made, and into a column roundTrip whether each was there and back; or leave this one out."
	}
	return &d
}

// eachWords are the words by which a heading states that its amounts are per item.
func eachWords(of counting) string {
	switch of {
	case ofPiece:
		return " each"
	case ofSchedule:
		of = ofCollection
	}
	return " per " + string(of)
}

// amountAt returns the index of the column of a field, including one per item or without a unit; -1: none.
func (r *perItem) amountAt(name string) int {
	if at := r.placeOf(name); at >= 0 {
		return at
	}
	for _, each := range r.of {
		if each.field.Name == name {
			return each.at
		}
	}
	if name == hoursField && r.durations.at.found() {
		return r.durations.at.index()
	}
	for _, at := range r.quantity {
		if slices.ContainsFunc(quantities(r.typ, r.heads[at]), func(c Column) bool { return c.Name == name }) {
			return at
		}
	}
	return -1
}

// uncountedColumn reports whether a column is not a field, or is a field that does not affect the amount.
func (r *perItem) uncountedColumn(typ string, at int) bool {
	name := r.columns[at].Name
	return name == "" && (r.columns[at].Type == "" || slices.Contains(r.quantity, at)) || name == "containers" && typ == "waste" || name == "items" && typ == "materials"
}

// saysAll reports whether a heading states that its amount is a total.
func saysAll(head, field string) bool {
	joined := plain(head)
	_, total := withoutTotal(head)
	return total || drivenWords.HasAny(wordsOf(head)) || strings.HasPrefix(joined, "gesamt") || strings.HasPrefix(joined, "total") || strings.HasPrefix(joined, "net") && field != moneyField
}

// isOwnName reports whether a heading is the name of a field in its unit, such as weightKg, which is the total of all
// pieces, whereas Weight (kg) may also be the weight per piece.
func isOwnName(head, field string) bool {
	_, measured := units.OfField(field)
	return measured && strings.EqualFold(head, field)
}

// measuresUnit reports whether a row has a unit of measurement beside its numbers: its quantity counts no pieces.
func (r *perItem) measuresUnit(cells []string) bool {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if besideHeads.Has(plain(head)) && isUnit(oneCell(cells, at)) {
			return true
		}
	}
	return false
}

// decidedOtherwise reports whether another field of the row decides, so that an amount does not matter.
func (b *body) decidedOtherwise(typ, field string) bool {
	decides := map[string][]string{
		"waste containers": {"weightKg", "volumeLitres"}, "waste volumeLitres": {"weightKg"}, "energy hours": {"volumeLitres", "energyKWh", "weightKg", "volumeM3"},
		"ground-transport from": {distanceField, "volumeLitres", "energyKWh"}, "ground-transport " + distanceField: {"volumeLitres", "energyKWh"},
		"materials areaM2": {"weightKg"},
	}
	return slices.ContainsFunc(decides[typ+" "+field], b.has)
}

// hoursOfDay is the number of hours in a day: more than that cannot be hours per day.
var hoursOfDay = big.NewRat(24, 1)

// costHeads are headings of what things cost, each or all of them, normalized by plain. An amount is that of all.
const costHeads wordlist.List = "costHeads"

// costOf returns a heading without its currency.
func costOf(head string) string {
	if stem, word, ok := unitOfHead(head); ok {
		if _, currency := currencyWritten(word); currency {
			return stem
		}
	}
	return head
}

// saysTheSame reports whether a number of items is one that the record counts already, or one to which the amount cannot
// be proportional.
func (r *perItem) saysTheSame(b *body, field string, at int, of counting, n float64) bool {
	if number, _, _, ok := r.measure(field, b); ok && field != "containers" {
		if value, _ := number.Float64(); of == ofPiece && value == n {
			return true
		}
		if field == "hours" && (of == ofDay || of == ofSession) && number.Cmp(hoursOfDay) > 0 {
			return true
		}
	}
	switch field {
	case distanceField, "from", "passengers":
		if b.has("trips") && of != ofPiece {
			return true
		}
		for _, name := range [...]string{"passengers", "vehicles", "trips"} {
			if of == ofPiece && b.number(name) == n {
				return true
			}
		}
	case "nights":
		return b.number("rooms") == n || b.number("guests") == n || b.number("rooms")*b.number("nights") == n || b.number("guests")*b.number("nights") == n
	case moneyField:
		return of == ofPiece && (!costHeads.Has(plain(costOf(r.heads[at]))) || slices.ContainsFunc(r.heads, func(head string) bool {
			_, _, each := eachOf(head)
			return each
		}))
	case "meals":
		return of == ofPiece && r.counts[at] != ofPerson
	}
	return false
}
