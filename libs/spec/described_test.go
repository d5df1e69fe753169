package spec

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// node is a JSON object of the document.
type node = map[string]any

func tree(t *testing.T) node {
	t.Helper()
	var document node
	if err := json.Unmarshal(load(t).JSON(), &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func object(v any) node { m, _ := v.(node); return m }

func list(v any) []any { l, _ := v.([]any); return l }

// TestEverythingIsDescribed: every field of the document has a description with its unit and values.
func TestEverythingIsDescribed(t *testing.T) {
	t.Parallel()
	components := object(tree(t)["components"])
	for name, s := range object(components["schemas"]) {
		if s := object(s); s["description"] == nil {
			t.Errorf("%s has no description", name)
		}
		if own := !strings.HasSuffix(name, "Response") || name == "ErrorResponse"; own && len(list(object(s)["examples"])) == 0 {
			t.Errorf("%s has no example", name)
		}
		for _, f := range append(numberFaults(name, object(s)), faultsOf(name, object(s))...) {
			t.Error(f)
		}
	}
	for _, kind := range []string{"parameters", "headers", "securitySchemes", "responses"} {
		for name, c := range object(components[kind]) {
			if text, _ := object(c)["description"].(string); len(text) < 10 {
				t.Errorf("components/%s/%s has no description", kind, name)
			}
			for _, f := range numberFaults(name, object(object(c)["schema"])) {
				// What is not in the limits is clamped, which is said there.
				if name != "Limit" {
					t.Error(f)
				}
			}
		}
	}
}

// faultsOf walks through a schema and returns what its properties lack.
func faultsOf(at string, s node) (faults []string) {
	for _, kind := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range list(s[kind]) {
			faults = append(faults, faultsOf(at, object(part))...)
		}
	}
	if items := object(s["items"]); items != nil {
		faults = append(faults, faultsOf(at+"[]", items)...)
	}
	properties := object(s["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p, here := object(properties[name]), at+"."+name
		if p["$ref"] != nil {
			continue // described where it is defined
		}
		if text, _ := p["description"].(string); p["const"] == nil && (len(text) < 4 || !strings.HasSuffix(strings.TrimSpace(text), ".")) {
			faults = append(faults, here+" has no description, or not a whole sentence")
		}
		faults = append(faults, numberFaults(here, p)...)
		faults = append(faults, faultsOf(here, p)...)
	}
	return faults
}

// numberFaults returns what a number lacks: a limit, unless it may be negative,
// and a unit, unless it is a count.
func numberFaults(at string, p node) (faults []string) {
	types := append(list(p["type"]), p["type"])
	if !slices.Contains(types, any("number")) && !slices.Contains(types, any("integer")) {
		return nil
	}
	text, _ := p["description"].(string)
	if p["minimum"] == nil && p["enum"] == nil && p["const"] == nil && !strings.Contains(text, "negative") {
		faults = append(faults, at+" has no limit")
	}
	if unit, _ := p["x-unit"].(string); unit == "" && slices.Contains(types, any("number")) {
		faults = append(faults, at+" has no unit")
	}
	return faults
}

// TestBodiesAreWhatGeneratorsTakeThemFor: stock generators take a property with a
// default for one that is always there, and then demand it of who sends it: what is
// meant where it is left out is in its description. And an object of which nothing is
// said they take for one that has no properties at all.
func TestBodiesAreWhatGeneratorsTakeThemFor(t *testing.T) {
	t.Parallel()
	seen := 0
	said := []string{"properties", "additionalProperties", "allOf", "oneOf", "anyOf", "patternProperties"}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case []any:
			for i, item := range v {
				walk(fmt.Sprintf("%s/%d", at, i), item)
			}
		case node:
			if v["type"] == "object" && !slices.ContainsFunc(said, func(name string) bool { return v[name] != nil }) {
				t.Errorf("%s says neither properties nor additionalProperties", at)
			}
			for name, property := range object(v["properties"]) {
				seen++
				if _, ok := object(property)["default"]; ok {
					t.Errorf("%s/properties/%s has a default", at, name)
				}
			}
			for name, item := range v {
				if name != "example" && name != "examples" {
					walk(at+"/"+name, item)
				}
			}
		}
	}
	walk("#", tree(t))
	if seen < 500 {
		t.Errorf("only %d properties were seen", seen)
	}
}

