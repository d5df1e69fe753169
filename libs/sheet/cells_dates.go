package sheet

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// dates infers the order of day and month from all dates of a file, if none was declared: 03/04/2026 is in April if
// 13/04/2026 occurs. The zero value has seen none.
type dates struct {
	// left are the orders in which every date so far is valid.
	left []string
	seen bool
	// doubt: one of them has two readings.
	doubt bool
}

// add considers a cell of a date column.
func (d *dates) add(cell string) {
	cell = strings.TrimSpace(Unguard(cell))
	orders := units.OrdersOf(cell)
	if len(orders) == 0 {
		return
	}
	if !d.seen {
		d.seen, d.left = true, slices.Clone(orders)
	}
	d.doubt = d.doubt || len(orders) > 1
	d.left = slices.DeleteFunc(d.left, func(o string) bool { return !slices.Contains(orders, o) })
}

// settle considers a cell of another column of days, which the records do not have. It matters only where those that they have leave
// the order open, and a day that begins with its year says nothing of it.
func (d *dates) settle(cell string) {
	if len(cell) < len("1/2/26") || len(cell) > len("12/12/2026 12:00:00 AM") || cell[0] < '0' || cell[0] > '9' {
		return
	}
	d.add(cell)
}

// headsOfDays are words of headings of days.
const headsOfDays wordlist.List = "headsOfDays"

// otherDays returns which columns that are no fields are headed as days.
func (t *table) otherDays() []bool {
	of := make([]bool, len(t.heads))
	for at, head := range t.heads {
		of[at] = t.columns[at].Name == "" && headsOfDays.HasAny(wordsOf(strings.ReplaceAll(head, "_", " ")))
	}
	return of
}

// dayFirstHeads are headings of days in languages that have the day first, and are words of others elsewhere.
const dayFirstHeads wordlist.List = "dayFirstHeads"

// order returns the common order of all dates if one of them is ambiguous and the others determine it, or, where they do
// not, those of other columns, or the headings: in all languages with a decimal comma that are known here the day comes first. Else it
// is an empty text.
func (d *dates) order(others dates, heads []string) string {
	switch {
	case !d.doubt:
	case len(d.left) == 1:
		return d.left[0]
	case len(others.left) == 1 && slices.Contains(d.left, others.left[0]):
		return others.left[0]
	case slices.Contains(d.left, "dmy") && slices.ContainsFunc(heads, func(head string) bool { return writesCommas(head) || dayFirstHeads.Has(plain(head)) }):
		return "dmy"
	}
	return ""
}

// ambiguousDate is the fault of a day that may be another one.
func (t *table) ambiguousDate(at int, e *units.AmbiguousDateError) *apperr.Detail {
	return &apperr.Detail{Field: t.heads[at], Code: AmbiguousDate, Suggestions: e.Readings, Message: e.Error() + "."}
}

// day reads a cell that has a day, as the file writes days.
func (t *table) day(cell string) (string, error) {
	text := Unguard(strings.TrimSpace(cell))
	if day, ok := serialDay(text); ok && t.reading == interpreted {
		return day, nil
	}
	day, err := units.ParseDate(text, t.o.DateOrder)
	if err != nil && t.o.DateOrder != "" && t.o.Rules > 0 {
		day, err = units.ParseDate(text, "ymd") // year first is unambiguous
	}
	if e, ok := errors.AsType[*units.AmbiguousDateError](err); ok && e.Sure && t.o.Rules > 0 {
		return e.Readings[0], nil
	}
	return day, err
}

// serialDay returns the day of a number by which spreadsheets keep days, as columns without their format have it when they are
// saved as CSV: one of this century, so that a year is none.
func serialDay(text string) (day string, ok bool) {
	n, err := strconv.Atoi(text)
	epoch := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC) // by which 1 March 1900 and all later days are right
	when := epoch.AddDate(0, 0, n)
	return when.Format(time.DateOnly), err == nil && len(text) == 5 && when.Year() >= 2000 && when.Year() < 2100
}
