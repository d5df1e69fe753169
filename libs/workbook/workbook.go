// Package workbook writes Excel workbooks (XLSX, ECMA-376) as a stream: sheet after sheet and
// row after row, in constant memory. Texts are stored in their cells, so that nothing has to
// be known in advance; figures keep all their digits.
package workbook

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/klauspost/compress/flate"
)

// MediaType is that of a workbook.
const MediaType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

// The limits of spreadsheet programs.
const (
	// MaxRows is the number of rows that a sheet may have.
	MaxRows = 1 << 20
	// MaxText is the length of a cell's text, in UTF-16 code units.
	MaxText = 32_767
)

// Writer writes a workbook. The first error ends it, and is returned by all later calls.
type Writer struct {
	zip    *zip.Writer
	sheets []Sheet
	// sheet is the part of the current sheet, row the number of its last row, and width the
	// number of cells of its first row.
	sheet      io.Writer
	row, width int
	line       []byte
	err        error
}

// Sheet is a sheet and how it is shown.
type Sheet struct {
	// Name is at most 31 characters, without any of \ / ? * [ ] :.
	Name    string
	Columns []Column
	// Hidden sheets have the values of lists.
	Hidden bool
	// FitWidth: it is printed as wide as a page.
	FitWidth bool
	// Table marks a sheet whose first row has headings: it stays in view, and rows can be filtered.
	Table bool
}

// Column is how a column is shown, and what its cells below the first row may have.
type Column struct {
	// Width is in characters; 0 means that of the program.
	Width int
	// Style is that of cells that are still empty.
	Style Style
	// Choices is the range of cells, in the notation of formulas, whose values are offered; empty means none are.
	// Others can be entered after a warning.
	Choices string
	// Title and Prompt are shown beside a selected cell.
	Title, Prompt string
}

// New returns a Writer to w.
func New(w io.Writer) *Writer {
	z := zip.NewWriter(w)
	// It needs two thirds of the memory of the one of the standard library, and less time.
	z.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) { return flate.NewWriter(to, flate.BestSpeed) })
	return &Writer{zip: z}
}

// Row returns the number of rows of the current sheet.
func (w *Writer) Row() int { return w.row }

// Begin begins a sheet, after the end of the previous one.
func (w *Writer) Begin(s Sheet) error {
	if err := w.end(); err != nil {
		return err
	}
	w.sheets = append(w.sheets, s)
	sheet, err := w.zip.Create(sheetPart(len(w.sheets)))
	if err != nil {
		return w.fail(err)
	}
	w.sheet = sheet
	w.row, w.width = 0, 0
	b := append(w.line[:0], xmlHead+`<worksheet xmlns="`+mainNamespace+`">`...)
	if s.FitWidth {
		b = append(b, `<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>`...)
	}
	b = append(b, `<sheetViews><sheetView workbookViewId="0"`...)
	if len(w.sheets) == 1 {
		b = append(b, ` tabSelected="1"`...)
	}
	b = append(b, '>')
	if s.Table {
		b = append(b, `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>`...)
	}
	b = append(b, `</sheetView></sheetViews>`...)
	b = appendColumns(b, s.Columns)
	return w.write(append(b, `<sheetData>`...))
}

// appendColumns appends the widths and styles of columns.
func appendColumns(b []byte, columns []Column) []byte {
	begun := false
	for i, c := range columns {
		if c.Width == 0 && c.Style == Plain {
			continue
		}
		if !begun {
			b, begun = append(b, `<cols>`...), true
		}
		b = fmt.Appendf(b, `<col min="%d" max="%d"`, i+1, i+1)
		if c.Width > 0 {
			b = fmt.Appendf(b, ` width="%d" customWidth="1"`, c.Width)
		}
		if c.Style != Plain {
			b = fmt.Appendf(b, ` style="%d"`, c.Style)
		}
		b = append(b, `/>`...)
	}
	if begun {
		b = append(b, `</cols>`...)
	}
	return b
}

// Append appends a row to the current sheet.
func (w *Writer) Append(cells ...Cell) error {
	switch {
	case w.err != nil:
		return w.err
	case w.sheet == nil:
		return w.fail(errors.New("a row outside of any sheet"))
	case w.row == MaxRows:
		return w.fail(fmt.Errorf("more than %d rows", MaxRows))
	}
	w.row++
	if w.row == 1 {
		w.width = len(cells)
	}
	b := append(strconv.AppendInt(append(w.line[:0], `<row r="`...), int64(w.row), 10), '"')
	if lines := w.lines(cells); lines > 1 {
		b = append(strconv.AppendInt(append(b, ` ht="`...), int64(lines*lineHeight), 10), `" customHeight="1"`...)
	}
	b = append(b, '>')
	for i, c := range cells {
		b = c.appendTo(b, i, w.row)
	}
	return w.write(append(b, `</row>`...))
}

// lineHeight is that of a line of text, in points.
const lineHeight = 15

// lines estimates the number of lines that the wrapped texts of a row take. Not all programs
// determine the height of rows when they open a file.
func (w *Writer) lines(cells []Cell) int {
	lines, columns := 1, w.sheets[len(w.sheets)-1].Columns
	for i, c := range cells[:min(len(cells), len(columns))] {
		if (c.style == Wrapped || c.style == Heading) && columns[i].Width > 0 {
			lines = max(lines, (units(c.value)+columns[i].Width-1)/columns[i].Width)
		}
	}
	return min(lines, maxLines)
}

// maxLines bounds the height of rows; programs allow 409 points.
const maxLines = 20

// write writes a piece of the current sheet, whose room is used again.
func (w *Writer) write(b []byte) error {
	w.line = b
	if _, err := w.sheet.Write(b); err != nil {
		return w.fail(err)
	}
	return nil
}

