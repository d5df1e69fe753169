// Package sheet converts records to the cells of a spreadsheet, and the tables that people have to records.
//
// Writing is about the columns of a record type, the formatting of values, and the escaping of cells that would otherwise be
// evaluated as formulas. Reading goes from bytes to records: package charsets makes the text UTF-8, csvrows its rows, and a
// [Reader] makes records of them. What tables say beyond the names of fields are rules, listed in rules.go; a new one is a type
// in a file, with its place in the order. The names of files begin with what they are about.
package sheet

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// Column is an input field of a record type.
type Column struct {
	// Name is the field's name, and the head of its column.
	Name string
	// Type is its type in JSON: string, integer, number, boolean, array, object.
	Type string
	// Date reports whether its values are dates.
	Date bool
	// values are those of a list, by their words in cells.
	values map[string]string
	// headings are further usual headings of the field, normalized by plain.
	headings []string
	// titles are the titles of the field in each language, normalized by plain.
	titles []string
	// needed marks a field that records, or those of one way to state them, require.
	needed bool
}

// Columns returns the input fields of a type in the order of its schema, those of
// all types last; nil for an unknown type. The slice is shared.
func Columns(typ string) []Column { return columns()[typ] }

// columnOf returns the input field of a type with a name; its name is empty where there is none.
func columnOf(typ, name string) Column {
	i := slices.IndexFunc(Columns(typ), func(c Column) bool { return c.Name == name })
	if i < 0 {
		return Column{}
	}
	return Columns(typ)[i]
}

var columns = sync.OnceValue(func() map[string][]Column {
	out := map[string][]Column{}
	for _, typ := range footprint.Types() {
		// The schema is ours; a test asserts that every type has its columns.
		out[typ], _ = columnsOf(footprint.Schema(typ), footprint.Languages(), func(language string) json.RawMessage { return footprint.SchemaIn(typ, language) })
	}
	out[footprint.OriginRows], _ = columnsOf(footprint.OriginSchema(), footprint.Languages(), footprint.OriginSchemaIn)
	return out
})

// list is a property's values, their names in the language of its schema, their synonyms and its headings.
type list struct {
	Type     any               `json:"type"`
	Format   string            `json:"format"`
	Title    string            `json:"title"`
	Enum     []any             `json:"enum"`
	Labels   map[string]string `json:"x-labels"`
	Headings []string          `json:"x-headings"`
	Synonyms map[string]string `json:"x-synonyms"`
}

// words returns the values of a list by their words: their own, those in other languages and synonyms, normalized by
// key. An ambiguous word is omitted.
func (l list) words(others ...list) map[string]string {
	out := map[string]string{}
	add := func(word, value string) {
		if before, ok := out[key(word)]; ok && before != value {
			value = ""
		}
		out[key(word)] = value
	}
	for _, other := range others {
		for value, word := range other.Labels {
			add(word, value)
		}
	}
	for word, value := range l.Synonyms {
		add(word, value)
	}
	for _, v := range l.Enum {
		if text, ok := v.(string); ok {
			out[key(text)] = text
		}
	}
	return out
}

// key normalizes case and separators of a word: R-410A is r410a.
func key(word string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToLower(word))
}

// ServerColumns are the columns of fields that the server adds to records. An export has them, so that reading it
// again results in the same records.
func ServerColumns() (out []Column) {
	for _, name := range footprint.ServerOwned() {
		out = append(out, Column{Name: name, Type: "object"})
	}
	return out
}

// columnsOf returns the properties of a JSON Schema in order, with the words for the values of lists in its
// languages.
func columnsOf(schema json.RawMessage, languages []string, in func(language string) json.RawMessage) ([]Column, error) {
	others := make([]map[string]list, 0, len(languages))
	for _, language := range languages {
		var other struct {
			Properties map[string]list `json:"properties"`
		}
		if err := json.Unmarshal(in(language), &other); err != nil {
			return nil, fmt.Errorf("sheet: schema in %s: %w", language, err)
		}
		others = append(others, other.Properties)
	}
	var s struct {
		Properties json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, fmt.Errorf("sheet: schema: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	if _, err := d.Token(); err != nil {
		return nil, fmt.Errorf("sheet: schema: %w", err)
	}
	needed, err := neededBy(schema)
	if err != nil {
		return nil, err
	}
	var out []Column
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("sheet: schema: %w", err)
		}
		var property list
		if err := d.Decode(&property); err != nil {
			return nil, fmt.Errorf("sheet: schema: %w", err)
		}
		column := Column{Name: fmt.Sprint(name), Type: "string", Date: property.Format == "date"}
		column.needed = slices.Contains(needed, column.Name)
		if t, ok := property.Type.(string); ok {
			column.Type = t
		}
		called := make([]list, 0, len(others))
		for _, other := range others {
			called = append(called, other[column.Name])
		}
		if column.Type == "string" && len(property.Enum) > 0 && column.Name != "numberFormat" {
			column.values = property.words(called...)
		}
		for _, each := range append(called, property) {
			if each.Title != "" {
				column.titles = append(column.titles, plain(each.Title))
			}
		}
		for _, heading := range property.Headings {
			column.headings = append(column.headings, plain(heading))
		}
		out = append(out, column)
	}
	return out, nil
}

// All returns the columns of several types, each name once, in order of first occurrence.
func All(types []string) []Column {
	var out []Column
	seen := map[string]bool{}
	for _, typ := range types {
		for _, c := range Columns(typ) {
			if !seen[c.Name] {
				seen[c.Name] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// Cell formats a JSON value as a cell: texts unchanged, numbers with all their digits, true and false, lists and
// objects as JSON. null is an empty cell.
func Cell(value json.RawMessage) (string, error) {
	value = bytes.TrimSpace(value)
	if len(value) == 0 || string(value) == "null" {
		return "", nil
	}
	switch value[0] {
	case '"':
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return "", fmt.Errorf("sheet: cell: %w", err)
		}
		return Guard(text), nil
	case '{', '[':
		if !json.Valid(value) {
			return "", errors.New("sheet: cell: the value is not JSON")
		}
		return guardJSON(string(value)), nil
	}
	return Guard(string(value)), nil
}

// LeadingColumns returns the columns of an export before the input fields. An import ignores them.
func LeadingColumns() []string {
	return []string{
		"_id", "type", "status", "submitted", "revision", "createdAt", "createdBy", "createdByName", "updatedAt",
		"submittedAt", "submittedBy", "reviewedAt", "reviewedBy", "reviewComment", "kgCO2e", "low", "high", "factorSet",
	}
}
