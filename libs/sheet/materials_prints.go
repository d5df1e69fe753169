package sheet

import (
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// prints are print orders: the columns of their copies, and of the pages of each.
type prints struct {
	*table
	perItem       *perItem
	copies, pages place
}

// Headings of how many copies are printed, and of how many pages each has, normalized by plain; and words of what is bound of
// several sheets.
const (
	copiesHeads wordlist.List = "copiesHeads"
	pagesHeads  wordlist.List = "pagesHeads"
	boundWords  wordlist.List = "boundWords"
)

// findCopies finds the copies of a print order, which records have as sheets of paper.
func (r *prints) findCopies() {
	r.copies, r.pages = placeAt(-1), placeAt(-1)
	if r.typ != "materials" || !r.heading("sheetSize") || r.heading("sheets", "items", "weightKg", "areaM2") || len(r.quantity)+len(r.perItem.of) > 0 {
		return
	}
	if r.copies = r.aside(copiesHeads); !r.copies.found() {
		return
	}
	r.columns[r.copies.index()].Type = "number"
	r.pages = r.aside(pagesHeads)
}

// pagesInText are the pages of what is bound, in the text of a row: 24 pages, 24 S., 16-seitig.
var pagesInText = regexp.MustCompile(`(?i)\b\d+\s*[- ]?(?:pp|pages?|seiten|seitig\w*|s\.|páginas|pagine|pagina's|stron|stran|sider|sidor)`)

// take sets the sheets of a row: one for each copy, or one for two pages of each.
func (r *prints) take(row *row) *apperr.Detail {
	if !r.copies.found() {
		return nil
	}
	n, filled, fault := r.partNumber(r.copies.index(), oneCell(row.cells, r.copies.index()))
	if fault != nil || !filled {
		return fault // the decoder of the record asks for the sheets
	}
	sheets := units.Rat(n)
	pages, said, fault := r.partNumber(r.pages.index(), oneCell(row.cells, r.pages.index()))
	switch count, whole := pages.Int64(); {
	case fault != nil:
		return fault
	case said && whole && count > 0:
		sheets.Mul(sheets, big.NewRat((count+1)/2, 1))
	default:
		for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
			text := Unguard(oneCell(row.cells, at))
			if r.columns[at].Name != "description" && !subjectHeads.Has(plain(head)) || !boundWords.HasAny(wordsOf(text)) && !pagesInText.MatchString(text) {
				continue
			}
			return &apperr.Detail{Field: r.heads[r.copies.index()], Code: AmbiguousCount, Suggestions: []string{"sheets"},
				Message: fmt.Sprintf("%s is %s, and %s, %.60q, may have several sheets each. Write how many pages each has into a column Pages, or all sheets of paper into a column sheets.", r.heads[r.copies.index()], oneCell(row.cells, r.copies.index()), head, text)}
		}
	}
	if !sheets.IsInt() {
		return nil
	}
	row.set("sheets", json.RawMessage(strings.TrimSpace(sheets.Num().String())))
	return nil
}