// fail ends the workbook with an error.
func (w *Writer) fail(err error) error {
	w.err = fmt.Errorf("workbook: %w", err)
	return w.err
}

// end ends the current sheet, if any.
func (w *Writer) end() error {
	if w.err != nil || w.sheet == nil {
		return w.err
	}
	s := w.sheets[len(w.sheets)-1]
	b := append(w.line[:0], `</sheetData>`...)
	if s.Table && w.width > 0 {
		b = append(b, `<autoFilter ref="A1:`...)
		b = append(appendPlace(b, w.width-1, w.row), `"/>`...)
	}
	b = appendValidations(b, s.Columns)
	b = append(b, `<pageMargins left="0.5" right="0.5" top="0.5" bottom="0.5" header="0.3" footer="0.3"/><pageSetup orientation="landscape" fitToHeight="0"/></worksheet>`...)
	err := w.write(b)
	w.sheet = nil
	return err
}

// appendValidations appends the choices and explanations of columns.
func appendValidations(b []byte, columns []Column) []byte {
	var entries []byte
	n := 0
	for i, c := range columns {
		if c.Choices == "" && c.Prompt == "" {
			continue
		}
		n++
		entries = append(entries, `<dataValidation allowBlank="1" sqref="`...)
		entries = append(appendPlace(entries, i, 2), ':')
		entries = append(appendPlace(entries, i, MaxRows), '"')
		if c.Choices != "" {
			entries = append(entries, ` type="list" errorStyle="warning" showErrorMessage="1"`...)
		}
		if c.Prompt != "" {
			entries = append(entries, ` showInputMessage="1" promptTitle="`...)
			entries = appendText(entries, cut(c.Title, maxPromptTitle))
			entries = append(entries, `" prompt="`...)
			entries = append(appendText(entries, cut(c.Prompt, maxPrompt)), '"')
		}
		entries = append(entries, '>')
		if c.Choices != "" {
			entries = append(appendText(append(entries, `<formula1>`...), c.Choices), `</formula1>`...)
		}
		entries = append(entries, `</dataValidation>`...)
	}
	if n == 0 {
		return b
	}
	return append(append(fmt.Appendf(b, `<dataValidations count="%d">`, n), entries...), `</dataValidations>`...)
}

// The longest texts beside a selected cell that Excel accepts, in UTF-16 code units.
const (
	maxPromptTitle = 32
	maxPrompt      = 255
)

// Close ends the workbook. It does not close the underlying writer.
func (w *Writer) Close() error {
	if err := w.end(); err != nil {
		return err
	}
	if len(w.sheets) == 0 {
		return w.fail(errors.New("no sheet"))
	}
	for _, part := range w.parts() {
		to, err := w.zip.Create(part.name)
		if err == nil {
			_, err = to.Write(part.text)
		}
		if err != nil {
			return w.fail(err)
		}
	}
	if err := w.zip.Close(); err != nil {
		return w.fail(err)
	}
	w.err = errors.New("workbook: closed")
	return nil
}

type part struct {
	name string
	text []byte
}

// parts returns the parts of the workbook besides its sheets.
func (w *Writer) parts() []part {
	var types, sheets, relations bytes.Buffer
	for i, s := range w.sheets {
		fmt.Fprintf(&types, `<Override PartName="/%s" ContentType="%s.worksheet+xml"/>`, sheetPart(i+1), contentType)
		state := ""
		if s.Hidden {
			state = ` state="hidden"`
		}
		fmt.Fprintf(&sheets, `<sheet name="%s" sheetId="%d"%s r:id="rId%d"/>`, appendText(nil, s.Name), i+1, state, i+1)
		fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/worksheet" Target="worksheets/sheet%d.xml"/>`, i+1, relationType, i+1)
	}
	fmt.Fprintf(&relations, `<Relationship Id="rId%d" Type="%s/styles" Target="styles.xml"/>`, len(w.sheets)+1, relationType)
	return []part{
		{"xl/workbook.xml", []byte(xmlHead + `<workbook xmlns="` + mainNamespace + `" xmlns:r="` + relationType + `"><sheets>` + sheets.String() + `</sheets>` + w.names() + `</workbook>`)},
		{"xl/_rels/workbook.xml.rels", []byte(xmlHead + `<Relationships xmlns="` + packageNamespace + `/relationships">` + relations.String() + `</Relationships>`)},
		{"xl/styles.xml", []byte(stylesPart)},
		{"_rels/.rels", []byte(xmlHead + `<Relationships xmlns="` + packageNamespace + `/relationships"><Relationship Id="rId1" Type="` + relationType + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`)},
		{"[Content_Types].xml", []byte(xmlHead + `<Types xmlns="` + packageNamespace + `/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="` + contentType + `.sheet.main+xml"/>` +
			`<Override PartName="/xl/styles.xml" ContentType="` + contentType + `.styles+xml"/>` + types.String() + `</Types>`)},
	}
}

// names returns the defined names: the headings of tables are repeated on each printed page.
func (w *Writer) names() string {
	var names bytes.Buffer
	for i, s := range w.sheets {
		if s.Table {
			fmt.Fprintf(&names, `<definedName name="_xlnm.Print_Titles" localSheetId="%d">%s</definedName>`, i, appendText(nil, Range(s.Name, "$1:$1")))
		}
	}
	if names.Len() == 0 {
		return ""
	}
	return `<definedNames>` + names.String() + `</definedNames>`
}

func sheetPart(n int) string { return fmt.Sprintf("xl/worksheets/sheet%d.xml", n) }

const (
	xmlHead          = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n"
	mainNamespace    = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	packageNamespace = "http://schemas.openxmlformats.org/package/2006"
	relationType     = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	contentType      = "application/vnd.openxmlformats-officedocument.spreadsheetml"
)
