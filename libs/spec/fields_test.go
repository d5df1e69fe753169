package spec

import (
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
)

type schema struct {
	AllOf []struct {
		Properties map[string]json.RawMessage `json:"properties"`
	} `json:"allOf"`
	Properties map[string]json.RawMessage `json:"properties"`
	Examples   []json.RawMessage          `json:"examples"`
}

func schemas(t *testing.T) map[string]schema {
	t.Helper()
	var document struct {
		Components struct {
			Schemas map[string]schema `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(load(t).JSON(), &document); err != nil {
		t.Fatal(err)
	}
	return document.Components.Schemas
}

// TestRecordExamples sends every example of the document through the code that
// reads records.
func TestRecordExamples(t *testing.T) {
	t.Parallel()
	documented := schemas(t)
	for _, typ := range footprint.Types() {
		name := footprint.SchemaName(typ)
		if len(documented[name].Examples) == 0 {
			t.Errorf("%s has no example", name)
		}
		for _, example := range documented[name].Examples {
			got, err := footprint.Decode(typ, example, footprint.EventContext{Country: "GB", RadiativeForcing: true, GWP: "published", FactorSet: factors.Sets()[0].ID})
			if err != nil || len(got.Notices) > 0 {
				t.Errorf("%s: %s: %v %v", name, example, err, got.Notices)
			}
		}
	}
}
