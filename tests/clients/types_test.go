// Package clients holds the clients to the OpenAPI document: every type to its
// schema, every operation to a call.
package clients

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/client"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/spec"
)

// typed are the types of the Go client, by the schema of the document they are
// held to. A schema may have a second one for changes of it.
func typed() map[string][]reflect.Type {
	return map[string][]reflect.Type{
		"Event": {reflect.TypeFor[client.Event]()}, "EventInput": {reflect.TypeFor[client.EventInput]()}, "EventPatch": {reflect.TypeFor[client.EventPatch]()}, "EventPut": {reflect.TypeFor[client.EventPut]()},
		"WhatIf": {reflect.TypeFor[client.WhatIf]()}, "MovedFigure": {reflect.TypeFor[client.MovedFigure]()}, "Leg": {reflect.TypeFor[client.Leg]()}, "IndexedTown": {reflect.TypeFor[client.IndexedTown]()}, "Origin": {reflect.TypeFor[client.Origin]()}, "OriginPlace": {reflect.TypeFor[client.OriginPlace]()}, "EventLocation": {reflect.TypeFor[client.EventLocation]()}, "Boundary": {reflect.TypeFor[client.Boundary]()}, "Method": {reflect.TypeFor[client.Method]()},
		"TokenBundle": {reflect.TypeFor[client.TokenBundle]()}, "SetupRequest": {reflect.TypeFor[client.SetupRequest]()},
		"PasswordRequest": {reflect.TypeFor[client.PasswordRequest]()}, "Session": {reflect.TypeFor[client.Session]()},
		"User": {reflect.TypeFor[client.User]()}, "Me": {reflect.TypeFor[client.Me]()}, "MeInput": {reflect.TypeFor[client.MeInput]()}, "AcceptInput": {reflect.TypeFor[client.AcceptInput]()}, "Team": {reflect.TypeFor[client.Team]()}, "Member": {reflect.TypeFor[client.Member]()}, "OwnOrganization": {reflect.TypeFor[client.OwnOrganization]()}, "Membership": {reflect.TypeFor[client.Membership]()}, "UserInput": {reflect.TypeFor[client.UserInput]()}, "UserPatch": {reflect.TypeFor[client.UserPatch]()},
		"Organization": {reflect.TypeFor[client.Organization]()}, "OrganizationPatch": {reflect.TypeFor[client.OrganizationPatch]()},
		"Policy":     {reflect.TypeFor[client.Policy](), reflect.TypeFor[client.PolicyPatch]()},
		"AuditEntry": {reflect.TypeFor[client.AuditEntry]()}, "Actor": {reflect.TypeFor[client.Actor]()}, "Role": {reflect.TypeFor[client.Role]()},
		"Record": {reflect.TypeFor[client.Record]()}, "RecordStatus": {reflect.TypeFor[client.Status]()}, "FootprintPreview": {reflect.TypeFor[client.Footprint]()},
		"Notice": {reflect.TypeFor[client.Notice]()}, "Narrowing": {reflect.TypeFor[client.Narrowing]()}, "HistoryEntry": {reflect.TypeFor[client.HistoryEntry]()}, "ReviewItem": {reflect.TypeFor[client.ReviewItem]()},
		"Outcome": {reflect.TypeFor[client.Outcome]()}, "Import": {reflect.TypeFor[client.Import]()}, "ImportError": {reflect.TypeFor[client.RowError]()}, "ImportOutcome": {reflect.TypeFor[client.ImportOutcome]()},
		"UndoneImportResponse": {reflect.TypeFor[client.UndoneImport]()}, "MovedImportResponse": {reflect.TypeFor[client.MovedImport]()},
		"Error": {reflect.TypeFor[client.Error]()}, "ErrorDetail": {reflect.TypeFor[client.Detail]()}, "ErrorCode": {reflect.TypeFor[client.Code]()},
		"Pagination": {reflect.TypeFor[client.Pagination]()}, "RecordType": {reflect.TypeFor[client.RecordType]()},
		"Result": {reflect.TypeFor[client.Result]()}, "Breakdown": {reflect.TypeFor[client.Breakdown]()}, "Counts": {reflect.TypeFor[client.Counts]()}, "Interval": {reflect.TypeFor[client.Interval]()},
		"DualScope": {reflect.TypeFor[client.DualScope]()}, "StandardTable": {reflect.TypeFor[client.StandardTable]()},
		"Finding": {reflect.TypeFor[client.Finding]()}, "MeasureNext": {reflect.TypeFor[client.MeasureNext]()}, "Line": {reflect.TypeFor[client.Line]()},
		"ExplainedRecord": {reflect.TypeFor[client.ExplainedRecord]()}, "FactorSetName": {reflect.TypeFor[client.FactorSetName]()},
		"Cause": {reflect.TypeFor[client.Cause]()}, "WaterfallEnd": {reflect.TypeFor[client.ComparisonEnd]()}, "Factor": {reflect.TypeFor[client.Factor]()}, "FactorSet": {reflect.TypeFor[client.FactorSet]()},
		"Compensation": {reflect.TypeFor[client.Compensation]()},
		"SignOff":      {reflect.TypeFor[client.SignOff]()}, "Edition": {reflect.TypeFor[client.Edition]()}, "Checklist": {reflect.TypeFor[client.Checklist]()},
		"SignOffInput": {reflect.TypeFor[client.SignOffInput]()}, "FieldChange": {reflect.TypeFor[client.FieldChange]()},
		"RehearsalInput": {reflect.TypeFor[client.RehearsalInput]()}, "Effect": {reflect.TypeFor[client.Effect]()}, "EffectFigures": {reflect.TypeFor[client.EffectFigures]()}, "EventChange": {reflect.TypeFor[client.EventChange]()}, "HistoryActor": {reflect.TypeFor[client.HistoryActor]()}, "EventHistoryEntry": {reflect.TypeFor[client.EventHistoryEntry]()},
		"SignOffResponse": {reflect.TypeFor[client.SignOffOutcome]()}, "EventChangeListResponse": {reflect.TypeFor[client.EventChanges]()},
		"SupplierFactor": {reflect.TypeFor[client.SupplierFactor]()}, "SupplierEvidence": {reflect.TypeFor[client.Evidence]()}, "SupplierFactorInput": {reflect.TypeFor[client.SupplierFactorInput]()}, "SupplierFactorEntry": {reflect.TypeFor[client.SupplierFactorEntry]()}, "ExplainedLine": {reflect.TypeFor[client.ExplainedLine]()}, "CountedSum": {reflect.TypeFor[client.CountedSum]()}, "PreviewRowsRequest": {reflect.TypeFor[client.RowsToPreview]()}, "PreviewedRowsResponse": {reflect.TypeFor[client.RowsPreview]()},
		"VarianceShare": {reflect.TypeFor[float64]()},
		// The data of envelopes that have no schema of their own.
		"ExportResponse": {reflect.TypeFor[client.Export]()}, "CreatedUserResponse": {reflect.TypeFor[client.CreatedUser]()}, "DeletedResponse": {reflect.TypeFor[client.Deleted]()}, "HealthStateResponse": {reflect.TypeFor[client.Health]()},
		"OutcomesResponse": {reflect.TypeFor[client.Outcomes]()}, "LocationResponse": {reflect.TypeFor[client.Location]()}, "PreviewResponse": {reflect.TypeFor[client.Preview]()},
		"WaterfallResponse": {reflect.TypeFor[client.Comparison]()}, "AdoptionResponse": {reflect.TypeFor[client.Adoption]()},
	}
}

