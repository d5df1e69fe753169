package sheet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/units"
)

// countWords are headings below a group of columns of how many there are of it, normalized by plain.
const countWords wordlist.List = "countWords"

// maxJoined is how many columns a table with headings in two rows has at most: each one is looked up several times.
const maxJoined = 100

// Headings returns the headings of a table whose headings are in two rows, one of groups above one of columns, such as
// Gas over kWh and Cost; nil if the upper row does not belong to the lower one.
func Headings(upper, lower []string, o Options, types ...string) []string {
	upper, lower = shortHeads(upper), shortHeads(lower)
	if readingOf(upper, o) != interpreted || readingOf(lower, o) != interpreted || len(upper) == 0 || max(len(upper), len(lower)) > maxJoined || slices.ContainsFunc(lower, hasData) {
		return nil
	}
	for _, typ := range types {
		joined := joinHeadings(upper, lower, typ)
		most := headScore(joined, o, typ)
		if most <= 1 || most <= headScore(upper, o, typ) {
			continue
		}
		if alone := headScore(lower, o, typ); most > alone || most == alone && allUnits(lower) {
			return joined
		}
	}
	return nil
}

// hasData reports whether a cell has digits and so is no heading, unless they are of a unit, such as m3.
func hasData(cell string) bool {
	if !strings.ContainsAny(cell, "0123456789") {
		return false
	}
	word := strings.Trim(strings.TrimSpace(cell), "()[]")
	return !isUnit(word) && !strings.ContainsAny(word, "²³") && !strings.Contains(strings.ToLower(word), "m2") && !strings.Contains(strings.ToLower(word), "m3") && !strings.Contains(strings.ToLower(word), "co2")
}

// allUnits reports whether all cells with something in them are units.
func allUnits(row []string) bool {
	return !slices.ContainsFunc(row, func(cell string) bool {
		cell = strings.Trim(strings.TrimSpace(cell), "()[]")
		return cell != "" && !isUnit(cell)
	})
}

// isUnit reports whether a text is a unit.
func isUnit(word string) bool {
	return slices.ContainsFunc(units.Dimensions(), func(dimension string) bool {
		_, err := units.ByName(word, dimension)
		return err == nil
	})
}

// headScore rates a row as the headings of a type: fields count twice, and quantities without a unit once.
func headScore(row []string, o Options, typ string) int {
	r := newInterpreter(typ, o)
	_ = r.readHead(row) // it is no head then
	if typ == Mixed && !r.typeAt.found() {
		return 0
	}
	names := map[string]bool{}
	for _, c := range r.columns {
		names[c.Name] = true
	}
	delete(names, "")
	return 2*(len(names)+r.claimedAs(rates)) + len(r.quantity)
}

// joinHeadings returns the headings of columns with those of their groups, where a heading does not name a field alone.
func joinHeadings(upper, lower []string, typ string) []string {
	known := Columns(typ)
	if typ == Mixed {
		known = All(footprint.Types())
	}
	out := make([]string, max(len(upper), len(lower)))
	group := ""
	alone := filledCells(upper) == 1 && oneCell(upper, 0) != "" // a title, of which only units below may be meant
	for i := range out {
		above, below := oneLine(oneCell(upper, i)), oneLine(oneCell(lower, i))
		group = cmp.Or(above, group)
		switch {
		case below == "":
			out[i] = above
		case group == "", alone && !isUnit(strings.Trim(below, "()[]")):
			out[i] = below
		default:
			out[i] = joined(group, below, typ, known)
		}
	}
	return out
}

// joined returns the heading of a column of a group.
func joined(group, below, typ string, known []Column) string {
	candidates := []string{below, group + " " + below, group + " (" + below + ")"}
	if word := strings.Trim(below, "()[]"); isUnit(word) {
		candidates = []string{group + " (" + word + ")", word}
	} else if countWords.Has(plain(below)) {
		candidates = []string{"Number of " + group, group, below}
	}
	for _, text := range candidates {
		if namesField(text, typ, known) {
			return text
		}
	}
	return group + " " + below
}

// namesField reports whether a heading means a field of a type.
func namesField(text, typ string, known []Column) bool {
	if _, long := shortened(text); long {
		return false
	}
	name := plain(text)
	if name == "type" || slices.ContainsFunc(known, func(c Column) bool { return plain(c.Name) == name }) || headed(known, text) >= 0 || counted(known, text) >= 0 || moneyHead(known, text) != "" {
		return true
	}
	if column, _ := meant(text, known); column.Name != "" {
		return true
	}
	_, _, ok := inUnits(typ, text)
	return ok
}

// joinRows returns the headings of a file, with those of their groups in the row above, or those in the row below, if
// they belong together.
func (r *Reader) joinRows(above, head []string) []string {
	if readingOf(head, r.o) != interpreted {
		return head
	}
	if joined := Headings(above, head, r.o, r.typ); joined != nil {
		return joined
	}
	below, err := r.rows.Peek()
	if err != nil {
		return head // whoever reads the rows tells what is wrong with them
	}
	joined := Headings(head, below, r.o, r.typ)
	if joined == nil {
		return head
	}
	r.joinedBelow = true
	_, _ = r.read() // it was just seen
	return joined
}
