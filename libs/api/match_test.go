package api_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

const base = "/api/v2"

func matcher(t testing.TB, table api.Table) *api.Matcher {
	t.Helper()
	m, err := api.NewMatcher(base, table)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func everything() api.Table { return append(api.Operations(), api.Pages()...) }

// TestFindByPath verifies which service answers which path.
func TestFindByPath(t *testing.T) {
	t.Parallel()
	m := matcher(t, everything())
	for _, want := range []struct {
		method, path string
		service      api.Service
		pattern      string
	}{
		{"POST", "/auth/login", api.Auth, "/auth/login"},
		{"GET", "/users/u1", api.Auth, "/users/{userId}"},
		{"GET", "/organization", api.Records, "/organization"},
		{"GET", "/organization/audit", api.Auth, "/organization/audit"},
		{"GET", "/events", api.Records, "/events"},
		{"HEAD", "/events/e1", api.Records, "/events/{eventId}"},
		{"POST", "/events/e1/flights", api.Records, "/events/{eventId}/{type}"},
		{"POST", "/events/e1/no-such-type", api.Records, "/events/{eventId}/{type}"},
		{"POST", "/events/e1/flights/batch", api.Records, "/events/{eventId}/{type}/batch"},
		{"PATCH", "/events/e1/flights/r1", api.Records, "/events/{eventId}/{type}/{recordId}"},
		{"POST", "/events/e1/flights/r1/submit", api.Records, "/events/{eventId}/{type}/{recordId}/submit"},
		{"POST", "/events/e1/flights/r1/withdraw", api.Records, "/events/{eventId}/{type}/{recordId}/withdraw"},
		{"GET", "/events/e1/flights/r1/history", api.Records, "/events/{eventId}/{type}/{recordId}/history"},
		{"POST", "/events/e1/flights/r1/review", api.Review, "/events/{eventId}/{type}/{recordId}/review"},
		{"POST", "/events/e1/flights/r1/reopen", api.Review, "/events/{eventId}/{type}/{recordId}/reopen"},
		{"GET", "/review", api.Calculation, "/review"},
		{"GET", "/events/e1/review", api.Calculation, "/events/{eventId}/review"},
		{"GET", "/events/e1/results", api.Calculation, "/events/{eventId}/results"},
		{"GET", "/events/e1/results/history", api.Calculation, "/events/{eventId}/results/history"},
		{"GET", "/events/e1/results/7", api.Calculation, "/events/{eventId}/results/{revision}"},
		{"GET", "/events/e1/", api.Records, "/events/{eventId}"}, // a trailing slash is ignored
		{"GET", "/events/%65%31", api.Records, "/events/{eventId}"},
		{"GET", "/events/e1/%72esults", api.Calculation, "/events/{eventId}/results"},
		{"GET", "/docs", api.Gateway, "/docs"},
		{"GET", "/auth/setup", api.Gateway, "/auth/setup"},
	} {
		o, ok := m.Find(want.method, base+want.path)
		if !ok || o.Service != want.service || o.Path != want.pattern {
			t.Errorf("%s %s: found %s of %s, want %s of %s", want.method, want.path, o, o.Service, want.pattern, want.service)
		}
	}
	if o, ok := m.Find("GET", "/.well-known/jwks.json"); !ok || o.ID != "jwks" {
		t.Errorf("the keys at the root: %s", o)
	}
	for _, move := range []record.Move{record.Submit, record.Withdraw, record.Review, record.Approve, record.RequestChanges, record.Reject, record.Reopen} {
		if _, ok := m.Find("POST", base+"/events/e1/flights/r1/"+string(move)); !ok {
			t.Errorf("the move %s has no operation", move)
		}
	}
	// A literal segment parallel to {type} must not be the name of a record type.
	for _, name := range footprint.Types() {
		if o, ok := m.Find("POST", base+"/events/e1/"+name); !ok || o.ID != "createRecord" {
			t.Errorf("records of type %s cannot be created: found %s", name, o)
		}
	}
	if got := api.Methods(m.Match(base + "/events/e1/flights/r1")); !slices.Equal(got, []string{"DELETE", "GET", "HEAD", "PATCH"}) {
		t.Errorf("methods of a record: %v", got)
	}
}

// TestReferencesInPaths verifies that a client's reference arrives unchanged, percent-encoded
// once, and that no other segment may contain a separator.
func TestReferencesInPaths(t *testing.T) {
	t.Parallel()
	m := matcher(t, everything())
	for encoded, want := range map[string]string{
		"a%2Fb": "a/b", "%2F": "/", "a%5Cb": `a\b`, "a%252Fb": "a%2Fb", "...": "...", "line%0Abreak": "line\nbreak", "a%20b+c": "a b+c", "submit": "submit", "%C3%A9%3F%23": "é?#",
	} {
		path := base + "/events/e1/waste/by-reference/" + encoded
		o, ok := m.Find("PUT", path)
		parts, decoded := api.DecodePath(strings.TrimPrefix(path, base))
		if !ok || o.ID != "putRecordByReference" || !decoded || parts[4] != want {
			t.Errorf("%s: found %q, segments %q", path, o.ID, parts)
		}
		if again, ok := api.DecodePath(api.JoinPath(parts)); !ok || !slices.Equal(again, parts) {
			t.Errorf("%s: %q after it was encoded again", path, again)
		}
	}
	for _, encoded := range []string{"..", ".", "%2e%2E", "%2e", "", "a%00b", "%ff", "a/b"} {
		if o, ok := m.Find("PUT", base+"/events/e1/waste/by-reference/"+encoded); ok {
			t.Errorf("%q is matched by %s", encoded, o)
		}
	}
}

// TestReservedWords verifies that a reserved word is never a type or an id, whatever the
// method.
func TestReservedWords(t *testing.T) {
	t.Parallel()
	m := matcher(t, everything())
	for _, word := range []string{"results", "review", "factor-set", "imports", "batch", "import", "export", "by-reference"} {
		for _, path := range []string{"/events/" + word, "/events/e1/" + word, "/events/e1/" + word + "/r1", "/events/e1/flights/" + word, "/events/" + word + "/flights", "/events/e1/" + word + "/r1/submit"} {
			for _, o := range m.Match(base + path) {
				for i, p := range strings.Split(o.Path, "/") {
					if strings.HasPrefix(p, "{") && strings.Split(path, "/")[i] == word {
						t.Errorf("%s is taken for %s", path, o.Path)
					}
				}
			}
		}
	}
}

func TestPathsOfNoOperation(t *testing.T) {
	t.Parallel()
	m := matcher(t, everything())
	for _, path := range []string{
		"/internal/sessions/s1", "/metrics", "/debug/pprof/", "/events//flights", "//events", "/events/e1/flights/r1/submit/x", "/", "", "/auth", "/Events",
		// Paths that two readers could interpret differently.
		"/events/..%2f..%2finternal", "/events/%2e%2e", "/events/..", "/events/.", "/events/e1%5cresults", "/events/e1/flights%00", "/events/%ff", "/events/\xff", "/events/%zz", "/events/e1%2fflights",
		"/events/e1%7f", "/events/e1\x7f/flights", "/events/e1%1f",
	} {
		for _, path := range []string{path, base + path} {
			if found := m.Match(path); found != nil {
				t.Errorf("%q is matched by %v", path, found)
			}
		}
	}
	for _, path := range []string{"/api/v2events", "/api/v1/events", "/events", base + "/.well-known/jwks.json"} {
		if found := m.Match(path); found != nil {
			t.Errorf("%q is matched by %v", path, found)
		}
	}
}

// TestSpecificity verifies that a literal segment takes precedence over a parameter, whatever
// the order of the operations.
func TestSpecificity(t *testing.T) {
	t.Parallel()
	list := api.Operation{ID: "listRecords", Method: http.MethodGet, Path: "/events/{eventId}/{type}"}
	counts := api.Operation{ID: "countRecords", Method: http.MethodGet, Path: "/events/{eventId}/counts"}
	deep := api.Operation{ID: "deep", Method: http.MethodGet, Path: "/events/all/{type}"}
	for _, table := range []api.Table{{list, counts, deep}, {deep, counts, list}, {counts, list, deep}} {
		m := matcher(t, table)
		for path, want := range map[string]string{
			"/events/e1/counts": "countRecords", "/events/e1/flights": "listRecords",
			"/events/all/counts": "deep", "/events/all/flights": "deep",
		} {
			if o, _ := m.Find("GET", base+path); o.ID != want {
				t.Errorf("%s: found %q, want %q", path, o.ID, want)
			}
		}
	}
}

// TestUnreachable verifies that an unreachable operation is an error that names both
// operations.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	first := api.Operation{ID: "first", Method: http.MethodGet, Path: "/events/{eventId}/{type}"}
	for _, o := range []api.Operation{
		{ID: "second", Method: http.MethodGet, Path: "/events/{eventId}/{type}"},
		{ID: "second", Method: http.MethodGet, Path: "/events/{eventId}/{other}"},
		{ID: "second", Method: http.MethodGet, Path: "/events/{eventId}/{type}/"},
		{ID: "second", Method: http.MethodPost, Path: "/events/{id}/{type}"},
	} {
		_, err := api.NewMatcher(base, api.Table{first, o})
		if err == nil || !strings.Contains(err.Error(), "can never be reached") || !strings.Contains(err.Error(), first.String()) || !strings.Contains(err.Error(), o.String()) {
			t.Errorf("%s after %s: %v", o, first, err)
		}
	}
	for _, path := range []string{"/events//x", "/events/../x", "/events/a b", "/events/x{id}", "/events/{id", "/events/ä"} {
		err := api.Table{{ID: "odd", Method: http.MethodGet, Path: path}}.Check()
		if err == nil || !strings.Contains(err.Error(), "can never be reached") {
			t.Errorf("%s: %v", path, err)
		}
	}
	for _, o := range []api.Operation{
		{ID: "second", Method: http.MethodPost, Path: "/events/{eventId}/{type}"},
		{ID: "second", Method: http.MethodGet, Path: "/events/{eventId}/{type}", Root: true},
		{ID: "second", Method: http.MethodGet, Path: "/events/{eventId}/counts"},
	} {
		if err := (api.Table{first, o}).Check(); err != nil {
			t.Errorf("%s after %s: %v", o, first, err)
		}
	}
}

