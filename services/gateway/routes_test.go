package gateway

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/spec"
)

func routed(t testing.TB) router {
	t.Helper()
	r, err := newRouter()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSplit holds the table to who answers what.
func TestSplit(t *testing.T) {
	t.Parallel()
	r := routed(t)
	for _, want := range []struct {
		method, path string
		to           target
		pattern      string
	}{
		{"POST", "/auth/login", auth, "/auth/login"},
		{"GET", "/users/u1", auth, "/users/{userId}"},
		{"GET", "/organization", records, "/organization"},
		{"GET", "/organization/audit", auth, "/organization/audit"},
		{"GET", "/events", records, "/events"},
		{"GET", "/events/e1", records, "/events/{eventId}"},
		{"POST", "/events/e1/flights", records, "/events/{eventId}/{type}"},
		{"POST", "/events/e1/no-such-type", records, "/events/{eventId}/{type}"},
		{"PATCH", "/events/e1/flights/r1", records, "/events/{eventId}/{type}/{recordId}"},
		{"POST", "/events/e1/flights/r1/submit", records, "/events/{eventId}/{type}/{recordId}/submit"},
		{"POST", "/events/e1/flights/r1/withdraw", records, "/events/{eventId}/{type}/{recordId}/withdraw"},
		{"GET", "/events/e1/flights/r1/history", records, "/events/{eventId}/{type}/{recordId}/history"},
		{"POST", "/events/e1/flights/r1/review", review, "/events/{eventId}/{type}/{recordId}/review"},
		{"POST", "/events/e1/flights/r1/approve", review, "/events/{eventId}/{type}/{recordId}/approve"},
		{"POST", "/events/e1/flights/r1/request-changes", review, "/events/{eventId}/{type}/{recordId}/request-changes"},
		{"POST", "/events/e1/flights/r1/reject", review, "/events/{eventId}/{type}/{recordId}/reject"},
		{"POST", "/events/e1/flights/r1/reopen", review, "/events/{eventId}/{type}/{recordId}/reopen"},
		{"GET", "/review", calculation, "/review"},
		{"GET", "/events/e1/review", calculation, "/events/{eventId}/review"},
		{"GET", "/events/e1/results", calculation, "/events/{eventId}/results"},
		{"GET", "/events/e1/results/history", calculation, "/events/{eventId}/results/history"},
		{"GET", "/events/e1/results/7", calculation, "/events/{eventId}/results/{revision}"},
		{"GET", "/events/e1/", records, "/events/{eventId}"}, // a slash at the end does not count
		{"GET", "/docs", self, "/docs"},
	} {
		found := r.find(segments(want.path), false)
		i := slices.IndexFunc(found, func(f route) bool { return f.method == want.method })
		if i < 0 || found[i].to != want.to || found[i].path != want.pattern {
			t.Errorf("%s %s: found %v, want %s of %s", want.method, want.path, found, want.pattern, want.to)
		}
	}
	for _, m := range []record.Move{record.Submit, record.Withdraw, record.Review, record.Approve, record.RequestChanges, record.Reject, record.Reopen} {
		if len(r.find(segments("/events/e1/flights/r1/"+string(m)), false)) != 1 {
			t.Errorf("the move %s has no route", m)
		}
	}
}

// TestReservedWords: a reserved word is never a type and never an id, whatever
// method is used and whatever route may come later.
func TestReservedWords(t *testing.T) {
	t.Parallel()
	r := routed(t)
	for _, word := range []string{"results", "review", "factor-set", "imports", "batch", "import", "export"} {
		for _, path := range []string{"/events/" + word, "/events/e1/" + word, "/events/e1/" + word + "/r1", "/events/e1/flights/" + word, "/events/" + word + "/flights", "/events/e1/" + word + "/r1/submit"} {
			for _, f := range r.find(segments(path), false) {
				for i, p := range segments(f.path) {
					if isParam(p) && segments(path)[i] == word {
						t.Errorf("%s is taken for %s", path, f.path)
					}
				}
			}
		}
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	r := routed(t)
	for _, path := range []string{"/internal/sessions/s1", "/metrics", "/debug/pprof/", "/events//flights", "/events/e1/flights/r1/submit/x", "/", "/auth", "/Events"} {
		for _, root := range []bool{true, false} {
			if found := r.find(segments(path), root); len(found) > 0 {
				t.Errorf("%s is reachable as %v", path, found)
			}
		}
	}
}

// TestTableAndDocumentAgree: what is documented is served, what is served is
// documented, and both say the same about tokens.
func TestTableAndDocumentAgree(t *testing.T) {
	t.Parallel()
	document, err := spec.Load()
	if err != nil {
		t.Fatal(err)
	}
	var served, documented []string
	line := func(method, path string, root, public bool) string {
		parts := []string{method, path}
		if root {
			parts = append(parts, "at the root")
		}
		if public {
			parts = append(parts, "without token")
		}
		return strings.Join(parts, " ")
	}
	routes := routed(t).routes
	for _, r := range routes {
		if r.operation != docsAsset && r.operation != setupPage {
			served = append(served, line(r.method, r.path, r.root, r.public))
		}
	}
	for _, o := range document.Operations {
		documented = append(documented, line(o.Method, o.Path, o.Root, o.Public))
	}
	for _, s := range served {
		if !slices.Contains(documented, s) {
			t.Errorf("served and not documented: %s", s)
		}
	}
	for _, d := range documented {
		if !slices.Contains(served, d) {
			t.Errorf("documented and not served: %s", d)
		}
	}
	for _, r := range routes {
		if r.public && r.method != http.MethodGet && r.limit == unlimited {
			t.Errorf("%s %s needs no token and has no limit", r.method, r.path)
		}
	}
}
