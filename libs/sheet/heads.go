package sheet

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// plain normalizes a heading.
func plain(head string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-()[]?.:*'’\u00a0\u00ad", r) {
			return -1
		}
		return r
	}, head))
}

// oneLine returns a head, or another cell, without its line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// maxHeadText bounds the head of a column, in characters. A longer one is no field: the errors
// of every row name it.
const maxHeadText = 200

// shortened returns a head, or the beginning of a longer one.
func shortened(head string) (text string, long bool) {
	text = beginning(head, maxHeadText)
	return text, text != head
}

// shortHeads returns a row as it is looked at for headings: of long cells the beginning, since each one is compared with
// the headings of all fields, for each type, alone and with those beside it.
func shortHeads(row []string) []string {
	short := make([]string, len(row))
	for i, cell := range row {
		short[i], _ = shortened(strings.TrimSpace(cell))
	}
	return short
}

// beginning returns a text, or the given number of characters of a longer one.
func beginning(text string, characters int) string {
	n := 0
	for i := range text {
		if n++; n > characters {
			return text[:i] + "…"
		}
	}
	return text
}

// headed returns the index of the only column with a heading; -1 if there is none, or more than one.
func headed(known []Column, head string) int {
	head = plain(head)
	called := func(c Column) bool { return slices.Contains(c.headings, head) }
	i := slices.IndexFunc(known, called)
	if i >= 0 && slices.ContainsFunc(known[i+1:], called) {
		return -1
	}
	return i
}

// readHead finds the field of each column.
func (r *Reader) readHead(head []string) error {
	own := Columns(r.typ)
	if r.typ == Mixed {
		own = All(footprint.Types())
	}
	r.reading = readingOf(head, r.o)
	known := own
	if r.reading == byName {
		known = slices.Concat(own, ServerColumns()) // a journey of anybody else is another one
	}
	unknown, faults := r.nameColumns(head, known)
	found := r.interpretHead(unknown, known)
	row := fmt.Sprintf("row %d", r.number)
	if !utf8.ValidString(strings.Join(head, "")) {
		faults = append(faults, apperr.Detail{Field: row, Code: fields.BadFormat, Message: "The file is not in UTF-8. Save it as CSV in UTF-8, or declare encoding=windows-1252 if that is what it is in."})
	} else if r.typ == Mixed && r.typeAt < 0 {
		faults = append(faults, apperr.Detail{Field: row, Code: fields.Required, Suggestions: []string{"type"},
			Message: "A file of several types needs the column type, which names the record type of each row."})
	} else if !found {
		d := apperr.Detail{Field: row, Code: fields.Required, Message: fmt.Sprintf("The first row names no field of %s, and none of the next ones names several. Write the names of fields above the columns, as templates have them.", r.typ)}
		for _, c := range own {
			d.Suggestions = append(d.Suggestions, c.Name)
		}
		faults = append(faults, d)
	}
	if len(faults) > 0 {
		return apperr.Invalid(faults...)
	}
	return nil
}

// nameColumns adds the columns of a file with the fields whose names are their headings. It returns the places of
// those whose headings are no such names.
func (r *Reader) nameColumns(head []string, known []Column) (unknown []int, faults []apperr.Detail) {
	// In our own export the service's columns come first; a field of the same name, such as the kgCO2e of custom
	// records, is a later column.
	ours := map[string]bool{}
	if r.reading == byName {
		for _, name := range r.o.Known {
			ours[name] = name != "type"
		}
	}
	names := make([]string, len(known))
	for i, c := range known {
		names[i] = plain(c.Name)
	}
	first := map[string]int{}
	for at, text := range head {
		if text = strings.TrimSpace(text); r.o.Rules > 0 {
			text = oneLine(text)
		}
		text, long := shortened(fields.Legible(text))
		r.heads = append(r.heads, strings.Clone(text))
		column, unit := Column{}, ""
		name := plain(text)
		i := slices.Index(names, name)
		switch {
		case text == "":
		case long:
			unknown = append(unknown, at)
		case ours[text]:
			ours[text] = false
		case i >= 0:
			column = known[i]
		case name == "type":
			column, r.typeAt = Column{Name: "type"}, at
		case slices.Contains(r.o.Known, text):
		default:
			if r.reading != byName {
				column, unit = meant(text, known)
			}
			if column.Name == "" {
				unknown = append(unknown, at)
			}
		}
		if before, twice := first[column.Name]; !twice {
			first[column.Name] = at
		} else if column.Name != "" && (column.Name == "type" || !r.second(at, before)) {
			faults = append(faults, apperr.Detail{Field: text, Code: fields.DuplicateKey, Message: fmt.Sprintf("The columns %q and %q are the same field.", r.heads[before], text)})
		}
		r.columns, r.inUnit = append(r.columns, column), append(r.inUnit, unit)
	}
	return unknown, faults
}

