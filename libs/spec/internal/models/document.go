package models

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// schema are the parts of a schema of the document that determine types.
type schema struct {
	Ref         string     `json:"$ref"`
	Type        oneOrMany  `json:"type"`
	Format      string     `json:"format"`
	Description string     `json:"description"`
	Unit        string     `json:"x-unit"`
	Properties  properties `json:"properties"`
	Required    []string   `json:"required"`
	Items       *schema    `json:"items"`
	AllOf       []schema   `json:"allOf"`
	AnyOf       []schema   `json:"anyOf"`
	OneOf       []schema   `json:"oneOf"`
	Additional  additional `json:"additionalProperties"`
}

// reference returns the schema that it refers to; empty if none.
func (s schema) reference() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

type oneOrMany []string

func (o *oneOrMany) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(o))
	}
	*o = oneOrMany{""}
	return json.Unmarshal(text, &(*o)[0])
}

// additional is a schema for members of any name; true and false have none.
type additional struct{ schema *schema }

func (a *additional) UnmarshalJSON(text []byte) error {
	if text[0] != '{' {
		return nil
	}
	return json.Unmarshal(text, &a.schema)
}

// properties keep the order of the document.
type properties []named

type named struct {
	name   string
	schema schema
}

func (p *properties) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var s schema
		if err := d.Decode(&s); err != nil {
			return err
		}
		*p = append(*p, named{fmt.Sprint(name), s})
	}
	return nil
}

type document map[string]schema

func read(openapi []byte) (document, error) {
	var d struct {
		Components struct {
			Schemas document `json:"schemas"`
		} `json:"components"`
	}
	err := json.Unmarshal(openapi, &d)
	return d.Components.Schemas, err
}

// find returns the schema at a place, such as Breakdown/byType[].
func (d document) find(at string) (schema, error) {
	name, rest, _ := strings.Cut(at, "/")
	s, ok := d[name]
	for ok && rest != "" {
		name, rest, _ = strings.Cut(rest, "/")
		name, list := strings.CutSuffix(name, "[]")
		i := slices.IndexFunc(d.properties("", s), func(p property) bool { return p.name == name })
		if ok = i >= 0; !ok {
			break
		}
		s = d.properties("", s)[i].schema
		if list {
			if ok = s.Items != nil; ok {
				s = *s.Items
			}
		}
	}
	if !ok {
		return schema{}, fmt.Errorf("the document has no %s", at)
	}
	return s, nil
}

// envelope reports whether a schema is the answer that carries another schema, or a
// list of them.
func (d document) envelope(s schema) bool {
	data := slices.IndexFunc(s.Properties, func(n named) bool { return n.name == "data" })
	if data < 0 {
		return false
	}
	in := s.Properties[data].schema
	return in.Ref != "" || slices.ContainsFunc(in.Properties, func(n named) bool { return n.name == "pagination" })
}

// property is a property of an object.
type property struct {
	name     string
	at       string
	schema   schema
	required bool
}

// properties returns those of an object and of its parts, in the order of the
// document.
func (d document) properties(at string, s schema) []property {
	if s.Ref != "" {
		return d.properties(s.reference(), d[s.reference()])
	}
	var out []property
	for _, part := range s.AllOf {
		out = append(out, d.properties(at, part)...)
	}
	for _, p := range s.Properties {
		out = append(out, property{p.name, at + "/" + p.name, p.schema, slices.Contains(s.Required, p.name)})
	}
	for i := range out {
		out[i].required = out[i].required || slices.Contains(s.Required, out[i].name)
	}
	return out
}

// kind is the Go type of a schema.
type kind struct {
	name string
	// nullable: the document allows null.
	nullable bool
	// ofFigures: its zero value could be mistaken for a figure or an object.
	ofFigures bool
}

// kind returns the Go type of the schema at a place of the document.
func (w *writer) kind(at string, s schema) (kind, error) {
	if s.Ref != "" {
		if name, ok := w.types[s.reference()]; ok {
			return kind{name: name, ofFigures: !isText[name]}, nil
		}
		return w.kind(s.reference(), w.document[s.reference()])
	}
	if of := append(s.AnyOf, s.OneOf...); len(of) > 0 {
		return w.anyOf(at, of)
	}
	if len(s.AllOf) == 1 && len(s.Properties) == 0 {
		return w.kind(at, s.AllOf[0]) // a reference with its own description
	}
	nullable := slices.Contains(s.Type, "null")
	if name, ok := w.types[at]; ok {
		return kind{name: name, nullable: nullable, ofFigures: true}, nil
	}
	k, err := w.plainKind(at, s)
	k.nullable = nullable
	return k, err
}

// anyOf returns the kind of the one alternative that is not null.
func (w *writer) anyOf(at string, of []schema) (kind, error) {
	null := slices.IndexFunc(of, func(s schema) bool { return slices.Equal(s.Type, oneOrMany{"null"}) })
	if len(of) != 2 || null < 0 {
		return kind{}, fmt.Errorf("%s is one of several", at)
	}
	k, err := w.kind(at, of[1-null])
	k.nullable = true
	return k, err
}

func (w *writer) plainKind(at string, s schema) (kind, error) {
	types := slices.DeleteFunc(slices.Clone(s.Type), func(t string) bool { return t == "null" })
	typ := strings.Join(types, ",")
	switch {
	case typ == "string" && s.Format == "date-time":
		return kind{name: "time.Time", ofFigures: true}, nil
	case typ == "string":
		return kind{name: "string"}, nil
	case typ == "integer":
		return kind{name: "int"}, nil
	case typ == "boolean":
		return kind{name: "bool"}, nil
	case typ == "number" && strings.HasPrefix(s.Unit, "kg CO2") && !strings.Contains(s.Unit, "per unit"):
		return kind{name: "Kilograms", ofFigures: true}, nil
	case typ == "number":
		return kind{name: "float64", ofFigures: true}, nil
	case typ == "array" && s.Items != nil:
		of, err := w.kind(at+"[]", *s.Items)
		return kind{name: "[]" + of.name}, err
	case s.Additional.schema != nil:
		of, err := w.kind(at+"/*", *s.Additional.schema)
		return kind{name: "map[string]" + of.name}, err
	case len(s.Properties) == 0:
		return kind{name: "json.RawMessage"}, nil
	}
	return kind{}, fmt.Errorf("the object %s has no type in types.go", at)
}
