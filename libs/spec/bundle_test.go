package spec

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
)

// member is a schema of the document with what it says about members.
type member struct {
	Ref        string            `json:"$ref"`
	Properties map[string]member `json:"properties"`
	Items      *member           `json:"items"`
	// Free is true if any member is allowed.
	Free json.RawMessage `json:"additionalProperties"`
}

// TestEveryMemberOfABundleIsDescribed compares the bundles with their schemas: what only some results have, such as the
// place of an event, is in no response that tests validate.
func TestEveryMemberOfABundleIsDescribed(t *testing.T) {
	t.Parallel()
	var document struct {
		Components struct {
			Schemas map[string]member `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(load(t).JSON(), &document); err != nil {
		t.Fatal(err)
	}
	described := document.Components.Schemas
	// never are the members that only the other format has, and the policy of a submission, which people make.
	never := []string{
		"ReportBundle.names", "ReportBundle.organization", "ReportBundle.provenance", "ReportBundle.notCounted", "ReportBundle.signOff",
		"ReportBundle.policies", "ReportBundle.hashes.provenance", "SignedBundle.provenance.submitted.policy",
	}
	compared := 0
	var compare func(at string, of reflect.Type, s member)
	compare = func(at string, of reflect.Type, s member) {
		s = resolved(described, s)
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice && s.Items != nil {
			if of.Kind() == reflect.Slice {
				s = resolved(described, *s.Items)
			}
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || s.Free != nil || s.Properties == nil {
			return
		}
		for _, field := range reflect.VisibleFields(of) {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Anonymous || name == "" || name == "-" {
				continue
			}
			compared++
			place := at + "." + name
			value, ok := s.Properties[name]
			if ok == slices.Contains(never, place) {
				t.Errorf("%s: described %t", place, ok)
			}
			compare(place, field.Type, value)
		}
	}
	for _, name := range []string{"SignedBundle", "ReportBundle"} {
		compare(name, reflect.TypeFor[bundle.Bundle](), described[name])
	}
	if compared < 100 {
		t.Errorf("%d members compared", compared)
	}
}

func resolved(described map[string]member, s member) member {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return described[name]
	}
	return s
}
