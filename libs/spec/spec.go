// Package spec holds the description of the API: one OpenAPI document, from
// which the served JSON, the page of errors and the checks of the operations
// table are made. It is edited in openapi.yaml; programs read openapi.json,
// which go generate makes from it.
package spec

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
)

//go:generate go run ./internal/recordtypes
//go:generate go run ./internal/generate openapi.yaml openapi.json ../../services/gateway/docs/reference.html ../../docs/methodology.md ../../services/gateway/docs/methodology.html

//go:embed openapi.json
var document []byte

// Document is the OpenAPI document, read.
type Document struct {
	// JSON is the whole document, its members in the order they are written in.
	JSON []byte
	// Operations are all operations, sorted by path.
	Operations []Operation
	// Errors are all error codes, in the order of their statuses.
	Errors []ErrorEntry
}

// Operation is one method of one path.
type Operation struct {
	Method string
	// Path is as it is written, "/events/{eventId}", below the base path unless
	// Root is set.
	Path string
	// Root paths are at the root of the host.
	Root bool
	ID   string
	// Public operations need no token.
	Public bool
	// RequiredRole is what the document says about the least role: none, user,
	// manager or admin.
	RequiredRole string
}

// ErrorEntry is what the documentation says about an error code.
type ErrorEntry struct {
	Code   apperr.Code `json:"code"`
	Status int         `json:"status"`
	// Cause says what has happened, Remedy what to do; both in Markdown, of
	// which only `code` spans are used.
	Cause  string `json:"cause"`
	Remedy string `json:"remedy"`
}

// Load reads the document. It fails only when the document that was built in
// is broken, which the tests of this package exclude.
func Load() (Document, error) {
	var text bytes.Buffer
	if err := json.Compact(&text, document); err != nil {
		return Document{}, fmt.Errorf("openapi document: %w", err)
	}
	var content struct {
		Paths  map[string]pathItem `json:"paths"`
		Errors []ErrorEntry        `json:"x-errors"`
	}
	if err := json.Unmarshal(document, &content); err != nil {
		return Document{}, fmt.Errorf("openapi document: %w", err)
	}
	d := Document{JSON: text.Bytes(), Errors: content.Errors}
	slices.SortStableFunc(d.Errors, func(a, b ErrorEntry) int { return a.Status - b.Status })
	for _, path := range slices.Sorted(maps.Keys(content.Paths)) {
		d.Operations = append(d.Operations, content.Paths[path].operations(path)...)
	}
	return d, nil
}

type pathItem struct {
	Servers []json.RawMessage `json:"servers"`
	Get     *operation        `json:"get"`
	Post    *operation        `json:"post"`
	Put     *operation        `json:"put"`
	Patch   *operation        `json:"patch"`
	Delete  *operation        `json:"delete"`
}

type operation struct {
	OperationID  string `json:"operationId"`
	RequiredRole string `json:"x-required-role"`
	// Security is empty, and not absent, where no token is needed.
	Security *[]json.RawMessage `json:"security"`
}

func (p pathItem) operations(path string) []Operation {
	var list []Operation
	add := func(method string, o *operation) {
		if o == nil {
			return
		}
		list = append(list, Operation{
			Method: method, Path: path, Root: len(p.Servers) > 0, ID: o.OperationID,
			Public: o.Security != nil && len(*o.Security) == 0, RequiredRole: o.RequiredRole,
		})
	}
	add(http.MethodGet, p.Get)
	add(http.MethodPost, p.Post)
	add(http.MethodPut, p.Put)
	add(http.MethodPatch, p.Patch)
	add(http.MethodDelete, p.Delete)
	return list
}
