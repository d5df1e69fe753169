package e2e

import (
	"net/http"
	"regexp"
	"strconv"
	"testing"
)

// TestABatchIsOneWrite verifies that a batch counts once against the write limit, dry
// run or not: forms check rows a hundred at a time while the user types.
func TestABatchIsOneWrite(t *testing.T) {
	t.Parallel()
	s := start(t, map[string]string{"ECF_WRITE_RATE_LIMIT": "1000/1h"})
	user := s.user(t)
	event := s.manager(t).post("/events", map[string]any{"title": "Rows", "country": "GB"}).want(http.StatusCreated).str("_id")
	items := make([]any, 100)
	for i := range items {
		items[i] = map[string]any{"treatment": "landfill", "weightKg": i + 1}
	}
	remaining := regexp.MustCompile(`;r=(\d+)`)
	left := func(header map[string]string) int {
		t.Helper()
		a := user.do(http.MethodPost, "/events/"+event+"/waste/batch", map[string]any{"items": items}, header)
		if a.status >= http.StatusMultipleChoices {
			t.Fatalf("%d %s", a.status, a.body)
		}
		found := remaining.FindStringSubmatch(a.header.Get("RateLimit"))
		if found == nil {
			t.Fatalf("RateLimit: %q", a.header.Get("RateLimit"))
		}
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	rehearsed := map[string]string{"X-Dry-Run": "true"}
	first := left(rehearsed)
	if second := left(rehearsed); second != first-1 {
		t.Errorf("a dry run of a batch of 100 used %d of the limit", first-second)
	}
	if third := left(nil); third != first-2 {
		t.Errorf("a batch of 100 used %d of the limit", first-1-third)
	}
}
