package generate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// change is one way to invalidate a value, and the rule that it violates.
type change struct {
	rule  string
	value func() any
}

// Broken returns a value that violates one rule of its schema, and the name of the
// rule, which is "" if no rule can be violated.
func (m *Maker) Broken(s *openapi3.Schema, value any) (any, string) {
	all := m.changes(s, value, "")
	if len(all) == 0 {
		return value, ""
	}
	c := Pick(m.Rand, all)
	return c.value(), c.rule
}

func (m *Maker) changes(s *openapi3.Schema, value any, at string) []change {
	var list []change
	add := func(rule string, v any) {
		list = append(list, change{rule + " at " + at, func() any { return v }})
	}
	if len(s.AnyOf) > 0 || len(s.OneOf) > 0 || s.Const != nil {
		return nil
	}
	if s.Type != nil || len(s.AllOf) > 0 {
		for _, wrong := range m.otherTypes(s) {
			add("type", wrong)
		}
	}
	if len(s.Enum) > 0 {
		add("enum", "no such value")
		add("enum", "")
		return list
	}
	switch v := value.(type) {
	case Object:
		list = append(list, m.objectChanges(s, v, at)...)
	case []any:
		if s.MaxItems != nil && len(v) > 0 {
			add("maxItems", slices.Repeat(v, int(*s.MaxItems)/len(v)+1))
		}
		if s.MinItems > 0 {
			add("minItems", []any{})
		}
		if s.UniqueItems && len(v) > 0 {
			add("uniqueItems", append(slices.Clone(v), v[0]))
		}
		for i := range v {
			for _, c := range m.changes(s.Items.Value, v[i], fmt.Sprintf("%s[%d]", at, i)) {
				list = append(list, change{c.rule, func() any {
					out := slices.Clone(v)
					out[i] = c.value()
					return out
				}})
			}
		}
	case string:
		if s.MaxLength != nil {
			add("maxLength", strings.Repeat("é", int(*s.MaxLength)+1))
		}
		if s.MinLength > 0 {
			add("minLength", strings.Repeat("x", int(s.MinLength)-1))
		}
		if s.Pattern != "" {
			add("pattern", "\x01 no match \n")
		}
		if s.Format == "date" {
			for _, text := range []string{"2026-02-30", "30.05.2026", "2026-5-3", "2026-05-30T00:00:00Z", ""} {
				add("format", text)
			}
		}
		if s.Format == "uri" {
			add("format", "no address at all")
		}
	case json.Number, Raw:
		if s.Min != nil {
			add("minimum", json.Number(fmt.Sprintf("%.0f", *s.Min-1)))
		}
		if s.Max != nil {
			add("maximum", json.Number(fmt.Sprintf("%.0f", *s.Max+1)))
			add("maximum", Raw("1e308"))
		}
		if is(s, "integer") {
			add("integer", json.Number("1.5"))
		}
	}
	return list
}

func (m *Maker) objectChanges(s *openapi3.Schema, o Object, at string) []change {
	var list []change
	properties, required := Flat(s)
	for _, name := range required {
		if _, there := o.Get(name); there {
			list = append(list, change{"required " + name + " at " + at, func() any { return o.Without(name) }})
		}
	}
	for _, member := range o {
		p := properties[member.Name]
		if p == nil {
			p = s.AdditionalProperties.Schema
		}
		if p == nil {
			continue
		}
		for _, c := range m.changes(p.Value, member.Value, strings.TrimPrefix(at+"."+member.Name, ".")) {
			list = append(list, change{c.rule, func() any { return o.With(member.Name, c.value()) }})
		}
	}
	if s.MaxProps != nil && s.AdditionalProperties.Schema != nil {
		many := Object{}
		for i := range int(*s.MaxProps) + 1 {
			many = append(many, Member{fmt.Sprint("k", i), "v"})
		}
		list = append(list, change{"maxProperties at " + at, func() any { return many }})
	}
	return list
}

// otherTypes returns values of types that a schema does not permit.
func (m *Maker) otherTypes(s *openapi3.Schema) []any {
	object := is(s, "object") || s.Type == nil
	var out []any
	for _, c := range []struct {
		takes bool
		value any
	}{
		{is(s, "string"), "3"},
		{is(s, "number") || is(s, "integer"), json.Number("7")},
		{is(s, "boolean"), true},
		{is(s, "array"), []any{"x"}},
		{object, Object{{"$gt", ""}}},
	} {
		if !c.takes {
			out = append(out, c.value)
		}
	}
	return out
}
