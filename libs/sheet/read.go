package sheet

import (
	"bytes"
	"cmp"
	"encoding/csv"
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
)

// Mixed is the type of a file whose rows have different record types, in the column "type", as in an export. It is
// not a record type.
const Mixed = "mixed"

const (
	// maxHead bounds how far the head is looked for, in bytes.
	maxHead = 64 << 10
	// maxColumns bounds the columns of a file.
	maxColumns = 500
)

// Rules is the current version of the rules for reading files. Since version 1 units may be in cells instead of
// headings, blank lines are rows, rows may end with a carriage return, and a date with only one interpretation is
// accepted.
const Rules = 1

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
	// Known are columns that a file may have in addition to the input fields; they are ignored silently. The column
	// "type" must name the type, and a file of several types must have it.
	Known []string
}

// Reader reads a CSV file of records of one or several types, row by row, in constant memory. The separator is comma,
// semicolon or tab, whichever is most frequent in the headings; cells with separators, quotes and line breaks are
// quoted; a byte order mark is optional.
type Reader struct {
	o      Options
	typ    string
	rows   *csv.Reader
	number int64 // of the last row
	head   int64 // the number of the row that names the fields
	line   int   // line of the next row, unless it is preceded by blank lines
	// columns are the fields by index; heads are the headings.
	columns []Column
	heads   []string
	// typeAt is the index of the column "type"; -1: none.
	typeAt int
	// ignored are the indexes of columns that are no fields and have no other use.
	ignored []int
	// headless are the places of columns with values and without a head.
	headless []int
	// inUnit are the units of columns that are in another one than their field.
	inUnit []string
	// quantity are the indexes of columns whose headings have no unit.
	quantity []int
	// unitAt is the index of the column with the units of the only such column; -1: none.
	unitAt int
	// currency is that of the amounts of money, if in their heading.
	currency string
	// stay are the places of the days of arrival and departure where nights are counted by them.
	stay []int
	// route is the index of the column of itineraries; -1: none.
	route int
	// unread are the indexes of other columns with ignored cells.
	unread []int
	sums   sums
	// marks are what columns that are no field may say of a row, by place, and firstSide the
	// side of the ledger of the first row, with its word.
	marks     []mark
	firstSide int
	firstSaid string
	// address is the heading of the address that the towns of people are taken from.
	address string
	// roomAt is the place of the numbers of rooms in a rooming list, and ticketAt that of the
	// kinds of tickets, which may be returns; -1: the file has none.
	roomAt, ticketAt int
	// rooms is what the column at roomAt was found to have.
	rooms roomsAre
	// bookingAt is the place of the numbers of bookings, or the names of travellers; -1: the file
	// has none.
	bookingAt int
	// ahead is a row that was read before its turn; nil: none.
	ahead *readRow
	// seconds are the columns of fields that have another one before.
	seconds []secondColumn
	// distances are columns beside that of the distance, by place.
	distances map[int]otherDistance
	// roomNightsAt is the place of rooms or guests times nights, nightsOf says of which; -1: the file has none.
	roomNightsAt int
	nightsOf     string
	// tonneKmAt is the place of weight times distance, and wasteCodeAt that of codes of waste; -1: the file has none.
	tonneKmAt, wasteCodeAt int
	// durationAt is the place of durations, in minutes where inMinutes says so; -1: the file has none.
	durationAt int
	inMinutes  bool
	// wholeAt is the place of the distance that is that of the whole of a row; -1: the file has none.
	wholeAt int
	// travellerAt is the place of the names of travellers, and guestNameAt that of the names of guests in a list that counts
	// neither guests nor rooms; -1: the file has none.
	travellerAt, guestNameAt int
	// roomKindsAt are the places of how many rooms of each kind there are, and meals those of how many of each meal.
	roomKindsAt []int
	meals       []partColumn
	// modesAt are the places of trains and of products that name the mode of journeys.
	modesAt []int
	// arrivalAt is the place of the days of arrival; -1: the file has none.
	arrivalAt int
	// leftOut are the fields of amounts that would be left out, by the place of their column.
	leftOut map[int]string
	// counts are what the columns count, by place, and each are those with the amount of each of something.
	counts []counting
	each   []eachColumn
	// sides are the columns of width and height.
	sides []side
	// parts are the columns of parts of fields, and partUnit is the unit of those of energy.
	parts    []partColumn
	partUnit string
	// legColumns are those of the legs of journeys.
	legColumns []legColumn
	// subjects are the places of columns that say what a row is about.
	subjects []int
	// several are the places of how many there are for each of something else than the column of the field counts.
	several []int
	// peopleAt is the place of what may be numbers of people, or names; -1: the file has none.
	peopleAt int
	// serials is how many of the rowsRead rows have had their own number as that of people.
	serials, rowsRead int
	// before are the rows of what a file may have twice.
	before map[uint64]int64
	// besideAt is the place of the units beside a column that has one; -1: the file has none.
	besideAt int
	// unclear are the units of columns whose heads name one that may be several, by place.
	unclear map[int]string
	// typesField: the column Type has the values of a field.
	typesField bool
	// readings are those of meters.
	readings readings
	// reading is how much the columns may mean.
	reading reading
	// ours: the file is an unchanged export of the service, which writes 1.5.
	ours bool
}

// newReader returns a reader of a file of which nothing is known.
func newReader(typ string, o Options) *Reader {
	return &Reader{o: o, typ: typ, typeAt: -1, unitAt: -1, route: -1, roomAt: -1, ticketAt: -1, bookingAt: -1, besideAt: -1, peopleAt: -1, roomNightsAt: -1, travellerAt: -1, guestNameAt: -1, tonneKmAt: -1, wasteCodeAt: -1, durationAt: -1, wholeAt: -1, arrivalAt: -1}
}