// fieldHeaded returns the index of the field that the heading of a column means without being its name; -1 if there
// is none. It takes note of the unit or currency of the heading.
func (r *Reader) fieldHeaded(at int, known []Column) int {
	head := r.heads[at]
	if r.isRoomNumber(at) {
		r.roomAt = at
		return -1
	}
	if i := headed(known, head); i >= 0 {
		if r.reading == interpreted && r.returnsVehicle(head, known[i]) {
			return -1
		}
		return i
	}
	named := func(name string) int {
		return slices.IndexFunc(known, func(c Column) bool { return c.Name == name })
	}
	if r.reading == interpreted {
		// A alone heads anything, and beside Da or De where a journey ends.
		if plain(head) == "a" && slices.ContainsFunc(r.heads, func(other string) bool { return plain(other) == "da" || plain(other) == "de" }) {
			return named("to")
		}
		if i := counted(known, head); i >= 0 {
			return i
		}
		if i := r.asked(at, known); i >= 0 {
			return i
		}
	}
	if code := moneyHead(known, head); code != "" {
		if !r.heading(moneyField) {
			r.currency = code
			r.noteThousands(at)
		}
		return named(moneyField)
	}
	if r.reading != interpreted {
		return -1
	}
	if c, unit, ok := inUnits(r.typ, head); ok {
		if !r.heading(c.Name) {
			r.inUnit[at] = unit
		}
		return named(c.Name)
	}
	if word, ok := unclearUnit(r.typ, head); ok {
		if r.unclear == nil {
			r.unclear = map[int]string{}
		}
		r.unclear[at] = word
	}
	return -1
}

// use removes a column from the ignored ones.
func (r *Reader) use(at int) {
	r.ignored = slices.DeleteFunc(r.ignored, func(ignored int) bool { return ignored == at })
}

// Ignored returns the headings of the columns that are not fields, columns without a heading that have had values so
// far (as "column C"), and those with an ignored number without a unit.
func (r *Reader) Ignored() []string {
	var out []string
	for _, at := range slices.Concat(r.ignored, r.unread) {
		out = append(out, r.heads[at])
	}
	for _, at := range r.headless {
		out = append(out, "column "+workbook.ColumnName(at))
	}
	return out[:min(len(out), maxIgnored)]
}

// maxIgnored bounds the ignored columns that are listed.
const maxIgnored = 50

// noteHeadless records the columns without a heading in which a row has values.
func (r *Reader) noteHeadless(cells []string) {
	for i, cell := range cells[:min(len(cells), len(r.heads))] {
		if r.heads[i] == "" && strings.TrimSpace(cell) != "" && !slices.Contains(r.headless, i) {
			r.headless = append(r.headless, i)
			slices.Sort(r.headless)
		}
	}
}

// Heads returns the headings of the file.
func (r *Reader) Heads() []string { return r.heads }

// Head returns the file's heading of a field, or the field's name if the file has no such column. field may be a
// path, such as via[2].
func (r *Reader) Head(field string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(field, "stated."), "[")
	name, _, _ = strings.Cut(name, ".")
	if i := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == name }); i >= 0 && name != "" {
		return r.heads[i]
	}
	if name == "material" && r.wasteCodeAt >= 0 {
		return r.heads[r.wasteCodeAt]
	}
	for _, at := range r.quantity {
		for _, typ := range footprint.Types() {
			if (r.typ == typ || r.typ == Mixed) && slices.ContainsFunc(quantities(typ, r.heads[at]), func(c Column) bool { return c.Name == name }) {
				return r.heads[at]
			}
		}
	}
	return field
}

// Words around what a column counts: Number of rooms, Passenger count, Anzahl Gäste.
const (
	countBefore wordList = "countBefore"
	countBehind wordList = "countBehind"
)

// counted returns the index of the only column of whole numbers that a head counts; -1 where
// there is none, or more than one.
func counted(known []Column, head string) int {
	text := oneLine(strings.ToLower(strings.NewReplacer(".", " ", "(", " ", ")", " ", "'", " ").Replace(head)))
	what := ""
	for _, before := range countBefore.all() {
		if rest, ok := strings.CutPrefix(text, before+" "); ok {
			what = rest
			break
		}
	}
	for _, behind := range countBehind.all() {
		if rest, ok := strings.CutSuffix(text, behind); ok && what == "" {
			what = rest
		}
	}
	if what == "" {
		return -1
	}
	found := -1
	for i, c := range known {
		names := append([]string{plain(c.Name)}, slices.Concat(c.headings, c.titles)...)
		if c.Type != "integer" || !slices.Contains(names, plain(what)) && !slices.Contains(names, plain(what)+"s") {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}
