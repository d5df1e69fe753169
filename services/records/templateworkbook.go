package records

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/messages"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/units"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// templateWords are the texts of a template besides those of its type.
type templateWords struct {
	rows, fields, examples, lists                 string // the names of sheets
	column, field, meaning, unit, required, value string // the headings of the sheet of fields
	yes, no                                       string
}

// templateWordsIn returns the words of a language, else the English ones.
func templateWordsIn(language string) templateWords {
	if language == "de" {
		return templateWords{"Zeilen", "Felder", "Beispiele", "Listen", "Spalte", "Feld", "Bedeutung", "Einheit", "Pflicht", "Werte", "ja", "nein"}
	}
	return templateWords{"Rows", "Fields", "Examples", "Lists", "Column", "Field", "Meaning", "Unit", "Required", "Values", "yes", "no"}
}

// templateField is an input field of a type, as its schema describes it in a language.
type templateField struct {
	name string
	// heading is that of its column, which imports understand: its title, with its unit if there are others.
	heading     string
	Type        string            `json:"type"`
	Title       string            `json:"title"`
	Description string            `json:"description"`
	Format      string            `json:"format"`
	Enum        []string          `json:"enum"`
	Labels      map[string]string `json:"x-labels"`
	Unit        string            `json:"x-unit"`
	required    bool
}

// headings returns headings of the field's column, best first: its title, with the symbol of its
// unit if it can be entered in others, or could be taken for one in others.
func (f templateField) headings() []string {
	symbol := f.Unit
	if unit, ok := units.OfField(f.name); ok {
		symbol = unit.Symbol
	}
	if symbol == "" {
		return []string{f.Title}
	}
	emissions, _, _ := strings.Cut(symbol, "/")
	return []string{f.Title + " (" + symbol + ")", f.Title + " (" + emissions + ")", f.Title}
}

// cell returns a value of the field as it is entered: one of a list by its label.
func (f templateField) cell(value json.RawMessage, words templateWords) (workbook.Cell, error) {
	if len(value) == 0 {
		return workbook.Cell{}, nil
	}
	if f.Type == "array" {
		return listCell(value)
	}
	text, err := sheet.Cell(value)
	if err != nil {
		return workbook.Cell{}, err
	}
	switch {
	case text == "":
		return workbook.Cell{}, nil
	case f.Type == "number" || f.Type == "integer":
		return workbook.Number(text), nil
	case f.Type == "boolean":
		return workbook.Text(map[string]string{"true": words.yes, "false": words.no}[text]), nil
	case f.Format == "date":
		return workbook.Date(text), nil
	}
	if label := f.Labels[text]; label != "" {
		text = label
	}
	return workbook.Text(text), nil
}

// listCell returns a list as people write it: texts with commas, documents by their names or
// addresses with semicolons.
func listCell(value json.RawMessage) (workbook.Cell, error) {
	var texts []string
	if json.Unmarshal(value, &texts) == nil {
		return workbook.Text(strings.Join(texts, ", ")), nil
	}
	var documents []struct{ Name, URL, SHA256 string }
	if err := json.Unmarshal(value, &documents); err != nil {
		return workbook.Cell{}, err
	}
	for _, d := range documents {
		texts = append(texts, cmp.Or(d.Name, d.URL, d.SHA256))
	}
	return workbook.Text(strings.Join(texts, "; ")), nil
}

// choices returns the values that are offered in the field's cells.
func (f templateField) choices(words templateWords) []string {
	if f.Type == "boolean" {
		return []string{words.yes, words.no}
	}
	var values []string
	for _, value := range f.Enum {
		if label := f.Labels[value]; label != "" {
			value = label
		}
		values = append(values, value)
	}
	return values
}

