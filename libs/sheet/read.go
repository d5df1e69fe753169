package sheet

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet/internal/csvrows"
)

// Mixed is the type of a file whose rows have different record types, in the column "type", as in an export. It is
// not a record type.
const Mixed = "mixed"

const (
	// maxColumns bounds the columns of a file.
	maxColumns = 500
)

// Rules is the current version of the rules for reading files. Since version 1 units may be in cells instead of
// headings, blank lines are rows, rows may end with a carriage return, and a date with only one interpretation is
// accepted. Since version 2 a row with amounts in several columns of which a record has one is a row for each.
const Rules = 2

// Options describe the format of a file where it cannot be detected.
type Options struct {
	// DecimalComma: 2,5 is two and a half.
	DecimalComma bool
	// NumberFormat is how numbers are written, one of [units.Formats]; empty where it
	// was not declared.
	NumberFormat string
	// DateOrder is the order of day, month and year, one of [units.Orders]; empty
	// where it was not declared.
	DateOrder string
	// Doubts rejects ambiguous numbers, such as 1.200, unless the number format is declared. Otherwise the point is
	// the decimal separator in a file without semicolons as cell separators.
	Doubts bool
	// Rules is the version of the rules for reading this file: [Rules], or 0 for a file accepted by a release that
	// predates versions.
	Rules int
	// HeadRow is the number of the row of headings, if it has others above it, which are ignored; 0: the first
	// nonempty row.
	HeadRow int64
	// Before are the headings that the file had before others were chosen, which say what language it is in; nil: none were.
	Before []string
	// Known are columns that a file may have in addition to the input fields; they are ignored silently. The column
	// "type" must name the type, and a file of several types must have it.
	Known []string
}

// csv are the options of how a file is read, without those of what its cells mean.
func (o Options) csv() csvrows.Options {
	return csvrows.Options{HeadRow: o.HeadRow, Strictly: o.Rules == 0}
}

// Reader reads a CSV file of records of one or several types, row by row, in constant memory. The separator is comma,
// semicolon or tab, whichever is most frequent in the headings; cells with separators, quotes and line breaks are
// quoted; a byte order mark is optional.
type Reader struct {
	*interpreter
	rows *csvrows.Rows
	head int64 // the number of the row that names the fields
	// joinedBelow: the row below the headings belongs to them.
	joinedBelow bool
	// parts are the rows that follow of one that is several records.
	parts  []Row
	parted Split
	// partsRead is how often a row was read as one of its records.
	partsRead int
	// ours: the file is an unchanged export of the service, which writes 1.5.
	ours bool
}

// NewReader reads the headings. A fault in them is a VALIDATION_ERROR.
func NewReader(file io.Reader, typ string, o Options) (*Reader, error) {
	f, err := csvrows.Open(file, o.csv())
	if err != nil {
		return nil, err
	}
	r := &Reader{interpreter: newInterpreter(typ, o), rows: f.Rows()}
	r.semicolons = f.Comma() == ';'
	head, err := r.read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, headFault(fields.Required, "The file is empty. Its first row names the fields.")
	case err != nil:
		return nil, csvrows.SyntaxFault(err)
	case len(head) > maxColumns:
		return nil, headFault(fields.TooMany, fmt.Sprintf("A file has at most %d columns.", maxColumns))
	}
	head = slices.Clone(head)
	for i, cell := range head {
		head[i] = csvrows.Kept(cell)
	}
	r.head = r.number
	head = r.joinRows(f.Above(), head)
	if err = r.readHead(head); err == nil && o.Rules > 0 {
		err = r.prices.checkTitle(f.Title())
	}
	r.ours = f.Comma() == ',' && r.reading == byName
	return r, err
}

func headFault(code, message string) error {
	return apperr.Invalid(apperr.Detail{Field: "row 1", Code: code, Message: message})
}

// Row is a row of the file.
type Row struct {
	// Number counts as spreadsheets do: from 1, blank lines included, and a cell with
	// line breaks is in one row.
	Number int64
	// Type is the record type of the row.
	Type string
	// Body is the row as the JSON object of a record; of an invalid row what could be read of it, if anything.
	Body json.RawMessage
	// Cells are the cells as sent, until the next call of Next.
	Cells []string
	// Err is why the row is invalid: a VALIDATION_ERROR whose fields are headings.
	Err error
}

// Next returns the next nonempty row, of a row that is several records one for each with the same number, io.EOF after the last one, or a VALIDATION_ERROR
// where the file is no longer valid CSV.
func (r *Reader) Next() (Row, error) {
	if len(r.parts) > 0 {
		row := r.parts[0]
		r.parts = r.parts[1:]
		return row, nil
	}
	for {
		cells, err := r.read()
		if errors.Is(err, io.EOF) {
			return Row{}, io.EOF
		}
		if err != nil {
			return Row{Number: r.number}, csvrows.SyntaxFault(err)
		}
		if !slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
			continue
		}
		for i, cell := range cells {
			cells[i] = csvrows.Kept(cell)
		}
		row := Row{Number: r.number, Type: r.typ, Cells: cells}
		// The totals of a file are those of all its rows, also of such as do not count.
		sum := r.totals.fault(cells)
		if fault := cmp.Or(r.marks.notCounted(cells), sum, r.marks.partOfRow(cells)); fault != nil {
			row.Err = apperr.Invalid(*fault)
			return row, nil
		}
		if row.Type, row.Err = r.typeOf(cells); row.Err == nil {
			row.Body, row.Err = r.object(row.Type, cells)
		}
		if parts := r.split(row); parts != nil {
			row, r.parts = parts[0], parts[1:]
		}
		return row, nil
	}
}

// Heads returns the headings of the file.
func (r *Reader) Heads() []string { return r.heads }

// Head returns the file's heading of a field, or the field's name if the file has no such column. field may be a
// path, such as via[2].
func (r *Reader) Head(field string) string { return r.headingOf(field) }

// Ignored returns the headings of the columns that are not fields, columns without a heading that have had values so
// far (as "column C"), and those with an ignored number without a unit.
func (r *Reader) Ignored() []string { return r.ignoredHeads() }

// Address returns the heading of the column of an address that the towns of people are taken from, such as "Work City";
// empty if a column says where they come from.
func (r *Reader) Address() string { return r.origins.address }

// read returns the next row that is not blank.
func (r *Reader) read() ([]string, error) {
	cells, err := r.rows.Read()
	r.number = r.rows.Number()
	r.noteHeadless(cells)
	return cells, err
}

// types returns the record types by name: their own and those in each language.
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
func (in *interpreter) typeOf(cells []string) (string, error) {
	if in.typ != Mixed {
		return in.typ, nil
	}
	typ := ""
	if in.typeAt.index() < len(cells) {
		typ = strings.TrimSpace(cells[in.typeAt.index()])
	}
	if known := types()[key(typ)]; known != "" {
		return known, nil
	}
	all := strings.Join(footprint.Types(), ", ")
	d := apperr.Detail{Field: in.heads[in.typeAt.index()], Code: fields.NotAllowed, Suggestions: footprint.TypesLike(typ), Message: fmt.Sprintf("There is no record type %.40q. The types are %s.", typ, all)}
	if typ == "" {
		d.Code, d.Message = fields.Required, fmt.Sprintf("The row names no record type. The types are %s.", all)
	}
	return "", apperr.Invalid(d)
}
