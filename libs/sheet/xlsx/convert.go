package xlsx

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// errWriting marks errors of the output, which are not faults of the file.
var errWriting = errors.New("xlsx: write")

// converter writes the rows of a sheet as CSV.
type converter struct {
	out         *bufio.Writer
	left, limit int // bytes that may be written, now and at first
	comma       bool
	from1904    bool
	formats     []format // of the styles of cells
	width, head int      // how many cells the head has, and its row; 0 where there is none
	line        []byte   // the row that is written
	cells       []string
	headOf      func(rows [][]string) int
	// headings joins two rows of headings: upper is the number of the first of them, and joined is the result.
	headings func(upper, lower []string) []string
	upper    int
	joined   []string
	// columnsOf finds columns; texts are the texts in those of numbers.
	columnsOf func(head []string) []sheet.ShownColumn
	columns   []sheet.ShownColumn
	declared  bool // the form of numbers
	texts     sheet.Numbers
	hidden    func(row int)
	merged    []area
	// hides reports whether a column is hidden, and hiddenColumn is called for each one that is used; it may be nil.
	hides        func(column int) bool
	hiddenColumn func(head string)
}

// convert writes the rows, and empty lines for those that the sheet omits.
func (c *converter) convert(ctx context.Context, rows *rowReader) error {
	written := 0
	write := func(number int, cells []cell, hidden bool) error {
		for written++; written < number; written++ {
			if err := c.row(written, nil); err != nil {
				return err
			}
		}
		// The request may have been cancelled.
		if err := ctx.Err(); err != nil {
			return err
		}
		if hidden && c.head > 0 && number > c.head && c.hidden != nil && filled(cells) {
			c.hidden(number)
		}
		return c.row(number, cells)
	}
	first, ended, err := c.findHead(rows)
	if err != nil {
		return err
	}
	for _, row := range first {
		if err := write(row.number, row.cells, row.hidden); err != nil {
			return err
		}
	}
	for !ended {
		number, cells, err := rows.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := write(number, cells, rows.hidden); err != nil {
			return err
		}
	}
	return rows.checkMerged(c.head, c.merged)
}

// numberedRow is a row that was read before it is written.
type numberedRow struct {
	number int
	cells  []cell
	hidden bool
}

// filled reports whether a row has something in it.
func filled(row []cell) bool {
	return slices.ContainsFunc(row, func(cell cell) bool { return strings.TrimSpace(cell.value) != "" })
}

// rowsForHead is how many rows are looked at for the head, empty ones included.
const rowsForHead = 100

// findHead reads as many rows as may contain the headings, finds them, and returns the rows, and whether there are no
// others.
func (c *converter) findHead(rows *rowReader) (first []numberedRow, ended bool, err error) {
	var among [][]string
	var numbers []int
	for len(among) < sheet.HeadAmong && len(first) < rowsForHead {
		number, cells, err := rows.next()
		if ended = errors.Is(err, io.EOF); ended {
			break
		}
		if err != nil {
			return nil, false, err
		}
		first = append(first, numberedRow{number, slices.Clone(cells), rows.hidden})
		values := make([]string, len(cells))
		for i, cell := range cells {
			values[i] = cell.value
		}
		if slices.ContainsFunc(values, func(value string) bool { return strings.TrimSpace(value) != "" }) {
			among, numbers = append(among, values), append(numbers, number)
		}
	}
	if len(among) == 0 {
		return first, ended, nil
	}
	at := 0
	if c.headOf != nil {
		at = c.headOf(among)
	}
	c.head = numbers[at]
	if at > 0 && c.headings != nil && numbers[at-1] == c.head-1 {
		if c.joined = c.headings(among[at-1], among[at]); c.joined != nil {
			c.upper = c.head - 1
		}
	}
	return first, ended, nil
}

// row writes one row, including the headings; those above them are left empty.
func (c *converter) row(n int, from []cell) error {
	if c.head == 0 && filled(from) {
		c.head = n // below more empty rows than are searched
	}
	if (n < c.head || c.head == 0) && n != c.upper {
		return c.write([]byte("\r\n"))
	}
	from, err := c.fill(n, from)
	if err != nil {
		return err
	}
	head := n <= c.head
	if head {
		c.width = max(len(from), len(c.joined))
	}
	cells, size := c.cells[:0], 0
	for i, cell := range from {
		value := cell.value
		if !head {
			var err error
			if value, err = c.cell(n, i, cell); err != nil {
				return err
			}
		}
		cells, size = append(cells, value), size+len(value)
		// The line is not built if it would not be written: its cells may share a string.
		if size > c.left {
			return c.tooMuch()
		}
	}
	for len(cells) < c.width {
		cells = append(cells, "")
	}
	if n == c.head {
		heads := cells
		if c.joined != nil {
			heads = c.joined
		}
		c.columns = make([]sheet.ShownColumn, len(heads))
		if c.columnsOf != nil {
			c.columns = c.columnsOf(heads)
		}
		for i, cell := range heads {
			c.columns[i].Day = c.columns[i].Day || strings.EqualFold(strings.TrimSpace(cell), "date")
			if c.hides != nil && c.hides(i) && strings.TrimSpace(cell) != "" && (c.columns[i].Used || c.columnsOf == nil) {
				c.hiddenColumn(strings.TrimSpace(cell))
			}
		}
	}
	c.cells, c.line = cells, c.line[:0]
	if !slices.ContainsFunc(cells, func(s string) bool { return s != "" }) {
		c.line = append(c.line, "\"\"\r\n"...) // counted, and empty
	} else {
		c.line = sheet.AppendRow(c.line, cells)
	}
	return c.write(c.line)
}

