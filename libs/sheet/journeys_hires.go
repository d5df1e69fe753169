package sheet

import (
	"encoding/json"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// hireHeads are headings of lists of hired vehicles, normalized by plain, and dateWords are words of headings of days.
const (
	hireHeads wordlist.List = "hireHeads"
	dateWords wordlist.List = "dateWords"
)

// hires reports whether a table is one of hired vehicles, whose return is no journey back: what was driven is all of it.
func (t *table) hires() bool {
	return t.typ == "ground-transport" && slices.ContainsFunc(t.heads, func(head string) bool { return hireHeads.Has(plain(head)) })
}

// returnsVehicle reports whether a heading is that of the day on which a hired vehicle was returned.
func (in *interpreter) returnsVehicle(head string, field Column) bool {
	return field.Name == "roundTrip" && dateWords.HasAny(wordsOf(head)) && in.hires()
}

// oneHired makes one vehicle of a row of such a table that counts neither vehicles nor people: a contract is about one.
func (r *travellers) oneHired(row *row) *apperr.Detail {
	if !r.hires() || !row.has(distanceField) || row.has("passengers") || row.has("vehicles") || r.heading("passengers", "vehicles") || r.countsTickets(row.cells) {
		return nil
	}
	if mode := row.text("mode"); mode == "car" || mode == "van" || mode == "motorbike" {
		row.set("vehicles", json.RawMessage("1"))
	}
	return nil
}
