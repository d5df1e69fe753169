package sheet

import (
	"hash/fnv"
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/sheet/internal/wordlist"
)

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
	// thousands are the columns of numbers of people or things in thousands, by index.
	thousands map[int]bool
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

// free reports whether nothing is known yet of what a column means.
func (t *table) free(at int) bool { return t.columns[at].Name == "" && t.columns[at].Type == "" }

// beside returns the place of the first column with one of the headings that is not a field.
func (t *table) beside(heads wordlist.List) place {
	for at, head := range t.heads {
		if t.free(at) && heads.Has(plain(head)) {
			return placeAt(at)
		}
	}
	return place{}
}

// aside is beside for a column that is used, which it removes from the ignored ones.
func (t *table) aside(heads wordlist.List) place {
	at := t.beside(heads)
	t.use(at.index())
	return at
}

// heading reports whether a column is one of the fields.
func (t *table) heading(names ...string) bool {
	return slices.ContainsFunc(t.columns, func(c Column) bool { return slices.Contains(names, c.Name) })
}

// has reports whether the file has a column with one of the headings.
func (t *table) has(heads wordlist.List) bool {
	return slices.ContainsFunc(t.heads, func(head string) bool { return heads.Has(plain(head)) })
}

// placeOf returns the place of the column of a field; -1 if it has none.
func (t *table) placeOf(name string) int {
	return slices.IndexFunc(t.columns, func(c Column) bool { return c.Name == name })
}

// use removes a column from the ignored ones.
func (t *table) use(at int) {
	t.ignored = slices.DeleteFunc(t.ignored, func(ignored int) bool { return ignored == at })
}

// addCounts makes a column one of how many of a kind there are.
func (t *table) addCounts(at int) {
	t.columns[at].Type = "number"
	t.use(at)
}

// earlier returns the earlier row with the same texts; if there is none, it remembers this one.
func (t *table) earlier(texts ...string) (row int64, ok bool) {
	h := fnv.New64a()
	for _, text := range texts {
		_, _ = io.WriteString(h, strings.ToLower(strings.TrimSpace(text))+"\x00") // never fails
	}
	if row, ok = t.before[h.Sum64()]; !ok {
		if t.before == nil {
			t.before = map[uint64]int64{}
		}
		t.before[h.Sum64()] = t.number
	}
	return row, ok && row != t.number // a row of several records is read more than once
}
