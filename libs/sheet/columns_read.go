package sheet

import (
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/sheet/internal/csvrows"
	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
	"github.com/eventcarbon/ecf/libs/spend"
	"github.com/eventcarbon/ecf/libs/units"
	"github.com/eventcarbon/ecf/libs/workbook"
)

const (
	// shownCells is how many cells of a column are shown, and shownText how much of each, in characters.
	shownCells = 3
	shownText  = 60
)

// triedRows is how many rows are read as records for which columns they use: the values of a misspelled field, the days of a stay
// beside its nights.
const triedRows = 200

// ReadColumn is how a column of a file is read.
type ReadColumn struct {
	// Column are its letters.
	Column string `json:"column"`
	// Heading is its heading in the file; empty if it has none.
	Heading string `json:"heading,omitempty"`
	// Field is the field that the column is, or contributes to; empty if it is none, or several.
	Field string `json:"field,omitempty"`
	// May is the field that its heading may mean, if it is not read as one; empty if there is none.
	May string `json:"may,omitempty"`
	// Unit is the unit or currency in its heading; empty if it has none.
	Unit string `json:"unit,omitempty"`
	// NoUnit: the heading names a quantity that has several units, and none of them.
	NoUnit bool `json:"noUnit,omitempty"`
	// Ignored: the records have nothing of the column.
	Ignored bool `json:"ignored"`
	// Examples are its first cells with something in them, shortened.
	Examples []string `json:"examples"`
}

// ReadColumns returns how the columns of a file are read that have a heading or something below it. It may be called for a
// file whose headings are faulty: then fewer columns are fields.
func ReadColumns(file io.Reader, typ string, o Options) []ReadColumn {
	r, faulty := NewReader(file, typ, o)
	if r == nil {
		return nil
	}
	heads := r.heads
	if o.Before != nil {
		heads = o.Before
	}
	examples := slices.Repeat([][]string{nil}, len(r.heads))
	for n := 0; ; n++ {
		cells, err := r.read()
		if err != nil {
			break // the faults of rows are told by who reads them
		}
		for i, cell := range cells {
			cells[i] = csvrows.Kept(cell)
		}
		if faulty == nil && n < triedRows {
			if typ, err := r.typeOf(cells); err == nil {
				_, _ = r.object(typ, cells) // what is wrong with the row is told by who reads it
			}
		}
		for at, cell := range cells[:min(len(cells), maxColumns)] {
			if at == len(examples) {
				examples = append(examples, nil)
			}
			if cell = oneLine(Unguard(cell)); cell != "" && len(examples[at]) < shownCells {
				examples[at] = append(examples[at], strings.Clone(beginning(cell, shownText)))
			}
		}
	}
	var out []ReadColumn
	for at, some := range examples {
		c := ReadColumn{Column: workbook.ColumnName(at), Ignored: at >= len(r.heads) || r.leaves(at), Examples: append([]string{}, some...)}
		if at < len(heads) {
			c.Heading = heads[at]
			c.Unit = unitNamed(heads[at])
			c.NoUnit = at < len(r.heads) && slices.Contains(r.quantity, at)
		}
		if !c.Ignored {
			c.Field = r.contributes(at)
		}
		if c.Field == "" {
			c.May = mayMean(typ, c.Heading)
		}
		if c.Heading != "" || len(some) > 0 || !c.Ignored {
			out = append(out, c)
		}
	}
	return out
}

// contributes returns the field that a column is, or that its cells become; empty if that is none, or several.
func (in *interpreter) contributes(at int) string {
	if name := in.columns[at].Name; name != "" {
		return name
	}
	for _, c := range in.claims {
		if c.at == at && c.field != "" {
			return c.field
		}
	}
	if slices.Contains(in.quantity, at) {
		if of := quantities(in.typ, in.heads[at]); len(of) == 1 {
			return of[0].Name
		}
	}
	return ""
}

// notUnits are words at the end of headings that say something else of a quantity than its unit, in small letters.
const notUnits wordlist.List = "notUnits"

// unitNamed returns the unit or currency that a heading names, as it is written there: a unit or currency at its end, or any
// other word in brackets, which may be a unit that is not known. It is empty if there is none.
func unitNamed(head string) string {
	_, word, ok := unitOfHead(head)
	if !ok || word == "" || notUnits.Has(strings.TrimSuffix(strings.ToLower(word), ".")) || noCurrencies.Has(plain(word)) {
		return ""
	}
	code, sign := signs[word]
	inBrackets := strings.ContainsAny(head, "([") && !strings.Contains(word, " ")
	if units.IsUnit(word) || inBrackets || sign && code != "" || isThousands(word) || slices.Contains(spend.Currencies(), word) {
		return word
	}
	return ""
}

// mayMean returns the field of a type that a heading may mean by its name or by what tables call it; empty if that is none, or
// the tax of an amount.
func mayMean(typ, head string) string {
	stem, word, ok := unitOfHead(head)
	if ok && vatHeads.Has(plain(word)) {
		return ""
	}
	known := Columns(typ)
	for _, text := range [...]string{head, stem} {
		name := plain(text)
		for _, c := range known {
			if name != "" && (name == plain(c.Name) || slices.Contains(c.titles, name)) {
				return c.Name
			}
		}
		if i := headed(known, text); name != "" && i >= 0 {
			return known[i].Name
		}
	}
	return ""
}
