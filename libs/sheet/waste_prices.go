package sheet

import (
	"strings"

	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// unitPriceWords are words of headings of prices.
const unitPriceWords wordlist.List = "unitPriceWords"

// sold reports whether a row is waste that somebody pays for, such as paper: its price is negative, and so is what it comes to.
func (r *marks) sold(cells []string) bool {
	if r.typ != "waste" {
		return false
	}
	for at, head := range r.heads[:min(len(r.heads), len(cells))] {
		if unitPriceWords.HasAny(wordsOf(head)) && negative(strings.TrimSpace(cells[at])) {
			return true
		}
	}
	return false
}
