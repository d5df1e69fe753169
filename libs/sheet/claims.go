package sheet

import "slices"

// claim is a column that a rule reads, and which is no field itself.
type claim struct {
	// at is the index of the column.
	at int
	// field is what its cells become; empty if that is none, or several.
	field string
	is    claimed
	// keep returns what may stay of a cell in a file that is stored without the names in it; nil if that is nothing.
	keep func(cell string) string
}

// claimed is what a column is to those who ask about it without knowing its rule.
type claimed uint16

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
	// keeps: what may stay of its cells is stored with the fields.
	keeps
	// mayKeep: it is stored if anything may stay of one of its cells.
	mayKeep

	// anything is any of those by which a column has a use.
	anything = keeps - 1
)

// claim notes what a column is that a rule has found; none if the table does not have it.
func (t *table) claim(at place, field string, is claimed) {
	if at.found() {
		t.claims = append(t.claims, claim{at: at.index(), field: field, is: is})
	}
}

// claimCells notes what may stay of the cells of a column that a rule reads, is being keeps or mayKeep.
func (t *table) claimCells(at int, is claimed, keep func(cell string) string) {
	t.claims = append(t.claims, claim{at: at, is: is, keep: keep})
}

// claimFields notes that the cells of fields may stay, unless a rule has said what may of them.
func (t *table) claimFields() {
	for at, c := range t.columns {
		if (columnOf(t.typ, c.Name).Name != "" || slices.Contains(t.quantity, at)) && !t.isClaimed(at, keeps) {
			t.claimCells(at, keeps, whole)
		}
	}
}

// whole keeps a cell as it is.
func whole(cell string) string { return cell }

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

// keptOf returns what may stay of a cell; empty for a cell of which nothing may.
func keptOf(of []claim, cell string) string {
	for _, c := range of {
		if text := c.keep(cell); text != "" {
			return text
		}
	}
	return ""
}