// TestPathsSurviveEncoding verifies that JoinPath is the inverse of DecodePath.
func TestPathsSurviveEncoding(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/events/e1", "/locations/S%C3%A3o%20Paulo", "/a/%25/%3F", "/a+b/;c"} {
		first, ok := api.DecodePath(path)
		second, again := api.DecodePath(api.JoinPath(first))
		if !ok || !again || !slices.Equal(first, second) {
			t.Errorf("%s: %q, then %q", path, first, second)
		}
	}
}

func TestServices(t *testing.T) {
	t.Parallel()
	n := 0
	for _, s := range append(api.Backends(), api.Gateway) {
		of := api.Operations().Of(s)
		if len(of) == 0 {
			t.Errorf("%s answers nothing", s)
		}
		n += len(of)
	}
	if n != len(api.Operations()) {
		t.Errorf("%d of %d operations have a service", n, len(api.Operations()))
	}
	for _, o := range everything() {
		if o.Public() && o.Method != http.MethodGet && o.Limit == api.Unlimited {
			t.Errorf("%s needs no token and has no limit", o)
		}
		for _, end := range []string{"/export", "/import", "/report", "/preview", "/explain", "/diff/{other}", "/factor-set", "/sign-off", "/assess", "/changes/{changeId}/approve"} {
			if strings.HasSuffix(o.Path, end) && !o.Cost.Expensive() {
				t.Errorf("%s reads or writes many records and is not scheduled as expensive", o)
			}
		}
		if rehearsed := o.ID == "updateEvent" || o.ID == "updateRecord"; rehearsed && !o.RehearsalCost.Expensive() { // of where people travel
			t.Errorf("a rehearsal of %s reads all that counts and is not declared to be expensive", o)
		}
		if strings.HasSuffix(o.Path, "/batch") && o.Cost == api.Light {
			t.Errorf("%s calculates a page of records and is scheduled as a short write", o)
		}
		if o.Method == http.MethodGet && !o.Public() && o.Cost == api.Light {
			t.Errorf("%s is a read that is not scheduled", o)
		}
		if o.Least == identity.RoleNone && o.BodyLimit > 0 {
			t.Errorf("%s needs no token and accepts a larger body than others", o)
		}
	}
}

func BenchmarkMatch(b *testing.B) {
	m := matcher(b, everything())
	for b.Loop() {
		if len(m.Match(base+"/events/e1/flights/r1/approve")) != 1 {
			b.Fatal("not found")
		}
	}
}
