package e2e

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/workbook"
	"github.com/eventcarbon/ecf/tests/generate"
)

// learnHeadings reads by which headings tables may call the fields of each type.
func (w *world) learnHeadings() {
	w.headings = map[string]map[string][]string{}
	for _, typ := range w.names {
		properties, _ := w.callers["user"].get("/record-types/"+typ).want(http.StatusOK).data("schema", "properties").(map[string]any)
		w.headings[typ] = map[string][]string{}
		for name, property := range properties {
			list, _ := property.(map[string]any)["x-headings"].([]any)
			for _, heading := range list {
				w.headings[typ][name] = append(w.headings[typ][name], fmt.Sprint(heading))
			}
		}
	}
}

// unknownHeadings are some that name no field, and some that are no headings.
var unknownHeadings = []string{"", "Farbe", "Total", "of last year", "type", "_id", "Unit", "Status", "=1+1", "a,b;c\td", "line\nbreak", "\"", "x\u202ey", strings.Repeat("h", 300)}

// upload makes the file of an import, and says in the query what some of its columns are. Those of valid requests are
// such as people have; the others may have anything in them.
func (a *author) upload(q *generated, query url.Values) {
	tidy := q.kind == "valid"
	rows := a.rows(q, tidy)
	for _, name := range []string{"column", "sheet", "encoding", "to"} {
		if tidy || a.Chance(2) {
			query.Del(name)
		}
	}
	if a.Chance(3) {
		for at, heading := range rows[0] {
			if a.Chance(4) {
				query.Add("column", workbook.ColumnName(at)+":"+generate.Pick(a.Rand, []string{"", heading, "description", "weightKg", "from", "Weight (t)", "nonsense"}))
			}
		}
	}
	if !tidy && a.Chance(4) {
		query.Add("column", generate.Pick(a.Rand, []string{"ZZ:from", "A:", "A", ":", "1:from", "a:from", "AAAAAAAA:x", "A:\x00"}))
	}
	if q.wire.get("X-Dry-Run") == "" && a.Chance(3) {
		q.wire.set("X-Dry-Run", "true")
	}
	if tidy && a.Chance(2) {
		query.Set("partial", "true")
	}
	q.wire.target = a.target(q, query)
	if a.Chance(4) {
		q.wire.body = a.book(rows, query.Get("sheet"))
		q.wire.set("Content-Type", workbook.MediaType)
		return
	}
	q.wire.body = a.separated(rows, tidy)
	q.wire.set("Content-Type", "text/csv")
	if !tidy && a.Chance(4) {
		q.wire.set("Content-Type", generate.Pick(a.Rand, []string{"text/csv; charset=utf-8", "text/csv; charset=windows-1252", "text/csv; charset=utf-16"}))
	}
}

// rows makes a table: headings of the type or other ones, and below them examples of records, some with a faulty cell.
func (a *author) rows(q *generated, tidy bool) [][]string {
	mixed := q.operation.id == "importMixed"
	typ := q.path["type"]
	if a.w.types[typ] == nil {
		typ = generate.Pick(a.Rand, a.w.names)
	}
	var records []generate.Object
	var types, fields []string
	for range 1 + a.Rand.IntN(5) {
		if mixed {
			typ = generate.Pick(a.Rand, a.w.names)
		}
		o, _ := a.record(typ, !tidy && a.Chance(4)).(generate.Object)
		records, types = append(records, o), append(types, typ)
		for _, m := range o {
			if !slices.Contains(fields, m.Name) {
				fields = append(fields, m.Name)
			}
		}
	}
	var columns [][]string
	add := func(heading string, cell func(row int) string) {
		column := []string{heading}
		for row := range records {
			column = append(column, cell(row))
		}
		columns = append(columns, column)
	}
	if mixed && !a.Chance(20) {
		add("type", func(row int) string { return types[row] })
	}
	for _, field := range fields {
		heading := field
		if known := a.w.headings[typ][field]; len(known) > 0 && !mixed && a.Chance(3) {
			heading = generate.Pick(a.Rand, known)
		}
		faulty := a.Chance(20) || !tidy && a.Chance(6)
		add(heading, func(row int) string {
			v, has := records[row].Get(field)
			if faulty && a.Chance(2) {
				v = generate.Pick(a.Rand, generate.HostileTexts())
			} else if !has {
				return ""
			}
			if text, ok := v.(string); ok {
				return text
			}
			return string(generate.Encode(v))
		})
	}
	for a.Chance(3) {
		cells := generate.Pick(a.Rand, [][]string{{""}, {""}, {"", "some"}, {"12.50", "1,200", "3 kg"}, generate.HostileTexts()})
		if tidy {
			cells = cells[:1]
		}
		add(generate.Pick(a.Rand, append(slices.Sorted(maps.Keys(a.w.headings[typ])), unknownHeadings...)), func(int) string { return generate.Pick(a.Rand, cells) })
	}
	if a.Chance(3) {
		a.Rand.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	}
	table := make([][]string, 1+len(records))
	for _, column := range columns {
		for row, cell := range column {
			table[row] = append(table[row], cell)
		}
	}
	if tidy {
		return table
	}
	switch a.Rand.IntN(6) {
	case 0:
		table = slices.Insert(table, 0, []string{"A title"}, []string{})
	case 1:
		table = slices.Concat(table, [][]string{{"Total"}, table[len(table)-1]})
	case 2:
		table = table[:1]
	}
	return table
}

// separated writes a table as text: with one of the separators and ends of lines, and in one of the encodings.
func (a *author) separated(rows [][]string, tidy bool) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = generate.Pick(a.Rand, []rune{',', ',', ';', '\t'})
	w.UseCRLF = a.Chance(4)
	if a.Chance(8) {
		fmt.Fprintf(&b, "sep=%c\n", w.Comma)
	}
	_ = w.WriteAll(rows) // a buffer takes everything
	text := b.String()
	kind := a.Rand.IntN(10)
	if tidy {
		kind %= 5 // the first two of them are what programs write
	}
	switch kind {
	case 0:
		return []byte("\ufeff" + text)
	case 1:
		var out []byte
		for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
			out = append(out, byte(unit), byte(unit>>8))
		}
		return out
	case 5:
		return []byte(strings.ReplaceAll(text, "\n", "\r"))
	case 6:
		return []byte(strings.ReplaceAll(text, ",", generate.Pick(a.Rand, []string{",,", "\"", "\r", ""})))
	case 7:
		return []byte(text[:a.Rand.IntN(len(text))])
	}
	return b.Bytes()
}

// book writes a table as a workbook, numbers as numbers.
func (a *author) book(rows [][]string, sheet string) []byte {
	f := excelize.NewFile()
	defer f.Close() //nolint:errcheck // it is in memory
	name := "Sheet1"
	if _, err := f.NewSheet(sheet); err == nil && a.Chance(2) {
		name = sheet
	}
	for row, cells := range rows {
		for at, cell := range cells {
			where := fmt.Sprint(workbook.ColumnName(at), row+1)
			if number, ok := numberOf(cell); ok {
				_ = f.SetCellValue(name, where, number)
			} else {
				_ = f.SetCellStr(name, where, cell) // a text that is too long is cut
			}
		}
	}
	b, err := f.WriteToBuffer()
	if err != nil {
		return []byte("PK\x03\x04") // a name or a text that no workbook can have
	}
	return b.Bytes()
}

func numberOf(cell string) (number float64, ok bool) {
	number, err := strconv.ParseFloat(cell, 64)
	return number, err == nil && !math.IsNaN(number) && !math.IsInf(number, 0)
}
