package footprint_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestNamesAreListedOnce: JSON Schema requires the names in required and the values of enum to be unique.
func TestNamesAreListedOnce(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		var check func(path string, v any)
		check = func(path string, v any) {
			switch v := v.(type) {
			case schema:
				for key, value := range v {
					check(path+"/"+key, value)
					names, ok := value.([]any)
					if !ok || key != "required" && key != "enum" {
						continue
					}
					for i, name := range names {
						if slices.Contains(names[:i], name) {
							t.Errorf("%s: %s lists %v more than once", typ, path+"/"+key, name)
						}
					}
				}
			case []any:
				for _, value := range v {
					check(path, value)
				}
			}
		}
		check("", schemaOf(t, typ))
	}
}

// TestEachFaultIsReportedOnce sends each type an empty object, and one whose fields all have the wrong type.
func TestEachFaultIsReportedOnce(t *testing.T) {
	t.Parallel()
	bare := footprint.EventContext{FactorSet: london.FactorSet, Engine: footprint.NewestEngine}
	for _, typ := range footprint.Types() {
		wrong := map[string]any{}
		for name := range schemaOf(t, typ)["properties"].(schema) {
			wrong[name] = [][]int{{1}}
		}
		text, err := json.Marshal(wrong)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range []string{`{}`, string(text)} {
			got := faults(t, typ, body, bare)
			for i, fault := range got {
				if slices.Contains(got[:i], fault) {
					t.Errorf("%s %s: %s more than once in %v", typ, body, fault, got)
				}
			}
		}
	}
}
