package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// shares are parts of what a row has, which its record would count as a whole.
type shares struct {
	*table
	perItem *perItem
}

// Words of headings of the share of an amount that an event has: those for a share, which may be that of a row in the sum of
// all, unless it is said to be of the event; those for one that is attributed; and what stands beside them.
const (
	shareWords      wordlist.List = "shareWords"
	eventWords      wordlist.List = "eventWords"
	allocationWords wordlist.List = "allocationWords"
	besideShares    wordlist.List = "besideShares"
	// paidShareWords are words of headings of the share that somebody paid, if it is in percent.
	paidShareWords wordlist.List = "paidShareWords"
)

// headsShare reports whether a heading says no more than that its numbers are shares of the event: Anteil Veranstaltung (%),
// Quote-part, and not Anteil, Anteil erneuerbar or Recycled share.
func headsShare(head string) bool {
	words := wordsOf(head)
	return (allocationWords.HasAny(words) || (shareWords.HasAny(words) || strings.Contains(head, "%")) && eventWords.HasAny(words)) && !slices.ContainsFunc(words, func(word string) bool {
		return !allocationWords.Has(word) && !shareWords.Has(word) && !eventWords.Has(word) && !besideShares.Has(word)
	})
}

// headsPaidShare reports whether a heading says no more than that its numbers, in percent, are what the event paid: Paid by us %.
func headsPaidShare(head, cell string) bool {
	words := wordsOf(head)
	percent := strings.Contains(head, "%") || strings.HasSuffix(cell, "%") || percentWords.HasAny(words)
	return percent && paidShareWords.HasAny(words) && eventWords.HasAny(words) && !slices.ContainsFunc(words, func(word string) bool {
		return !paidShareWords.Has(word) && !shareWords.Has(word) && !eventWords.Has(word) && !besideShares.Has(word)
	})
}

// partOf returns the fault of a row that says that only a part of its amount is that of the event.
func (r *shares) partOf(row *row) *apperr.Detail {
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		if !r.free(at) || !strings.ContainsAny(cell, "0123456789") || !headsShare(head) && !headsPaidShare(head, cell) && (row.typ != "venue" || !headsUsedArea(head)) && (row.typ != "accommodation" || !headsOccupancy(head, cell)) {
			continue
		}
		number, percent := strings.CutSuffix(cell, "%")
		n, ok := r.asNumber(strings.TrimSpace(number))
		percent = percent || strings.Contains(head, "%") || n > 1
		if !ok || n == 100 && percent || n == 1 && !percent || n > 100 || n < 0 {
			continue // all of it, or an amount
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: amountsOf(row.typ),
			Message: fmt.Sprintf("%s is %.40q, and the record would count all of the row. Write only the part that counts as its amount, and leave this column out.", head, cell)}
	}
	return nil
}

// amountsOf returns the fields of a type that are amounts in units, or of money.
func amountsOf(typ string) (names []string) {
	for _, c := range Columns(typ) {
		if _, measured := units.OfField(c.Name); c.number() && (measured || c.Name == moneyField && typ == "purchases") {
			names = append(names, c.Name)
		}
	}
	return names
}

// severalClasses returns the fault of a row of passengers with the share or the number of those of a class in a column of its own,
// in a table without a column of classes.
func (r *shares) severalClasses(row *row) *apperr.Detail {
	if row.typ != "flights" || !row.has("passengers") || r.heading("class") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		if !r.free(at) || classHeaded(head) == "" || !strings.ContainsAny(cell, "123456789") || !bareNumber(strings.TrimSuffix(cell, "%")) {
			continue
		}
		return &apperr.Detail{Field: head, Code: SeveralRecords, Suggestions: []string{"passengers", "class"},
			Message: fmt.Sprintf("%s is %.40q, and the record would count its passengers without a class. Write a row for each class, with its passengers in the column passengers and the class in a column class.", head, cell)}
	}
	return nil
}

// upgradeWords are words of headings of passengers who flew in a better class than they had booked.
const upgradeWords wordlist.List = "upgradeWords"

