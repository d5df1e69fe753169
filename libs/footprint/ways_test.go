package footprint_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestWaysHaveFieldsAndValidExamples verifies that each way to state a record names fields of the type, and has a valid example of that
// way.
func TestWaysHaveFieldsAndValidExamples(t *testing.T) {
	t.Parallel()
	several := 0
	for _, typ := range footprint.Types() {
		s := schemaOf(t, typ)
		properties := s["properties"].(schema)
		ways, _ := s["anyOf"].([]any)
		if len(ways) == 1 {
			t.Errorf("%s has one way: it needs no name", typ)
		}
		if len(ways) > 1 {
			several++
		}
		titles := map[string]bool{}
		for _, w := range ways {
			w := w.(schema)
			title, _ := w["title"].(string)
			if help, _ := w["description"].(string); title == "" || help == "" || titles[title] {
				t.Errorf("%s: a way is called %q and described by %q", typ, title, help)
			}
			titles[title] = true
			fields, _ := w["x-fields"].([]any)
			for _, name := range fields {
				if properties[name.(string)] == nil {
					t.Errorf("%s, %s names %v", typ, title, name)
				}
			}
			example := w["examples"].([]any)[0].(schema)
			if bad := violations(w, example, ""); len(bad) > 0 {
				t.Errorf("the example of %s, %s, is not given so: %v", typ, title, bad)
			}
			for name := range example {
				if !slices.Contains(fields, any(name)) && name != "country" {
					t.Errorf("the example of %s, %s, has %s", typ, title, name)
				}
			}
			e := decodeWith(t, typ, encode(t, example), london).Evaluation
			if total.Of(&e).Total().Sign() <= 0 {
				t.Errorf("%s, %s comes to %s kg", typ, title, total.Of(&e).Total().Kilograms())
			}
		}
	}
	if several < 11 {
		t.Errorf("only %d types have ways", several)
	}
}

// TestEachWayIsNeeded removes a required field of a way from its example: the rest is rejected, or is another way.
func TestEachWayIsNeeded(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		s := schemaOf(t, typ)
		ways, _ := s["anyOf"].([]any)
		for _, w := range ways {
			w := w.(schema)
			required, _ := w["required"].([]any)
			for _, name := range required {
				rest := schema{}
				for key, value := range w["examples"].([]any)[0].(schema) {
					if key != name {
						rest[key] = value
					}
				}
				_, err := footprint.Options{Suppliers: suppliers}.Decode(typ, []byte(encode(t, rest)), london)
				other := slices.ContainsFunc(ways, func(o any) bool { return len(violations(o.(schema), rest, "")) == 0 })
				if err == nil && !other {
					t.Errorf("%s, %s: without %v %s is accepted and is given in no way", typ, w["title"], name, encode(t, rest))
				}
			}
		}
	}
}

// TestFormsHaveWordsAndUnits verifies the labels of fields, and the units that a form may offer.
func TestFormsHaveWordsAndUnits(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		for name, p := range schemaOf(t, typ)["properties"].(schema) {
			if title, _ := p.(schema)["title"].(string); title == "" {
				t.Errorf("%s.%s has no label", typ, name)
			}
		}
	}
	properties := schemaOf(t, "ground-transport")["properties"].(schema)
	for name, want := range map[string]string{"distanceKm": "Distance", "volumeLitres": "Volume", "roundTrip": "Round trip", "externalReference": "Your reference"} {
		if got := properties[name].(schema)["title"]; got != want {
			t.Errorf("%s is called %v, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{"distanceKm": "mi", "volumeLitres": "UK gallon", "energyKWh": "MJ"} {
		if units, _ := properties[name].(schema)["x-units"].([]any); !slices.Contains(units, any(want)) {
			t.Errorf("%s may be stated in %v, without %s", name, units, want)
		}
	}
	if properties["passengers"].(schema)["x-units"] != nil {
		t.Error("a count is offered units")
	}
}

func encode(t *testing.T, v schema) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
