package footprint

import (
	_ "embed"
	"encoding/json"
	"slices"
	"sync"
)

// English is the language of the schemas in the code; other languages have catalogues.
const English = "en"

// Languages returns the supported languages, the fallback first.
func Languages() []string { return []string{English, "de"} }

//go:embed words/de.json
var germanWords []byte

// catalogue holds the translations of one language. Fields are found by type.field, then by field; values of a list
// by field.value, then by value.
type catalogue struct {
	Types map[string]struct {
		Name, Description, Formula string
	}
	Fields map[string]struct{ Title, Description string }
	Values map[string]string
}

// german is the German catalogue. A test asserts that it can be parsed.
var german = sync.OnceValue(func() (words catalogue) {
	_ = json.Unmarshal(germanWords, &words)
	return words
})

// translated are the translated texts of a type.
type translated struct {
	description, formula string
	schema               json.RawMessage
}

// translations are those of the types, by language and type. A language that cannot be parsed has none, so that
// English is used; a test asserts that all can.
var translations = sync.OnceValue(func() map[string]map[string]translated {
	words := german()
	types := make(map[string]translated)
	for _, t := range registry() {
		own, ok := words.Types[t.name]
		if !ok {
			continue
		}
		s := t.schema()
		for i := range s {
			switch s[i].name {
			case "title":
				s[i].value = own.Name
			case "description":
				s[i].value = own.Description
			case "properties":
				if properties, ok := s[i].value.(object); ok {
					words.translate(properties, t.name)
				}
			}
		}
		if text, err := json.Marshal(s); err == nil {
			types[t.name] = translated{description: own.Description, formula: own.Formula, schema: text}
		}
	}
	return map[string]map[string]translated{"de": types}
})

// translate replaces the texts of properties by those of a language, and names the values of lists.
func (w *catalogue) translate(properties object, typ string) {
	for i := range properties {
		name := properties[i].name
		property, ok := properties[i].value.(object)
		if !ok {
			continue
		}
		own, ok := w.Fields[typ+"."+name]
		if !ok {
			own = w.Fields[name]
		}
		property.replace("title", own.Title)
		property.replace("description", own.Description)
		property = w.named(property, name)
		properties[i].value = property
		if rows := typ + "/" + name; rows == OriginRows {
			w.translate(rowProperties(property), rows)
		}
	}
}

// rowProperties returns the properties of the items of a list.
func rowProperties(list object) object {
	for _, m := range list {
		if items, ok := m.value.(object); ok && m.name == "items" {
			for _, member := range items {
				if properties, ok := member.value.(object); ok && member.name == "properties" {
					return properties
				}
			}
		}
	}
	return nil
}

// named returns a property with names for the values it lists, at any depth.
func (w *catalogue) named(property object, field string) object {
	labels := object{}
	for _, m := range slices.Clone(property) {
		switch value := m.value.(type) {
		case []string:
			for _, v := range value {
				if word := w.value(field, v); m.name == "enum" && word != "" {
					labels.set(v, word)
				}
			}
		case object:
			switch m.name {
			case "items":
				property.put("items", w.named(value, field))
			case "properties":
				w.nameParts(value, field)
			}
		}
	}
	if len(labels) > 0 {
		property.set("x-labels", labels)
	}
	return property
}

// nameParts titles the parts of a field, which are the values of a list in other
// fields: the drinks, and the modes of a survey.
func (w *catalogue) nameParts(parts object, field string) {
	for i := range parts {
		part, ok := parts[i].value.(object)
		if !ok {
			continue
		}
		part.replace("title", w.value(field, parts[i].name))
		parts[i].value = w.named(part, parts[i].name)
	}
}

func (w *catalogue) value(field, value string) string {
	if word, ok := w.Values[field+"."+value]; ok {
		return word
	}
	return w.Values[value]
}

// replace replaces an existing member, unless word is empty.
func (o object) replace(name, word string) {
	if word != "" {
		o.put(name, word)
	}
}

func (o object) put(name string, value any) {
	for i := range o {
		if o[i].name == name {
			o[i].value = value
		}
	}
}

// SchemaIn returns Schema with titles, descriptions and the names of values (x-labels) in a language; for an
// unsupported one, Schema itself.
func SchemaIn(typ, language string) json.RawMessage {
	if t, ok := translations()[language][typ]; ok {
		return t.schema
	}
	return Schema(typ)
}

// DescriptionIn returns Description in a language.
func DescriptionIn(typ, language string) string {
	if t, ok := translations()[language][typ]; ok {
		return t.description
	}
	return Description(typ)
}

// FormulaIn returns Formula in a language.
func FormulaIn(typ, language string) string {
	if t, ok := translations()[language][typ]; ok {
		return t.formula
	}
	return Formula(typ)
}

// NameIn returns what people call a type in a language other than English; empty where that is not known.
func NameIn(typ, language string) string {
	if language != "de" {
		return ""
	}
	words := german()
	return words.Types[typ].Name
}

// ValueIn returns what people call a value of a field in a language other than English; empty where
// that is not known.
func ValueIn(field, value, language string) string {
	if language != "de" {
		return ""
	}
	words := german()
	return words.value(field, value)
}
