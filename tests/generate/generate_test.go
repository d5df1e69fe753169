package generate_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/eventcarbon/ecf/libs/spec"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/tests/generate"
)

// TestGoodAndBroken makes bodies for every operation: the valid ones must pass the
// document's validation, and those that violate a rule must fail it.
func TestGoodAndBroken(t *testing.T) {
	t.Parallel()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi3.NewLoader().LoadFromData(d.JSON())
	if err != nil {
		t.Fatal(err)
	}
	seed := testkit.Seed(t)
	m := &generate.Maker{Rand: rand.New(rand.NewPCG(seed, 0))} //nolint:gosec // a seed can be given again
	check := func(s *openapi3.Schema, v any) error {
		var value any
		if err := json.Unmarshal(generate.Encode(v), &value); err != nil {
			return err
		}
		return s.VisitJSON(value, openapi3.EnableJSONSchema2020(), openapi3.EnableFormatValidation())
	}
	broken, seen := 0, map[string]bool{}
	for _, name := range []string{"EventInput", "EventPatch", "FlightInput", "VenueInput", "CateringInput", "PurchasesInput", "IdsInput", "RequiredComment", "UserInput", "OrganizationPatch", "PasswordRequest"} {
		s := document.Components.Schemas[name].Value
		for range 20 {
			v := m.Valid(s, "")
			if err := check(s, v); err != nil {
				t.Fatalf("%s: %s is meant to be valid: %v", name, generate.Encode(v), err)
			}
			bad, rule := m.Broken(s, v)
			kind, _, _ := strings.Cut(rule, " ")
			seen[kind] = true
			if check(s, bad) == nil && kind != "format" {
				t.Errorf("%s: %s is meant to be invalid (%s)", name, generate.Encode(bad), rule)
			}
			broken++
		}
	}
	// Rare rules need more attempts.
	purchases := document.Components.Schemas["PurchasesInput"].Value
	for _, kind := range []string{"type", "required", "enum", "maximum", "minimum", "integer", "maxLength", "minLength", "pattern", "format", "maxItems"} {
		for try := 0; !seen[kind] && try < 5000; try++ {
			_, rule := m.Broken(purchases, m.Valid(purchases, ""))
			found, _, _ := strings.Cut(rule, " ")
			seen[found] = true
		}
		if !seen[kind] {
			t.Errorf("of %d invalid bodies none violates %s", broken, kind)
		}
	}
}

// TestHostileBodies verifies that the same seed gives the same bodies, many of which
// are not JSON.
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	good := generate.Object{{Name: "title", Value: "x"}, {Name: "attendees", Value: json.Number("3")}}
	make100 := func() []string {
		m := &generate.Maker{Rand: rand.New(rand.NewPCG(7, 0))} //nolint:gosec // the same numbers again
		var out []string
		for range 300 {
			v, _ := m.Hostile(good)
			out = append(out, string(generate.Encode(v)))
		}
		return out
	}
	first, second := make100(), make100()
	bad, twice := 0, 0
	for i, body := range first {
		if body != second[i] {
			t.Fatalf("body %d differs", i)
		}
		if !json.Valid([]byte(body)) {
			bad++
		}
		if strings.Count(body, `"title":`) > 1 || strings.Count(body, `"attendees":`) > 1 {
			twice++
		}
	}
	if bad < 30 || twice < 10 {
		t.Errorf("%d are not JSON, %d have a duplicate key", bad, twice)
	}
}
