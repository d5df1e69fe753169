package sheet

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
)

var (
	// dayOrWeek is a date without a year, or a numbered week, in a heading: 12.05., 5/12, KW 20, W3.
	dayOrWeek = regexp.MustCompile(`(?i)\b\d{1,2}[./]\d{1,2}\.?\b|\b(?:kw|week|woche|wk|w|semaine|semana|settimana)\s?\d{1,2}\b`)
	// yearInHead is a year in a heading.
	yearInHead = regexp.MustCompile(`\b20\d\d\b`)
	// headWord is a word or a number of a heading.
	headWord = regexp.MustCompile(`[\p{L}\p{M}\d]+`)
	// ordinal is the number of a day.
	ordinal = regexp.MustCompile(`^\d{1,2}(?:st|nd|rd|th|er|º|ª)?$`)
)

// withoutPeriod returns a heading without the month, week or day that it is of, and the year that it names; false if it is of none.
func withoutPeriod(head string) (stem, year string, ok bool) {
	if len(head) > longestMark {
		return "", "", false
	}
	year = yearInHead.FindString(head)
	stem = yearInHead.ReplaceAllString(head, " ")
	rest := dayOrWeek.ReplaceAllString(stem, " ")
	ok = rest != stem
	named := slices.ContainsFunc(headWord.FindAllString(rest, -1), func(word string) bool {
		return monthWords.Has(strings.ToLower(word)) || dayWords.Has(strings.ToLower(word))
	})
	ok = ok || named
	rest = headWord.ReplaceAllStringFunc(rest, func(word string) string {
		lower := strings.ToLower(word)
		if monthWords.Has(lower) || dayWords.Has(lower) || ok && ordinal.MatchString(lower) {
			return " "
		}
		return word
	})
	if rest = strings.Trim(oneLine(rest), " -–—:/,.'"); strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "[") {
		rest = amountWord + " " + rest // the unit alone
	}
	return rest, year, ok
}

// findSeries finds the columns of an amount by month, week or day, such as Jan (kg) and Feb (kg): together they are that of the record.
func (r *parts) findSeries() {
	type series struct {
		unit string
		at   []int
		year string
	}
	found, fields := map[string]*series{}, []string(nil)
	for at, head := range r.heads {
		stem, year, ok := withoutPeriod(head)
		if !ok || stem == "" || !r.free(at) {
			continue
		}
		column, unit, ok := inUnits(r.typ, usualUnits(stem))
		if !ok {
			continue
		}
		target, _ := units.OfField(column.Name)
		if unit = cmp.Or(unit, target.Symbol); found[column.Name] == nil {
			found[column.Name], fields = &series{unit: unit, year: year}, append(fields, column.Name)
		}
		// Of another year, or in another unit, it is compared with the others and not added.
		if s := found[column.Name]; s.unit != unit || s.year != year {
			return
		}
		found[column.Name].at = append(found[column.Name].at, at)
	}
	for _, field := range fields {
		if s := found[field]; len(s.at) > 1 {
			for _, at := range s.at {
				r.addPart(at, field)
			}
			r.setUnit(field, s.unit)
		}
	}
}

// findMoneySeries finds the columns of amounts of money by month, week or day, in one currency, such as Jan £ and Feb £, or Jan and
// Feb beside a column of currencies.
func (r *parts) findMoneySeries() {
	if r.heading(moneyField) {
		return
	}
	var found []int
	currency, years := "", ""
	for at, head := range r.heads {
		stem, year, ok := withoutPeriod(head)
		if !ok || !r.free(at) {
			continue
		}
		code, written := currencyWritten(strings.Trim(strings.TrimPrefix(stem, amountWord), "()[] "))
		if stem == "" {
			code, written = "", r.heading(currencyField)
		}
		if !written || code == "" && stem != "" {
			continue
		}
		if len(found) > 0 && (code != currency || year != years) {
			return
		}
		found, currency, years = append(found, at), code, year
	}
	if len(found) < fewestDays {
		return
	}
	r.currency = currency
	for _, at := range found {
		r.addPart(at, moneyField)
	}
}

// tookMoney sets the currency of a row whose amounts of money were added up, and returns the fault of one whose total is another.
func (r *parts) tookMoney(row *row, sum string) *apperr.Detail {
	if r.currency != "" && !row.has(currencyField) {
		row.put(currencyField, r.currency)
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		if !r.free(at) || !isWhole(costOf(head)) {
			continue
		}
		cell, _, _ := money(Unguard(oneCell(row.cells, at)))
		total, filled, fault := r.partNumber(at, cell)
		if came, ok := new(big.Rat).SetString(sum); fault != nil || !filled || ok && units.Rat(total).Cmp(came) == 0 {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{moneyField},
			Message: fmt.Sprintf("%s is %.40q, and the months come to %s. Correct one of them, or leave the column %s out.", head, oneCell(row.cells, at), sum, head)}
	}
	return nil
}
