package sheet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// fromHomePhrases are those of questions whether people came from home, in small letters.
const fromHomePhrases wordlist.List = "fromHomePhrases"

// findHome finds the answers to the question whether people came from home, where the list says where that is.
func (r *origins) findHome() {
	if r.typ != footprint.OriginRows || !r.heading("place", "postcode") {
		return
	}
	for at, head := range r.heads {
		text := " " + strings.Join(wordsOf(head), " ") + " "
		if r.free(at) && slices.ContainsFunc(fromHomePhrases.All(), func(phrase string) bool { return strings.Contains(text, " "+phrase+" ") }) {
			r.fromHome = placeAt(at)
			r.claimCells(at, keeps, deniedBy)
			return
		}
	}
}

// deniedBy returns the first word of an answer if it says no; else nothing.
func deniedBy(answer string) string {
	words := wordsOf(Unguard(answer))
	if len(words) == 0 {
		return ""
	}
	if yes, known := fields.Truth(words[0]); yes || !known {
		return ""
	}
	return words[0]
}

// otherStart returns the fault of a row of somebody who came from elsewhere than from home, which the row would count.
func (r *origins) otherStart(row *row) *apperr.Detail {
	if !r.fromHome.found() || deniedBy(oneCell(row.cells, r.fromHome.index())) == "" {
		return nil
	}
	place, postcode := r.placeOf("place"), r.placeOf("postcode")
	at := cmp.Or(place+1, postcode+1) - 1
	return &apperr.Detail{Field: r.heads[r.fromHome.index()], Code: fields.NotAllowed, Suggestions: []string{r.columns[at].Name},
		Message: fmt.Sprintf("%s is %.40q, and the row would count a journey from %.40q. Write into the column %s where the journey began, and leave this one out.",
			r.heads[r.fromHome.index()], oneCell(row.cells, r.fromHome.index()), oneCell(row.cells, at), r.heads[at])}
}
