// Package conformance validates requests and responses of the tests against the OpenAPI
// document.
package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"

	"github.com/eventcarbon/ecf/libs/spec"
)

// Router returns the OpenAPI document, ready to find the operation of a request.
var Router = sync.OnceValues(func() (routers.Router, error) {
	// A page is a text; the checker knows no other of its kind.
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder)
	document, err := spec.Load()
	if err != nil {
		return nil, err
	}
	loaded, err := openapi3.NewLoader().LoadFromData(document.JSON())
	if err != nil {
		return nil, err
	}
	// The document names the default address; the tests' servers are elsewhere.
	loaded.Servers = openapi3.Servers{{URL: "/api/v2"}}
	return gorillamux.NewRouter(loaded)
})

// Answer returns an error where an answer is outside of the document, or carries what
// the document does not state. Paths that are not in it are the tests' own tries at what does not exist; their answer must
// be an error.
func Answer(request *http.Request, status int, header http.Header, body []byte) error {
	input, err := found(request)
	if errors.Is(err, errNoRoute) && status >= 400 {
		return nil
	}
	if err != nil {
		return err
	}
	invalid := openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
	return errors.Join(invalid, unstated(input.Route, status, header, body))
}

// Request returns an error where a request is outside of the document. Rows of CSV
// are checked by the server only.
func Request(r *http.Request) error {
	input, err := found(r)
	if err != nil {
		return err
	}
	input.Options = &openapi3filter.Options{
		AuthenticationFunc: openapi3filter.NoopAuthenticationFunc, ExcludeRequestBody: r.Body == nil,
	}
	return openapi3filter.ValidateRequest(context.Background(), input)
}

// found looks a request up in the document.
func found(r *http.Request) (*openapi3filter.RequestValidationInput, error) {
	router, err := Router()
	if err != nil {
		return nil, err
	}
	asked := r.Clone(context.Background())
	asked.Host, asked.URL.Host, asked.URL.Scheme = "", "", ""
	route, parameters, err := router.FindRoute(asked)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoRoute, err)
	}
	return &openapi3filter.RequestValidationInput{Request: asked, PathParams: parameters, Route: route}, nil
}

var errNoRoute = errors.New("not in the document")
