package api_test

import (
	"slices"
	"strings"
	"testing"
)

// TestSimilarRoutes verifies what is suggested for paths of no operation: the same in plural or below another segment, and
// nothing for what is like none.
func TestSimilarRoutes(t *testing.T) {
	t.Parallel()
	m := matcher(t, everything())
	const event = "/events/7n2k"
	for asked, want := range map[string]string{
		"GET /event":                                 "GET /events",
		"PATCH /event/7n2k":                          "PATCH /events/{eventId}",
		"GET " + event + "/report":                   "GET /events/{eventId}/results/report",
		"HEAD " + event + "/explain":                 "GET /events/{eventId}/results/explain",
		"GET " + event + "/result":                   "GET /events/{eventId}/results",
		"GET " + event + "/results/history":          "GET /events/{eventId}/history",
		"POST " + event + "/flights/7n2k/aprove":     "POST /events/{eventId}/{type}/{recordId}/approve",
		"POST " + event + "/results/sign-off":        "POST /events/{eventId}/sign-off",
		"POST /login":                                "POST /auth/login",
		"GET /record-type/flights":                   "GET /record-types/{type}",
		"GET /me":                                    "GET /auth/me",
		"GET /api/v2/events":                         "GET /events",
		"GET /organisation":                          "GET /organization",
		"GET /pending":                               "",
		"GET /":                                      "",
		"GET /" + strings.Repeat("a/", 40):           "",
		"GET /" + strings.Repeat("a", 10_000):        "",
		"GET " + event + "/flights/7n2k/x/y/z/%2e%2": "",
		"GET " + event + "/flights":                  "", // this is one
	} {
		method, path, _ := strings.Cut(asked, " ")
		got := m.Similar(method, base+path, 2)
		if want == "" && len(got) > 0 || want != "" && (len(got) == 0 || got[0] != want) || len(got) > 2 {
			t.Errorf("%.100s: %v, want %q", asked, got, want)
		}
	}
	if got := m.Similar("GET", "/event", 2); got != nil {
		t.Errorf("outside of the API: %v", got)
	}
	if got := m.Similar("DELETE", base+event+"/report", 2); !slices.Contains(got, "GET /events/{eventId}/results/report") {
		t.Errorf("another method: %v", got)
	}
}