// templateFields returns the fields of a type that a row can have, in the order of its schema.
func templateFields(typ, language string) ([]templateField, error) {
	rowType, schema := typ, footprint.SchemaIn(typ, language)
	if typ == footprint.AttendeeTravel {
		rowType, schema = footprint.OriginRows, footprint.OriginSchemaIn(language)
	}
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Required   []string                   `json:"required"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	var fields []templateField
	for _, column := range sheet.Columns(rowType) {
		f := templateField{name: column.Name, required: slices.Contains(s.Required, column.Name)}
		if err := json.Unmarshal(s.Properties[column.Name], &f); err != nil {
			return nil, fmt.Errorf("%s: %w", column.Name, err)
		}
		// These are for programs: in a workbook numbers are numbers.
		if !slices.Contains([]string{"metadata", "stated", "numberFormat"}, f.name) {
			f.heading = sheet.Heading(rowType, f.name, f.headings()...)
			fields = append(fields, f)
		}
	}
	return fields, nil
}

// templates are the workbooks made so far, by type and language.
var templates sync.Map

// templateWorkbook returns a workbook to fill in: an empty sheet with the columns of a type, whose
// cells offer the values of lists and explain themselves, and sheets with the fields and examples.
// The examples are on a sheet of their own, because those of the first one would be imported.
func templateWorkbook(typ, language string) ([]byte, error) {
	key := typ + " " + language
	if made, ok := templates.Load(key); ok {
		return made.([]byte), nil
	}
	file, err := makeTemplate(typ, language)
	if err != nil {
		return nil, fmt.Errorf("template of %s: %w", typ, err)
	}
	templates.Store(key, file)
	return file, nil
}

func makeTemplate(typ, language string) ([]byte, error) {
	words := templateWordsIn(language)
	fields, err := templateFields(typ, language)
	if err != nil {
		return nil, err
	}
	examples, err := rowExamples(typ)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	w := workbook.New(&file)
	rows := workbook.Sheet{Name: words.rows, Table: true}
	var head []workbook.Cell
	var lists [][]string
	for _, f := range fields {
		column := workbook.Column{Width: min(max(len([]rune(f.heading))+4, 14), 30), Title: f.Title, Prompt: f.Description}
		if f.Format == "date" {
			column.Style = workbook.Day
		}
		if values := f.choices(words); len(values) > 0 {
			letter := workbook.ColumnName(len(lists))
			column.Choices = workbook.Range(words.lists, fmt.Sprintf("$%s$1:$%s$%d", letter, letter, len(values)))
			lists = append(lists, values)
		}
		rows.Columns = append(rows.Columns, column)
		head = append(head, workbook.Text(f.heading).In(workbook.Heading))
	}
	err = errors.Join(w.Begin(rows), w.Append(head...), appendFields(w, typ, language, fields, words))
	if err := errors.Join(err, w.Begin(workbook.Sheet{Name: words.examples, Table: true, Columns: widthsOf(rows.Columns)}), w.Append(head...)); err != nil {
		return nil, err
	}
	for _, example := range examples {
		var values map[string]json.RawMessage
		if err := json.Unmarshal(example, &values); err != nil {
			return nil, err
		}
		var row []workbook.Cell
		for _, f := range fields {
			cell, err := f.cell(values[f.name], words)
			if err != nil {
				return nil, err
			}
			row = append(row, cell)
		}
		if err := w.Append(row...); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(appendLists(w, words.lists, lists), w.Close()); err != nil {
		return nil, err
	}
	return file.Bytes(), nil
}

// appendFields appends the sheet that explains the fields.
func appendFields(w *workbook.Writer, typ, language string, fields []templateField, words templateWords) error {
	err := errors.Join(
		w.Begin(workbook.Sheet{Name: words.fields, FitWidth: true, Columns: []workbook.Column{{Width: 30}, {Width: 22}, {Width: 70}, {Width: 12}, {Width: 10}, {Width: 50}}}),
		w.Append(workbook.Text(footprint.DescriptionIn(typ, language)).In(workbook.Title)),
		w.Append(),
		w.Append(headings([]string{words.column, words.field, words.meaning, words.unit, words.required, words.value})...),
	)
	for _, f := range fields {
		required := ""
		if f.required {
			required = words.yes
		}
		var row []workbook.Cell
		for _, text := range []string{f.heading, f.name, f.Description, cmp.Or(messages.Unit(language, f.Unit), f.Unit), required, strings.Join(f.choices(words), ", ")} {
			row = append(row, workbook.Text(text).In(workbook.Wrapped))
		}
		err = errors.Join(err, w.Append(row...))
	}
	return err
}

// appendLists appends the hidden sheet whose columns are the values that cells offer.
func appendLists(w *workbook.Writer, name string, lists [][]string) error {
	if len(lists) == 0 {
		return nil
	}
	err := w.Begin(workbook.Sheet{Name: name, Hidden: true})
	longest := 0
	for _, list := range lists {
		longest = max(longest, len(list))
	}
	for i := range longest {
		row := make([]workbook.Cell, len(lists))
		for column, list := range lists {
			if i < len(list) {
				row[column] = workbook.Text(list[i])
			}
		}
		err = errors.Join(err, w.Append(row...))
	}
	return err
}

// widthsOf returns the widths of columns without anything else of them.
func widthsOf(columns []workbook.Column) (out []workbook.Column) {
	for _, c := range columns {
		out = append(out, workbook.Column{Width: c.Width})
	}
	return out
}
