package sheet

import (
	"encoding/json"
	"strconv"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// seats are the places of the adults and children of journeys.
type seats struct {
	*table
	at []int
}

// Headings of how many of the passengers are adults, children and infants, normalized by plain. Infants have no seat, and are no
// passengers by whom flights are counted.
const (
	adultHeads  wordlist.List = "adultHeads"
	childHeads  wordlist.List = "childHeads"
	infantHeads wordlist.List = "infantHeads"
)

// findSeats finds the adults and children of journeys that do not say how many passengers there are.
func (r *seats) findSeats() {
	if r.typ != "flights" && r.typ != "ground-transport" || r.heading("passengers", "vehicles") {
		return
	}
	adults := r.aside(adultHeads)
	if !adults.found() {
		return
	}
	r.at = []int{adults.index()}
	r.claim(adults, "", derives)
	r.addCounts(adults.index())
	if children := r.aside(childHeads); children.found() {
		r.at = append(r.at, children.index())
		r.claim(children, "", derives)
		r.addCounts(children.index())
	}
	r.aside(infantHeads)
}

// takeSeats adds up the passengers of a row.
func (r *seats) takeSeats(row *row) *apperr.Detail {
	total, some := int64(0), false
	for _, at := range r.at {
		n, filled, fault := r.partNumber(at, oneCell(row.cells, at))
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
		row.set("passengers", json.RawMessage(strconv.FormatInt(total, 10)))
	}
	return nil
}