// The walk must be one that can find something.
func TestWhatIsNotDescribedIsFound(t *testing.T) {
	t.Parallel()
	var s node
	err := json.Unmarshal([]byte(`{"properties": {
		"good": {"type": "number", "description": "Distance.", "minimum": 0, "x-unit": "km"},
		"count": {"type": ["integer", "null"], "description": "How many.", "minimum": 0},
		"mute": {"type": "string"},
		"free": {"type": ["number", "null"], "description": "Distance.", "x-unit": "km"},
		"bare": {"type": "number", "description": "Distance.", "minimum": 0},
		"deep": {"type": "array", "description": "All.", "items": {"allOf": [{"properties": {"low": {"type": "integer", "description": "Lowest."}}}]}}
	}}`), &s)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"X.bare has no unit", "X.deep[].low has no limit", "X.free has no limit", "X.mute has no description, or not a whole sentence"}
	if got := faultsOf("X", s); !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

// TestOperationsAreDocumented: every operation says what it does and each way it
// can be refused, with the error behind it.
func TestOperationsAreDocumented(t *testing.T) {
	t.Parallel()
	document := tree(t)
	responses := object(object(document["components"])["responses"])
	for path, item := range object(document["paths"]) {
		shared := list(object(item)["parameters"])
		for method, o := range object(item) {
			operation := object(o)
			id, _ := operation["operationId"].(string)
			if id == "" {
				continue // parameters and servers of the path
			}
			for _, text := range []string{"summary", "description"} {
				if said, _ := operation[text].(string); said == "" {
					t.Errorf("%s has no %s", id, text)
				}
			}
			answers := object(operation["responses"])
			for _, status := range refusals(method, path, operation, len(shared)+len(list(operation["parameters"]))) {
				if answers[status] == nil {
					t.Errorf("%s (%s %s) does not document %s", id, method, path, status)
				}
			}
			for status, a := range answers {
				name, isRef := strings.CutPrefix(str(object(a)["$ref"]), "#/components/responses/")
				if status[0] != '2' && (!isRef || responses[name] == nil) {
					t.Errorf("%s: %s is not one of the shared answers", id, status)
				}
			}
		}
	}
	for name, r := range responses {
		if content := object(object(r)["content"]); name != "NotModified" &&
			str(object(object(content["application/json"])["schema"])["$ref"]) != "#/components/schemas/ErrorResponse" {
			t.Errorf("the answer %s is not an ErrorResponse", name)
		}
	}
}

func str(v any) string { s, _ := v.(string); return s }

// refusals returns the statuses an operation must document.
func refusals(method, path string, operation node, parameters int) []string {
	need := []string{"default"}
	public := operation["security"] != nil
	if !public {
		need = append(need, "401")
	}
	if role := str(operation["x-required-role"]); role != "none" && role != "viewer" {
		need = append(need, "403")
	}
	if strings.Contains(path, "{") {
		need = append(need, "404")
	}
	if operation["requestBody"] != nil {
		need = append(need, "400", "413", "415")
	}
	if method != strings.ToLower(http.MethodGet) {
		need = append(need, "429")
	}
	names, _ := json.Marshal(operation["parameters"])
	for parameter, statuses := range map[string][]string{
		"IfMatch": {"412"}, "IdempotencyKey": {"409", "422"}, "IfNoneMatch": {"304"}, "DryRun": {"400"}, "Page": {"400"},
	} {
		if parameters > 0 && strings.Contains(string(names), "/"+parameter+`"`) {
			need = append(need, statuses...)
		}
	}
	return need
}
