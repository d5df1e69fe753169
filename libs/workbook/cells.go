package workbook

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// Style is the format of a cell.
type Style int

// The styles.
const (
	Plain Style = iota
	// Heading is that of the first row of a table.
	Heading
	// Title is that of the first line of a page.
	Title
	// Wrapped texts continue on further lines.
	Wrapped
	// Day is that of dates: 2026-09-01 in every language.
	Day
)

// stylesPart has the styles in the order of their constants.
const stylesPart = xmlHead + `<styleSheet xmlns="` + mainNamespace + `"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd"/></numFmts>` +
	`<fonts count="3"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="14"/><name val="Calibri"/></font></fonts>` +
	`<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FFE3EBE6"/></patternFill></fill></fills>` +
	`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
	`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="5">` +
	`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
	`<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>` +
	`<xf numFmtId="0" fontId="2" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
	`<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>` +
	`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
	`</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`

// Cell is a cell of a row. The zero value is empty.
type Cell struct {
	value string
	kind  kind
	style Style
}

type kind byte

const (
	empty kind = iota
	text
	number
	truth
)

// In returns the cell in another style.
func (c Cell) In(s Style) Cell {
	c.style = s
	return c
}

// Text returns a cell with a text, which is never a formula. Of one that is too long for a
// cell nothing is shown but a sentence that says so: a part of it would be taken for the whole.
func Text(s string) Cell {
	if s == "" {
		return Cell{}
	}
	if len(s) > MaxText && units(s) > MaxText {
		s = tooLong
	}
	return Cell{value: s, kind: text}
}

// tooLong replaces texts that are too long. As JSON or as the name of anything it is refused.
const tooLong = "[The text is too long for a cell of a workbook. The CSV file has it.]"

// Number returns a cell with a number in the notation of JSON. One with more digits than
// spreadsheet programs keep is a text.
func Number(json string) Cell {
	if json == "" {
		return Cell{}
	}
	if !kept(json) {
		return Text(json)
	}
	return Cell{value: json, kind: number}
}

// digitsKept is how many significant digits spreadsheet programs keep.
const digitsKept = 15

// kept reports whether a text is a number that spreadsheet programs read and store unchanged.
func kept(json string) bool {
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(json), "e")
	if hasExponent {
		if e, err := strconv.Atoi(exponent); err != nil || e < -300 || e > 300 {
			return false
		}
	}
	whole, fraction, hasFraction := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	if whole == "" || hasFraction && fraction == "" {
		return false
	}
	for _, b := range []byte(whole + fraction) {
		if b < '0' || b > '9' {
			return false
		}
	}
	return len(strings.Trim(whole+fraction, "0")) <= digitsKept && len(whole) <= 300
}

// Bool returns a cell with a truth value.
func Bool(b bool) Cell {
	if b {
		return Cell{value: "1", kind: truth}
	}
	return Cell{value: "0", kind: truth}
}

// Date returns a cell with a date in the notation of ISO 8601, such as 2026-09-01; any other
// text, and dates before those that workbooks can have, are texts.
func Date(s string) Cell {
	day, err := time.Parse(time.DateOnly, s)
	if err != nil || day.Year() < 1901 {
		return Text(s)
	}
	return Cell{value: strconv.Itoa(int(day.Sub(epoch) / (24 * time.Hour))), kind: number, style: Day}
}

// epoch is day 0 of workbooks, for the days after February 1900: they count a leap day that 1900 did not have.
var epoch = time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)

// appendTo appends the cell in a column, from 0, of a row, from 1. An empty one without a style is omitted.
func (c Cell) appendTo(b []byte, column, row int) []byte {
	if c.kind == empty && c.style == Plain {
		return b
	}
	b = append(appendPlace(append(b, `<c r="`...), column, row), '"')
	if c.style != Plain {
		b = append(strconv.AppendInt(append(b, ` s="`...), int64(c.style), 10), '"')
	}
	switch c.kind {
	case empty:
		return append(b, `/>`...)
	case text:
		b = append(b, ` t="inlineStr"><is><t xml:space="preserve">`...)
		return append(appendText(b, c.value), `</t></is></c>`...)
	case truth:
		b = append(b, ` t="b"`...)
	case number:
	}
	return append(append(append(b, `><v>`...), c.value...), `</v></c>`...)
}

// appendPlace appends the name of a cell, such as AB12.
func appendPlace(b []byte, column, row int) []byte {
	return strconv.AppendInt(appendColumn(b, column), int64(row), 10)
}

// ColumnName returns the letters of a column, from 0.
func ColumnName(column int) string { return string(appendColumn(nil, column)) }

func appendColumn(b []byte, column int) []byte {
	if column >= 26 {
		b = appendColumn(b, column/26-1)
	}
	return append(b, byte('A'+column%26))
}

// Range returns a range of cells of a sheet in the notation of formulas.
func Range(sheet, cells string) string {
	return fmt.Sprintf("'%s'!%s", strings.ReplaceAll(sheet, "'", "''"), cells)
}

// appendText appends a text as XML. Characters that XML cannot have, and what looks like one
// of their escapes, are written as workbooks do: _x000B_.
func appendText(b []byte, s string) []byte {
	for i, r := range s {
		switch {
		case r == '<':
			b = append(b, `&lt;`...)
		case r == '>':
			b = append(b, `&gt;`...)
		case r == '&':
			b = append(b, `&amp;`...)
		case r == '"':
			b = append(b, `&quot;`...)
		case r == '_' && escaped(s[i:]):
			b = append(b, `_x005F_`...)
		case r == '\t' || r == '\n':
			b = utf8.AppendRune(b, r)
		case r < ' ' || r == 0xFFFE || r == 0xFFFF:
			b = fmt.Appendf(b, `_x%04X_`, r)
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

// escaped reports whether a text begins like an escaped character.
func escaped(s string) bool {
	if len(s) < 7 || s[1] != 'x' || s[6] != '_' {
		return false
	}
	_, err := strconv.ParseUint(s[2:6], 16, 16)
	return err == nil
}

// units returns the length of a text in UTF-16 code units.
func units(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}

// cut shortens a text to a number of UTF-16 code units, between words where it can.
func cut(s string, most int) string {
	if units(s) <= most {
		return s
	}
	n, end, space := 1, 0, 0
	for i, r := range s {
		if n += utf16.RuneLen(r); n > most {
			break
		}
		if r == ' ' {
			space = i
		}
		end = i + utf8.RuneLen(r)
	}
	if space > end/2 {
		end = space
	}
	return s[:end] + "…"
}
