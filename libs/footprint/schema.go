package footprint

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/units"
)

// Schema returns the JSON Schema (draft 2020-12) of a type's input, or nil for an unknown type. It is derived from
// the decoder, so it always matches the validation. The caller must not modify it.
//
// For forms, title is the label of a field and description its help text, x-unit is the unit of a number, x-units are
// those in which it may be stated, x-headings are its column headings in tables and x-synonyms the texts used there
// for its values, and each branch of anyOf is one way to state a record.
func Schema(typ string) json.RawMessage { return schemas()[typ] }

// Description returns a sentence on what a type is for; empty for an unknown type.
func Description(typ string) string {
	if t, ok := find(typ); ok {
		return t.doc.description
	}
	return ""
}

// Examples returns good inputs of a type; nil for an unknown type.
func Examples(typ string) []json.RawMessage {
	t, ok := find(typ)
	if !ok {
		return nil
	}
	out := make([]json.RawMessage, 0, len(t.doc.examples))
	for _, e := range t.doc.examples {
		out = append(out, json.RawMessage(e))
	}
	return out
}

var schemas = sync.OnceValue(func() map[string]json.RawMessage {
	out := make(map[string]json.RawMessage)
	for _, t := range registry() {
		if text, err := json.Marshal(t.schema()); err == nil { // a test asserts that there is one for every type
			out[t.name] = text
		}
	}
	return out
})

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

func (o *object) set(name string, value any) { *o = append(*o, member{name, value}) }

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func (t *recordType) schema() object {
	set, _ := factors.ForStart("")
	r, shape := fields.Describe()
	t.decode(&decoder{Reader: r, engine: engines()[set.ID]})

	var s object
	s.set("$schema", "https://json-schema.org/draft/2020-12/schema")
	s.set("title", t.name)
	s.set("description", t.doc.description+" "+t.doc.formula+". Unknown fields are dropped and named in a notice; null counts as absent.")
	s = append(s, objectSchema(shape, "", t.docs(), false)...)
	addHeadings(s, t.name)
	if len(t.doc.ways) > 0 {
		s.set("anyOf", alternatives(t.doc.ways))
	}
	s.set("examples", Examples(t.name))
	return s
}

// objectSchema writes the fields of an object and their dependencies.
func objectSchema(shape *fields.Shape, path string, docs map[string]fieldDoc, closed bool) object {
	var s, properties object
	for i := range shape.Properties {
		p := &shape.Properties[i]
		properties.set(p.Name, propertySchema(p, path+p.Name, docs, slices.Contains(shape.Content, p.Name)))
	}
	s.set("type", "object")
	s.set("properties", properties)
	if len(shape.Required) > 0 {
		s.set("required", shape.Required)
	}
	if closed {
		s.set("additionalProperties", false)
	}
	var all []object
	for _, names := range shape.OneOf {
		all = append(all, object{{"anyOf", eachRequired(names)}})
	}
	for _, w := range shape.When {
		all = append(all, object{
			{"if", object{{"properties", object{{w.Field, object{{"enum", w.Values}}}}}, {"required", []string{w.Field}}}},
			{"then", object{{"required", w.Needs}}},
		})
	}
	for _, w := range shape.With {
		then := object{{"required", w.Needs}}
		if lists := listsOf(shape, w.Needs); len(lists) > 0 {
			then.set("properties", lists)
		}
		all = append(all, object{{"if", object{{"required", []string{w.Field}}}}, {"then", then}})
	}
	if len(all) > 0 {
		s.set("allOf", all)
	}
	return s
}

// listsOf requires an entry in each of the fields that is a list.
func listsOf(shape *fields.Shape, names []string) (out object) {
	for i := range shape.Properties {
		if p := &shape.Properties[i]; p.Type == "array" && slices.Contains(names, p.Name) {
			out.set(p.Name, object{{"minItems", 1}})
		}
	}
	return out
}

func propertySchema(p *fields.Property, path string, docs map[string]fieldDoc, content bool) object {
	if p.Object != nil {
		s := objectSchema(p.Object, path+".", docs, p.Closed)
		describeIn(&s, path, docs[path])
		return s
	}
	s := object{{"type", p.Type}}
	describeIn(&s, path, docs[path])
	for _, text := range [...]struct{ name, value string }{{"format", p.Format}, {"pattern", p.Pattern}} {
		if text.value != "" {
			s.set(text.name, text.value)
		}
	}
	if len(p.Enum) > 0 {
		s.set("enum", p.Enum)
	}
	if content && p.Type == "string" {
		s.set("minLength", 1)
	}
	for _, limit := range [...]struct {
		name  string
		value int
	}{{"minLength", p.MinLength}, {"maxLength", p.MaxLength}} {
		if limit.value > 0 {
			s.set(limit.name, limit.value)
		}
	}
	switch p.Type {
	case "integer", "number":
		s.set("minimum", p.Minimum)
		s.set("maximum", p.Maximum)
		if unit := unitOf(path); unit != "" {
			s.set("x-unit", unit)
		}
		if target, ok := units.OfField(path); ok {
			s.set("x-units", units.Offered(target.Dimension))
		}
	case "array":
		s.set("maxItems", p.MaxItems)
		if content {
			s.set("minItems", 1)
		}
		if p.Items.Object != nil {
			s.set("items", objectSchema(p.Items.Object, path+".", docs, false))
		} else {
			s.set("items", propertySchema(p.Items, path+"[]", docs, false))
		}
	case "object":
		s.set("maxProperties", p.MaxItems)
		s.set("propertyNames", object{{"pattern", p.Keys}})
		s.set("additionalProperties", propertySchema(p.Items, path+"[]", docs, false))
	}
	if f := docs[path].fallback; f != "" {
		s.set("default", json.RawMessage(f))
	}
	return s
}

func describeIn(s *object, path string, d fieldDoc) {
	if !strings.HasSuffix(path, "[]") {
		s.set("title", labelOf(path))
	}
	if d.text != "" {
		s.set("description", d.text)
	}
}

// unitOf returns the unit from the name of a field.
func unitOf(path string) string {
	if strings.HasPrefix(path, "drinks.") {
		return "litre"
	}
	for _, u := range [...]struct{ suffix, unit string }{
		{"kgCO2ePerRoomNight", "kg CO2e/room-night"}, {"kgCO2ePerUnit", "kg CO2e/unit of currency"}, {"kgCO2e", "kg CO2e"},
		{"KgPerM3", "kg/m3"}, {"gramsPerM2", "g/m2"}, {"KWh", "kWh"}, {"Km", "km"}, {"Kg", "kg"}, {"M2", "m2"}, {"M3", "m3"},
		{"Litres", "litre"}, {"Percent", "%"}, {"amount", "unit of the currency"}, {"quantity", "unit of the factor"}, {"sampleCV", "share of 1"}, {"occupancy", "people per vehicle"}, {"hours", "h"}, {"KVA", "kVA"}, {"vatRate", "%"}, {"nights", "night"}, {"days", "day"},
	} {
		if strings.HasSuffix(path, u.suffix) {
			return u.unit
		}
	}
	return ""
}
