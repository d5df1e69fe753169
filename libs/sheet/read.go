package sheet

import (
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
	// Before are the headings that the file had before others were chosen, which say what language it is in; nil: none were.
	Before []string
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
	// marks are what columns that are not fields state about a row, by index, and firstSide is the
	// side of the ledger of the first row, with its word.
	marks     []mark
	firstSide int
	firstSaid string
	// address is the heading of the address that the towns of people are taken from.
	address string
	// roomAt is the place of the numbers of rooms in a rooming list, and ticketAt that of the
	// kinds of tickets, which may be returns; -1: the file has none.
	roomAt, ticketAt int
	// bookingClassAt is the place of classes of booking; -1: the file has none.
	bookingClassAt int
	// rooms is what the column at roomAt was found to have.
	rooms roomsAre
	// bookingAt is the place of the numbers of bookings, or the names of travellers; -1: the file
	// has none.
	bookingAt int
	// ahead is a row that was read before its turn; nil: none.
	ahead *readRow
	// joinedBelow: the row below the headings belongs to them.
	joinedBelow bool
	// seconds are the columns of fields that have another one before.
	seconds []secondColumn
	// distances are columns beside that of the distance, by place.
	distances map[int]otherDistance
	// roomNightsAt is the index of the column of rooms or guests times nights, and nightsOf which of the two it
	// counts; -1: the file has none.
	roomNightsAt int
	nightsOf     string
	// tonneKmAt is the place of weight times distance, and wasteCodeAt that of codes of waste; -1: the file has none.
	tonneKmAt, wasteCodeAt int
	// wasteNamesAt are the places of what the rows of waste are about, in a table without materials.
	wasteNamesAt []int
	// durationAt is the index of the column of durations, in minutes if inMinutes; -1: the file has none.
	durationAt int
	inMinutes  bool
	// meterSaid is the first meter of a kind, of those behind the main one if meterIsSub; empty: none so far.
	meterSaid  string
	meterIsSub bool
	// waysSaid are what columns of ways have said so far, by place.
	waysSaid map[int]waySaid
	// modeDistances are the columns of the distance by one mode, and treatments those of the share of one treatment.
	modeDistances []modeColumn
	treatments    []treatmentColumn
	// areaWeightAt is the place of the weight of a square metre, in kilograms if inKilograms; -1: the file has none.
	areaWeightAt int
	inKilograms  bool
	// wholeAt is the place of the distance that is that of the whole of a row; -1: the file has none.
	wholeAt int
	// travellerAt is the place of the names of travellers, and guestNameAt that of the names of guests in a list that counts
	// neither guests nor rooms; -1: the file has none.
	travellerAt, guestNameAt int
	// stayBeside are the days of arrival and departure in a table of stays with their nights.
	stayBeside []int
	// driverAt is the place of the names of drivers in a table of journeys that counts neither people nor vehicles; -1: none.
	driverAt int
	// sharers are the guests of earlier rows.
	sharers []sharer
	// roomKindsAt are the places of how many rooms of each kind there are, and meals those of how many of each meal.
	roomKindsAt []int
	meals       []partColumn
	// modesAt are the places of trains and of products that name the mode of journeys.
	modesAt []int
	// arrivalAt is the place of the days of arrival; -1: the file has none.
	arrivalAt int
	// leftOut are the fields of amounts that would be left out, by the place of their column.
	leftOut map[int]string
	// counts are what the columns count, by index, and each are those with an amount per item.
	counts []counting
	each   []eachColumn
	// sides are the columns of width and height.
	sides []side
	// parts are the columns of parts of fields, and partUnit is the unit of those of energy.
	parts    []partColumn
	partUnit string
	// legColumns are those of the legs of journeys.
	legColumns []legColumn
	// subjects are the indexes of columns that name the subject of a row.
	subjects []int
	// several are the indexes of columns with a number per something other than what the column of the field counts.
	several []int
	// peopleAt is the index of the column that may have numbers of people, or names; -1: the file has none.
	peopleAt int
	// serials is how many of the rowsRead rows had their own row number in the column of people.
	serials, rowsRead int
	// before are the rows in which values that may be repeated were first seen.
	before map[uint64]int64
	// besideAt is the place of the units beside a column that has one; -1: the file has none.
	besideAt int
	// unclear are the ambiguous units in the headings of columns, by index.
	unclear map[int]string
	// typesField: the column Type has the values of a field.
	typesField bool
	// drinks are the columns of drinks that have a row each.
	drinks drinkColumns
	// copiesAt and pagesAt are the places of the copies of a print order, and of their pages; -1: the file has none.
	copiesAt, pagesAt int
	// seats are the places of the adults and children of journeys.
	seats []int
	// thousandsAt is the place of amounts of money in thousands; -1: the file has none.
	thousandsAt int
	// vat are the columns of value-added tax.
	vat vatColumns
	// meters are what the table has of its meters.
	meters meterColumns
	// readings are those of meters.
	readings readings
	// reading is how freely headings are interpreted.
	reading reading
	// ours: the file is an unchanged export of the service, which writes 1.5.
	ours bool
}

// newReader returns a reader of a file without any columns.
func newReader(typ string, o Options) *Reader {
	return &Reader{o: o, typ: typ, typeAt: -1, unitAt: -1, route: -1, roomAt: -1, ticketAt: -1, bookingClassAt: -1, bookingAt: -1, besideAt: -1, peopleAt: -1, roomNightsAt: -1, travellerAt: -1, driverAt: -1, guestNameAt: -1, tonneKmAt: -1, wasteCodeAt: -1, durationAt: -1, wholeAt: -1, areaWeightAt: -1, arrivalAt: -1, thousandsAt: -1}
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
	if err = r.readHead(head); err == nil && o.Rules > 0 {
		err = r.checkTitle(f.title)
	}
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

// Next returns the next nonempty row, io.EOF after the last one, or a VALIDATION_ERROR
// where the file is no longer valid CSV.
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
		if fault := cmp.Or(r.notCounted(cells), sum, r.partOfRow(cells)); fault != nil {
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
