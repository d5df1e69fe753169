package sheet

import (
	"fmt"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// takenBack are the columns of what was returned, rejected or deducted of an amount.
type takenBack struct {
	*table
	at []int
}

const (
	// takenBackWords are words of headings of such columns.
	takenBackWords wordlist.List = "takenBackWords"
	// privateWords are those of a part of a distance that was driven privately.
	privateWords wordlist.List = "privateWords"
)

// findTakenBack finds the columns of what was taken back, unless the amount is less it already.
func (r *takenBack) findTakenBack() {
	if r.typ == "purchases" || r.typ == footprint.OriginRows || r.isLess() {
		return
	}
	for at, head := range r.heads {
		words := wordsOf(head)
		if r.free(at) && (takenBackWords.HasAny(words) || r.typ == "ground-transport" && privateWords.HasAny(words)) {
			r.at = append(r.at, at)
		}
	}
}

// isLess reports whether the table counts an amount that is without what was taken back: Net litres, Used, Actual kg.
func (r *takenBack) isLess() bool {
	for at, head := range r.heads {
		if _, actual := withoutActual(r.typ, head); (actual || isNet(head)) && r.columns[at].number() {
			return true
		}
	}
	return false
}

// counted returns the fault of a row that counts what was taken back.
func (r *takenBack) counted(row *row) *apperr.Detail {
	for _, at := range r.at {
		cell := Unguard(oneCell(row.cells, at))
		if n, ok := r.asNumber(cell); !ok || n == 0 || units.IsDate(cell) || !row.measures(row.typ, true) {
			continue
		}
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed,
			Message: fmt.Sprintf("%s is %.40s, and the record would count it, too. Write into the column of the amount what is left without it, and leave the column %s out; or leave it out if the amount is without it already.", r.heads[at], cell, strings.TrimSpace(r.heads[at]))}
	}
	return nil
}