// upgraded returns the fault of a row of which some passengers, or all of them, flew in another class than the one that counts.
func (r *shares) upgraded(row *row) *apperr.Detail {
	if row.typ != "flights" || !row.has("passengers") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell, words := Unguard(oneCell(row.cells, at)), wordsOf(head)
		if !r.free(at) || !upgradeWords.HasAny(words) || changeNothing.HasAny(words) {
			continue
		}
		yes, _ := fields.Truth(cell)
		if class := columnOf(row.typ, "class").values[key(cell)]; class == row.text("class") || class == "" && !yes && (!bareNumber(cell) || !strings.ContainsAny(cell, "123456789")) {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"class", "passengers"},
			Message: fmt.Sprintf("%s is %.40q, and the record would count the class that was booked. Write the class that was flown, with a row for each class, and leave the column %s out.", head, cell, head)}
	}
	return nil
}

// valueShares are the fields of a type of whose values columns may have the shares.
var valueShares = map[string][]string{"ground-transport": {"fuel", "mode"}, "materials": {"source"}}

// sharesOfValues returns the fault of a row of which a share has another value of a field than the rest: Electric %, and sets the
// field of one that has it as a whole.
func (r *shares) sharesOfValues(row *row) *apperr.Detail {
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		fields, cell := valueShares[r.typ], Unguard(oneCell(row.cells, at))
		if fields == nil || !r.free(at) || !strings.Contains(head, "%") && !percentWords.HasAny(wordsOf(head)) && !strings.HasSuffix(cell, "%") {
			continue
		}
		n, ok := r.asNumber(strings.TrimSpace(strings.TrimSuffix(cell, "%")))
		if !ok || n <= 0 || n > 100 {
			continue
		}
		for _, field := range fields {
			values := columnOf(r.typ, field).values
			words := slices.DeleteFunc(wordsOf(head), func(word string) bool {
				return percentWords.Has(word) || (besideTreatments.Has(word) || besideValues.Has(word)) && values[word] == ""
			})
			value := values[key(strings.Join(words, ""))]
			switch {
			case value == "" || row.text(field) == value && n == 100:
				continue
			case n == 100 && !row.has(field):
				row.put(field, value)
				r.use(at)
				return nil
			}
			return &apperr.Detail{Field: head, Code: SeveralRecords, Suggestions: []string{field},
				Message: fmt.Sprintf("%s is %.40q, and a record has one %s. Write a row for each part, or leave the column out if the rest counts for all.", head, cell, field)}
		}
	}
	return nil
}

// besideValues are words around such values in headings.
const besideValues wordlist.List = "besideValues"

// partsDiffer are the types whose parts may count otherwise than the rest: passengers in business, waste that is recycled.
var partsDiffer = []string{"flights", "ground-transport", "freight", "waste", "catering", "materials"}

// partInColumn returns the fault of a row with a part of its amount in a column of its own: davon Business.
func (r *shares) partInColumn(row *row) *apperr.Detail {
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := Unguard(oneCell(row.cells, at))
		if !slices.Contains(partsDiffer, r.typ) || !r.free(at) || !isPart(head) || taxLines.HasAny(wordsOf(head)) || !bareNumber(strings.TrimSuffix(cell, "%")) || !strings.ContainsAny(cell, "123456789") {
			continue
		}
		return &apperr.Detail{Field: head, Code: SeveralRecords, Suggestions: amountsOf(r.typ),
			Message: fmt.Sprintf("%s is %.40q, and the record would count all of the row alike. Write a row for each part, or leave the column out if its parts count alike.", head, cell)}
	}
	return nil
}

// headsUsedArea reports whether a heading is of the share of a building that was used: Area used %.
func headsUsedArea(head string) bool {
	words := wordsOf(head)
	used := usedAreaWords.HasAny(words) || spaceWords.HasAny(words) // Share of space, and no share of anything else
	return (strings.Contains(head, "%") || percentWords.HasAny(words)) && used && !slices.ContainsFunc(words, func(word string) bool {
		return !usedAreaWords.Has(word) && !besideUsedArea.Has(word) && !percentWords.Has(word)
	})
}

// headsOccupancy reports whether a heading is of the share of rooms that were occupied. Without a sign of percent it may be how
// many are in a room.
func headsOccupancy(head, cell string) bool {
	words := wordsOf(head)
	return occupancyWords.HasAny(words) && (strings.ContainsAny(head+cell, "%") || percentWords.HasAny(words))
}

const (
	// occupancyWords are words of headings of the share of rooms that were occupied.
	occupancyWords wordlist.List = "occupancyWords"
	// usedAreaWords and besideUsedArea are words of headings of the share of a building that was used.
	usedAreaWords  wordlist.List = "usedAreaWords"
	besideUsedArea wordlist.List = "besideUsedArea"
	// spaceWords are words for the space of a building.
	spaceWords wordlist.List = "spaceWords"
)
