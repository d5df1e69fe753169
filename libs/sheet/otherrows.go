package sheet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// origins are what a list of where people come from says of them.
type origins struct {
	*table
	// people is the column that may have numbers of people, or names.
	people place
	// serials is how many of the rows had their own row number in that column.
	serials, rows int
	// address is the heading of the address that the towns of people are taken from.
	address string
}

// Heads of what a row of a travel agency is about, as plain writes them; services are the lists of words of what it is, by
// type, and the others of serviceWords something else.
const (
	serviceHeads wordList = "serviceHeads"
	serviceWords wordList = "serviceWords"
	servicesOf            = "services"
)

// hasServices reports whether lists of agencies have rows of a type among others.
func hasServices(typ string) bool { return len(ofType(typ, servicesOf).all()) > 0 }

// otherService reports whether a cell names a service other than that of the file's records.
func (t *table) otherService(cell string) bool {
	words := wordsOf(cell)
	return serviceWords.hasAny(words) && !ofType(t.typ, servicesOf).hasAny(words)
}

// Heads of which way energy goes, as plain writes them, and words of ways that are no
// consumption.
const (
	flowHeads wordList = "flowHeads"
	flowWords wordList = "flowWords"
	// flowLines are words that mean such ways in any column.
	flowLines wordList = "flowLines"
)

// isFlow reports whether a cell in any column of a table of energy is about such a way.
func (t *table) isFlow(at int, cell string) bool {
	return (t.typ == "energy" || t.typ == "venue") && (t.free(at) || at == t.typeAt.index() || t.columns[at].Name == "description") && len(cell) <= longestMark && flowLines.hasAny(wordsOf(cell))
}

// Heads of amounts that were paid back, and of those of debits and credits, as plain writes them.
const (
	refundHeads wordList = "refundHeads"
	creditHeads wordList = "creditHeads"
	debitHeads  wordList = "debitHeads"
)

// reimbursementHeads are those of what an employee got for kilometres driven, too.
const reimbursementHeads wordList = "reimbursementHeads"

// reimburses reports whether a heading is that of a reimbursement in a list of kilometres driven, and of no refund.
func (r *marks) reimburses(head string) bool {
	return r.typ == "ground-transport" && r.heading(distanceField) && reimbursementHeads.has(head)
}

// debited reports whether a row also has an amount of debits.
func (r *marks) debited(cells []string) bool {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if stem, _, ok := unitOfHead(head); ok {
			head = stem
		}
		if debitHeads.has(plain(head)) && strings.ContainsAny(cells[at], "123456789") {
			return true
		}
	}
	return false
}

// peopleHeads are heads of how many people come, or of their names, as plain writes them.
const peopleHeads wordList = "peopleHeads"

// findPeople finds the numbers of people in a list of where they come from, where no column is
// certainly one of them.
func (r *origins) findPeople() {
	if r.typ != footprint.OriginRows || r.heading("people") {
		return
	}
	if r.people = r.aside(peopleHeads); r.people.found() {
		r.columns[r.people.index()] = columnOf(r.typ, "people")
	}
}

// serialHeads are heads of how many people come, or of the numbers of rows, as plain writes them.
const serialHeads wordList = "serialHeads"

// serialRows is how many consecutive rows must have their own number before it is not a number of people.
const serialRows = 3

// serial returns the fault of a row whose number of people is its own row number, as in all rows
// before it.
func (r *origins) serial(row *row) *apperr.Detail {
	if r.typ != footprint.OriginRows {
		return nil
	}
	at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == "people" })
	if at < 0 || !serialHeads.has(plain(r.heads[at])) {
		return nil
	}
	r.rows++
	if string(row.values["people"]) == strconv.Itoa(r.rows) && r.serials == r.rows-1 {
		r.serials++
	}
	if r.serials < serialRows || r.serials != r.rows {
		return nil
	}
	return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"people"},
		Message: fmt.Sprintf("%s counts the rows from 1 to %d; as numbers of people they would come to %d. Delete the column, or head it people if that is what it is.", r.heads[at], r.serials, r.serials*(r.serials+1)/2)}
}
