package e2e

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/eventcarbon/ecf/libs/spec"
)

// contract is the OpenAPI document, ready to check answers against.
var contract = sync.OnceValues(func() (routers.Router, error) {
	document, err := spec.Load()
	if err != nil {
		return nil, err
	}
	loaded, err := openapi3.NewLoader().LoadFromData(document.JSON)
	if err != nil {
		return nil, err
	}
	// The document names the default address; the tests' servers are elsewhere.
	loaded.Servers = openapi3.Servers{{URL: "/api/v2"}}
	return gorillamux.NewRouter(loaded)
})

// checkContract holds one answer against the document: every answer of every
// test of this package passes here. Paths that are not in the document are the
// tests' own tries at what does not exist; their answer must be an error.
func checkContract(t *testing.T, request *http.Request, status int, header http.Header, body []byte) {
	t.Helper()
	router, err := contract()
	if err != nil {
		t.Fatal(err)
	}
	asked := request.Clone(context.Background())
	asked.Host, asked.URL.Host, asked.URL.Scheme = "", "", ""
	route, parameters, err := router.FindRoute(asked)
	if err != nil {
		if status < 400 {
			t.Errorf("%s %s answers %d, but is not in the document: %v", request.Method, request.URL.Path, status, err)
		}
		return
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, PathParams: parameters, Route: route},
		Status:                 status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	}
	if err := openapi3filter.ValidateResponse(context.Background(), input); err != nil {
		t.Errorf("%s %s answers %d outside of the document: %v\n%s", request.Method, request.URL.Path, status, err, body)
	}
}