// untyped are schemas without a type in the client, and why.
func untyped() map[string]string {
	return map[string]string{
		"ChecklistResponse": "the SignOffOutcome of a rehearsal", "EventChangeResponse": "a Governed, which proposes", "EventDecisionResponse": "an Event",
		"ErrorResponse": "the client opens the envelope", "EmptyResponse": "nothing to read",
		"LoginRequest": "arguments of Login", "RefreshRequest": "made by the client itself", "OptionalComment": "an argument of the moves",
		"RequiredComment": "an argument of the moves", "BatchInput": "an argument of CreateRecords", "IdsInput": "an argument", "FactorSetInput": "an argument of AdoptFactorSet",
		"RecordState": "part of Record", "RecordInput": "one of the inputs", "RecordPatch": "names and values", "ReportBundle": "bytes that must stay as they are", "SignedBundle": "bytes that must stay as they are",
		"SupplierFactorPatch":   "names and values",
		"LocationIndexResponse": "its items are typed", "PlaceIndexResponse": "its items are typed", "FactorSetResponse": "a FactorSet, and a list of Factor",
	}
}

type object = map[string]any

type holder struct {
	t       *testing.T
	schemas object
	faults  []string
}

func (h *holder) fault(at, what string) { h.faults = append(h.faults, at+": "+what) }

