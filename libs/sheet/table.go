package sheet

// place is that of a column, if the table has it. The zero value: it has none.
type place struct{ behind int }

// placeAt returns the place of a column by its index; none for -1.
func placeAt(index int) place { return place{index + 1} }

// found reports whether the table has the column.
func (p place) found() bool { return p.behind > 0 }

// index returns the index of the column; -1 if the table has none.
func (p place) index() int { return p.behind - 1 }

// table is what is known of a table: how it is written, its columns, and what its earlier rows said.
type table struct {
	o   Options
	typ string
	// reading is how freely headings are interpreted.
	reading reading
	// semicolons: cells are separated by them, as where numbers have decimal commas.
	semicolons bool
	// number is that of the last row.
	number int64
	// columns are the fields by index; heads are the headings.
	columns []Column
	heads   []string
	// typeAt is the column "type".
	typeAt place
	// claims are the columns that rules read, and which are no fields.
	claims []claim
	// known are the fields that columns may be.
	known []Column
	// ignored are the indexes of columns that are no fields and have no other use.
	ignored []int
	// headless are the places of columns with values and without a head.
	headless []int
	// unread are the indexes of other columns with ignored cells.
	unread []int
	// inUnit are the units of columns that are in another one than their field.
	inUnit []string
	// unclear are the ambiguous units in the headings of columns, by index.
	unclear map[int]string
	// quantity are the indexes of columns whose headings have no unit.
	quantity []int
	// counts are what the columns count, by index.
	counts []counting
	// currency is that of the amounts of money, if in their heading.
	currency string
	// seconds are the columns of fields that have another one before.
	seconds []secondColumn
	// before are the rows in which values that may be repeated were first seen.
	before map[uint64]int64
}

// row is a row that becomes a record: its cells, and the record so far.
type row struct {
	body
	typ   string
	cells []string
}

// next begins the row of a type with some cells.
func (in *interpreter) next(typ string, cells []string) *row {
	b := &in.row.body
	if b.values == nil {
		*b = newBody()
	}
	clear(b.values)
	clear(b.stated)
	in.row = row{body: body{names: b.names[:0], values: b.values, stated: b.stated}, typ: typ, cells: cells}
	return &in.row
}
