// Package inputs writes the inputs of the record types, which are defined in
// libs/footprint only, into the OpenAPI document
// and the Go client.
package inputs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// The lines of the document around the generated parts.
const (
	begin = "# Generated from the record types (make generate)."
	end   = "# End of the generated part."
)

// object is a JSON object with its members in order.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

func (o *object) set(name string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, ok := o.values[name]; !ok {
		o.names = append(o.names, name)
	}
	o.values[name] = text
	return nil
}

func (o *object) drop(names ...string) {
	for _, name := range names {
		delete(o.values, name)
		o.names = slices.DeleteFunc(o.names, func(n string) bool { return n == name })
	}
}

func (o *object) text(name string) (s string) {
	_ = json.Unmarshal(o.values[name], &s) // absent or not a text: empty
	return s
}

// MarshalJSON writes the members in order, without escaping HTML.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q: ", name)
		b.Write(o.values[name])
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// UnmarshalJSON reads an object.
func (o *object) UnmarshalJSON(data []byte) error {
	*o = object{values: map[string]json.RawMessage{}}
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.Join(errors.New("not an object"), err)
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		text, ok := name.(string)
		if !ok {
			return errors.New("not an object")
		}
		o.names = append(o.names, text)
		o.values[text] = value
	}
	return nil
}

// unpatterned are fields that the released document has without their pattern; adding it now would be a breaking
// change.
var unpatterned = []string{"accommodation.country", "venue.country", "waste.country"}

// unmeasured are fields that the released document has without a least length.
var unmeasured = []string{"flights.from", "flights.to", "freight.from", "freight.to"}

// property returns the schema of a field for the document: null counts as absent; a default is part of the
// description, since generated programs would require a field with a default.
func property(typ string, p footprint.Property) (object, error) {
	var s object
	if err := json.Unmarshal(p.Schema, &s); err != nil {
		return s, err
	}
	if err := s.formless(); err != nil {
		return s, err
	}
	if err := defaultInWords(&s); err != nil {
		return s, err
	}
	s.drop("propertyNames") // the released document has no pattern of keys
	if p.Loose || slices.Contains(unpatterned, typ+"."+p.Name) {
		s.drop("pattern", "enum")
	}
	if slices.Contains(unmeasured, typ+"."+p.Name) {
		s.drop("minLength")
	}
	if err := plainItems(&s, p.Loose); err != nil {
		return s, err
	}
	if p.Required {
		return s, nil
	}
	if err := s.set("type", []string{s.text("type"), "null"}); err != nil {
		return s, err
	}
	if text, ok := s.values["enum"]; ok {
		var list []any
		if err := json.Unmarshal(text, &list); err != nil {
			return s, err
		}
		return s, s.set("enum", append(list, nil))
	}
	return s, nil
}

// formless removes keywords for forms, here and in nested schemas: the labels, and the units in which a number may be
// stated.
func (o *object) formless() error {
	o.drop("title", "x-units")
	inside := func(parent *object, name string, within bool) error {
		var child object
		if text, ok := parent.values[name]; !ok || text[0] != '{' {
			return nil
		} else if err := json.Unmarshal(text, &child); err != nil {
			return err
		}
		if within {
			if err := child.formless(); err != nil {
				return err
			}
			return parent.set(name, child)
		}
		for _, field := range slices.Clone(child.names) {
			var s object
			if err := json.Unmarshal(child.values[field], &s); err != nil {
				return err
			}
			if err := s.formless(); err != nil {
				return err
			}
			if err := child.set(field, s); err != nil {
				return err
			}
		}
		return parent.set(name, child)
	}
	return errors.Join(inside(o, "items", true), inside(o, "additionalProperties", true), inside(o, "properties", false))
}

// defaultInWords moves the default of a schema to its description.
func defaultInWords(s *object) error {
	fallback, ok := s.values["default"]
	if !ok {
		return nil
	}
	s.drop("default")
	return s.set("description", s.text("description")+" Absent: "+strings.Trim(string(fallback), `"`)+".")
}

// plainItems describes in words that entries need at least one field, and what their fields are if those are omitted.
func plainItems(s *object, loose bool) error {
	text, ok := s.values["items"]
	if !ok {
		return nil
	}
	var items object
	if err := json.Unmarshal(text, &items); err != nil {
		return err
	}
	if loose {
		items.drop("pattern")
	}
	if _, ok := items.values["allOf"]; ok {
		items.drop("allOf")
		if err := items.set("minProperties", 1); err != nil {
			return err
		}
	}
	if text, ok := items.values["properties"]; ok {
		var properties object
		if err := json.Unmarshal(text, &properties); err != nil {
			return err
		}
		for _, name := range properties.names {
			var property object
			if err := json.Unmarshal(properties.values[name], &property); err != nil {
				return err
			}
			if err := errors.Join(defaultInWords(&property), properties.set(name, property)); err != nil {
				return err
			}
		}
		if err := items.set("properties", properties); err != nil {
			return err
		}
	}
	return s.set("items", items)
}