func (c *converter) write(line []byte) error {
	if c.left -= len(line); c.left < 0 {
		return c.tooMuch()
	}
	if _, err := c.out.Write(line); err != nil {
		return fmt.Errorf("%w: %w", errWriting, err)
	}
	return nil
}

func (c *converter) tooMuch() error {
	return apperr.New(apperr.PayloadTooLarge, "The sheet is larger than %d MiB as CSV. Divide it into several files.", c.limit>>20)
}

// cell returns the text of a cell.
func (c *converter) cell(row, column int, from cell) (string, error) {
	if from.value == "" {
		if from.formula && !typed(from.kind) {
			axis, err := excelize.CoordinatesToCellName(column+1, row)
			if err != nil {
				return "", fmt.Errorf("xlsx: %w", err)
			}
			return "", fault("row "+strconv.Itoa(row), fields.Required,
				fmt.Sprintf("The cell %s is a formula whose result the workbook does not keep. Open it in a spreadsheet program and save it, or write the number.", axis))
		}
		return "", nil
	}
	switch {
	case from.kind == "b" && from.value == "1":
		return "TRUE", nil
	case from.kind == "b" && from.value == "0":
		return "FALSE", nil
	}
	number, err := strconv.ParseFloat(from.value, 64)
	if err != nil || math.IsInf(number, 0) || math.IsNaN(number) {
		if from.kind == "d" {
			return strings.TrimSuffix(from.value, "T00:00:00"), nil
		}
		return c.text(column, from.value), nil // it needs no other form
	}
	if typed(from.kind) && from.kind != "n" && from.kind != "d" {
		return c.text(column, from.value), nil // digits of a text
	}
	shown := c.formatOf(from)
	if c.column(column).Day {
		if day, ok := c.day(number); ok {
			return day, nil
		}
		return from.value, nil
	}
	switch shown.kind {
	case percent:
		return c.numberIn(column, 100*number) + "%", nil
	case moment:
		return c.moment(number), nil
	case elapsed:
		return c.elapsed(number), nil
	case plain:
	}
	text := c.numberIn(column, number)
	switch of := c.column(column); {
	case number >= 0 && shown.shown != "" && of.Takes(shown.shown):
		text += " " + shown.shown
	case !of.Number && number >= 0 && number == math.Trunc(number) && len(text) < shown.digits:
		text = strings.Repeat("0", shown.digits-len(text)) + text
	}
	return text, nil
}

// formatOf returns the format of a cell.
func (c *converter) formatOf(from cell) format {
	if i, err := strconv.Atoi(from.style); err == nil && 0 <= i && i < len(c.formats) {
		return c.formats[i]
	}
	return format{}
}

// column returns what is known of a column.
func (c *converter) column(n int) sheet.ShownColumn {
	if n >= len(c.columns) {
		return sheet.ShownColumn{}
	}
	return c.columns[n]
}

// numberIn formats a number of a column unambiguously, for a file with texts that may be ambiguous.
func (c *converter) numberIn(column int, n float64) string {
	text := c.number(n)
	if c.isNumber(column) && sheet.HasTwoReadings(text) {
		text += "0"
	}
	return text
}

// isNumber reports whether a column is of numbers that may have two readings.
func (c *converter) isNumber(column int) bool { return c.column(column).Number && !c.declared }

// text records a string in a numeric column, and returns it.
func (c *converter) text(column int, value string) string {
	if c.isNumber(column) {
		c.texts.Add(value)
	}
	return value
}

// moment returns the date or time of a number with such a format, since the user did not see a number: a spreadsheet
// turns 1.5 into a day if it takes that for the first of May.
func (c *converter) moment(number float64) string {
	t, err := excelize.ExcelDateToTime(number, c.from1904)
	switch whole := number == math.Trunc(number); {
	case err != nil:
		return c.number(number)
	case number < 1:
		return t.Format(time.TimeOnly)
	case whole:
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02T15:04:05")
}

// elapsed returns a duration, to the second: 25:30:00.
func (c *converter) elapsed(days float64) string {
	seconds := math.Round(days * 24 * 60 * 60)
	if seconds < 0 || seconds >= 1000*60*60 {
		return c.number(days)
	}
	s := int(seconds)
	return fmt.Sprintf("%02d:%02d:%02d", s/3600, s/60%60, s%60)
}

// day returns the day of a number in a date column: only one of this century, so that a year is not taken for a day
// in 1905.
func (c *converter) day(number float64) (string, bool) {
	t, err := excelize.ExcelDateToTime(number, c.from1904)
	if err != nil || t.Year() < 2000 || t.Year() > 2099 {
		return "", false
	}
	return t.Format(time.DateOnly), true
}

// number writes a number with the fifteen digits that spreadsheets have.
func (c *converter) number(n float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(n, 'e', 14, 64), 64)
	if err != nil {
		rounded = n
	}
	text := strconv.FormatFloat(rounded, 'f', -1, 64)
	if c.comma {
		text = strings.Replace(text, ".", ",", 1)
	}
	return text
}
