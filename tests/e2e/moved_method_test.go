package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestARecordShowsWhatItWouldCount verifies that after a change of the event's method
// every view of a record, alone, in a list, as a table or in the queue, shows the
// figure that an approval adds to the result, and that the earlier entity tags are no
// longer current.
func TestARecordShowsWhatItWouldCount(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		event := "/events/" + manager.post("/events", map[string]any{"title": "Moved", "country": "GB"}).want(http.StatusCreated).str("_id")
		created := user.post(event+"/flights", map[string]any{"from": "LHR", "to": "JFK", "passengers": 3, "externalReference": "f-1"}).want(http.StatusCreated)
		item := event + "/flights/" + created.str("_id")
		before := created.number("footprint", "kgCO2e")
		user.post(item+"/submit", nil).want(http.StatusOK)

		paths := []string{item, event + "/flights", event + "/flights/by-reference/f-1", event + "/export", event + "/export?json"}
		asked := func(path, tag string) *answer {
			accept := "application/json"
			if strings.HasSuffix(path, "/export") {
				accept = "text/csv"
			}
			return user.do(http.MethodGet, path, nil, map[string]string{"Accept": accept, "If-None-Match": tag})
		}
		tags := map[string]string{}
		for _, path := range paths {
			a := asked(path, "")
			if tags[path] = a.header.Get("ETag"); !strings.Contains(string(a.body), before) {
				t.Fatalf("%s has no %s: %s", path, before, a.body)
			}
		}
		manager.do(http.MethodPatch, event, map[string]any{"method": map[string]any{"radiativeForcing": false}}, nil).want(http.StatusOK)

		queue := manager.get(event + "/review").want(http.StatusOK)
		now := queue.number("items", 0, "review", "kgCO2e")
		if now == before || queue.number("items", 0, "footprint", "kgCO2e") != now {
			t.Fatalf("%s before, the queue now: %s", before, queue.body)
		}
		// Twice, because the first response is cached.
		for range 2 {
			for _, path := range paths {
				a := asked(path, tags[path])
				if a.status != http.StatusOK || !strings.Contains(string(a.body), now) || strings.Contains(string(a.body), before) {
					t.Errorf("%s: %d, want %s and no %s: %s", path, a.status, now, before, a.body)
				}
				if again := asked(path, a.header.Get("ETag")); again.status != http.StatusNotModified {
					t.Errorf("%s again: %d", path, again.status)
				}
			}
		}
		claimed := manager.post(item+"/review", nil).want(http.StatusOK)
		many := manager.post(event+"/review/approve", map[string]any{"ids": []string{created.str("_id")}}).want(http.StatusOK)
		for what, got := range map[string]string{
			"claimed": claimed.number("footprint", "kgCO2e"), "approved": many.number("items", 0, "record", "footprint", "kgCO2e"),
		} {
			if got != now {
				t.Errorf("%s: %s, want %s", what, got, now)
			}
		}
		testkit.Eventually(t, 20*time.Second, func() error {
			a := user.get(event + "/results")
			if a.status != http.StatusOK || a.number("total", "kgCO2e") != now {
				return fmt.Errorf("the result is %d %s, want %s", a.status, a.body, now)
			}
			return nil
		})
	})
}
