package sheet

import (
	"io"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/sheet/internal/csvrows"
)

const (
	// HeadAmong is how many rows with something in them are looked at for the head.
	HeadAmong = 10
	// severalHeads is how many fields a row below others names that is certainly the head,
	// and moreHeads where the first row names a field too.
	severalHeads = 2
	moreHeads    = 3
)

// HeadOf returns the index, among the first nonempty rows, of the row of headings of a file of one or several types:
// the first row, or the first one below titles that names several fields if the first row names none, or one by
// accident. If no row names several, it is the first one below titles that names one, above a value of it.
func HeadOf(rows [][]string, o Options, types ...string) int {
	if len(rows) == 0 {
		return 0
	}
	rows = slices.Clone(rows)
	for i, row := range rows {
		rows[i] = shortHeads(row)
	}
	least := severalHeads
	switch named := fieldsNamed(rows[0], o, types); {
	case named >= severalHeads:
		return 0
	case named > 0 && !title(rows[0]) && !titleOfTwo(rows[0]):
		least = moreHeads
	}
	if at := slices.IndexFunc(rows, func(row []string) bool { return fieldsNamed(row, o, types) >= least }); at >= 0 {
		return at
	}
	for at, row := range rows[1:] {
		if Headings(rows[at], row, o, types...) != nil {
			return at + 1
		}
	}
	if at := oneField(rows, o, types); at > 0 || fieldOf(rows[0], o, types) >= 0 {
		return at
	}
	return belowTitles(rows)
}

// belowTitles returns the index of the likely headings of a table whose headings mean nothing: the first row with several
// cells if another one has several too and only a title is in the first row, else the first row.
func belowTitles(rows [][]string) int {
	several := func(row []string) bool { return filledCells(row) > 1 }
	at := slices.IndexFunc(rows, several)
	if !title(rows[0]) || at < 0 || !slices.ContainsFunc(rows[at+1:], several) {
		return 0
	}
	return at
}

// oneField returns the index of the row that names one field: the first one unless that, and all others above a row
// that does, are titles.
func oneField(rows [][]string, o Options, types []string) int {
	for at, row := range rows[:len(rows)-1] {
		one := fieldOf(row, o, types)
		switch {
		case at == 0 && one >= 0 && (!title(row) || fieldOf(rows[1], o, types) < 0 || !countsPeople(row[one])):
			return 0
		case one >= 0 && at > 0 && one < len(rows[at+1]) && strings.TrimSpace(rows[at+1][one]) != "" && fieldOf(rows[at+1], o, types) < 0:
			return at
		case filledCells(row) > titleCells:
			return 0
		}
	}
	return 0
}

// titleCells is how many cells a row of a title has at most: Period, June 2026.
const titleCells = 2

// countsPeople reports whether a head may be the title of a list of people.
func countsPeople(head string) bool { return peopleHeads.Has(plain(head)) }

// fieldOf returns the place of the first cell of a row that is the head of a field; -1 if none is.
func fieldOf(row []string, o Options, types []string) int {
	if len(row) > maxColumns {
		return -1
	}
	for _, typ := range types {
		r := newInterpreter(typ, o)
		_ = r.readHead(row) // it is no head then
		if typ == Mixed && !r.typeAt.found() {
			continue
		}
		if at := slices.IndexFunc(r.columns, func(c Column) bool { return c.Name != "" || c.Type != "" }); at >= 0 {
			return at
		}
	}
	return -1
}

// title reports whether a row has one cell alone with something in it.
func title(row []string) bool { return filledCells(row) == 1 }

// titleOfTwo reports whether a row may be a title in two cells, whose second one has a number: Waste, 2026.
func titleOfTwo(row []string) bool {
	if filledCells(row) != titleCells {
		return false
	}
	last := len(row) - 1
	for strings.TrimSpace(row[last]) == "" {
		last--
	}
	return strings.ContainsAny(row[last], "0123456789")
}

// filledCells returns how many cells of a row have something in them.
func filledCells(row []string) int {
	filled := 0
	for _, cell := range row {
		if strings.TrimSpace(cell) != "" {
			filled++
		}
	}
	return filled
}

// fieldsNamed returns how many fields a row names as a head, at most.
func fieldsNamed(row []string, o Options, types []string) (most int) {
	if len(row) > maxColumns {
		return 0
	}
	for _, typ := range types {
		r := newInterpreter(typ, o)
		_ = r.readHead(row) // it is no head then
		names := map[string]bool{}
		for _, c := range r.columns {
			names[c.Name] = true
		}
		delete(names, "")
		if typ != Mixed || r.typeAt.found() {
			most = max(most, len(names)+len(r.quantity)+r.derived())
		}
	}
	return most
}

// HeadRow returns the number of the row that is the head of a file, as [HeadOf] finds it;
// 0 where that is the first row with something in it.
func HeadRow(file io.Reader, o Options, types ...string) (int64, error) {
	o.HeadRow = 0
	f, err := csvrows.Open(file, o.csv())
	if err != nil {
		return 0, err
	}
	rows, numbers := f.First(HeadAmong)
	if at := HeadOf(rows, o, types...); at > 0 {
		return numbers[at], nil
	}
	return 0, nil
}
