package e2e

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/tests/conformance"
)

// checkContract checks a response against the document; every response in this package
// passes through it.
func checkContract(t *testing.T, request *http.Request, status int, header http.Header, body []byte) {
	t.Helper()
	if err := conformance.Answer(request, status, header, body); err != nil {
		t.Errorf("%s %s is answered with %d, which does not conform to the document: %v\n%s", request.Method, request.URL.Path, status, err, body)
	}
}

// validating is a transport for the client that checks every request and response
// against the document.
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
	if err := conformance.Request(r); err != nil {
		v.t.Errorf("the request %s %s does not conform to the document: %v", r.Method, r.URL.Path, err)
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
