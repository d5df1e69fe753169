package spec

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
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
	if err := json.Unmarshal(load(t).JSON, &document); err != nil {
		t.Fatal(err)
	}
	return document.Components.Schemas
}

// inputSchemas names the schema of each record type's input.
func inputSchemas() map[string]string {
	return map[string]string{
		"flights": "FlightInput", "accommodation": "AccommodationInput", "venue": "VenueInput", "waste": "WasteInput",
		"ground-transport": "GroundTransportInput",
		"freight":          "FreightInput",
		"catering":         "CateringInput",
		"materials":        "MaterialsInput",
		"energy":           "EnergyInput",
		"water":            "WaterInput",
		"digital":          "DigitalInput",
		"purchases":        "PurchasesInput",
		"custom":           "CustomInput",
	}
}

// TestRecordFields holds the documented fields of every record type to the
// fields of its input in the code, both ways.
func TestRecordFields(t *testing.T) {
	t.Parallel()
	documented, names := schemas(t), inputSchemas()
	types := slices.Sorted(maps.Keys(names))
	if got := slices.Sorted(slices.Values(footprint.Types())); !slices.Equal(got, types) {
		t.Fatalf("the record types are %v, the document has %v", got, types)
	}
	structs := structsOf(t, "../footprint")
	check := func(name, schemaName string, got []string) {
		want := structs[name]
		slices.Sort(want)
		slices.Sort(got)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("%s\n documented %v\n in code    %v", schemaName, got, want)
		}
	}
	check("common", "CommonInput", slices.Collect(maps.Keys(documented["CommonInput"].Properties)))
	for typ, name := range names {
		var own []string
		for _, part := range documented[name].AllOf {
			own = slices.AppendSeq(own, maps.Keys(part.Properties))
		}
		// The struct of ground-transport is groundTransport.
		words := strings.Split(typ, "-")
		for i := range words[1:] {
			words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
		}
		check(strings.Join(words, ""), name, own)
	}
}

// TestRecordExamples sends every example through the code that reads records.
func TestRecordExamples(t *testing.T) {
	t.Parallel()
	documented := schemas(t)
	for typ, name := range inputSchemas() {
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

// structsOf reads the JSON names of the fields of all structs of a package.
func structsOf(t *testing.T, dir string) map[string][]string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	structs := map[string][]string{}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, f.Name()), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			s, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range s.Fields.List {
				if field.Tag == nil {
					continue
				}
				tag, err := strconv.Unquote(field.Tag.Value)
				if err != nil {
					t.Fatal(err)
				}
				name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				structs[spec.Name.Name] = append(structs[spec.Name.Name], name)
			}
			return true
		})
	}
	return structs
}
