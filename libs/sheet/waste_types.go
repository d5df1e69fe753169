package sheet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// wasteTypes are what tables of waste say of its material in other words than those of the field.
type wasteTypes struct {
	*table
	// code is the column of codes of waste.
	code place
	// names are the columns of what the rows are about, in a table without materials.
	names []int
}

// wasteCodeHeads are headings of codes of the European List of Waste, normalized by plain.
const wasteCodeHeads wordlist.List = "wasteCodeHeads"

// findWasteCode finds the column of codes of waste.
func (r *wasteTypes) findWasteCode() {
	if r.typ == "waste" {
		r.code = r.aside(wasteCodeHeads)
		r.claim(r.code, "material", derives|shown|stands)
	}
}

// wasteCode sets the material of waste to that of its code, where the row does not name one, or in words that are unknown.
func (r *wasteTypes) wasteCode(row *row) *apperr.Detail {
	if !r.code.found() {
		return nil
	}
	digits := func(text string) string {
		return strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return c
			}
			return -1
		}, text)
	}
	cell := Unguard(oneCell(row.cells, r.code.index()))
	values := columnOf("waste", "material").values
	material := values[key(digits(cell))]
	if said := row.text("material"); cell == "" || said != "" && (values[key(said)] != "" || material == "") {
		return nil
	}
	if material == "" {
		material = cell // the decoder of the record refuses it, with those that there are
	}
	row.remove("material")
	row.set("material", json.RawMessage(strconv.Quote(material)))
	return nil
}

// findWasteNames finds the columns of a table of waste without a column of materials that name what a row is about.
func (r *wasteTypes) findWasteNames() {
	if r.typ != "waste" || r.heading("material") || r.code.found() {
		return
	}
	for at, head := range r.heads {
		if name := r.columns[at].Name; name == "description" || name == "" && r.free(at) && says(head) {
			r.names = append(r.names, at)
		}
	}
}

// wasteNamed sets the material of waste that only the name of its row says: Verre below Désignation.
func (r *wasteTypes) wasteNamed(row *row) *apperr.Detail {
	if row.typ != "waste" || row.has("material") {
		return nil
	}
	for _, at := range r.names {
		if material := columnOf(row.typ, "material").values[key(Unguard(oneCell(row.cells, at)))]; material != "" {
			row.set("material", json.RawMessage(strconv.Quote(material)))
			r.use(at)
			return nil
		}
	}
	return nil
}

// leaveOutContainers ignores the kinds of containers of waste that is weighed, in a table that does not count them:
// the weight decides.
func (t *table) leaveOutContainers() {
	at := slices.IndexFunc(t.columns, func(c Column) bool { return c.Name == "container" })
	if t.typ != "waste" || at < 0 || t.heading("containers") || !t.heading("weightKg") {
		return
	}
	t.columns[at] = Column{}
	t.ignored = append(t.ignored, at)
}

// partlyFull returns the fault of a row of waste whose containers were not full, which their volume would count as.
func (r *wasteTypes) partlyFull(row *row) *apperr.Detail {
	if row.typ != "waste" || row.has("weightKg") || !row.has("volumeLitres") && !row.has("containers") {
		return nil
	}
	for at, head := range r.heads[:min(len(r.heads), len(row.cells))] {
		cell := strings.TrimSpace(strings.TrimSuffix(Unguard(oneCell(row.cells, at)), "%"))
		n, ok := r.asNumber(cell)
		if !r.free(at) || !fillWords.HasAny(wordsOf(head)) || !ok || n <= 0 || n == 1 || n >= 100 {
			continue
		}
		return &apperr.Detail{Field: head, Code: fields.NotAllowed, Suggestions: []string{"volumeLitres", "weightKg"},
			Message: fmt.Sprintf("%s is %.40q, and the record would count full containers. Write the litres of the waste into a column volumeLitres, or its weight into weightKg, and leave this column out.", head, oneCell(row.cells, at))}
	}
	return nil
}

// fillWords are words of headings of how full containers were.
const fillWords wordlist.List = "fillWords"
