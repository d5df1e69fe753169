package sheet

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/charsets"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
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
func (in *interpreter) readHead(head []string) error {
	own := Columns(in.typ)
	if in.typ == Mixed {
		own = All(footprint.Types())
	}
	in.reading = readingOf(head, in.o)
	in.known = own
	if in.reading == byName {
		in.known = slices.Concat(own, ServerColumns()) // a journey of anybody else is another one
	}
	unknown, faults := in.nameColumns(head)
	found := in.interpretHead(unknown)
	in.claimFields()
	row := fmt.Sprintf("row %d", in.number)
	if !utf8.ValidString(strings.Join(head, "")) {
		faults = append(faults, otherEncoding(row, strings.Join(head, "\n")))
	} else if in.typ == Mixed && !in.typeAt.found() {
		faults = append(faults, apperr.Detail{Field: row, Code: fields.Required, Suggestions: []string{"type"},
			Message: "A file of several types needs the column type, which names the record type of each row."})
	} else if !found {
		d := apperr.Detail{Field: row, Code: fields.Required, Message: fmt.Sprintf("The first row names no field of %s, and none of the next ones names several. Write the names of fields above the columns, as templates have them.", in.typ)}
		if other := typeHeaded(head); other != "" {
			d.Message = fmt.Sprintf("The first row names no field of %s, but fields of %s. Import the file as records of that type.", in.typ, other)
		}
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

// typeHeaded returns the record type of which at least two headings are fields, the one of the most; empty if there is none, or
// several.
func typeHeaded(head []string) string {
	best, most := "", 1
	for _, typ := range footprint.Types() {
		known := Columns(typ)
		n := 0
		for _, text := range head {
			named := func(c Column) bool { return plain(c.Name) == plain(text) }
			if slices.ContainsFunc(known, named) || headed(known, text) >= 0 {
				n++
			}
		}
		switch {
		case n > most:
			best, most = typ, n
		case n == most:
			best = ""
		}
	}
	return best
}

// nameColumns adds the columns of a file with the fields whose names are their headings. It returns the places of
// those whose headings are no such names.
func (in *interpreter) nameColumns(head []string) (unknown []int, faults []apperr.Detail) {
	// In our own export the service's columns come first; a field of the same name, such as the kgCO2e of custom
	// records, is a later column.
	ours := map[string]bool{}
	if in.reading == byName {
		for _, name := range in.o.Known {
			ours[name] = name != "type"
		}
	}
	names := make([]string, len(in.known))
	for i, c := range in.known {
		names[i] = plain(c.Name)
	}
	first := map[string]int{}
	for at, text := range head {
		if text = strings.TrimSpace(text); in.o.Rules > 0 {
			text = withoutForm(oneLine(text))
		}
		text, long := shortened(fields.Legible(text))
		in.heads = append(in.heads, strings.Clone(text))
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
			column = in.known[i]
		case name == "type":
			column, in.typeAt = Column{Name: "type"}, placeAt(at)
		case slices.Contains(in.o.Known, text):
		default:
			if in.reading != byName {
				column, unit = meant(usualUnits(text), in.known)
			}
			if column.Name == "" {
				unknown = append(unknown, at)
			}
		}
		if before, twice := first[column.Name]; !twice {
			first[column.Name] = at
		} else if column.Name != "" && (column.Name == "type" || !in.second(at, before)) {
			faults = append(faults, apperr.Detail{Field: text, Code: fields.DuplicateKey, Message: fmt.Sprintf("The columns %q and %q are the same field.", in.heads[before], text)})
		}
		in.columns, in.inUnit = append(in.columns, column), append(in.inUnit, unit)
	}
	return unknown, faults
}

// optionalHead is what forms and templates write behind the headings of columns that may be empty.
var optionalHead = regexp.MustCompile(`(?i)\s*[(\[](?:optional|optionnel|optionnelle|facultatif|facultative|opcional|opzionale|optioneel|opcjonalnie|valfritt|valgfri|valgfritt|required|mandatory|pflichtfeld|obligatoire|obligatorio)[)\]]$`)

// withoutForm returns a heading without what a form or a template writes beside it: the asterisk of what is required, (optional).
func withoutForm(head string) string {
	head = strings.Trim(head, "* ")
	if strings.HasSuffix(head, ")") || strings.HasSuffix(head, "]") {
		if at := optionalHead.FindStringIndex(head); at != nil && at[0] > 0 {
			return head[:at[0]]
		}
	}
	return head
}

// fieldHeaded returns the index of the field that the heading of a column means without being its name; -1 if there
// is none. It takes note of the unit or currency of the heading.
func (in *interpreter) fieldHeaded(at int) int {
	head := usualUnits(in.heads[at])
	if in.isRoomNumber(at) {
		in.lodging.room = placeAt(at)
		return -1
	}
	if i := headed(in.known, head); i >= 0 {
		if in.reading == interpreted && in.returnsVehicle(head, in.known[i]) {
			return -1
		}
		return i
	}
	named := func(name string) int {
		return slices.IndexFunc(in.known, func(c Column) bool { return c.Name == name })
	}
	if in.reading == interpreted {
		// A alone heads anything, and beside Da or De where a journey ends.
		if plain(head) == "a" && slices.ContainsFunc(in.heads, func(other string) bool { return plain(other) == "da" || plain(other) == "de" }) {
			return named("to")
		}
		// Stop beside Start is where a journey ends.
		if plain(head) == "stop" && slices.ContainsFunc(in.heads, func(other string) bool { return plain(other) == "start" }) {
			return named("to")
		}
		if i := counted(in.known, head); i >= 0 {
			return i
		}
		if i := in.asked(at); i >= 0 {
			return i
		}
		if in.typ == "energy" && energyOrSource.Has(plain(head)) && slices.ContainsFunc(in.heads, hasEnergyUnit) && !in.heading("source") {
			return named("source") // Energie beside Verbrauch (kWh)
		}
		if i := in.inThousands(head); i >= 0 {
			if !in.heading(in.known[i].Name) {
				in.thousands[at] = true
			}
			return i
		}
	}
	if code := moneyHead(in.known, head); code != "" {
		if !in.heading(moneyField) {
			in.currency = code
			in.prices.noteThousands(at)
		}
		return named(moneyField)
	}
	if in.reading != interpreted {
		return -1
	}
	if c, unit, ok := inUnits(in.typ, head); ok {
		if !in.heading(c.Name) {
			in.inUnit[at] = unit
		}
		return named(c.Name)
	}
	if word, ok := unclearUnit(in.typ, head); ok {
		if in.unclear == nil {
			in.unclear = map[int]string{}
		}
		in.unclear[at] = word
	}
	return -1
}

// energyOrSource are headings of an amount of energy or, beside one with its unit, of its source, normalized by plain.
const energyOrSource wordlist.List = "energyOrSource"

// ignoredHeads returns the headings of the columns that are not fields, columns without a heading that have had values so
// far (as "column C"), and those with an ignored number without a unit.
func (t *table) ignoredHeads() []string {
	var out []string
	for _, at := range slices.Concat(t.ignored, t.unread) {
		out = append(out, t.heads[at])
	}
	for _, at := range t.headless {
		out = append(out, "column "+workbook.ColumnName(at))
	}
	return out[:min(len(out), maxIgnored)]
}

// maxIgnored bounds the ignored columns that are listed.
const maxIgnored = 50

// noteHeadless records the columns without a heading in which a row has values.
func (t *table) noteHeadless(cells []string) {
	for i, cell := range cells[:min(len(cells), len(t.heads))] {
		if t.heads[i] == "" && strings.TrimSpace(cell) != "" && !slices.Contains(t.headless, i) {
			t.headless = append(t.headless, i)
			slices.Sort(t.headless)
		}
	}
}

// headingOf returns the heading of a field, or the field's name if the table has no such column. field may be a path, such as
// via[2].
func (t *table) headingOf(field string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(field, "stated."), "[")
	name, _, _ = strings.Cut(name, ".")
	if i := slices.IndexFunc(t.columns, func(c Column) bool { return c.Name == name }); i >= 0 && name != "" {
		return t.heads[i]
	}
	if i := slices.IndexFunc(t.claims, func(c claim) bool { return c.field == name && c.is&stands != 0 }); i >= 0 {
		return t.heads[t.claims[i].at]
	}
	for _, at := range t.quantity {
		for _, typ := range footprint.Types() {
			if (t.typ == typ || t.typ == Mixed) && slices.ContainsFunc(quantities(typ, t.heads[at]), func(c Column) bool { return c.Name == name }) {
				return t.heads[at]
			}
		}
	}
	return field
}

