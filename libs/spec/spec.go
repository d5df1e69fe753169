// Package spec contains the description of the API: one OpenAPI document, from
// which the served JSON, the page of errors and the checks of the operations
// table are derived. It is edited in openapi.yaml; programs read openapi.json,
// which go generate derives from it.
package spec

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

//go:generate go run ./internal/recordtypes
//go:generate go run ./internal/generate ../..

//go:embed openapi.json
var document []byte

// Document is the OpenAPI document, read.
type Document struct {
	// Title is the name of the API.
	Title string
	// Operations are all operations, sorted by path.
	Operations []Operation
	// Errors are all error codes, in the order of their statuses.
	Errors []ErrorEntry
	// text is the whole document as read.
	text []byte
}

// Operation is one method of one path.
type Operation struct {
	Method string
	// Path is the path in the document, "/events/{eventId}", below the base path unless Root is set.
	Path string
	// Root paths are at the root of the host.
	Root bool
	ID   string
	// Public operations need no token.
	Public bool
	// RequiredRole is the least role: none, user, manager or admin.
	RequiredRole string
	// Deprecated is set on an operation that is going to end.
	Deprecated *Deprecation
}

// Deprecation is when an operation that is going to end was marked as such, and
// from when it may be gone: the zero time while that is not decided.
type Deprecation struct{ Since, Sunset time.Time }

// ErrorEntry is the documentation of an error code.
type ErrorEntry struct {
	Code   apperr.Code `json:"code"`
	Status int         `json:"status"`
	// Cause describes the cause, Remedy what to do; both in Markdown, of
	// which only `code` spans are used.
	Cause  string `json:"cause"`
	Remedy string `json:"remedy"`
}

// Load reads the document. It fails only when the document that was built in
// is broken, which the tests of this package exclude.
func Load() (Document, error) { return Parse(document) }

// Parse reads a document, which must not be changed afterwards.
func Parse(document []byte) (Document, error) {
	var content struct {
		Info struct {
			Title string `json:"title"`
		} `json:"info"`
		Paths  map[string]pathItem `json:"paths"`
		Errors []ErrorEntry        `json:"x-errors"`
	}
	if err := json.Unmarshal(document, &content); err != nil {
		return Document{}, fmt.Errorf("openapi document: %w", err)
	}
	d := Document{Title: content.Info.Title, Errors: content.Errors, text: document}
	slices.SortStableFunc(d.Errors, func(a, b ErrorEntry) int { return a.Status - b.Status })
	for _, path := range slices.Sorted(maps.Keys(content.Paths)) {
		operations, err := content.Paths[path].operations(path)
		if err != nil {
			return Document{}, err
		}
		d.Operations = append(d.Operations, operations...)
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
	Security   *[]json.RawMessage `json:"security"`
	Deprecated bool               `json:"deprecated"`
	// Since and Sunset are dates, "2027-03-01".
	Since  string `json:"x-deprecated-since"`
	Sunset string `json:"x-sunset"`
}

// deprecation reads since when an operation is deprecated, which is required of
// a deprecated one, and from when it may be gone.
func (o operation) deprecation() (*Deprecation, error) {
	if !o.Deprecated {
		return nil, nil //nolint:nilnil // it is not deprecated
	}
	since, err := time.Parse(time.DateOnly, o.Since)
	d := Deprecation{Since: since}
	if err == nil && o.Sunset != "" {
		d.Sunset, err = time.Parse(time.DateOnly, o.Sunset)
	}
	if err != nil {
		return nil, fmt.Errorf("openapi document: %s is deprecated, with x-deprecated-since %q and x-sunset %q: %w", o.OperationID, o.Since, o.Sunset, err)
	}
	return &d, nil
}

func (p pathItem) operations(path string) (list []Operation, err error) {
	add := func(method string, o *operation) {
		if o == nil || err != nil {
			return
		}
		var deprecated *Deprecation
		deprecated, err = o.deprecation()
		list = append(list, Operation{
			Method: method, Path: path, Root: len(p.Servers) > 0, ID: o.OperationID, Deprecated: deprecated,
			Public: o.Security != nil && len(*o.Security) == 0, RequiredRole: o.RequiredRole,
		})
	}
	add(http.MethodGet, p.Get)
	add(http.MethodPost, p.Post)
	add(http.MethodPut, p.Put)
	add(http.MethodPatch, p.Patch)
	add(http.MethodDelete, p.Delete)
	return list, err
}

// JSON returns the whole document without white space, its members in their original
// order. It is generated on each call, so that a process keeps the megabyte in memory only on
// demand.
func (d Document) JSON() []byte {
	var text bytes.Buffer
	text.Grow(len(d.text))
	_ = json.Compact(&text, d.text) // Parse has read it
	return text.Bytes()
}

// At returns the document as served at an address: with absolute addresses instead of relative ones, so that
// generated clients know the host, also in examples. The order of members is preserved. An empty address changes
// nothing.
func (d Document) At(address string) []byte {
	if address == "" {
		return d.JSON()
	}
	host, _ := json.Marshal(strings.TrimRight(address, "/")) //nolint:errchkjson // a text always marshals
	host = host[1 : len(host)-1]
	// Only an entry of servers has a relative address as its first member.
	text := bytes.ReplaceAll(d.JSON(), []byte(`{"url":"/`), append(append([]byte(`{"url":"`), host...), '/'))
	return bytes.ReplaceAll(text, []byte(SampleAddress), host)
}

// SampleAddress is where the examples of the document have the server.
const SampleAddress = "http://127.0.0.1:8080"

// Operation returns the operation with an id; the zero value if there is none.
func (d Document) Operation(id string) Operation {
	for _, o := range d.Operations {
		if o.ID == id {
			return o
		}
	}
	return Operation{}
}