// OpenAPI returns the document with the schemas of the record types brought up
// to date.
func OpenAPI(document []byte) ([]byte, error) {
	schemas, err := schemas()
	if err != nil {
		return nil, err
	}
	var given, answered strings.Builder
	for _, typ := range footprint.Types() {
		fmt.Fprintf(&given, "- {$ref: \"#/components/schemas/%s\"}\n", footprint.SchemaName(typ))
		fmt.Fprintf(&answered, "- {$ref: \"#/components/schemas/%s\"}\n", storedName(typ))
	}
	parts := []string{schemas, given.String(), answered.String()}
	var out strings.Builder
	inside := false
	for line := range strings.Lines(string(document)) {
		text := strings.TrimSpace(line)
		switch {
		case text == begin && len(parts) == 0:
			return nil, errors.New("the document has too many generated parts")
		case text == begin:
			inside = true
			indent := line[:strings.Index(line, "#")]
			out.WriteString(line)
			for generated := range strings.Lines(parts[0]) {
				out.WriteString(indent + generated)
			}
			parts = parts[1:]
		case text == end:
			inside = false
			out.WriteString(line)
		case !inside:
			out.WriteString(line)
		}
	}
	if inside || len(parts) > 0 {
		return nil, errors.New("the document lacks the lines around its generated parts")
	}
	return []byte(out.String()), nil
}

func schemas() (string, error) {
	var b strings.Builder
	b.WriteString("CommonInput:\n  title: Fields of every type\n  description: The fields that records of all types have.\n  type: object\n  properties:\n")
	if err := properties(&b, "", "    ", shared()); err != nil {
		return "", err
	}
	b.WriteString(`  examples:
    - {"date": "2026-05-30", "group": "staff", "dataQuality": "measured", "externalReference": "TRIP-0042", "evidence": [{"name": "Invoice 2026-118"}], "metadata": {"costCentre": "4711"}}
`)
	for _, typ := range footprint.Types() {
		text := footprint.Description(typ) + " " + footprint.Formula(typ) + "."
		if err := schemaOf(&b, footprint.SchemaName(typ), typ, text, footprint.Properties(typ)); err != nil {
			return "", err
		}
		b.WriteString("  examples:\n")
		for _, example := range footprint.Examples(typ) {
			fmt.Fprintf(&b, "    - %s\n", spaced(example))
		}
	}
	for _, typ := range footprint.Types() {
		if err := schemaOf(&b, storedName(typ), typ, "The fields of a "+typ+" record in responses. Numbers are always in the fields and units of this schema, whichever way the input stated them.", footprint.Stored(typ)); err != nil {
			return "", err
		}
		example, err := storedExample(typ)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "  examples:\n    - %s\n", spaced(example))
	}
	return b.String(), nil
}

// storedName returns the name of the schema of a type's record in responses.
func storedName(typ string) string {
	return strings.TrimSuffix(footprint.SchemaName(typ), "Input") + "Fields"
}

// storedExample returns the stored form of the last example of a type.
func storedExample(typ string) (json.RawMessage, error) {
	examples := footprint.Examples(typ)
	d, err := footprint.Decode(typ, examples[len(examples)-1], footprint.EventContext{Country: "GB", StartDate: "2026-05-12", EndDate: "2026-05-14", Attendees: 400, GWP: "published", FactorSet: factors.Sets()[0].ID})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", typ, err)
	}
	return d.Fields, nil
}

// schemaOf writes one schema of the fields of a type.
func schemaOf(b *strings.Builder, name, typ, text string, list []footprint.Property) error {
	fmt.Fprintf(b, "%s:\n  title: %s\n  description: %q\n  allOf:\n    - {$ref: \"#/components/schemas/CommonInput\"}\n    - type: object\n", name, typ, text)
	var own []footprint.Property
	var required []string
	for _, p := range list {
		if p.Required {
			required = append(required, p.Name)
		}
		if !p.Shared {
			own = append(own, p)
		}
	}
	if len(required) > 0 {
		fmt.Fprintf(b, "      required: [%s]\n", strings.Join(required, ", "))
	}
	b.WriteString("      properties:\n")
	return properties(b, typ, "        ", own)
}

// shared returns the fields of every type, all of which are optional.
func shared() (out []footprint.Property) {
	for _, p := range footprint.Properties(footprint.Types()[0]) {
		if p.Shared {
			out = append(out, p)
		}
	}
	return out
}

func properties(b *strings.Builder, typ, indent string, list []footprint.Property) error {
	for _, p := range list {
		s, err := property(typ, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		text, err := s.MarshalJSON()
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		fmt.Fprintf(b, "%s%s: %s\n", indent, p.Name, spaced(text))
	}
	return nil
}

// spaced puts a space behind colons and commas outside of texts, as YAML needs
// it, and writes no escapes for the sake of HTML.
func spaced(text []byte) string {
	var b strings.Builder
	in, escaped := false, false
	for i, c := range string(text) {
		b.WriteRune(c)
		switch {
		case escaped:
			escaped = false
		case c == '\\':
			escaped = true
		case c == '"':
			in = !in
		case !in && (c == ':' || c == ',') && i+1 < len(text) && text[i+1] != ' ':
			b.WriteByte(' ')
		}
	}
	return strings.NewReplacer(`\u003e`, ">", `\u003c`, "<", `\u0026`, "&").Replace(b.String())
}