func document(t *testing.T) object {
	t.Helper()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	var tree object
	if err := json.Unmarshal(d.JSON, &tree); err != nil {
		t.Fatal(err)
	}
	return tree
}

func member(v any, path ...string) object {
	for _, name := range path {
		m, _ := v.(object)
		v = m[name]
	}
	m, _ := v.(object)
	return m
}

// TestClientTypes holds the types of the Go client to the schemas of the
// document, both ways, down to the last field and its kind.
func TestClientTypes(t *testing.T) {
	t.Parallel()
	h := &holder{t: t, schemas: member(document(t), "components", "schemas")}
	types, excused := typed(), untyped()
	// The inputs of the client are made from the record types, as their schemas are.
	generated := map[string]bool{"CommonInput": true}
	for _, typ := range footprint.Types() {
		generated[footprint.SchemaName(typ)] = true
		generated[strings.TrimSuffix(footprint.SchemaName(typ), "Input")+"Fields"] = true // raw in a RawRecord
	}
	for name, s := range h.schemas {
		data := member(s, "properties", "data")
		_, isRef := data["$ref"]
		_, isList := member(data, "properties")["pagination"]
		switch {
		case types[name] != nil:
			for _, typ := range types[name] {
				target := member(s)
				if data != nil {
					target = data
				}
				h.check(typ.Name(), target, typ)
			}
		case generated[name]:
		case excused[name] == "" && !(data != nil && (isRef || isList)):
			t.Errorf("the schema %s has no type in the client", name)
		}
	}
	h.check("IndexedPlace", member(h.schemas, "LocationIndexResponse", "properties", "data", "properties", "items", "items"), reflect.TypeFor[client.IndexedPlace]())
	for _, names := range []map[string]bool{names(types), names(excused)} {
		for name := range names {
			if h.schemas[name] == nil {
				t.Errorf("there is no schema %s", name)
			}
		}
	}
	slices.Sort(h.faults)
	for _, f := range slices.Compact(h.faults) {
		t.Error(f)
	}
}

func names[V any](m map[string]V) map[string]bool {
	out := map[string]bool{}
	for name := range m {
		out[name] = true
	}
	return out
}

// notSent are properties of answers that a change does not take.
var notSent = map[string]bool{"PolicyPatch.autoApproveSetBy": true}

// check holds a type to a schema.
func (h *holder) check(at string, s object, typ reflect.Type) {
	if reference, ok := s["$ref"].(string); ok {
		name := strings.TrimPrefix(reference, "#/components/schemas/")
		if types := typed()[name]; !slices.Contains(types, plain(typ)) {
			h.fault(at, "is a "+typ.String()+", the document says "+name)
		}
		return
	}
	for _, kind := range []string{"anyOf", "oneOf"} {
		for _, part := range anySlice(s[kind]) {
			if member(part)["type"] != "null" {
				h.check(at, member(part), typ)
			}
		}
		if s[kind] != nil {
			return
		}
	}
	typ = plain(typ)
	switch kind := kindOf(s); kind {
	case "string":
		want := typ.Kind() == reflect.String
		if s["format"] == "date-time" {
			want = typ == reflect.TypeFor[time.Time]()
		}
		h.want(at, want, typ, kind)
	case "integer":
		h.want(at, typ.Kind() == reflect.Int, typ, kind)
	case "number":
		h.want(at, typ.Kind() == reflect.Float64 || typ == reflect.TypeFor[client.Kilograms](), typ, kind)
		if s["x-unit"] == "kg CO2e" && typ.Kind() == reflect.Float64 && !input(at) {
			h.fault(at, "is a mass, and not Kilograms")
		}
	case "boolean":
		h.want(at, typ.Kind() == reflect.Bool, typ, kind)
	case "array":
		if h.want(at, typ.Kind() == reflect.Slice, typ, kind) {
			h.check(at+"[]", member(s["items"]), typ.Elem())
		}
	default:
		h.checkObject(at, s, typ)
	}
}

