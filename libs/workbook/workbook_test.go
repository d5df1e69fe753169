package workbook_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/sheet/xlsx"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// written returns a workbook of one sheet with the given rows.
func written(t *testing.T, s workbook.Sheet, rows ...[]workbook.Cell) []byte {
	t.Helper()
	var file bytes.Buffer
	w := workbook.New(&file)
	if err := w.Begin(s); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := w.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// opened opens a workbook with an independent library.
func opened(t *testing.T, file []byte) *excelize.File {
	t.Helper()
	book, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = book.Close() })
	return book
}

func TestCells(t *testing.T) {
	for name, test := range map[string]struct {
		cell  workbook.Cell
		value string // as stored
		shown string
		kind  excelize.CellType
	}{
		"a text":                        {workbook.Text("Köln <Messe> & \"Süd\""), "Köln <Messe> & \"Süd\"", "Köln <Messe> & \"Süd\"", excelize.CellTypeInlineString},
		"spaces around":                 {workbook.Text("  a  "), "  a  ", "  a  ", excelize.CellTypeInlineString},
		"lines":                         {workbook.Text("a\nb\tc"), "a\nb\tc", "a\nb\tc", excelize.CellTypeInlineString},
		"no formula":                    {workbook.Text("=1+1"), "=1+1", "=1+1", excelize.CellTypeInlineString},
		"digits of a text":              {workbook.Text("007"), "007", "007", excelize.CellTypeInlineString},
		"nothing":                       {workbook.Text(""), "", "", excelize.CellTypeUnset},
		"an integer":                    {workbook.Number("-12"), "-12", "-12", excelize.CellTypeUnset},
		"all digits":                    {workbook.Number("180649.182263"), "180649.182263", "180649.182263", excelize.CellTypeUnset},
		"trailing zeros":                {workbook.Number("1.500000"), "1.500000", "1.5", excelize.CellTypeUnset},
		"fifteen digits":                {workbook.Number("123456789.123456"), "123456789.123456", "123456789.123456", excelize.CellTypeUnset},
		"more digits than are kept":     {workbook.Number("1234567890.123456"), "1234567890.123456", "1234567890.123456", excelize.CellTypeInlineString},
		"with an exponent":              {workbook.Number("1.5e3"), "1.5e3", "1500", excelize.CellTypeUnset},
		"an exponent beyond numbers":    {workbook.Number("1e999"), "1e999", "1e999", excelize.CellTypeInlineString},
		"no number":                     {workbook.Number("NaN"), "NaN", "NaN", excelize.CellTypeInlineString},
		"a number that is markup":       {workbook.Number("1</v>"), "1</v>", "1</v>", excelize.CellTypeInlineString},
		"no number at all":              {workbook.Number(""), "", "", excelize.CellTypeUnset},
		"true":                          {workbook.Bool(true), "1", "TRUE", excelize.CellTypeBool},
		"false":                         {workbook.Bool(false), "0", "FALSE", excelize.CellTypeBool},
		"a date":                        {workbook.Date("2026-09-01"), "46266", "2026-09-01", excelize.CellTypeUnset},
		"the day before a leap day":     {workbook.Date("2024-02-28"), "45350", "2024-02-28", excelize.CellTypeUnset},
		"a date that does not exist":    {workbook.Date("2026-02-30"), "2026-02-30", "2026-02-30", excelize.CellTypeInlineString},
		"a date before those of Excel":  {workbook.Date("1850-01-01"), "1850-01-01", "1850-01-01", excelize.CellTypeInlineString},
		"a text as long as a cell":      {workbook.Text(strings.Repeat("ä", workbook.MaxText)), strings.Repeat("ä", workbook.MaxText), strings.Repeat("ä", workbook.MaxText), excelize.CellTypeInlineString},
		"a text longer than a cell":     {workbook.Text(strings.Repeat("ä", workbook.MaxText+1)), "[The text is too long for a cell of a workbook. The CSV file has it.]", "[The text is too long for a cell of a workbook. The CSV file has it.]", excelize.CellTypeInlineString},
		"what counts twice towards it":  {workbook.Text(strings.Repeat("🎪", workbook.MaxText/2+1)), "[The text is too long for a cell of a workbook. The CSV file has it.]", "[The text is too long for a cell of a workbook. The CSV file has it.]", excelize.CellTypeInlineString},
		"what looks like an escape":     {workbook.Text("a_x000D_b"), "a_x000D_b", "a_x000D_b", excelize.CellTypeInlineString},
		"what almost looks like one":    {workbook.Text("a_x00_b_xZZZZ_"), "a_x00_b_xZZZZ_", "a_x00_b_xZZZZ_", excelize.CellTypeInlineString},
		"what XML cannot have":          {workbook.Text("a\x01b\rc"), "a\x01b\rc", "a\x01b\rc", excelize.CellTypeInlineString},
		"what is no text in any coding": {workbook.Text("a\xffb"), "a\ufffdb", "a\ufffdb", excelize.CellTypeInlineString},
	} {
		t.Run(name, func(t *testing.T) {
			book := opened(t, written(t, workbook.Sheet{Name: "S"}, []workbook.Cell{test.cell}))
			value, err := book.GetCellValue("S", "A1", excelize.Options{RawCellValue: true})
			if err != nil {
				t.Fatal(err)
			}
			shown, err := book.GetCellValue("S", "A1")
			if err != nil {
				t.Fatal(err)
			}
			kind, err := book.GetCellType("S", "A1")
			if err != nil {
				t.Fatal(err)
			}
			if value != test.value || shown != test.shown || kind != test.kind {
				t.Errorf("stored %q, shown %q, type %v; want %q, %q, %v", value, shown, kind, test.value, test.shown, test.kind)
			}
			if formula, err := book.GetCellFormula("S", "A1"); err != nil || formula != "" {
				t.Errorf("the formula %q, %v", formula, err)
			}
		})
	}
}

