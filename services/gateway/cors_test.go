package gateway

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/spec"
)

const pageOrigin = "https://app.example.org"

func origins(list ...string) func(*Deps) { return func(d *Deps) { d.Origins = list } }

func preflight(origin string) request {
	return request{method: "OPTIONS", path: "/api/v2/events", header: map[string]string{
		"Origin": origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type,idempotency-key",
	}}
}

// TestOriginsNamedByTheOperator verifies that pages of a configured origin may send and read
// all header fields of the API, but never cookies.
func TestOriginsNamedByTheOperator(t *testing.T) {
	t.Parallel()
	s := start(t, origins(pageOrigin, "http://localhost:5173"))
	asked := s.do(preflight(pageOrigin))
	if asked.status != http.StatusNoContent || asked.header.Get("Access-Control-Allow-Origin") != pageOrigin ||
		asked.header.Get("Access-Control-Allow-Credentials") != "" || !strings.Contains(asked.header.Get("Vary"), "Origin") || asked.header.Get("Access-Control-Max-Age") == "" {
		t.Errorf("preflight: %d %v", asked.status, asked.header)
	}
	for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		if !strings.Contains(asked.header.Get("Access-Control-Allow-Methods"), method) {
			t.Errorf("%s is not allowed", method)
		}
	}
	sent, answered := documentedFields(t)
	for _, name := range append(sent, "Authorization", "Content-Type", "X-Request-Id") {
		if !strings.Contains(strings.ToLower(asked.header.Get("Access-Control-Allow-Headers")), strings.ToLower(name)) {
			t.Errorf("%s may not be sent", name)
		}
	}
	for _, r := range []request{
		{method: "GET", path: "/api/v2/events", token: alice},
		{method: "GET", path: "/api/v2/events"}, // refused: 401
		{method: "GET", path: "/api/v2/nothing", token: alice},
		{method: "GET", path: "/.well-known/jwks.json"},
	} {
		r.header = map[string]string{"Origin": pageOrigin}
		got := s.do(r)
		if got.header.Get("Access-Control-Allow-Origin") != pageOrigin || got.header.Get("Access-Control-Allow-Credentials") != "" ||
			!strings.Contains(got.header.Get("Vary"), "Origin") || got.header.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
			t.Errorf("%s: %d %v", r.path, got.status, got.header)
		}
		for _, name := range append(answered, "Link") { // of every deprecated operation
			if !strings.Contains(strings.ToLower(got.header.Get("Access-Control-Expose-Headers")), strings.ToLower(name)) {
				t.Errorf("%s cannot be read", name)
			}
		}
	}
}

// documentedFields returns the documented header fields of requests and responses.
func documentedFields(t *testing.T) (sent, answered []string) {
	t.Helper()
	d, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		Paths      map[string]map[string]json.RawMessage
		Components struct {
			Parameters map[string]struct{ In, Name string }
			Responses  map[string]answerFields
		}
	}
	if err := json.Unmarshal(d.JSON(), &document); err != nil {
		t.Fatal(err)
	}
	for _, p := range document.Components.Parameters {
		if p.In == "header" {
			sent = append(sent, p.Name)
		}
	}
	for _, r := range document.Components.Responses {
		answered = slices.AppendSeq(answered, maps.Keys(r.Headers))
	}
	for _, item := range document.Paths {
		for _, text := range item {
			var operation struct{ Responses map[string]answerFields }
			if json.Unmarshal(text, &operation) != nil {
				continue // path parameters
			}
			for _, r := range operation.Responses {
				answered = slices.AppendSeq(answered, maps.Keys(r.Headers))
			}
		}
	}
	slices.Sort(answered)
	if answered = slices.Compact(answered); len(sent) < 5 || len(answered) < 10 {
		t.Fatalf("only %q and %q", sent, answered)
	}
	return sent, answered
}

type answerFields struct{ Headers map[string]json.RawMessage }

// TestOtherOriginsAreNotAllowed verifies that no other origin is allowed, and none by default.
func TestOtherOriginsAreNotAllowed(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*stack{"off": start(t), "on": start(t, origins(pageOrigin))} {
		for _, origin := range []string{"https://evil.example", "null", pageOrigin + ".evil.example", "https://app.example.org:8443"} {
			for _, r := range []request{preflight(origin), {method: "GET", path: "/api/v2/events", token: alice, header: map[string]string{"Origin": origin}}} {
				got := s.do(r)
				for field := range got.header {
					if strings.HasPrefix(field, "Access-Control-") {
						t.Errorf("%s, %s %s: %s", name, origin, r.method, field)
					}
				}
				if name == "on" && r.method == "GET" && !strings.Contains(got.header.Get("Vary"), "Origin") {
					t.Errorf("a cache could serve the answer to %s to another origin", origin)
				}
			}
		}
	}
}

// TestConsoleIsNotForOtherOrigins verifies that the console's prefix has no CORS headers.
func TestConsoleIsNotForOtherOrigins(t *testing.T) {
	t.Parallel()
	s := start(t, origins(pageOrigin))
	r := preflight(pageOrigin)
	for _, path := range []string{"/console/api/events", "/console/sign-in"} {
		r.path = path
		if got := s.do(r); got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d %v", path, got.status, got.header)
		}
	}
}
