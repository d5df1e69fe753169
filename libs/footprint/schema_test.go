package footprint_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

type schema = map[string]any

func schemaOf(t interface{ Fatal(...any) }, typ string) schema {
	var s schema
	if err := decodeNumbers(footprint.Schema(typ), &s); err != nil {
		t.Fatal(typ, err)
	}
	return s
}

func decodeNumbers(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

func number(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	r, _ := new(big.Rat).SetString(n.String())
	return r
}

// violations validates by the supported part of JSON Schema, and returns the paths of violations.
func violations(s schema, v any, path string) (out []string) {
	bad := func() { out = append(out, path) }
	if want, ok := s["type"].(string); ok && !isOf(v, want) {
		return []string{path}
	}
	if list, ok := s["enum"].([]any); ok && !slices.Contains(list, v) {
		bad()
	}
	switch v := v.(type) {
	case string:
		n := utf8.RuneCountInString(v)
		if limit := number(s["minLength"]); limit != nil && big.NewRat(int64(n), 1).Cmp(limit) < 0 {
			bad()
		}
		if limit := number(s["maxLength"]); limit != nil && big.NewRat(int64(n), 1).Cmp(limit) > 0 {
			bad()
		}
		if p, ok := s["pattern"].(string); ok && !regexp.MustCompile(p).MatchString(v) {
			bad()
		}
		if s["format"] == "date" && !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(v) {
			bad()
		}
	case json.Number:
		if limit := number(s["minimum"]); limit != nil && number(v).Cmp(limit) < 0 {
			bad()
		}
		if limit := number(s["maximum"]); limit != nil && number(v).Cmp(limit) > 0 {
			bad()
		}
	case []any:
		if limit := number(s["maxItems"]); limit != nil && big.NewRat(int64(len(v)), 1).Cmp(limit) > 0 {
			bad()
		}
		if limit := number(s["minItems"]); limit != nil && big.NewRat(int64(len(v)), 1).Cmp(limit) < 0 {
			bad()
		}
		if items, ok := s["items"].(schema); ok {
			for i, item := range v {
				out = append(out, violations(items, item, fmt.Sprintf("%s[%d]", path, i))...)
			}
		}
	case schema:
		out = append(out, violationsOfObject(s, v, path)...)
	}
	return out
}

func violationsOfObject(s, v schema, path string) (out []string) {
	prefix := path
	if prefix != "" {
		prefix += "."
	}
	properties, _ := s["properties"].(schema)
	for name, value := range v {
		if p, ok := properties[name].(schema); ok {
			out = append(out, violations(p, value, prefix+name)...)
			continue
		}
		switch more := s["additionalProperties"].(type) {
		case bool:
			if !more {
				out = append(out, prefix+name)
			}
		case schema:
			out = append(out, violations(more, value, prefix+name)...)
		}
		if names, ok := s["propertyNames"].(schema); ok && len(violations(names, name, "")) > 0 {
			out = append(out, prefix+name)
		}
	}
	if limit := number(s["maxProperties"]); limit != nil && big.NewRat(int64(len(v)), 1).Cmp(limit) > 0 {
		out = append(out, path)
	}
	required, _ := s["required"].([]any)
	for _, name := range required {
		if _, ok := v[name.(string)]; !ok {
			out = append(out, prefix+name.(string))
		}
	}
	holds := func(s any) bool { return len(violations(s.(schema), v, path)) == 0 }
	if choices, ok := s["anyOf"].([]any); ok && !slices.ContainsFunc(choices, holds) {
		out = append(out, path)
	}
	all, _ := s["allOf"].([]any)
	for _, part := range all {
		out = append(out, violations(part.(schema), v, path)...)
	}
	if when, ok := s["if"]; ok && holds(when) {
		out = append(out, violations(s["then"].(schema), v, path)...)
	}
	return out
}

func isOf(v any, want string) bool {
	switch v := v.(type) {
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case []any:
		return want == "array"
	case schema:
		return want == "object"
	case json.Number:
		return want == "number" || want == "integer" && number(v).IsInt()
	}
	return false
}

func TestSchemasDescribeEveryField(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		s := schemaOf(t, typ)
		if s["$schema"] != "https://json-schema.org/draft/2020-12/schema" || s["title"] != typ || footprint.Description(typ) == "" {
			t.Errorf("%s: %v %v", typ, s["$schema"], s["title"])
		}
		properties := s["properties"].(schema)
		for name, p := range properties {
			p := p.(schema)
			if text, _ := p["description"].(string); text == "" {
				t.Errorf("%s.%s has no description", typ, name)
			}
			if p["type"] == "number" && name != "sampleCV" && name != "amount" && name != "occupancy" && p["x-unit"] == nil {
				t.Errorf("%s.%s has no unit", typ, name)
			}
			if d, ok := p["default"]; ok && len(violations(p, d, name)) > 0 {
				t.Errorf("%s.%s has the default %v", typ, name, d)
			}
		}
		required, _ := s["required"].([]any)
		for _, name := range required {
			if properties[name.(string)] == nil {
				t.Errorf("%s requires %v, which it does not have", typ, name)
			}
		}
		for _, common := range []string{"description", "date", "group", "dataQuality", "externalReference", "respondents", "population", "sampleCV", "evidence", "metadata"} {
			if properties[common] == nil {
				t.Errorf("%s lacks %s", typ, common)
			}
		}
	}
	if footprint.Schema("review") != nil || footprint.Description("review") != "" || footprint.Examples("review") != nil {
		t.Error("an unknown type is described")
	}
}

