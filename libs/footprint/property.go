package footprint

import (
	"encoding/json"
	"slices"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/fields"
)

// Property is one field of a type's input, for what is generated from the
// types.
type Property struct {
	Name string
	// Schema is its JSON Schema, members in a fixed order.
	Schema json.RawMessage
	// Required reports whether every record of the type has the field.
	Required bool
	// Shared reports whether every type has the field.
	Shared bool
	// Loose reports whether more spellings are read than the schema's pattern or
	// list says.
	Loose bool
}

// Properties returns the fields of a type's input, its own first; nil for an
// unknown type.
func Properties(typ string) []Property {
	t, ok := find(typ)
	if !ok {
		return nil
	}
	set, _ := factors.ForStart("")
	r, shape := fields.Describe()
	t.decode(&decoder{Reader: r, engine: engines()[set.ID]})
	docs := t.docs()
	out := make([]Property, 0, len(shape.Properties))
	for i := range shape.Properties {
		p := &shape.Properties[i]
		text, err := json.Marshal(propertySchema(p, p.Name, docs, slices.Contains(shape.Content, p.Name)))
		if err != nil {
			return nil // a test asserts that there is a schema for every type
		}
		out = append(out, Property{Name: p.Name, Schema: text, Required: slices.Contains(shape.Required, p.Name), Loose: p.Loose || p.Items != nil && p.Items.Loose,
			Shared: slices.ContainsFunc(sharedDocs(), func(d fieldDoc) bool { return d.name == p.Name })})
	}
	return out
}

// docs are what is said about the fields of a type, by their path.
func (t *recordType) docs() map[string]fieldDoc {
	docs := make(map[string]fieldDoc)
	for _, d := range append(sharedDocs(), t.doc.fields...) {
		docs[d.name] = d
	}
	return docs
}
