package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// ticks are the columns that are headed by a value of a field, and ticked in the rows that have it: Electric? yes, Train x.
type ticks struct {
	*table
	of []tickColumn
	// there and back are the columns of the two ways of a journey, if the table has both.
	there, back place
}

// tickColumn is such a column, with the field and its value.
type tickColumn struct {
	at           int
	field, value string
}

// tickedFields are the fields of values, by type, that such columns may have.
var tickedFields = map[string][]string{
	"accommodation": {"kind"}, "digital": {"activity", "videoQuality"}, "flights": {"class"}, "freight": {"mode", "vehicle"},
	"ground-transport": {"fuel", "size", "mode"}, "materials": {"source"}, "waste": {"treatment"}, footprint.OriginRows: {"mode"},
}

// tickWords are what people write into a cell to tick it, besides words for yes.
const tickWords wordlist.List = "tickWords"

// findTicks finds such columns.
func (r *ticks) findTicks() {
	if r.there, r.back = r.wayColumns(); r.there.found() {
		for _, at := range [...]place{r.there, r.back} {
			r.claim(at, "roundTrip", tells)
			r.claimCells(at.index(), keeps, whole)
		}
	}
	for at, head := range r.heads {
		name := strings.Trim(head, "?: ")
		if head == "" || !r.free(at) || r.isClaimed(at, anything) {
			continue
		}
		for _, field := range tickedFields[r.typ] {
			value := columnOf(r.typ, field).values[key(name)]
			if value == "" && field == "mode" {
				value = answeredMode("", name, columnOf(r.typ, field).values) // no more than the mode, unlike Car parking
			}
			if value != "" {
				r.add(at, field, value)
				break
			}
		}
		if columnOf(r.typ, "roundTrip").Name != "" && !r.heading("roundTrip") && !r.there.found() && (oneWays.Has(key(name)) || bothWays.Has(key(name))) {
			r.add(at, "roundTrip", strconv.FormatBool(!oneWays.Has(key(name))))
		}
	}
}

// add takes note of a column.
func (r *ticks) add(at int, field, value string) {
	if slices.ContainsFunc(r.of, func(other tickColumn) bool { return other.at == at }) {
		return
	}
	r.of = append(r.of, tickColumn{at, field, value})
	r.claimCells(at, keeps, func(cell string) string {
		if r.isTick(cell) {
			return cell
		}
		return ""
	})
}

// saysYes reports whether a cell says yes or is ticked.
func saysYes(cell string) bool {
	yes, _ := fields.Truth(cell)
	return yes || tickWords.Has(strings.ToLower(cell))
}

// isTick reports whether a cell is ticked. A 1 is a number of things, except in a list of people.
func (r *ticks) isTick(cell string) bool {
	text := strings.ToLower(Unguard(strings.TrimSpace(cell)))
	return saysYes(text) && (text != "1" || r.typ == footprint.OriginRows)
}

// ticked sets the field of a row by its ticked column, and returns the fault of a row that has another value.
func (r *ticks) ticked(row *row) *apperr.Detail {
	for _, column := range r.of {
		cell := oneCell(row.cells, column.at)
		if !r.isTick(cell) {
			continue
		}
		has := row.text(column.field)
		if column.field == "roundTrip" {
			has = string(row.values[column.field])
		}
		switch {
		case has == column.value:
		case has != "":
			return &apperr.Detail{Field: r.heads[column.at], Code: fields.NotAllowed, Suggestions: []string{column.field},
				Message: fmt.Sprintf("%s is %.40q, and the record would have %s as %s. Write the one that is meant into a column %s, with a row for each if there are several, and leave the column %s out.", r.heads[column.at], cell, has, column.field, column.field, r.heads[column.at])}
		case column.field == "roundTrip":
			row.put(column.field, column.value == "true")
		default:
			row.put(column.field, column.value)
		}
		r.use(column.at)
	}
	return nil
}
