// Package clients compares the clients with the OpenAPI document: every type with its
// schema, every operation with a call.
package clients

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
	"github.com/eventcarbon/ecf/libs/spec"
)

// typed are the handwritten types of the Go client, by the schema that they must match.
// The others are generated.
func typed() map[string]reflect.Type {
	return map[string]reflect.Type{
		"Error": reflect.TypeFor[client.Error](), "ErrorDetail": reflect.TypeFor[client.Detail](), "ErrorCode": reflect.TypeFor[client.Code](),
		"Role": reflect.TypeFor[client.Role](), "RecordStatus": reflect.TypeFor[client.Status](),
		"Record": reflect.TypeFor[client.Record](), "ReviewItem": reflect.TypeFor[client.ReviewItem](),
	}
}

type object = map[string]any

type holder struct {
	t       *testing.T
	schemas object
	faults  []string
}

func (h *holder) fault(at, what string) { h.faults = append(h.faults, at+": "+what) }

func document(t *testing.T) object {
	t.Helper()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	var tree object
	if err := json.Unmarshal(d.JSON(), &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func member(v any, path ...string) object {
	for _, name := range path {
		m, _ := v.(object)
		v = m[name]
	}
	m, _ := v.(object)
	return m
}

// TestClientTypes compares the handwritten types of the Go client with the schemas of
// the document, in both directions, down to the last field and its kind.
func TestClientTypes(t *testing.T) {
	t.Parallel()
	h := &holder{t: t, schemas: member(document(t), "components", "schemas")}
	for name, typ := range typed() {
		s := member(h.schemas, name)
		if s == nil {
			t.Errorf("there is no schema %s", name)
			continue
		}
		h.check(typ.Name(), s, typ)
	}
	slices.Sort(h.faults)
	for _, f := range slices.Compact(h.faults) {
		t.Error(f)
	}
}

// check compares a type with a schema.
func (h *holder) check(at string, s object, typ reflect.Type) {
	if reference, ok := s["$ref"].(string); ok {
		name := strings.TrimPrefix(reference, "#/components/schemas/")
		if want, ok := typed()[name]; ok && plain(typ) != want {
			h.fault(at, "is a "+typ.String()+", the document says "+name)
		}
		return
	}
	for _, kind := range []string{"anyOf", "oneOf"} {
		for _, part := range anySlice(s[kind]) {
			if member(part)["type"] != "null" {
				h.check(at, member(part), typ)
			}
		}
		if s[kind] != nil {
			return
		}
	}
	typ = plain(typ)
	switch kind := kindOf(s); kind {
	case "string":
		want := typ.Kind() == reflect.String
		if s["format"] == "date-time" {
			want = typ == reflect.TypeFor[time.Time]()
		}
		h.want(at, want, typ, kind)
	case "integer":
		h.want(at, typ.Kind() == reflect.Int, typ, kind)
	case "number":
		h.want(at, typ.Kind() == reflect.Float64 || typ == reflect.TypeFor[client.Kilograms](), typ, kind)
		if s["x-unit"] == "kg CO2e" && typ.Kind() == reflect.Float64 && !strings.HasPrefix(at, "Custom.") {
			h.fault(at, "is a mass, and not Kilograms")
		}
	case "boolean":
		h.want(at, typ.Kind() == reflect.Bool, typ, kind)
	case "array":
		if h.want(at, typ.Kind() == reflect.Slice, typ, kind) {
			h.check(at+"[]", member(s["items"]), typ.Elem())
		}
	default:
		h.checkObject(at, s, typ)
	}
}

func (h *holder) want(at string, good bool, typ reflect.Type, kind string) bool {
	if !good {
		h.fault(at, "is a "+typ.String()+", the document says "+kind)
	}
	return good
}

func (h *holder) checkObject(at string, s object, typ reflect.Type) {
	properties := h.properties(s)
	switch {
	case typ == reflect.TypeFor[json.RawMessage]():
		h.want(at, len(properties) == 0, typ, "more")
		return
	case typ.Kind() == reflect.Map:
		for name, p := range properties {
			h.check(at+"."+name, member(p), typ.Elem())
		}
		if more := member(s["additionalProperties"]); more != nil {
			h.check(at+".*", more, typ.Elem())
		}
		return
	case !h.want(at, typ.Kind() == reflect.Struct, typ, "object"):
		return
	}
	fields := map[string]reflect.Type{}
	fieldsOf(typ, fields)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field, ok := fields[name]
		if !ok {
			h.fault(at, "has no field for "+name)
			continue
		}
		delete(fields, name)
		h.check(at+"."+name, member(properties[name]), field)
	}
	for name := range fields {
		h.fault(at, "has a field "+name+", which the document has not")
	}
}

// properties returns the properties of a schema and of all its parts. A Record has
// those of every record type; the client types those common to all, and Input reads the
// others.
func (h *holder) properties(s object) object {
	out := object{}
	if reference, ok := s["$ref"].(string); ok {
		return h.properties(member(h.schemas[strings.TrimPrefix(reference, "#/components/schemas/")]))
	}
	for _, part := range anySlice(s["allOf"]) {
		if member(part)["anyOf"] != nil {
			part = h.schemas["CommonInput"]
		}
		maps.Copy(out, h.properties(member(part)))
	}
	maps.Copy(out, member(s["properties"]))
	return out
}

// fieldsOf returns the fields of a struct as encoding/json sees them.
func fieldsOf(typ reflect.Type, into map[string]reflect.Type) {
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fieldsOf(f.Type, into)
		case f.IsExported() && name != "-":
			into[name] = f.Type
		}
	}
}

// plain removes pointers and Optional from a type.
func plain(typ reflect.Type) reflect.Type {
	if typ.Kind() == reflect.Pointer {
		return plain(typ.Elem())
	}
	if strings.HasPrefix(typ.Name(), "Optional[") {
		value, _ := typ.FieldByName("value")
		return plain(value.Type)
	}
	return typ
}

func anySlice(v any) []any { l, _ := v.([]any); return l }

func kindOf(s object) string {
	if name, ok := s["type"].(string); ok {
		return name
	}
	for _, name := range anySlice(s["type"]) {
		if name != "null" {
			return name.(string)
		}
	}
	return "object"
}

// TestClientTypesThatDifferAreSeen verifies that the check can fail.
func TestClientTypesThatDifferAreSeen(t *testing.T) {
	t.Parallel()
	var s object
	err := json.Unmarshal([]byte(`{"properties": {
		"good": {"type": "string"}, "missing": {"type": "string"}, "at": {"type": ["string", "null"], "format": "date-time"},
		"mass": {"type": "number", "x-unit": "kg CO2e"}, "deep": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
		"by": {"$ref": "#/components/schemas/Role"}
	}}`), &s)
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{t: t, schemas: object{}}
	h.check("X", s, reflect.TypeFor[struct {
		Good string            `json:"good"`
		At   string            `json:"at"`
		Mass *float64          `json:"mass,omitempty"`
		Deep []struct{ N int } `json:"deep"`
		By   client.User       `json:"by"`
		More int               `json:"more"`
	}]())
	slices.Sort(h.faults)
	want := []string{
		"X.at: is a string, the document says string", "X.by: is a client.User, the document says Role", "X.deep[]: has a field , which the document has not",
		"X.deep[]: has no field for n", "X.mass: is a mass, and not Kilograms", "X: has a field more, which the document has not", "X: has no field for missing",
	}
	if !slices.Equal(h.faults, want) {
		t.Errorf("found %q", h.faults)
	}
}
