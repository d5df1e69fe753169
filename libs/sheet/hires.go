package sheet

import (
	"encoding/json"
	"slices"
)

// hireHeads are headings of lists of hired vehicles, normalized by plain, and dateWords are words of headings of days.
const (
	hireHeads wordList = "hireHeads"
	dateWords wordList = "dateWords"
)

// hires reports whether a table is one of hired vehicles, whose return is no journey back: what was driven is all of it.
func (r *Reader) hires() bool {
	return r.typ == "ground-transport" && slices.ContainsFunc(r.heads, func(head string) bool { return hireHeads.has(plain(head)) })
}

// returnsVehicle reports whether a heading is that of the day on which a hired vehicle was returned.
func (r *Reader) returnsVehicle(head string, field Column) bool {
	return field.Name == "roundTrip" && dateWords.hasAny(wordsOf(head)) && r.hires()
}

// oneHired makes one vehicle of a row of such a table that counts neither vehicles nor people: a contract is about one.
func (r *Reader) oneHired(b *body, cells []string) {
	if !r.hires() || !b.has(distanceField) || b.has("passengers") || b.has("vehicles") || r.heading("passengers", "vehicles") || r.countsTickets(cells) {
		return
	}
	if mode := b.text("mode"); mode == "car" || mode == "van" || mode == "motorbike" {
		b.set("vehicles", json.RawMessage("1"))
	}
}
