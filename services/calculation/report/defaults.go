package report

import (
	"cmp"
	"encoding/json"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// describedField is a field in the schema of a record type.
type describedField struct {
	Title      string                    `json:"title"`
	Default    any                       `json:"default"`
	Items      *describedField           `json:"items"`
	Properties map[string]describedField `json:"properties"`
}

// assumed lists the fields of a record that were not stated, with the values used instead where the type has a fixed
// default; empty if everything was stated. A name may be of a row, such as origins.roundTrip.
func (l *language) assumed(typ string, defaulted []string) string {
	if len(defaulted) == 0 {
		return ""
	}
	schema := l.schemaOf(typ)
	said := make([]string, len(defaulted))
	for i, name := range defaulted {
		field, last := schema, name
		for part := range strings.SplitSeq(name, ".") {
			if field.Items != nil {
				field = *field.Items
			}
			field, last = field.Properties[part], part
		}
		title := field.Title
		if last != name {
			title = l.titleOfField(last)
		}
		said[i] = cmp.Or(title, field.Title, words(last))
		value := l.defaultValue(last, field.Default)
		if name == "guests" {
			// Where a factor is per guest, the rooms are all that is known; how many shared one decides the figure.
			value = l.text("one in each room")
		}
		if value != "" {
			said[i] += " (" + value + ")"
		}
	}
	return l.text("Not stated, so assumed: %s.", strings.Join(said, ", "))
}

// schemas are those of record types, by type and language.
var schemas sync.Map

func (l *language) schemaOf(typ string) describedField {
	key := [2]string{typ, l.tag}
	if known, ok := schemas.Load(key); ok {
		return known.(describedField) //nolint:forcetypeassert // only these are stored
	}
	var schema describedField
	_ = json.Unmarshal(footprint.SchemaIn(typ, l.tag), &schema) // its fields are named by their ids then
	schemas.Store(key, schema)
	return schema
}

// titleOfField returns what people call a field of records. Fields of rows are described in English alone; where
// another type has the same field, as journeys have roundTrip, its title is taken.
func (l *language) titleOfField(name string) string {
	for _, typ := range footprint.Types() {
		if field, ok := l.schemaOf(typ).Properties[name]; ok && field.Title != "" {
			return field.Title
		}
	}
	return ""
}

// defaultValue writes a default; empty if there is none.
func (l *language) defaultValue(field string, value any) string {
	switch v := value.(type) {
	case string:
		return l.value(field, v)
	case bool:
		if v {
			return l.text("yes")
		}
		return l.text("no")
	case float64:
		text, _ := json.Marshal(v)
		return l.number(string(text))
	}
	return ""
}
