package sheet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// ofWhich are words before a part of an amount that is stated as a whole: of which, davon, dont.
const ofWhich wordlist.List = "ofWhich"

// isPart reports whether a text names a part of something else.
func isPart(text string) bool {
	words := strings.Join(wordsOf(text), " ") + " "
	return len(text) <= longestMark && slices.ContainsFunc(ofWhich.All(), func(phrase string) bool {
		return strings.HasPrefix(words, phrase+" ") && len(words) > len(phrase)+1
	})
}

// partOfRow returns the fault of a row that is a part of another one: davon Halle A.
func (r *marks) partOfRow(cells []string) *apperr.Detail {
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		cell := Unguard(strings.TrimSpace(cells[at]))
		if head == "" || r.reading != interpreted || !isPart(cell) {
			continue
		}
		return &apperr.Detail{Field: head, Code: RowNotCounted,
			Message: fmt.Sprintf("%s is %.60q: a part of what another row has would count twice. Delete the row from the file, or write what it is without that word where it counts all the same.", head, cell)}
	}
	return nil
}

// Words of meters of the whole, and of those behind them.
const (
	mainMeters wordlist.List = "mainMeters"
	subMeters  wordlist.List = "subMeters"
)
