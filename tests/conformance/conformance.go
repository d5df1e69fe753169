// Package conformance checks the requests and responses of tests against the OpenAPI
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

// Router returns a router for the operations of the OpenAPI document.
var Router = sync.OnceValues(func() (routers.Router, error) {
	// The validator has no decoder for pages, which are plain text to it.
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder)
	document, err := spec.Load()
	if err != nil {
		return nil, err
	}
	loaded, err := openapi3.NewLoader().LoadFromData(document.JSON())
	if err != nil {
		return nil, err
	}
	// The document names the default address; the servers of tests are elsewhere.
	loaded.Servers = openapi3.Servers{{URL: "/api/v2"}}
	return gorillamux.NewRouter(loaded)
})

// Answer returns an error if a response does not conform to the document, or has
// something that the document does not state. A path that is not in the document must
// be answered with an error.
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

// Request returns an error if a request does not conform to the document. Rows of CSV
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

// found finds the operation of a request in the document.
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
