package models

import (
	"strings"
	"testing"
)

const small = `{"components": {"schemas": {
	"Person": {"type": "object", "required": ["_id", "role", "massKg"], "properties": {
		"notices": {"type": "array", "items": {"type": "string"}},
		"_id": {"type": "string", "description": "Its ` + "`id`" + `; null for none."},
		"role": {"$ref": "#/components/schemas/Role"},
		"massKg": {"type": ["number", "null"], "x-unit": "kg CO2e"},
		"seenAt": {"type": "string", "format": "date-time"},
		"recordIds": {"type": "array", "items": {"type": "string"}},
		"home": {"description": "Where.", "oneOf": [{"$ref": "#/components/schemas/Home"}, {"type": "null"}]},
		"age": {"type": "integer"}, "limit": {"type": ["integer", "null"]}, "raw": {"type": "object"},
		"parts": {"type": "array", "items": {"type": "object", "properties": {"share": {"type": "number"}}}}}},
	"Home": {"allOf": [{"$ref": "#/components/schemas/Place"}, {"type": "object", "required": ["open"], "properties": {"open": {"type": "boolean"}}}]},
	"Place": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
	"Role": {"type": "string"},
	"PersonResponse": {"type": "object", "properties": {"data": {"$ref": "#/components/schemas/Person"}}}
}}}`

func smallFiles() []file {
	return []file{{"people", []model{
		{name: "Person", at: "Person", about: "is somebody."}, {name: "Part", at: "Person/parts[]", about: "is a part."},
		{name: "PersonPatch", at: "Person", about: "changes one.", patch: true},
		{name: "Home", at: "Home", about: "is a home."}, {name: "Place", at: "Place", about: "is a place."},
	}}}
}

// TestTypesFollowTheDocument: a property of every form, and what an embedded schema
// and a change become.
func TestTypesFollowTheDocument(t *testing.T) {
	t.Parallel()
	out, err := client([]byte(small), smallFiles(), map[string]string{"Role": "Role"}, map[string]string{"PersonPatch.raw": ""}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(strings.Fields(string(out["models_people.go"])), " ")
	for _, want := range []string{
		`package client import ( "encoding/json" "time" )`, "// Person is somebody. type Person struct { // Its id; nil for none. ID string `json:\"_id\"` Role Role `json:\"role\"`",
		"// In kg CO2e. MassKg *Kilograms `json:\"massKg\"`", "SeenAt *time.Time `json:\"seenAt,omitempty\"`", "RecordIDs []string `json:\"recordIds,omitempty\"`",
		"// Where. Home *Home `json:\"home,omitempty\"`", "Age int `json:\"age,omitempty\"`", "Limit *int `json:\"limit,omitempty\"`",
		"Raw json.RawMessage `json:\"raw,omitempty\"`", "Parts []Part `json:\"parts,omitempty\"` Notices []string `json:\"notices,omitempty\"` }",
		"type Part struct { Share *float64 `json:\"share,omitempty\"` }", "type Home struct { Place Open bool `json:\"open\"` }",
		"type PersonPatch struct { // Its id; nil for none. ID Optional[string] `json:\"_id,omitzero\"`", "MassKg Optional[Kilograms]",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %s", want)
		}
	}
	if strings.Count(got, "Raw ") != 1 {
		t.Error("an exception without a type is a field that is left out")
	}
	if t.Failed() {
		t.Log(string(out["models_people.go"]))
	}
}

// TestNothingIsForgotten: what the document has and the list of types has not, and
// the other way round, fails by name.
func TestNothingIsForgotten(t *testing.T) {
	t.Parallel()
	role := map[string]string{"Role": "Role"}
	for want, try := range map[string]func() error{
		"the schema Place has no type": func() error {
			files := smallFiles()
			files[0].models = files[0].models[:4]
			_, err := client([]byte(strings.ReplaceAll(small, `{"allOf": [{"$ref": "#/components/schemas/Place"}, `, `{"allOf": [`)), files, role, nil, nil)
			return err
		},
		"the object Person/parts[] has no type": func() error {
			files := smallFiles()
			files[0].models = append(files[0].models[:1:1], files[0].models[3:]...)
			_, err := client([]byte(small), files, role, nil, nil)
			return err
		},
		"the document has no Horse": func() error {
			_, err := client([]byte(small), append(smallFiles(), file{"horses", []model{{name: "Horse", at: "Horse"}}}), role, nil, nil)
			return err
		},
		"the exception Person.height is of no field": func() error {
			_, err := client([]byte(small), smallFiles(), role, map[string]string{"Person.height": "int"}, nil)
			return err
		},
		"there is no schema Horse to leave out": func() error {
			_, err := client([]byte(small), smallFiles(), role, nil, map[string]string{"Horse": "is none"})
			return err
		},
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestGoName(t *testing.T) {
	t.Parallel()
	for property, want := range map[string]string{
		"_id": "ID", "eventId": "EventID", "kgCO2e": "KgCO2e", "aviationNonCO2": "AviationNonCO2", "coveredKWh": "CoveredKWh",
		"gsd2Millionths": "GSD2Millionths", "n2o": "N2O", "scope3Category": "Scope3Category", "idToken": "IDToken",
	} {
		if got := goName(property); got != want {
			t.Errorf("%s is %s, want %s", property, got, want)
		}
	}
}
