package spec

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestNamesDoNotMeetInGeneratedCode: generators name the answer and the parameters of
// an operation after it, and the values of an enumeration after the schema and its
// field; a schema or a parameter of the same name makes code that does not compile.
func TestNamesDoNotMeetInGeneratedCode(t *testing.T) {
	t.Parallel()
	d, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Enum []any }
			}
			Parameters map[string]any
			Headers    map[string]any
			Responses  map[string]any
		}
	}
	if err := json.Unmarshal(d.JSON(), &document); err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{}
	for _, o := range d.Operations {
		name := strings.ToUpper(o.ID[:1]) + o.ID[1:]
		for _, suffix := range []string{"Response", "Params", "JSONBody", "JSONRequestBody"} {
			taken[name+suffix] = "the operation " + o.ID
		}
	}
	for name, s := range document.Components.Schemas {
		if of := taken[name]; of != "" {
			t.Errorf("the schema %s is named like something of %s", name, of)
		}
		for field, p := range s.Properties {
			if len(p.Enum) > 0 {
				taken[name+strings.ToUpper(field[:1])+field[1:]] = "the field " + name + "." + field
			}
		}
	}
	for name := range document.Components.Responses {
		if _, ok := document.Components.Schemas[name]; ok {
			t.Errorf("the answer %s is named like a schema", name)
		}
	}
	for name := range document.Components.Parameters {
		if _, ok := document.Components.Schemas[name]; ok {
			t.Errorf("the parameter %s is named like a schema", name)
		}
		if of := taken[name]; of != "" {
			t.Errorf("the parameter %s is named like %s", name, of)
		}
		if document.Components.Headers[name] != nil {
			t.Errorf("the header field %s is named like a parameter", name)
		}
	}
}
