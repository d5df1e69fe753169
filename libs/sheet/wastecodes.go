package sheet

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// wasteCodeHeads are headings of codes of the European List of Waste, normalized by plain.
const wasteCodeHeads wordList = "wasteCodeHeads"

// findWasteCode finds the column of codes of waste.
func (r *Reader) findWasteCode() {
	if r.typ == "waste" {
		r.wasteCodeAt = r.aside(wasteCodeHeads)
	}
}

// wasteCode sets the material of waste to that of its code, where the row does not name one, or in words that are unknown.
func (r *Reader) wasteCode(b *body, cells []string) {
	if r.wasteCodeAt < 0 {
		return
	}
	digits := func(text string) string {
		return strings.Map(func(c rune) rune {
			if unicode.IsDigit(c) {
				return c
			}
			return -1
		}, text)
	}
	cell := Unguard(oneCell(cells, r.wasteCodeAt))
	values := columnOf("waste", "material").values
	material := values[key(digits(cell))]
	if said := b.text("material"); cell == "" || said != "" && (values[key(said)] != "" || material == "") {
		return
	}
	if material == "" {
		material = cell // the decoder of the record refuses it, with those that there are
	}
	b.remove("material")
	b.set("material", json.RawMessage(strconv.Quote(material)))
}

// findWasteNames finds the columns of a table of waste without a column of materials that name what a row is about.
func (r *Reader) findWasteNames() {
	if r.typ != "waste" || r.heading("material") || r.wasteCodeAt >= 0 {
		return
	}
	for at, head := range r.heads {
		if name := r.columns[at].Name; name == "description" || name == "" && r.free(at) && says(head) {
			r.wasteNamesAt = append(r.wasteNamesAt, at)
		}
	}
}

// wasteNamed sets the material of waste that only the name of its row says: Verre below Désignation.
func (r *Reader) wasteNamed(b *body, typ string, cells []string) {
	if typ != "waste" || b.has("material") {
		return
	}
	for _, at := range r.wasteNamesAt {
		if material := columnOf(typ, "material").values[key(Unguard(oneCell(cells, at)))]; material != "" {
			b.set("material", json.RawMessage(strconv.Quote(material)))
			r.use(at)
			return
		}
	}
}
