package sheet

import (
	"encoding/json"
	"strconv"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Headings of how many of the passengers are adults, children and infants, normalized by plain. Infants have no seat, and are no
// passengers by whom flights are counted.
const (
	adultHeads  wordList = "adultHeads"
	childHeads  wordList = "childHeads"
	infantHeads wordList = "infantHeads"
)

// findSeats finds the adults and children of journeys that do not say how many passengers there are.
func (r *Reader) findSeats() {
	if r.typ != "flights" && r.typ != "ground-transport" || r.heading("passengers", "vehicles") {
		return
	}
	adults := r.aside(adultHeads)
	if adults < 0 {
		return
	}
	r.seats = []int{adults}
	r.addCounts(adults)
	if children := r.aside(childHeads); children >= 0 {
		r.seats = append(r.seats, children)
		r.addCounts(children)
	}
	r.aside(infantHeads)
}

// takeSeats adds up the passengers of a row.
func (r *Reader) takeSeats(b *body, cells []string) *apperr.Detail {
	total, some := int64(0), false
	for _, at := range r.seats {
		n, filled, fault := r.partNumber(at, oneCell(cells, at))
		if fault != nil {
			return fault
		}
		count, whole := n.Int64()
		if filled && !whole {
			return nil // the decoder of the record asks for the passengers
		}
		total, some = total+count, some || filled
	}
	if some && total > 0 {
		b.set("passengers", json.RawMessage(strconv.FormatInt(total, 10)))
	}
	return nil
}
