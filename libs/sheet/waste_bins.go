package sheet

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// binsCounted makes containers of a number without a unit, in a row that says what container it is and has no other amount: Qty beside
// Bin size. How often they were collected is asked about as beside Containers.
func (r *perItem) binsCounted(row *row) *apperr.Detail {
	if r.typ != "waste" || !row.has("container") || slices.ContainsFunc([]string{"containers", "weightKg", "volumeLitres"}, row.has) {
		return nil
	}
	at := row.amountAt
	if row.unknownAmount == nil {
		at = slices.IndexFunc(r.heads, func(head string) bool { return countNamed(plain(head), false) == ofPiece })
	}
	n, err := strconv.Atoi(Unguard(oneCell(row.cells, at)))
	if err != nil || n < 1 || r.counts[at] != ofPiece || row.unknownAmount == nil && !r.free(at) {
		return nil
	}
	for i := range r.heads[:min(len(r.heads), len(row.cells))] {
		of := r.counts[i]
		if often, number := r.asNumber(oneCell(row.cells, i)); number && often > 1 && i != at && r.columns[i].Name == "" && slices.Contains([]counting{ofCollection, ofSchedule, ofWeek, ofContainer}, of) {
			return r.askCount("containers", at, i, of, row.cells)
		}
	}
	row.set("containers", json.RawMessage(strconv.Itoa(n)))
	r.use(at)
	row.unknownAmount = nil
	row.unread = slices.DeleteFunc(row.unread, func(unread int) bool { return unread == at })
	return nil
}
