package sheet

import "slices"

// claim is a column that a rule reads, and which is no field itself.
type claim struct {
	// at is the index of the column.
	at int
	// field is what its cells become; empty if that is none, or several.
	field string
	is    claimed
}

// claimed is what a column is to those who ask about it without knowing its rule.
type claimed uint8

const (
	// derives: it has what fields are derived from, so that it counts as much as one where the head is looked for.
	derives claimed = 1 << iota
	// suffices: records can be made of it.
	suffices
	// shown: what its numbers are shown with belongs to them.
	shown
	// rates: it counts where one row of headings is compared with another.
	rates
	// tells: it says which rows are records, or what is to be made of them.
	tells
	// mayTell: it is not left out although rows may make nothing of it.
	mayTell
	// stands: faults of its field are those of the column.
	stands

	// anything is any of them.
	anything claimed = 1<<iota - 1
)

// claim notes what a column is that a rule has found; none if the table does not have it.
func (t *table) claim(at place, field string, is claimed) {
	if at.found() {
		t.claims = append(t.claims, claim{at.index(), field, is})
	}
}

// claimedAs returns how many claims are of a kind.
func (t *table) claimedAs(is claimed) (n int) {
	for _, c := range t.claims {
		if c.is&is != 0 {
			n++
		}
	}
	return n
}

// isClaimed reports whether a column is claimed as one of a kind.
func (t *table) isClaimed(at int, is claimed) bool {
	return slices.ContainsFunc(t.claims, func(c claim) bool { return c.at == at && c.is&is != 0 })
}
