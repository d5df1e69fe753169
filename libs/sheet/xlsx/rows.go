package xlsx

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// cell is a cell of a sheet.
type cell struct {
	// value is the displayed value; numbers without their format.
	value string
	// kind is the type in the file; empty means number.
	kind string
	// formula marks the result of a formula.
	formula bool
	// style is the place of its style among those of the workbook.
	style string
}

// typed reports whether the standard defines a type; others are treated as none.
func typed(kind string) bool {
	return slices.Contains([]string{"b", "d", "n", "e", "s", "str", "inlineStr"}, kind)
}

// texts returns the shared strings by index. A workbook without that part has none.
func (a *archive) texts(part string) ([]string, error) {
	if a.parts[nameOf(part)] == nil {
		return nil, nil
	}
	t, err := a.tokens(part)
	if err != nil {
		return nil, err
	}
	defer t.close()
	var texts []string
	for {
		token, err := t.next()
		if errors.Is(err, io.EOF) {
			return texts, nil
		}
		if err != nil {
			return nil, err
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "si" {
			text, err := t.text(true)
			if err != nil {
				return nil, err
			}
			texts = append(texts, unescape(text))
		}
	}
}

var escape = regexp.MustCompile(`_x[a-fA-F\d]{4}_`)

// unescape returns a text with the characters that XML cannot have, which workbooks write
// as _x000D_.
func unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	return escape.ReplaceAllStringFunc(s, func(match string) string {
		code, err := strconv.ParseUint(match[2:6], 16, 16)
		if err != nil || utf16.IsSurrogate(rune(code)) {
			return ""
		}
		return string(rune(code))
	})
}

// rowReader reads the rows of a sheet, one after the other.
type rowReader struct {
	*tokens
	texts []string
	// row is the number of the last row, hidden whether it is not shown, and count the number of cells so far.
	row, count int
	hidden     bool
	// hiddenColumns are the first and last places of ranges of columns that are not shown.
	hiddenColumns [][2]int
	cells         []cell
}

// rows opens the part of a sheet, and reads to its rows.
func (a *archive) rows(part string, texts []string) (*rowReader, error) {
	t, err := a.tokens(part)
	if err != nil {
		return nil, err
	}
	r := &rowReader{tokens: t, texts: texts}
	for {
		token, err := t.next()
		if errors.Is(err, io.EOF) {
			break // a sheet without cells, such as one that is a chart
		}
		if err != nil {
			t.close()
			return nil, err
		}
		e, ok := token.(xml.StartElement)
		if ok && e.Name.Local == "sheetData" {
			break
		}
		if ok && e.Name.Local == "col" && isHidden(e) && len(r.hiddenColumns) < maxColumns {
			first, _ := strconv.Atoi(attr(e, "min"))
			last, _ := strconv.Atoi(attr(e, "max"))
			r.hiddenColumns = append(r.hiddenColumns, [2]int{first - 1, last - 1})
		}
	}
	return r, nil
}

// isHidden reports whether a row or columns are not shown.
func isHidden(e xml.StartElement) bool {
	return slices.Contains([]string{"1", "true"}, attr(e, "hidden"))
}

// hides reports whether a column, counted from 0, is not shown.
func (r *rowReader) hides(column int) bool {
	return slices.ContainsFunc(r.hiddenColumns, func(part [2]int) bool { return part[0] <= column && column <= part[1] })
}