// input reports whether a field is one that is sent.
func input(at string) bool {
	return strings.HasPrefix(at, "Custom.") || strings.HasPrefix(at, "PolicyPatch.")
}

func (h *holder) want(at string, good bool, typ reflect.Type, kind string) bool {
	if !good {
		h.fault(at, "is a "+typ.String()+", the document says "+kind)
	}
	return good
}

func (h *holder) checkObject(at string, s object, typ reflect.Type) {
	properties := h.properties(s)
	switch {
	case typ == reflect.TypeFor[json.RawMessage]():
		h.want(at, len(properties) == 0, typ, "more")
		return
	case typ.Kind() == reflect.Map:
		for name, p := range properties {
			h.check(at+"."+name, member(p), typ.Elem())
		}
		if more := member(s["additionalProperties"]); more != nil {
			h.check(at+".*", more, typ.Elem())
		}
		return
	case !h.want(at, typ.Kind() == reflect.Struct, typ, "object"):
		return
	}
	fields := map[string]reflect.Type{}
	fieldsOf(typ, fields)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		field, ok := fields[name]
		if !ok {
			if !notSent[at+"."+name] {
				h.fault(at, "has no field for "+name)
			}
			continue
		}
		delete(fields, name)
		h.check(at+"."+name, member(properties[name]), field)
	}
	for name := range fields {
		h.fault(at, "has a field "+name+", which the document has not")
	}
}

// properties returns those of a schema and of all its parts. A Record has those of
// every type of record, of which the client types what all have; Input reads the
// others.
func (h *holder) properties(s object) object {
	out := object{}
	if reference, ok := s["$ref"].(string); ok {
		return h.properties(member(h.schemas[strings.TrimPrefix(reference, "#/components/schemas/")]))
	}
	for _, part := range anySlice(s["allOf"]) {
		if member(part)["anyOf"] != nil {
			part = h.schemas["CommonInput"]
		}
		maps.Copy(out, h.properties(member(part)))
	}
	maps.Copy(out, member(s["properties"]))
	return out
}

// fieldsOf returns the fields of a struct as encoding/json sees them.
func fieldsOf(typ reflect.Type, into map[string]reflect.Type) {
	for f := range typ.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			fieldsOf(f.Type, into)
		case f.IsExported() && name != "-":
			into[name] = f.Type
		}
	}
}

// plain takes a pointer or an Optional from a type.
func plain(typ reflect.Type) reflect.Type {
	if typ.Kind() == reflect.Pointer {
		return plain(typ.Elem())
	}
	if strings.HasPrefix(typ.Name(), "Optional[") {
		value, _ := typ.FieldByName("value")
		return plain(value.Type)
	}
	return typ
}

func anySlice(v any) []any { l, _ := v.([]any); return l }

func kindOf(s object) string {
	if name, ok := s["type"].(string); ok {
		return name
	}
	for _, name := range anySlice(s["type"]) {
		if name != "null" {
			return name.(string)
		}
	}
	return "object"
}

// The check must be one that can fail.
func TestClientTypesThatDifferAreSeen(t *testing.T) {
	t.Parallel()
	var s object
	err := json.Unmarshal([]byte(`{"properties": {
		"good": {"type": "string"}, "missing": {"type": "string"}, "at": {"type": ["string", "null"], "format": "date-time"},
		"mass": {"type": "number", "x-unit": "kg CO2e"}, "deep": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "integer"}}}},
		"by": {"$ref": "#/components/schemas/Actor"}
	}}`), &s)
	if err != nil {
		t.Fatal(err)
	}
	h := &holder{t: t, schemas: object{}}
	h.check("X", s, reflect.TypeFor[struct {
		Good string            `json:"good"`
		At   string            `json:"at"`
		Mass *float64          `json:"mass,omitempty"`
		Deep []struct{ N int } `json:"deep"`
		By   client.User       `json:"by"`
		More int               `json:"more"`
	}]())
	slices.Sort(h.faults)
	want := []string{
		"X.at: is a string, the document says string", "X.by: is a client.User, the document says Actor", "X.deep[]: has a field , which the document has not",
		"X.deep[]: has no field for n", "X.mass: is a mass, and not Kilograms", "X: has a field more, which the document has not", "X: has no field for missing",
	}
	if !slices.Equal(h.faults, want) {
		t.Errorf("found %q", h.faults)
	}
}
