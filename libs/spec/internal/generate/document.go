package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// object is a JSON object with its members in the order they are written in.
type object struct {
	names  []string
	values map[string]json.RawMessage
}

func (o *object) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &o.values); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil { // the opening brace
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		o.names = append(o.names, fmt.Sprint(name))
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			return err
		}
	}
	return nil
}

// inOrder returns value as JSON, the members of its objects in the order they
// have in source and new ones behind them.
func inOrder(source json.RawMessage, value any) ([]byte, error) {
	var out bytes.Buffer
	switch v := value.(type) {
	case map[string]any:
		was := object{}
		if source != nil {
			if err := json.Unmarshal(source, &was); err != nil {
				return nil, err
			}
		}
		names := was.names
		for _, name := range sortedKeys(v) {
			if was.values[name] == nil {
				names = append(names, name)
			}
		}
		for i, name := range names {
			out.WriteByte("{,"[min(i, 1)])
			member, err := inOrder(was.values[name], v[name])
			if err != nil {
				return nil, err
			}
			out.WriteString(quoted(name) + ":")
			out.Write(member)
		}
		if len(names) == 0 {
			out.WriteByte('{')
		}
		out.WriteByte('}')
	case []any:
		var was []json.RawMessage
		if source != nil {
			if err := json.Unmarshal(source, &was); err != nil {
				return nil, err
			}
		}
		out.WriteByte('[')
		for i := range v {
			var raw json.RawMessage
			if i < len(was) {
				raw = was[i]
			}
			item, err := inOrder(raw, v[i])
			if err != nil {
				return nil, err
			}
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(item)
		}
		out.WriteByte(']')
	default:
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			return nil, err
		}
	}
	return bytes.TrimSpace(out.Bytes()), nil
}

func quoted(name string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(name) != nil {
		return `""`
	}
	return strings.TrimSpace(b.String())
}

// document is the OpenAPI document.
type document struct {
	Info struct{ Title, Version, Summary, Description string }
	Tags []struct{ Name, Description string }
	// Paths has a path item for each path.
	Paths  object
	Errors []struct {
		Code, Cause, Remedy string
		Status              int
	} `json:"x-errors"`
	Codes      []struct{ Code, Of, Meaning string } `json:"x-codes"`
	Components struct{ Schemas object }

	root map[string]any
}

func parse(text []byte) (*document, error) {
	d := &document{}
	if err := json.Unmarshal(text, d); err != nil {
		return nil, err
	}
	return d, json.Unmarshal(text, &d.root)
}

// resolve follows a reference inside the document.
func (d *document) resolve(value any) map[string]any {
	for {
		m, _ := value.(map[string]any)
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		value = any(d.root)
		for part := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			part = strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
			value = value.(map[string]any)[part]
		}
	}
}

