package sheet

import (
	"fmt"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

// movementHeads are headings of the type of a movement of goods in an ERP program, normalized by plain: a code of three digits, of
// which an even one takes back what the one before it books.
const movementHeads wordlist.List = "movementHeads"

// movement returns the fault of a row that is no use of goods by the type of its movement: one taken back, goods moved between places,
// or, in a file of issues and receipts, one of the other kind than the first row, since the same goods are in both.
func (r *marks) movement(at int, code string) *apperr.Detail {
	if len(code) != 3 || code[0] < '1' || code[0] > '9' || code[1] < '0' || code[1] > '9' || code[2] < '0' || code[2] > '9' {
		return nil
	}
	var what string
	switch side := sideOfMovement(code); {
	case (code[2]-'0')%2 == 0:
		what = "it takes back another movement"
	case side == 0:
		what = "goods were moved, not used"
	case r.firstSide == 0:
		r.firstSide, r.firstSaid = side, code
		return nil
	case side == r.firstSide:
		return nil
	default:
		return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
			Message: fmt.Sprintf("%s is %s, and %s in the first row that has it: one of them is what was received, and one what was used of it, which would count twice. Delete the rows of one kind from the file.", r.heads[at], code, r.firstSaid)}
	}
	return &apperr.Detail{Field: r.heads[at], Code: RowNotCounted,
		Message: fmt.Sprintf("%s is %s: %s. Delete the row from the file, with what it takes back if that is in it.", r.heads[at], code, what)}
}

// sideOfMovement returns 1 for the code of a receipt of goods, 2 for one of their issue, and 0 for any other one.
func sideOfMovement(code string) int {
	switch code[0] {
	case '1', '5':
		return 1
	case '2', '6':
		return 2
	}
	return 0
}
