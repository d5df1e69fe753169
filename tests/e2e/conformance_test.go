package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
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
	// A page is a text; the checker knows no other of its kind.
	openapi3filter.RegisterBodyDecoder("text/html", openapi3filter.PlainBodyDecoder)
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
// test of this package passes here.
func checkContract(t *testing.T, request *http.Request, status int, header http.Header, body []byte) {
	t.Helper()
	if err := contractFault(request, status, header, body); err != nil {
		t.Errorf("%s %s answers %d outside of the document: %v\n%s", request.Method, request.URL.Path, status, err, body)
	}
}

// contractFault says how an answer is outside of the document. Paths that are
// not in it are the tests' own tries at what does not exist; their answer must
// be an error.
func contractFault(request *http.Request, status int, header http.Header, body []byte) error {
	input, err := found(request)
	if errors.Is(err, errNoRoute) && status >= 400 {
		return nil
	}
	if err != nil {
		return err
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: input,
		Status:                 status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
}

// validating is a transport for the client that holds every request and every
// answer against the document.
type validating struct{ t *testing.T }

func (v *validating) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := r
	r = r.Clone(r.Context())
	if r.Body != nil && r.Header.Get("Content-Type") == "application/json" {
		body, err := io.ReadAll(r.Body)
		if err := errors.Join(err, r.Body.Close()); err != nil {
			return nil, err
		}
		sent = r.Clone(r.Context())
		sent.Body = io.NopCloser(bytes.NewReader(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
	} else {
		r.Body = nil // rows of CSV are sent as they are read
	}
	if err := requestFault(r); err != nil {
		v.t.Errorf("%s %s is sent outside of the document: %v", r.Method, r.URL.Path, err)
	}
	response, err := http.DefaultTransport.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	checkContract(v.t, r, response.StatusCode, response.Header, body)
	return response, nil
}

// requestFault says how a request is outside of the document. Rows of CSV are
// looked at by the server only.
func requestFault(r *http.Request) error {
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
	router, err := contract()
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

// The check must be one that can fail.
func TestAnswersOutsideOfTheDocumentAreSeen(t *testing.T) {
	t.Parallel()
	good := `{"success":true,"data":{"items":[],"pagination":{"page":1,"limit":25,"total":0,"totalPages":0}}}`
	for name, c := range map[string]struct {
		path, body string
		status     int
		fault      bool
	}{
		"an answer as documented":   {"/api/v2/events", good, http.StatusOK, false},
		"a total that is a text":    {"/api/v2/events", strings.Replace(good, `"total":0`, `"total":"0"`, 1), http.StatusOK, true},
		"no envelope":               {"/api/v2/events", `[]`, http.StatusOK, true},
		"a status of its own":       {"/api/v2/events", good, http.StatusTeapot, true},
		"a success on no such path": {"/api/v2/secret", good, http.StatusOK, true},
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1"+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		header := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"x"}}
		if err := contractFault(request, c.status, header, []byte(c.body)); (err != nil) != c.fault {
			t.Errorf("%s: %v", name, err)
		}
	}
}
