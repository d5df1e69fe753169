package gateway

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/spec"
)

// doctored returns the document with operations marked as deprecated.
func doctored(t *testing.T) *spec.Document {
	t.Helper()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	text := d.JSON()
	for id, members := range map[string]string{
		"listEvents": `"deprecated":true,"x-deprecated-since":"2027-03-01","x-sunset":"2027-12-31",`,
		"getEvent":   `"deprecated":true,"x-deprecated-since":"2027-03-01",`,
	} {
		mark := []byte(`"operationId":"` + id + `"`)
		if bytes.Count(text, mark) != 1 {
			t.Fatalf("%s is in the document %d times", id, bytes.Count(text, mark))
		}
		text = bytes.Replace(text, mark, append([]byte(members), mark...), 1)
	}
	changed, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return &changed
}

// TestDeprecationIsAnnounced verifies that each response of a deprecated operation says so,
// including errors, and no other.
func TestDeprecationIsAnnounced(t *testing.T) {
	t.Parallel()
	s := start(t, func(d *Deps) { d.Document = doctored(t) })
	const since = "@1803859200" // 2027-03-01
	for _, c := range []struct {
		path, since, sunset string
		token               string
	}{
		{"/api/v2/events", since, "Fri, 31 Dec 2027 00:00:00 GMT", alice},
		{"/api/v2/events/e", since, "", alice},
		{"/api/v2/organization", "", "", alice},
	} {
		got := s.do(request{method: "GET", path: c.path, token: c.token})
		if got.status != http.StatusOK || got.header.Get("Deprecation") != c.since || got.header.Get("Sunset") != c.sunset {
			t.Errorf("%s: %d, Deprecation %q, Sunset %q", c.path, got.status, got.header.Get("Deprecation"), got.header.Get("Sunset"))
		}
		if linked := strings.Contains(got.header.Get("Link"), `rel="deprecation"`); linked != (c.since != "") {
			t.Errorf("%s: Link %q", c.path, got.header.Get("Link"))
		}
	}
	again := s.do(request{method: "POST", path: "/api/v2/events", token: alice, body: `{}`})
	if again.header.Get("Deprecation") != "" {
		t.Error("another operation of the same path is announced as deprecated")
	}
}

// TestNothingIsDeprecatedSilently verifies that a deprecated operation must have a date, and
// that there is none today.
func TestNothingIsDeprecatedSilently(t *testing.T) {
	t.Parallel()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range d.Operations {
		if o.Deprecated != nil {
			t.Errorf("%s is deprecated: its description must say what takes its place, and the guide of the document that something is", o.ID)
		}
	}
	broken := bytes.Replace(d.JSON(), []byte(`"operationId":"listEvents"`), []byte(`"deprecated":true,"operationId":"listEvents"`), 1)
	if _, err := spec.Parse(broken); err == nil {
		t.Error("a deprecated operation without a day was accepted")
	}
}

// TestDocumentNamesTheHost verifies that the document names the public URL, for generated
// clients.
func TestDocumentNamesTheHost(t *testing.T) {
	t.Parallel()
	s := start(t, func(d *Deps) { d.Issuer = "https://carbon.example.org" })
	got := s.do(request{method: "GET", path: "/api/v2/openapi.json"})
	var document struct {
		Servers []struct{ URL string }
		Paths   map[string]struct{ Servers []struct{ URL string } }
	}
	if err := json.Unmarshal([]byte(got.body), &document); err != nil {
		t.Fatal(err)
	}
	if len(document.Servers) != 1 || document.Servers[0].URL != "https://carbon.example.org/api/v2" {
		t.Errorf("servers %v", document.Servers)
	}
	if root := document.Paths["/.well-known/jwks.json"].Servers; len(root) != 1 || root[0].URL != "https://carbon.example.org/" {
		t.Errorf("servers of the keys: %v", root)
	}
	if strings.Contains(got.body, `"url":"/`) {
		t.Error("a relative server is left")
	}
}

// TestExamplesNameTheHost verifies that copied examples send requests to this server.
func TestExamplesNameTheHost(t *testing.T) {
	t.Parallel()
	plain := start(t)
	named := start(t, func(d *Deps) { d.Issuer = "https://carbon.example.org/" })
	for _, path := range []string{"/api/v2/openapi.json", "/api/v2/docs"} {
		r := request{method: "GET", path: path}
		if got := plain.do(r); !strings.Contains(got.body, "BASE="+spec.SampleAddress+"/api/v2") {
			t.Errorf("%s: no example at %s", path, spec.SampleAddress)
		}
		if got := named.do(r); !strings.Contains(got.body, "BASE=https://carbon.example.org/api/v2") || strings.Contains(got.body, spec.SampleAddress) {
			t.Errorf("%s: its examples do not name the host", path)
		}
	}
}
