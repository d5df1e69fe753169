package e2e

import (
	"bytes"
	"context"
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
	router, err := contract()
	if err != nil {
		return err
	}
	asked := request.Clone(context.Background())
	asked.Host, asked.URL.Host, asked.URL.Scheme = "", "", ""
	route, parameters, err := router.FindRoute(asked)
	if err != nil {
		if status < 400 {
			return err
		}
		return nil
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: asked, PathParams: parameters, Route: route},
		Status:                 status, Header: header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
}

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