// next returns the number of the next row, which is greater than those before, and its cells
// up to the last one with something in it, until the next call. The error is io.EOF after
// the last row. Rows beyond maxRows without anything in them are omitted: programs write the last ones of
// the sheet for the format of whole columns.
func (r *rowReader) next() (number int, cells []cell, err error) {
	for r.depth > 0 {
		token, err := r.tokens.next()
		if err != nil {
			return 0, nil, ended(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local == "row" {
				number, cells, err := r.readRow(e)
				switch {
				case err != nil || number <= maxRows:
					return number, cells, err
				case len(cells) > 0:
					return 0, nil, tooFar(maxRows + 1)
				}
				continue
			}
			if err := r.skip(); err != nil {
				return 0, nil, err
			}
		case xml.EndElement:
			return 0, nil, io.EOF // of the table
		}
	}
	return 0, nil, io.EOF
}

func (r *rowReader) readRow(e xml.StartElement) (number int, cells []cell, err error) {
	number = r.row + 1
	if text := attr(e, "r"); text != "" {
		// A number that is too large for this is too large anyway.
		if number, err = strconv.Atoi(text); err != nil && !errors.Is(err, strconv.ErrRange) {
			return 0, nil, errDamaged
		}
	}
	switch {
	case number > deepest:
		return 0, nil, tooFar(maxRows + 1)
	case number <= r.row:
		return 0, nil, errDamaged
	}
	r.row, r.cells = number, r.cells[:0]
	r.hidden = isHidden(e)
	column := 0
	for {
		token, err := r.tokens.next()
		if err != nil {
			return 0, nil, ended(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if e.Name.Local != "c" {
				if err := r.skip(); err != nil {
					return 0, nil, err
				}
				continue
			}
			if r.count++; r.count > maxCells {
				return 0, nil, errElements
			}
			if column, err = r.column(attr(e, "r"), column); err != nil {
				return 0, nil, err
			}
			if err := r.readCell(e, column); err != nil {
				return 0, nil, err
			}
		case xml.EndElement:
			return number, r.cells, nil
		}
	}
}

const (
	// widest and deepest are the last column and the last row a sheet can have.
	widest  = 16_384
	deepest = 1_048_576
)

// column returns the column of a cell of the row: that of its reference, or the one after
// the cell before.
func (r *rowReader) column(reference string, before int) (int, error) {
	column := before + 1
	if reference != "" {
		var row int
		var ok bool
		if column, row, ok = position(reference); !ok {
			return 0, errDamaged
		}
		if row > maxRows && row != r.row {
			return 0, tooFar(maxRows + 1)
		}
	}
	if column > widest {
		return 0, tooFar(r.row)
	}
	if column <= before {
		return 0, errDamaged
	}
	return column, nil
}

// position returns where a reference such as $B$3 points. A column or a row beyond the
// last one of a sheet is returned as the one after it, however far it is.
func position(reference string) (column, row int, ok bool) {
	i := 0
	for ; i < len(reference); i++ {
		b := reference[i] &^ 0x20 // in capitals
		if b < 'A' || b > 'Z' {
			if reference[i] != '$' {
				break
			}
			continue
		}
		column = min(column*26+int(b-'A')+1, widest+1)
	}
	if column == 0 || i == len(reference) {
		return 0, 0, false
	}
	for ; i < len(reference); i++ {
		b := reference[i]
		if b < '0' || b > '9' {
			return 0, 0, false
		}
		row = min(row*10+int(b-'0'), deepest+1)
	}
	return column, row, row > 0
}

// readCell reads the cell that was just opened. An empty cell without a formula is treated as absent, since whole
// columns may have a format.
func (r *rowReader) readCell(e xml.StartElement, column int) error {
	c := cell{kind: attr(e, "t"), style: attr(e, "s")}
	value, inline, isInline, shows := "", "", false, false
	for open := r.depth; r.depth >= open; {
		token, err := r.tokens.next()
		if err != nil {
			return ended(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "v":
			value, err = r.text(false)
		case "is":
			isInline = true
			inline, err = r.text(true)
		case "f":
			shared := attr(e, "t") == "shared" && attr(e, "si") != "" // with a cell that has it
			var text string
			text, err = r.text(false)
			shows, c.formula = true, shared || text != ""
		default:
			err = r.skip()
		}
		if err != nil {
			return err
		}
	}
	switch c.value = value; {
	case c.kind == "inlineStr" && isInline:
		c.value = unescape(inline)
	case c.kind == "s" && value != "":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil || i < 0 || i >= len(r.texts) {
			return errDamaged
		}
		c.value = r.texts[i]
	}
	if c.value == "" && !shows {
		return nil
	}
	if column > maxColumns {
		return tooFar(r.row)
	}
	for len(r.cells) < column-1 {
		r.cells = append(r.cells, cell{})
	}
	r.cells = append(r.cells, c)
	return nil
}