func TestExamplesAreGood(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		if len(footprint.Examples(typ)) == 0 {
			t.Errorf("%s has no example", typ)
		}
		for _, example := range footprint.Examples(typ) {
			d, err := footprint.Decode(typ, example, london)
			if err != nil || len(d.Notices) > 0 {
				t.Errorf("%s %s: %s %v", typ, example, describe(err), d.Notices)
				continue
			}
			if e := evaluate(t, typ, string(example), london); total.Of(&e).Total().Sign() <= 0 {
				t.Errorf("%s is %s kg", example, total.Of(&e).Total().Kilograms())
			}
			var v schema
			if err := decodeNumbers(example, &v); err != nil {
				t.Fatal(err)
			}
			if bad := violations(schemaOf(t, typ), v, ""); len(bad) > 0 {
				t.Errorf("%s %s violates its schema at %v", typ, example, bad)
			}
		}
	}
}

// drawValue draws a value that a schema allows.
func drawValue(t *rapid.T, s schema, name string) any {
	if list, ok := s["enum"].([]any); ok {
		return rapid.SampledFrom(list).Draw(t, name)
	}
	switch s["type"] {
	case "boolean":
		return rapid.Bool().Draw(t, name)
	case "integer":
		return drawInteger(t, s, name)
	case "number":
		whole := drawInteger(t, s, name)
		if rapid.Bool().Draw(t, name+" with decimals") && number(whole).Cmp(number(s["maximum"])) < 0 {
			return whole + "." + json.Number(rapid.StringMatching(`[0-9]{1,4}`).Draw(t, name))
		}
		return whole
	case "array":
		n := rapid.IntRange(0, 2).Draw(t, name)
		if s["minItems"] != nil {
			n = max(n, 1)
		}
		out := make([]any, n)
		for i := range out {
			out[i] = drawValue(t, s["items"].(schema), name)
		}
		return out
	case "object":
		if s["properties"] == nil {
			return schema{"key": "value"}
		}
		return drawObject(t, s)
	}
	switch p, _ := s["pattern"].(string); {
	case s["format"] == "date":
		return rapid.SampledFrom([]string{"2026-05-12", "2019-02-28"}).Draw(t, name)
	case p == "^https://":
		return "https://example.org/a"
	case strings.Contains(p, "64"):
		return strings.Repeat("a1", 32)
	case strings.Contains(p, "{3,4}"):
		return rapid.SampledFrom([]string{"LHR", "JFK", "EGLL", "lon", "SYD", "CDG", "QQQ"}).Draw(t, name)
	case p == "^[A-Za-z]{2}$":
		return rapid.SampledFrom([]string{"GB", "fr", "US", "DE", "KE"}).Draw(t, name)
	case p == "^[A-Za-z]{3}$":
		return rapid.SampledFrom([]string{"EUR", "gbp"}).Draw(t, name)
	case p != "":
		return rapid.SampledFrom([]string{"US-CA", "ca", "ENG"}).Draw(t, name)
	}
	return rapid.SampledFrom([]string{"x", "a text", "Ünï ☃"}).Draw(t, name)
}

func drawInteger(t *rapid.T, s schema, name string) json.Number {
	low, high := number(s["minimum"]).Num().Int64(), number(s["maximum"]).Num().Int64()
	return json.Number(fmt.Sprint(rapid.OneOf(rapid.Int64Range(low, min(high, low+5)), rapid.Int64Range(low, high), rapid.Just(low), rapid.Just(high)).Draw(t, name)))
}

// drawObject draws an object with some of the fields.
func drawObject(t *rapid.T, s schema) schema {
	out := schema{}
	required, _ := s["required"].([]any)
	properties := s["properties"].(schema)
	for _, name := range sortedKeys(properties) {
		if slices.Contains(required, any(name)) || rapid.IntRange(0, 3).Draw(t, name+" is there") == 0 {
			out[name] = drawValue(t, properties[name].(schema), name)
		}
	}
	return out
}