// NewReader reads the headings. A fault in them is a VALIDATION_ERROR.
func NewReader(file io.Reader, typ string, o Options) (*Reader, error) {
	f, err := open(file, o)
	if err != nil {
		return nil, err
	}
	r := newReader(typ, o)
	r.line, r.number, r.rows = 1, max(o.HeadRow-1, 0), csv.NewReader(&lineBreaks{from: f.from, comma: f.comma, returns: f.returns, formulas: o.Rules > 0})
	r.rows.Comma = f.comma
	r.rows.FieldsPerRecord = -1
	r.rows.ReuseRecord = true
	head, err := r.read()
	switch {
	case errors.Is(err, io.EOF):
		return nil, headFault(fields.Required, "The file is empty. Its first row names the fields.")
	case err != nil:
		return nil, syntaxFault(err)
	case len(head) > maxColumns:
		return nil, headFault(fields.TooMany, fmt.Sprintf("A file has at most %d columns.", maxColumns))
	}
	head = slices.Clone(head)
	for i, cell := range head {
		head[i] = kept(cell)
	}
	r.head = r.number
	head = r.joinRows(f.above, head)
	err = r.readHead(head)
	r.ours = f.comma == ',' && r.reading == byName
	return r, err
}

func headFault(code, message string) error {
	return apperr.Invalid(apperr.Detail{Field: "row 1", Code: code, Message: message})
}

// syntaxFault returns the fault of invalid CSV syntax; other errors are returned unchanged.
func syntaxFault(err error) error {
	var p *csv.ParseError
	if !errors.As(err, &p) {
		return err
	}
	return apperr.Invalid(apperr.Detail{Code: fields.BadFormat,
		Message: fmt.Sprintf("The file is no CSV from line %d on: %s.", p.StartLine, strings.TrimPrefix(p.Err.Error(), "parse error: "))})
}

// declaredSeparator returns the separator declared in the first line of a file as spreadsheet programs do, sep=; and
// the length of that line in bytes; 0 if there is none. The line is not a row.
func declaredSeparator(start []byte) (comma rune, length int, err error) {
	end := bytes.IndexAny(start, "\r\n")
	if end < 0 {
		end = len(start)
	}
	line := strings.Trim(string(start[:end]), "\" ")
	if len(line) < 4 || !strings.EqualFold(line[:4], "sep=") {
		return 0, 0, nil
	}
	declared := line[4:]
	if declared == "" || !strings.Contains(separatorsOfCells, declared[:1]) || strings.Trim(declared, declared[:1]) != "" {
		return 0, 0, headFault(fields.BadFormat, fmt.Sprintf("The first line declares %q as the separator of the cells; it is a comma, a semicolon, a tab or a bar. Save the file as CSV in UTF-8, or as XLSX.", declared))
	}
	if bytes.HasPrefix(start[end:], []byte("\r\n")) {
		end++
	}
	return rune(declared[0]), min(end+1, len(start)), nil
}

// separatorsOfCells are those that a file can declare.
const separatorsOfCells = ",;\t|"

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

// Row is a row of the file.
type Row struct {
	// Number counts as spreadsheets do: from 1, blank lines included, and a cell with
	// line breaks is in one row.
	Number int64
	// Type is the record type of the row.
	Type string
	// Body is the row as the JSON object of a record.
	Body json.RawMessage
	// Cells are the cells as sent, until the next call of Next.
	Cells []string
	// Err is why the row is invalid: a VALIDATION_ERROR whose fields are headings.
	Err error
}

// Next returns the next row with something in it, io.EOF after the last one, a
// VALIDATION_ERROR where the file stops to be CSV.
func (r *Reader) Next() (Row, error) {
	for {
		cells, err := r.read()
		if errors.Is(err, io.EOF) {
			return Row{}, io.EOF
		}
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
		// The totals of a file are those of all its rows, also of such as do not count.
		sum := r.totals(cells)
		if fault := cmp.Or(r.notCounted(cells), sum); fault != nil {
			row.Err = apperr.Invalid(*fault)
			return row, nil
		}
		if row.Type, row.Err = r.typeOf(cells); row.Err == nil {
			row.Body, row.Err = r.object(row.Type, cells)
		}
		return row, nil
	}
}

// read returns the next row that is not blank, and counts the rows.
func (r *Reader) read() ([]string, error) {
	if row := r.ahead; row != nil {
		r.ahead, r.number, r.line = nil, row.number, row.line
		r.noteHeadless(row.cells)
		return row.cells, row.err
	}
	cells, err := r.rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, err
	}
	r.number++
	r.noteHeadless(cells)
	if r.o.Rules == 0 {
		return cells, err // blank lines were no rows
	}
	for i, cell := range cells {
		cells[i] = textOf(cell)
	}
	line := r.line
	if p, ok := errors.AsType[*csv.ParseError](err); ok {
		line = p.StartLine
	} else if err == nil {
		line, _ = r.rows.FieldPos(0)
	}
	r.number += int64(line - r.line)
	if err == nil {
		last := len(cells) - 1
		line, _ = r.rows.FieldPos(last)
		r.line = line + strings.Count(cells[last], "\n") + 1
	}
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
	all := strings.Join(footprint.Types(), ", ")
	d := apperr.Detail{Field: r.heads[r.typeAt], Code: fields.NotAllowed, Suggestions: footprint.TypesLike(typ), Message: fmt.Sprintf("There is no record type %.40q. The types are %s.", typ, all)}
	if typ == "" {
		d.Code, d.Message = fields.Required, fmt.Sprintf("The row names no record type. The types are %s.", all)
	}
	return "", apperr.Invalid(d)
}