func refName(value any) string {
	m, _ := value.(map[string]any)
	ref, _ := m["$ref"].(string)
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

func text(m map[string]any, name string) string {
	s, _ := m[name].(string)
	return strings.TrimSpace(s)
}

func list(m map[string]any, name string) []any {
	l, _ := m[name].([]any)
	return l
}

// field is a property of an object.
type field struct {
	Name, Kind, Schema, Description, Limits string
	Required                                bool
}

// fields returns the properties of an object schema, including those of the schemas it is composed of, required ones
// first; alternatives are the named schemas it may be instead.
func (d *document) fields(schema any) (all []field, alternatives []string) {
	seen := map[string]bool{}
	var walk func(schema any)
	walk = func(schema any) {
		m := d.resolve(schema)
		required := map[string]bool{}
		for _, name := range list(m, "required") {
			required[fmt.Sprint(name)] = true
		}
		properties, _ := m["properties"].(map[string]any)
		names := make([]string, 0, len(properties))
		for name := range properties {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			all = append(all, d.field(name, properties[name], required[name]))
		}
		for _, part := range list(m, "allOf") {
			walk(part)
		}
		for _, key := range []string{"anyOf", "oneOf"} {
			for _, part := range list(m, key) {
				if name := refName(part); name != "" && !slices.Contains(alternatives, name) {
					alternatives = append(alternatives, name)
				}
			}
		}
	}
	walk(schema)
	slices.SortStableFunc(all, func(a, b field) int {
		if a.Required == b.Required {
			return 0
		}
		if a.Required {
			return -1
		}
		return 1
	})
	return all, alternatives
}

func (d *document) field(name string, schema any, required bool) field {
	m := d.resolve(schema)
	f := field{Name: name, Required: required, Description: text(m, "description")}
	f.Kind, f.Schema = d.kind(schema)
	var limits []string
	if values := list(m, "enum"); len(values) > 0 {
		var words []string
		for _, v := range values {
			if v != nil {
				words = append(words, fmt.Sprint(v))
			}
		}
		limits = append(limits, strings.Join(words, " | "))
	}
	number := func(key, form string) {
		if v, ok := m[key]; ok {
			raw, err := json.Marshal(v)
			if err == nil {
				limits = append(limits, fmt.Sprintf(form, raw))
			}
		}
	}
	number("minimum", "≥ %s")
	number("maximum", "≤ %s")
	number("minLength", "at least %s characters")
	number("maxLength", "at most %s characters")
	number("minItems", "at least %s entries")
	number("maxItems", "at most %s entries")
	if unit := text(m, "x-unit"); unit != "" {
		limits = append(limits, "in "+unit)
	}
	f.Limits = strings.Join(limits, ", ")
	return f
}

// kind names the type of a value, and the named schema behind it.
func (d *document) kind(schema any) (kind, name string) {
	if name := refName(schema); name != "" {
		m := d.resolve(schema)
		if _, composed := m["properties"]; !composed && m["allOf"] == nil && m["anyOf"] == nil {
			kind, _ := d.kind(m)
			return kind, name
		}
		return name, name
	}
	m := d.resolve(schema)
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		for _, part := range list(m, key) {
			if kind, name := d.kind(part); kind != "null" {
				return kind, name
			}
		}
	}
	kinds := list(m, "type")
	kind = text(m, "type")
	for _, k := range kinds {
		if k != "null" {
			kind = fmt.Sprint(k)
		}
	}
	switch kind {
	case "array":
		of, name := d.kind(m["items"])
		return "list of " + of, name
	case "string":
		if format := text(m, "format"); format != "" {
			return format, ""
		}
	case "":
		return "any", ""
	}
	return kind, ""
}

// example returns an example of a schema: its own, or one made of the examples
// of its properties.
func (d *document) example(schema any) (any, bool) {
	m := d.resolve(schema)
	if v, ok := m["example"]; ok {
		return v, true
	}
	if l := list(m, "examples"); len(l) > 0 {
		return l[0], true
	}
	if v, ok := m["const"]; ok {
		return v, true
	}
	if merged := d.merged(m); len(merged) > 0 {
		return merged, true
	}
	if text(m, "type") == "array" {
		if v, ok := d.example(m["items"]); ok {
			return []any{v}, true
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		for _, part := range list(m, key) {
			if v, ok := d.example(part); ok {
				return v, true
			}
		}
	}
	if text(m, "type") == "object" {
		return map[string]any{}, true
	}
	return nil, false
}

// merged returns an example of an object composed of the examples of its properties and schemas.
func (d *document) merged(m map[string]any) map[string]any {
	out := map[string]any{}
	properties, _ := m["properties"].(map[string]any)
	for name, property := range properties {
		if v, ok := d.example(property); ok {
			out[name] = v
		} else if slices.Contains(list(m, "required"), any(name)) {
			out[name] = placeholder(d.resolve(property))
		}
	}
	for _, part := range list(m, "allOf") {
		if v, ok := d.example(part); ok {
			if inner, ok := v.(map[string]any); ok {
				maps.Copy(out, inner)
			}
		}
	}
	return out
}

// placeholder returns a value for a required property without an example.
func placeholder(m map[string]any) any {
	if values := list(m, "enum"); len(values) > 0 {
		return values[0]
	}
	kind := text(m, "type")
	if kinds := list(m, "type"); len(kinds) > 0 {
		kind = fmt.Sprint(kinds[0])
	}
	switch kind {
	case "integer", "number":
		if least, ok := m["minimum"]; ok {
			return least
		}
		return 1
	case "boolean":
		return true
	case "array":
		return []any{}
	}
	switch text(m, "format") {
	case "uri":
		return "https://carbon.example.org"
	case "date":
		return "2026-09-01"
	case "date-time":
		return "2026-09-01T10:00:00.000Z"
	case "email":
		return "jo@example.org"
	}
	return "text"
}
