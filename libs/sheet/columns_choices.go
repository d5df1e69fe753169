package sheet

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/spelling"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// Choice says what a column of a file is, in place of its heading.
type Choice struct {
	// At is the place of the column, from 0.
	At int
	// Heading is a field, or another heading that a [Reader] knows; empty leaves the column out.
	Heading string
}

// String returns the choice as [ParseChoice] reads it.
func (c Choice) String() string { return workbook.ColumnName(c.At) + ":" + c.Heading }

// maxLetters is how many letters the name of a column has at most.
const maxLetters = 3

// ParseChoice returns the choice in a text: the letters of a column as spreadsheets have them, a colon, and a heading of at
// most 200 characters, such as C:from, D:Weight (t) or F: with none. It reports whether the text is one.
func ParseChoice(text string) (c Choice, ok bool) {
	letters, heading, ok := strings.Cut(text, ":")
	letters, heading = strings.ToUpper(strings.TrimSpace(letters)), oneLine(heading)
	if !ok || letters == "" || len(letters) > maxLetters || strings.Trim(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return Choice{}, false
	}
	if !utf8.ValidString(heading) || fields.Legible(heading) != heading || utf8.RuneCountInString(heading) > maxHeadText {
		return Choice{}, false
	}
	at := 0
	for _, letter := range letters {
		at = at*26 + int(letter-'A') + 1
	}
	return Choice{At: at - 1, Heading: heading}, true
}

// Chosen returns the headings of a file with those that were chosen in their places.
func Chosen(heads []string, choices []Choice) []string {
	heads = slices.Clone(heads)
	for _, c := range choices {
		for c.At >= len(heads) {
			heads = append(heads, "")
		}
		heads[c.At] = c.Heading
	}
	return heads
}

// chosen is the field of the details about choices: the parameter of an import.
const chosen = "column"

// checkChoices returns the faults of choices for a file of a type with some headings and a number of columns.
func checkChoices(typ string, o Options, heads []string, width int, choices []Choice) (faults []apperr.Detail) {
	fault := func(code string, suggestions []string, format string, args ...any) {
		faults = append(faults, apperr.Detail{Field: chosen, Code: code, Suggestions: suggestions, Message: fmt.Sprintf(format, args...)})
	}
	seen := map[int]bool{}
	for _, c := range choices {
		switch name := workbook.ColumnName(c.At); {
		case seen[c.At]:
			fault(fields.DuplicateKey, nil, "Column %s is chosen twice.", name)
		case c.At >= width && width < 2:
			fault(fields.NotAllowed, []string{"A"}, "The file has no column %s; it has one column, A.", name)
		case c.At >= width:
			fault(fields.NotAllowed, nil, "The file has no column %s; its columns are A to %s.", name, workbook.ColumnName(width-1))
		}
		seen[c.At] = true
	}
	if len(faults) > 0 {
		return faults
	}
	r := newInterpreter(typ, o)
	_ = r.readHead(Chosen(heads, choices)) // what is wrong with the other headings is told by who reads the rows
	first := map[string]int{}
	for _, c := range choices {
		if c.Heading == "" {
			continue
		}
		name, field := workbook.ColumnName(c.At), r.columns[c.At].Name
		if before, twice := first[field]; field != "" && twice {
			fault(fields.DuplicateKey, nil, "The columns %s and %s are both chosen as %s. Choose one of them, and leave the other out, as %s:", workbook.ColumnName(before), name, field, name)
			continue
		}
		first[field] = c.At
		if r.reads(c.At) {
			continue
		}
		alone := newInterpreter(typ, o)
		_ = alone.readHead([]string{c.Heading})
		if before := r.placeOf(alone.columns[0].Name); alone.columns[0].Name != "" && before >= 0 {
			fault(fields.DuplicateKey, nil, "Column %s is chosen as %s, which column %s is. Leave that one out, as %s:", name, alone.columns[0].Name, workbook.ColumnName(before), workbook.ColumnName(before))
			continue
		}
		known := fieldNames(typ)
		near := spelling.Related(c.Heading, known, 3)
		advice := "It may be " + strings.Join(near, " or ") + "."
		if len(near) == 0 {
			near = known[:min(len(known), namedFields)]
			advice = "Fields are " + strings.Join(near, ", ") + "."
		}
		fault(fields.UnknownField, near, "Column %s is chosen as %.60q, which is no field of these records, nor a heading that is read beside the others of the file. %s", name, c.Heading, advice)
	}
	return faults
}

// namedFields is how many fields the fault of an unknown one names.
const namedFields = 50

// fieldNames returns the names of the fields of a type.
func fieldNames(typ string) (names []string) {
	columns := Columns(typ)
	if typ == Mixed {
		names, columns = []string{"type"}, All(footprint.Types())
	}
	for _, c := range columns {
		names = append(names, c.Name)
	}
	return names
}

// reads reports whether a column affects the records of a file, or which of its rows are records.
func (in *interpreter) reads(at int) bool {
	if in.heads[at] != "" && !in.leaves(at) {
		return true
	}
	return in.marks.of[at] != noMark || in.isClaimed(at, tells)
}

// leaves reports whether a column is no field and has no other use, or is one of those that the service adds to exports.
func (in *interpreter) leaves(at int) bool {
	if in.isClaimed(at, mayTell) {
		return false
	}
	return in.heads[at] == "" || slices.Contains(in.ignored, at) || in.columns[at].Name == "" && slices.Contains(in.o.Known, in.heads[at])
}