// Words around what a column counts: Number of rooms, Passenger count, Anzahl Gäste.
const (
	countBefore wordlist.List = "countBefore"
	countBehind wordlist.List = "countBehind"
	// countShort are words that stand before numbers of things and, in the singular, before what one is known by.
	countShort wordlist.List = "countShort"
)

// counted returns the index of the only column of whole numbers that a head counts; -1 where
// there is none, or more than one.
func counted(known []Column, head string) int {
	text := oneLine(strings.ToLower(strings.NewReplacer(".", " ", "(", " ", ")", " ", "'", " ").Replace(head)))
	what := ""
	for _, before := range countBefore.All() {
		if rest, ok := strings.CutPrefix(text, before+" "); ok {
			what = rest
			break
		}
	}
	for _, behind := range countBehind.All() {
		if rest, ok := strings.CutSuffix(text, behind); ok && what == "" {
			what = rest
		}
	}
	several := false // in the singular such a word is before what one is known by
	for _, before := range countShort.All() {
		if rest, ok := strings.CutPrefix(text, before+" "); ok && what == "" {
			what, several = rest, true
		}
	}
	if what == "" {
		return -1
	}
	found := -1
	for i, c := range known {
		names := append([]string{plain(c.Name)}, slices.Concat(c.headings, c.titles)...)
		if c.Type != "integer" || !slices.Contains(names, plain(what)) && (several || !slices.Contains(names, plain(what)+"s")) {
			continue
		}
		if found >= 0 {
			return -1
		}
		found = i
	}
	return found
}

// OtherEncoding is the code of a text that is not in the encoding of its file.
const OtherEncoding = "OTHER_ENCODING"

// otherEncoding is the fault of a text that is not in UTF-8. It suggests the encodings that it may be in.
func otherEncoding(field, text string) apperr.Detail {
	return apperr.Detail{Field: field, Code: OtherEncoding, Suggestions: charsets.Likely(text),
		Message: "The file is not in UTF-8. Save it as CSV in UTF-8, or choose its encoding."}
}
