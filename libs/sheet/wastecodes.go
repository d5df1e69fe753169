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
