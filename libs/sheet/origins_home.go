package sheet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// fromHomePhrases are those of questions whether people came from home, in small letters.
const fromHomePhrases wordlist.List = "fromHomePhrases"

const (
	// startHeads are headings of where a journey begins, normalized by plain; startWords are those words of others that say so,
	// and besideStarts what stands beside them.
	startHeads   wordlist.List = "startHeads"
	startWords   wordlist.List = "startWords"
	besideStarts wordlist.List = "besideStarts"
	// asAtHome are answers by which a journey begins at home.
	asAtHome wordlist.List = "asAtHome"
)

// headsStart reports whether a heading is that of where a journey begins, which may be elsewhere than at home: Travelling from (if
// different), Ville de départ. That of an airport is none: people come from around it.
func headsStart(head string) bool {
	words := wordsOf(head)
	if startHeads.Has(plain(head)) {
		return true
	}
	return len(words) > 1 && startWords.HasAny(words) && !slices.ContainsFunc(words, func(word string) bool {
		return !startWords.Has(word) && !besideStarts.Has(word) && !ofTravel.Has(word)
	})
}

// findStarts finds the columns of where journeys begin, beside the one that counts.
func (r *origins) findStarts() {
	if r.typ != footprint.OriginRows || !r.heading("place") {
		return
	}
	for at, head := range r.heads {
		if r.free(at) && at != r.fromHome.index() && headsStart(head) {
			r.starts = append(r.starts, at)
			r.claimCells(at, keeps, whole)
		}
	}
}

// startsElsewhere returns the fault of a row with another place below a heading of where the journey begins.
func (r *origins) startsElsewhere(row *row) *apperr.Detail {
	place := row.text("place")
	for _, at := range r.starts {
		cell := Unguard(oneCell(row.cells, at))
		if place == "" || cell == "" || len(cell) > longestMark || !strings.ContainsFunc(cell, unicode.IsLetter) || strings.ContainsAny(cell, "0123456789") ||
			asAtHome.HasAny(wordsOf(cell)) || strings.Contains(strings.ToLower(cell), strings.ToLower(place)) {
			continue
		}
		return &apperr.Detail{Field: r.heads[at], Code: fields.NotAllowed, Suggestions: []string{"place"},
			Message: fmt.Sprintf("%s is %.40q, and the row would count a journey from %.40q, %s. Write into the column %s where the journey began, and leave the other one out.",
				r.heads[at], cell, place, r.headingOf("place"), r.headingOf("place"))}
	}
	return nil
}

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