// TestRowsAreReadAgain reads random rows with the reader of imports.
func TestRowsAreReadAgain(t *testing.T) {
	random := testkit.Rand(t)
	head := []workbook.Cell{workbook.Text("name"), workbook.Text("amount"), workbook.Text("note")}
	rows, want := [][]workbook.Cell{head}, "name,amount,note\r\n"
	for range 300 {
		name, amount, note := word(random), fmt.Sprint(random.IntN(1e6)), word(random)
		rows = append(rows, []workbook.Cell{workbook.Text(name), workbook.Number(amount), workbook.Text(note)})
		want += name + "," + amount + "," + note + "\r\n"
	}
	var csv bytes.Buffer
	if _, err := xlsx.WriteCSV(t.Context(), &csv, written(t, workbook.Sheet{Name: "Rows", Table: true}, rows...), xlsx.Options{Limit: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	if got := strings.ReplaceAll(csv.String(), "\r\n", "\n"); got != strings.ReplaceAll(want, "\r\n", "\n") {
		t.Errorf("read again:\n%s\nwant:\n%s", got, want)
	}
}

func word(random *rand.Rand) string {
	const letters = "abcäöü<>&_xé🎪 Z"
	all := []rune(letters)
	out := []rune{'w'}
	for range random.IntN(12) {
		out = append(out, all[random.IntN(len(all))])
	}
	return string(append(out, 'w'))
}

func TestSheets(t *testing.T) {
	var file bytes.Buffer
	w := workbook.New(&file)
	table := workbook.Sheet{Name: "Waste & co", Table: true, Columns: []workbook.Column{
		{Width: 30},
		{Width: 12, Style: workbook.Day, Title: "Date", Prompt: "The day it was collected."},
		{Choices: workbook.Range("It's lists", "$A$1:$A$2"), Title: strings.Repeat("long ", 20), Prompt: strings.Repeat("word ", 100)},
	}}
	steps := []error{
		w.Begin(table),
		w.Append(workbook.Text("Place").In(workbook.Heading), workbook.Text("Date").In(workbook.Heading), workbook.Text("Material").In(workbook.Heading)),
		w.Append(workbook.Text("Hall 4"), workbook.Date("2026-09-01"), workbook.Text("glass")),
		w.Append(workbook.Text(strings.Repeat("long ", 18)).In(workbook.Wrapped), workbook.Cell{}, workbook.Text(strings.Repeat("long ", 99))),
		w.Begin(workbook.Sheet{Name: "It's lists", Hidden: true}),
		w.Append(workbook.Text("glass")),
		w.Append(workbook.Text("paper")),
		w.Close(),
	}
	if err := errors.Join(steps...); err != nil {
		t.Fatal(err)
	}
	book := opened(t, file.Bytes())
	if got := strings.Join(book.GetSheetList(), "|"); got != "Waste & co|It's lists" {
		t.Fatalf("the sheets %s", got)
	}
	if visible, err := book.GetSheetVisible("It's lists"); err != nil || visible {
		t.Errorf("the sheet of lists is visible: %v, %v", visible, err)
	}
	rules, err := book.GetDataValidations("Waste & co")
	if err != nil || len(rules) != 2 {
		t.Fatalf("%d rules, %v; want 2", len(rules), err)
	}
	if r := rules[0]; r.Sqref != "B2:B1048576" || *r.Prompt != "The day it was collected." || *r.PromptTitle != "Date" || r.Type != "" {
		t.Errorf("the rule of dates: %+v", r)
	}
	if r := rules[1]; r.Sqref != "C2:C1048576" || r.Type != "list" || r.Formula1 != "'It''s lists'!$A$1:$A$2" || *r.ErrorStyle != "warning" {
		t.Errorf("the rule of a list: %+v", r)
	}
	// Excel repairs, which is to say discards, rules with longer texts.
	if r := rules[1]; len([]rune(*r.PromptTitle)) > 32 || len([]rune(*r.Prompt)) > 255 || !strings.HasSuffix(*r.Prompt, "word…") {
		t.Errorf("texts of %d and %d characters: %q", len([]rune(*r.PromptTitle)), len([]rune(*r.Prompt)), *r.Prompt)
	}
	for row, want := range map[int]float64{2: 15, 3: 45} {
		if height, err := book.GetRowHeight("Waste & co", row); err != nil || height != want {
			t.Errorf("row %d is %v high, %v; want %v", row, height, err, want)
		}
	}
	if panes, err := book.GetPanes("Waste & co"); err != nil || !panes.Freeze || panes.YSplit != 1 {
		t.Errorf("the headings do not stay in view: %+v, %v", panes, err)
	}
	if width, err := book.GetColWidth("Waste & co", "A"); err != nil || width != 30 {
		t.Errorf("a width of %v, %v; want 30", width, err)
	}
	names := book.GetDefinedName()
	if len(names) != 1 || names[0].Name != "_xlnm.Print_Titles" || names[0].RefersTo != "'Waste & co'!$1:$1" {
		t.Errorf("the names %+v", names)
	}
}

func TestOrder(t *testing.T) {
	row := workbook.Text("a")
	for name, test := range map[string]func(*workbook.Writer) error{
		"a row outside of any sheet": func(w *workbook.Writer) error { return w.Append(row) },
		"no sheet":                   func(w *workbook.Writer) error { return w.Close() },
		"a row after the end": func(w *workbook.Writer) error {
			return errors.Join(w.Begin(workbook.Sheet{Name: "S"}), w.Close(), w.Append(row))
		},
		"closed twice": func(w *workbook.Writer) error {
			return errors.Join(w.Begin(workbook.Sheet{Name: "S"}), w.Close(), w.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := test(workbook.New(&bytes.Buffer{})); err == nil {
				t.Error("no error")
			}
		})
	}
}

var errFull = errors.New("no space left")

// disk has room for a number of bytes.
type disk struct{ room int }

func (d *disk) Write(p []byte) (int, error) {
	n := min(len(p), d.room)
	d.room -= n
	if n < len(p) {
		return n, errFull
	}
	return n, nil
}

// TestNoTruncatedWorkbook writes workbooks to ever larger disks: whatever piece does not fit, the
// first call that fails says so, no later one succeeds, and a workbook without an error is complete.
func TestNoTruncatedWorkbook(t *testing.T) {
	random := testkit.Rand(t)
	rows := make([][]workbook.Cell, 1500)
	for i := range rows {
		rows[i] = []workbook.Cell{workbook.Number(fmt.Sprint(random.Int64N(1e15))), workbook.Number(fmt.Sprint(random.Int64N(1e15)))}
	}
	// write returns the error of each call.
	write := func(to io.Writer) (calls []error) {
		w := workbook.New(to)
		for _, name := range []string{"First", "Second"} {
			calls = append(calls, w.Begin(workbook.Sheet{Name: name}))
			for _, row := range rows {
				calls = append(calls, w.Append(row...))
			}
		}
		return append(calls, w.Close())
	}
	var whole bytes.Buffer
	if err := errors.Join(write(&whole)...); err != nil {
		t.Fatal(err)
	}
	for room := 0; room < whole.Len(); room += 997 {
		calls := write(&disk{room})
		first := slices.IndexFunc(calls, func(err error) bool { return err != nil })
		if first < 0 {
			t.Fatalf("no error with room for %d of %d bytes", room, whole.Len())
		}
		for i, err := range calls[first:] {
			if !errors.Is(err, errFull) || !strings.HasPrefix(err.Error(), "workbook: ") {
				t.Fatalf("room for %d of %d bytes: call %d failed, and call %d returned %v", room, whole.Len(), first, first+i, err)
			}
		}
		// A sheet is compressed block by block, so an error is late by two of them at most.
		if room < whole.Len()/4 && first > len(rows) {
			t.Fatalf("room for %d of %d bytes: all rows of the first sheet were accepted", room, whole.Len())
		}
	}
	if err := errors.Join(write(&disk{whole.Len()})...); err != nil {
		t.Errorf("an exactly sufficient disk: %v", err)
	}
}

// TestRangesOfFilters: the rows of a table are filtered by all columns that have headings.
func TestRangesOfFilters(t *testing.T) {
	var file bytes.Buffer
	w := workbook.New(&file)
	a := workbook.Text("a")
	if err := errors.Join(
		w.Begin(workbook.Sheet{Name: "Three columns", Table: true}), w.Append(a, a, a), w.Append(a), w.Append(a),
		w.Begin(workbook.Sheet{Name: "Two columns", Table: true}), w.Append(a, a), w.Append(a, a, a),
		w.Begin(workbook.Sheet{Name: "Headings only", Table: true}), w.Append(a),
		w.Begin(workbook.Sheet{Name: "No row", Table: true}),
		w.Begin(workbook.Sheet{Name: "No table"}), w.Append(a),
		w.Close(),
	); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"A1:C3", "A1:B2", "A1:A1", "", ""} {
		part, err := archive.Open(fmt.Sprintf("xl/worksheets/sheet%d.xml", i+1))
		if err != nil {
			t.Fatal(err)
		}
		var sheet struct {
			Filter struct {
				Ref string `xml:"ref,attr"`
			} `xml:"autoFilter"`
		}
		if err := errors.Join(xml.NewDecoder(part).Decode(&sheet), part.Close()); err != nil {
			t.Fatal(err)
		}
		if got := sheet.Filter.Ref; got != want {
			t.Errorf("sheet %d is filtered in %q, want %q", i+1, got, want)
		}
	}
}

// TestAllocationsOfARow writes as many rows as a sheet can have, of which nothing is kept.
func TestAllocationsOfARow(t *testing.T) {
	testkit.WithoutRace(t)
	w := workbook.New(io.Discard)
	if err := w.Begin(workbook.Sheet{Name: "S", Table: true}); err != nil {
		t.Fatal(err)
	}
	cells := []workbook.Cell{workbook.Text("a text"), workbook.Number("1234.5")}
	if got := testing.AllocsPerRun(10_000, func() {
		if err := w.Append(cells...); err != nil {
			t.Fatal(err)
		}
	}); got > 0 {
		t.Errorf("a row allocates %v times", got)
	}
	for w.Row() < workbook.MaxRows {
		if err := w.Append(workbook.Cell{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Append(cells...); err == nil {
		t.Error("no error beyond the last possible row")
	}
}

func TestColumnNames(t *testing.T) {
	for column, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 51: "AZ", 52: "BA", 701: "ZZ", 702: "AAA", 16383: "XFD"} {
		if got := workbook.ColumnName(column); got != want {
			t.Errorf("column %d is %s, want %s", column, got, want)
		}
	}
}
