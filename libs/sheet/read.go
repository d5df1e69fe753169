package sheet

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// Mixed is the type of a file whose rows say themselves, in the column "type", of
// which type they are, as an export has it. It is no record type.
const Mixed = "mixed"

const (
	// maxHead bounds how far the head is looked for, in bytes.
	maxHead = 64 << 10
	// maxColumns bounds the columns of a file.
	maxColumns = 500
)

// Rules is the version of the rules by which files are read that are taken now. Since
// version 1 a head may leave the unit to its cells.
const Rules = 1

// Options say how a file is written where it does not say so itself.
type Options struct {
	// DecimalComma: 2,5 is two and a half.
	DecimalComma bool
	// NumberFormat is how numbers are written, one of [units.Formats]; empty where it
	// was not declared.
	NumberFormat string
	// DateOrder is the order of day, month and year, one of [units.Orders]; empty
	// where it was not declared.
	DateOrder string
	// Doubts: a number with two readings, such as 1.200, is refused unless the form of
	// numbers is declared. Otherwise a point stands before decimals in a file that has no
	// semicolons between its cells.
	Doubts bool
	// Rules are those that a file is read by: [Rules], or 0 for one that was taken by a
	// release before there were others than these, and is read as it was then.
	Rules int
	// Known are columns that a file may have beside the input fields; they are
	// left out without a word. The column "type" must name the type, and a file of
	// several types must have it.
	Known []string
}

// Reader reads a CSV file of records of one type, or of several, row by row, in memory that
// does not grow with the file: comma, semicolon or tab between cells, whichever
// the head has most of; quotes around cells with separators, quotes and line
// breaks; a byte order mark or none.
type Reader struct {
	o      Options
	typ    string
	rows   *csv.Reader
	number int64
	// columns are the fields by place; heads what the file calls them.
	columns []Column
	heads   []string
	// typeAt is the place of the column "type"; -1: the file has none.
	typeAt  int
	ignored []string
	// inUnit are the units of columns that are in another one than their field.
	inUnit []string
	// quantity are the places of columns whose heads say no unit.
	quantity []int
	sums     sums
	// ours: the file is an export of the service, which writes 1.5.
	ours bool
}

// NewReader reads the head. What is wrong with it is a VALIDATION_ERROR.
func NewReader(file io.Reader, typ string, o Options) (*Reader, error) {
	buffered := bufio.NewReaderSize(file, maxHead)
	start, err := buffered.Peek(maxHead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) {
		return nil, headFault(fields.BadFormat, "The file is in UTF-16. Save it as CSV in UTF-8.")
	}
	if bytes.HasPrefix(start, []byte("\ufeff")) {
		start = start[3:]
		_, _ = buffered.Discard(3) // they were just seen
	}
	comma := separatorOf(start)
	r := &Reader{o: o, typ: typ, typeAt: -1, rows: csv.NewReader(&lineBreaks{from: buffered, comma: comma})}
	r.rows.Comma = comma
	r.rows.FieldsPerRecord = -1
	r.rows.ReuseRecord = true
	head, err := r.rows.Read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, headFault(fields.Required, "The file is empty. Its first row names the fields.")
	case err != nil:
		return nil, syntaxFault(err)
	case len(head) > maxColumns:
		return nil, headFault(fields.TooMany, fmt.Sprintf("A file has at most %d columns.", maxColumns))
	}
	r.number = 1
	r.ours = comma == ',' && slices.Contains(head, "_id") && slices.Contains(o.Known, "_id")
	return r, r.readHead(head)
}

func headFault(code, message string) error {
	return apperr.Invalid(apperr.Detail{Field: "row 1", Code: code, Message: message})
}

// syntaxFault says where a file stops to be CSV; an error of reading stays.
func syntaxFault(err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return err
	}
	return apperr.Invalid(apperr.Detail{Code: fields.BadFormat,
		Message: fmt.Sprintf("The file is no CSV from line %d on: %s.", p.StartLine, strings.TrimPrefix(p.Err.Error(), "parse error: "))})
}

// separatorOf returns the separator the first row has most of, outside of quotes.
func separatorOf(start []byte) rune {
	count := map[byte]int{}
	quoted := false
	for _, b := range start {
		if b == '"' {
			quoted = !quoted
		}
		if !quoted && (b == '\n' || b == '\r') && len(count) > 0 {
			break
		}
		if !quoted && (b == ',' || b == ';' || b == '\t') {
			count[b]++
		}
	}
	best := byte(',')
	for _, b := range []byte{';', '\t'} {
		if count[b] > count[best] {
			best = b
		}
	}
	return rune(best)
}

// plain is a head without what spreadsheets and people vary.
func plain(head string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if strings.ContainsRune(" _-()[]?.:*'\u00a0", r) {
			return -1
		}
		return r
	}, head))
}