func sortedKeys(s schema) []string {
	var out []string
	for k := range s {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// beyondSchema reports whether a fault concerns a register, a factor, or a combination of fields, which a schema
// cannot express.
func beyondSchema(typ string, d apperr.Detail) bool {
	if d.Code == "UNKNOWN_CODE" || d.Code == footprint.UnknownPlace || d.Code == footprint.AmbiguousPlace || d.Code == footprint.UnknownSupplierFactor || strings.HasPrefix(d.Field, "stated.") || d.Code == footprint.FactorUnavailable {
		return true
	}
	rules := map[string][]string{
		"flights":          {"to NOT_ALLOWED", "via[0] NOT_ALLOWED", "via[1] NOT_ALLOWED", "distanceKm NOT_ALLOWED", "direction NOT_ALLOWED"},
		"venue":            {"subdivision NOT_ALLOWED", "floorAreaM2 REQUIRED", "days REQUIRED", "attendees REQUIRED"},
		"energy":           {"subdivision NOT_ALLOWED", "source NOT_ALLOWED"},
		"waste":            {"densityKgPerM3 REQUIRED"},
		"ground-transport": {"control NOT_ALLOWED", "passengers REQUIRED", "volumeLitres NOT_ALLOWED", "energyKWh NOT_ALLOWED", "country REQUIRED", "distanceKm REQUIRED", "volumeLitres OUT_OF_RANGE", "energyKWh OUT_OF_RANGE", "to NOT_ALLOWED", "via[0] NOT_ALLOWED", "via[1] NOT_ALLOWED"},
		"freight":          {"from NOT_ALLOWED", "to NOT_ALLOWED", "haul NOT_ALLOWED", "via NOT_ALLOWED", "via[0] NOT_ALLOWED", "via[1] NOT_ALLOWED"},
		"catering":         {"drinks REQUIRED", "servings REQUIRED"},
		"purchases":        {"vatRate REQUIRED"},
		"attendee-travel":  {"to REQUIRED", "origins REQUIRED", "respondents NOT_ALLOWED"},
		"materials":        {"usesOverLife NOT_ALLOWED", "endOfLife NOT_ALLOWED", "gramsPerM2 REQUIRED", "weightKg REQUIRED", "items REQUIRED"},
	}
	if typ == footprint.AttendeeTravel && strings.HasPrefix(d.Field, "origins[") && (d.Code == "NOT_ALLOWED" || d.Code == "REQUIRED") {
		return true // place, postcode and code exclude each other, and a postcode needs a country
	}
	fault := d.Field + " " + d.Code
	return fault == "respondents OUT_OF_RANGE" || slices.Contains(rules[typ], fault)
}

// spelledFreely are the fields that accept more than their schema states.
var spelledFreely = []string{"from", "to", "via", "class", "country", "subdivision"}

// TestSchemaAndDecoderAgree compares the verdicts on drawn objects, and on the
// same objects with one field spoiled.
func TestSchemaAndDecoderAgree(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			s := schemaOf(t, typ)
			properties := s["properties"].(schema)
			rapid.Check(t, func(t *rapid.T) {
				v := drawObject(t, s)
				spoiled := ""
				if rapid.Bool().Draw(t, "spoil") {
					spoiled = rapid.SampledFrom(sortedKeys(properties)).Draw(t, "field")
					v[spoiled] = rapid.SampledFrom([]any{
						"", "nonsense", strings.Repeat("x", 3000), json.Number("-1"), json.Number("1.5"), json.Number("1e17"), true,
						[]any{}, []any{json.Number("1")}, schema{}, schema{"a b": "c"}, "2026-02-30x", json.Number("0"), json.Number("2.0"),
					}).Draw(t, "value")
				}
				agree(t, typ, s, v, spoiled)
			})
		})
	}
}

func agree(t *rapid.T, typ string, s, v schema, spoiled string) {
	body, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	bad := violations(s, v, "")
	_, err = footprint.Decode(typ, body, london)
	if len(bad) > 0 {
		if err == nil && !slices.Contains(spelledFreely, spoiled) {
			t.Fatalf("%s violates the schema at %v and was decoded", body, bad)
		}
		return
	}
	var e *apperr.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatal(err)
	}
	if e == nil {
		return
	}
	for _, d := range e.Details {
		if !beyondSchema(typ, d) {
			t.Fatalf("%s is good by the schema, but %+v", body, d)
		}
	}
}

// TestDrawnBodiesFollowTheSchema is the converse: what the decoder accepts, the schema accepts.
func TestDrawnBodiesFollowTheSchema(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typ, body := drawRecord(t)
		var v schema
		if err := decodeNumbers([]byte(body), &v); err != nil {
			t.Fatal(err)
		}
		if bad := violations(schemaOf(t, typ), v, ""); len(bad) > 0 {
			t.Fatalf("%s %s violates its schema at %v", typ, body, bad)
		}
	})
}
