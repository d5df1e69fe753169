package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/routers"

	"github.com/eventcarbon/ecf/libs/spec"
)

// OfEveryAnswer are the header fields that any response may have: HTTP defines them, or
// they are directives for browsers. The document lists them once instead of with each
// operation.
var OfEveryAnswer = []string{
	"Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Cache-Control", "Connection", "Content-Encoding", "Content-Length",
	"Content-Security-Policy", "Content-Type", "Cross-Origin-Resource-Policy", "Date", "Referrer-Policy", "Strict-Transport-Security",
	"Traceresponse", "Transfer-Encoding", "Vary", "X-Content-Type-Options", "X-Frame-Options",
}

// codes are the documented codes of details, notices and findings, by kind.
var codes = sync.OnceValues(func() (map[string][]string, error) {
	d, err := spec.Load()
	if err != nil {
		return nil, err
	}
	var document struct {
		Codes []struct{ Code, Of string } `json:"x-codes"`
	}
	if err := json.Unmarshal(d.JSON(), &document); err != nil {
		return nil, err
	}
	of := map[string][]string{}
	for _, c := range document.Codes {
		of[c.Of] = append(of[c.Of], c.Code)
	}
	for _, e := range d.Errors {
		of["error"] = append(of["error"], string(e.Code))
	}
	return of, nil
})

// unstated returns an error that names what a response has but the document does not:
// header fields, fields of its body, and codes. Validation does not find these, because
// it permits unknown fields.
func unstated(route *routers.Route, status int, header http.Header, body []byte) error {
	stated := route.Operation.Responses.Status(status)
	if stated == nil {
		stated = route.Operation.Responses.Default()
	}
	if stated == nil || stated.Value == nil {
		return nil // validation reports it
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(header)) {
		if !slices.Contains(OfEveryAnswer, name) && !hasHeader(stated.Value.Headers, name) {
			faults = append(faults, fmt.Errorf("the header field %s of %s %d is not in the document", name, route.Operation.OperationID, status))
		}
	}
	kind, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	media := stated.Value.Content.Get(kind)
	if kind != "application/json" || media == nil || media.Schema == nil {
		return errors.Join(faults...)
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return errors.Join(append(faults, err)...)
	}
	of, err := codes()
	if err != nil {
		return err
	}
	for _, field := range unknownFields([]*openapi3.Schema{media.Schema.Value}, value, "body") {
		faults = append(faults, fmt.Errorf("%s of %s %d is not in the document", field, route.Operation.OperationID, status))
	}
	for _, code := range unknownCodes(value, of) {
		faults = append(faults, fmt.Errorf("the code %s of %s %d is not in x-codes", code, route.Operation.OperationID, status))
	}
	if code := errorCode(value); code != "" && (stated.Value.Description == nil || !strings.Contains(*stated.Value.Description, "`"+code+"`")) {
		faults = append(faults, fmt.Errorf("the error %s is not listed for the response %d of %s", code, status, route.Operation.OperationID))
	}
	return errors.Join(faults...)
}

func hasHeader(stated openapi3.Headers, name string) bool {
	for known := range stated {
		if strings.EqualFold(known, name) {
			return true
		}
	}
	return false
}

// errorCode returns the code of an error body, or "".
func errorCode(value any) string {
	body, _ := value.(map[string]any)
	fault, _ := body["error"].(map[string]any)
	code, _ := fault["code"].(string)
	return code
}

// unknownFields returns the paths of the members of a value that are in none of the
// schemas it may have.
func unknownFields(of []*openapi3.Schema, value any, at string) (unknown []string) {
	of = parts(of)
	switch value := value.(type) {
	case []any:
		var items []*openapi3.Schema
		for _, s := range of {
			if s.Items != nil {
				items = append(items, s.Items.Value)
			} else if isAnything(s) {
				items = append(items, s)
			}
		}
		for _, item := range value {
			unknown = append(unknown, unknownFields(items, item, at+"[]")...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			member, free := memberSchemas(of, name)
			switch {
			case len(member) > 0:
				unknown = append(unknown, unknownFields(member, value[name], at+"."+name)...)
			case !free:
				unknown = append(unknown, at+"."+name)
			}
		}
	}
	return slices.Compact(unknown)
}

// memberSchemas returns the schemas that a member of an object may have, and whether it
// may be anything.
func memberSchemas(of []*openapi3.Schema, name string) (member []*openapi3.Schema, free bool) {
	var others []*openapi3.Schema
	for _, s := range of {
		if p := s.Properties[name]; p != nil {
			member = append(member, p.Value)
		}
		if s.AdditionalProperties.Schema != nil {
			others = append(others, s.AdditionalProperties.Schema.Value)
		}
		has := s.AdditionalProperties.Has
		free = free || has != nil && *has || isAnything(s)
	}
	if len(member) == 0 {
		member = others
	}
	return member, free
}

// isAnything reports whether a schema does not constrain its values.
func isAnything(s *openapi3.Schema) bool {
	return s.Type == nil && s.Const == nil && len(s.Enum)+len(s.Properties)+len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0
}

// parts returns schemas together with those they are composed of.
func parts(of []*openapi3.Schema) (all []*openapi3.Schema) {
	for _, s := range of {
		all = append(all, s)
		for _, refs := range []openapi3.SchemaRefs{s.AllOf, s.AnyOf, s.OneOf} {
			for _, ref := range refs {
				all = append(all, parts([]*openapi3.Schema{ref.Value})...)
			}
		}
	}
	return all
}

// unknownCodes returns the codes of details, notices and findings anywhere in a body
// that are not documented.
func unknownCodes(value any, known map[string][]string) (unknown []string) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			unknown = append(unknown, unknownCodes(item, known)...)
		}
	case map[string]any:
		for list, of := range map[string][]string{"details": {"detail"}, "notices": {"notice"}, "findings": {"finding", "notice"}, "errors": {"detail", "error"}} {
			items, _ := value[list].([]any)
			for _, item := range items {
				entry, _ := item.(map[string]any)
				code, _ := entry["code"].(string)
				// A status or state is the code of its detail.
				explained := entry["field"] == "status" || entry["field"] == "state" || slices.ContainsFunc(of, func(of string) bool { return slices.Contains(known[of], code) })
				if code != "" && !explained {
					unknown = append(unknown, of[0]+" "+code)
				}
			}
		}
		for _, member := range value {
			unknown = append(unknown, unknownCodes(member, known)...)
		}
	}
	return unknown
}