// headed returns the index of the only column that tables head so; -1 where there is
// none, or more than one.
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
	known := slices.Concat(own, ServerColumns())
	var faults []apperr.Detail
	first := map[string]string{}
	found := false
	var unknown []int
	// In our own export the columns of the service come first; a field of the same name,
	// such as the kgCO2e of custom records, has a column behind them.
	ours := map[string]bool{}
	if slices.Contains(head, "_id") {
		for _, name := range r.o.Known {
			ours[name] = name != "type"
		}
	}
	for _, text := range head {
		text = strings.TrimSpace(text)
		r.heads = append(r.heads, strings.Clone(text))
		column, unit := Column{}, ""
		i := slices.IndexFunc(known, func(c Column) bool { return plain(c.Name) == plain(text) })
		switch {
		case text == "":
		case ours[text]:
			ours[text] = false
		case i >= 0:
			column, found = known[i], true
		case plain(text) == "type" || slices.Contains(r.o.Known, text):
			if plain(text) == "type" {
				column, r.typeAt = Column{Name: "type"}, len(r.columns)
			}
		default:
			if column, unit = meant(text, known); column.Name != "" {
				found = true
			} else {
				unknown = append(unknown, len(r.columns))
			}
		}
		if before, twice := first[column.Name]; column.Name != "" && twice {
			faults = append(faults, apperr.Detail{Field: text, Code: fields.DuplicateKey, Message: fmt.Sprintf("The columns %q and %q are the same field.", before, text)})
		}
		first[column.Name] = text
		r.columns, r.inUnit = append(r.columns, column), append(r.inUnit, unit)
	}
	// A field goes to the column that has its name, else to the first that is headed as
	// tables head it: beside a description, notes are left out as ever.
	for _, at := range unknown {
		i := headed(known, r.heads[at])
		if i < 0 && r.o.Rules > 0 && r.headsQuantity(r.heads[at]) {
			r.columns[at].Type, found = "number", true
			r.quantity = append(r.quantity, at)
			continue
		}
		if i < 0 || slices.ContainsFunc(r.columns, func(c Column) bool { return c.Name == known[i].Name }) {
			if len(r.ignored) < 50 {
				r.ignored = append(r.ignored, r.heads[at])
			}
			continue
		}
		r.columns[at], found = known[i], true
	}
	if !utf8.ValidString(strings.Join(head, "")) {
		faults = append(faults, apperr.Detail{Field: "row 1", Code: fields.BadFormat, Message: "The file is not in UTF-8. Save it as CSV in UTF-8, or declare encoding=windows-1252 if that is what it is in."})
	} else if r.typ == Mixed && r.typeAt < 0 {
		faults = append(faults, apperr.Detail{Field: "row 1", Code: fields.Required, Suggestions: []string{"type"},
			Message: "A file of several types needs the column type, which names the record type of each row."})
	} else if !found {
		d := apperr.Detail{Field: "row 1", Code: fields.Required, Message: "The first row names no field of " + r.typ + "; they are in suggestions."}
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

// Ignored returns the heads of the columns that are no field.
func (r *Reader) Ignored() []string { return r.ignored }

// Heads returns what the file calls its columns.
func (r *Reader) Heads() []string { return r.heads }

// Row is a row of the file.
type Row struct {
	// Number counts as spreadsheets do: the head is row 1. Blank lines do not
	// count.
	Number int64
	// Type is the record type of the row.
	Type string
	// Body is the row as the JSON object of a record.
	Body json.RawMessage
	// Cells are the cells as sent, until the next call of Next.
	Cells []string
	// Err is what keeps the row from being one: a VALIDATION_ERROR whose fields
	// are heads of columns.
	Err error
}

// Next returns the next row with something in it, io.EOF after the last one, a
// VALIDATION_ERROR where the file stops to be CSV.
func (r *Reader) Next() (Row, error) {
	for {
		cells, err := r.rows.Read()
		if errors.Is(err, io.EOF) {
			return Row{}, io.EOF
		}
		r.number++
		if err != nil {
			return Row{Number: r.number}, syntaxFault(err)
		}
		if !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
			continue
		}
		for i, cell := range cells {
			cells[i] = kept(cell)
		}
		row := Row{Number: r.number, Type: r.typ, Cells: cells}
		if fault := r.totals(cells); fault != nil {
			row.Err = apperr.Invalid(*fault)
			return row, nil
		}
		if row.Type, row.Err = r.typeOf(cells); row.Err == nil {
			row.Body, row.Err = r.object(row.Type, cells)
		}
		return row, nil
	}
}

// types returns the record types by the words for them: their own and their names in
// the languages.
var types = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	for _, typ := range footprint.Types() {
		out[key(typ)] = typ
		for _, language := range footprint.Languages() {
			var s struct {
				Title string `json:"title"`
			}
			// A test reads the types by their names in every language.
			if json.Unmarshal(footprint.SchemaIn(typ, language), &s) == nil && s.Title != "" {
				out[key(s.Title)] = typ
			}
		}
	}
	return out
})

// typeOf returns the record type of a row.
func (r *Reader) typeOf(cells []string) (string, error) {
	if r.typ != Mixed {
		return r.typ, nil
	}
	typ := ""
	if r.typeAt < len(cells) {
		typ = strings.TrimSpace(cells[r.typeAt])
	}
	if known := types()[key(typ)]; known != "" {
		return known, nil
	}
	d := apperr.Detail{Field: r.heads[r.typeAt], Code: fields.NotAllowed, Message: fmt.Sprintf("There is no record type %q; they are in suggestions.", typ), Suggestions: footprint.Types()}
	if typ == "" {
		d.Code, d.Message = fields.Required, "The row names no record type; they are in suggestions."
	}
	return "", apperr.Invalid(d)
}

// Head returns what the file calls a field, or its own name where the file has
// no such column. field may be a path, such as via[2].
func (r *Reader) Head(field string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(field, "stated."), "[")
	name, _, _ = strings.Cut(name, ".")
	if i := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name == name }); i >= 0 && name != "" {
		return r.heads[i]
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
