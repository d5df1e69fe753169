package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAViewerReadsWhatIsApproved verifies that a viewer sees approved records only,
// with an exact total, and no comment anywhere, and that every write is refused,
// including dry runs.
func TestAViewerReadsWhatIsApproved(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		ours := s.furnish(t)
		s.account(t, s.org, "viewer@example.test", identity.Viewer)
		viewer := s.as(t, "viewer@example.test")
		event := ours.ids["eventId"]
		const secret = "between-colleagues-71f3"
		// One that was returned with a comment, and approved after that.
		waste := map[string]any{"treatment": "landfill", "weightKg": 7}
		again := ours.user.post("/events/"+event+"/waste", waste).want(http.StatusCreated).str("_id")
		item := "/events/" + event + "/waste/" + again
		ours.user.post(item+"/submit", nil).want(http.StatusOK)
		ours.manager.post(item+"/request-changes", map[string]any{"comment": secret}).want(http.StatusOK)
		viewer.get(item).want(http.StatusNotFound)
		ours.user.post(item+"/submit", nil).want(http.StatusOK)
		ours.manager.post(item+"/approve", map[string]any{"comment": secret}).want(http.StatusOK)
		ours.manager.do(http.MethodPatch, "/events/"+event, map[string]any{"attendees": 10, "comment": secret}, nil).want(http.StatusOK)
		factor := "/supplier-factors/" + ours.manager.post("/supplier-factors", map[string]any{
			"name": "Ice", "kgCO2ePerUnit": 0.25, "unit": "kg", "source": "Disclosure", "evidence": []map[string]any{{"sha256": strings.Repeat("ab", 32)}},
		}).want(http.StatusCreated).str("_id")
		ours.manager.post(factor+"/approve", map[string]any{"comment": secret}).want(http.StatusOK)
		cooled := ours.user.post("/events/"+event+"/custom", map[string]any{"supplierFactor": "Ice", "quantity": 1, "description": "Bar"}).want(http.StatusCreated).str("_id")
		ours.user.post("/events/"+event+"/custom/"+cooled+"/submit", nil).want(http.StatusOK)
		ours.manager.post("/events/"+event+"/custom/"+cooled+"/approve", map[string]any{"comment": secret}).want(http.StatusOK)
		ours.manager.post(factor+"/withdraw", map[string]any{"comment": secret}).want(http.StatusOK)
		ours.user.result(event, 3)
		if a := viewer.get("/events/" + event + "/results").want(http.StatusOK); !strings.Contains(string(a.body), "SUPPLIER_FACTOR_WITHDRAWN") {
			t.Errorf("no finding about the withdrawn factor: %s", a.body)
		}

		list := viewer.get("/events/" + event + "/waste").want(http.StatusOK)
		if list.number("pagination", "total") != "2" || list.str("items", 0, "_id") != again || list.str("items", 1, "_id") != ours.records[record.Approved] {
			t.Errorf("a viewer's list: %s", list.body)
		}
		second := viewer.get("/events/" + event + "/waste?page=2&limit=1").want(http.StatusOK)
		if second.number("pagination", "total") != "2" || second.str("items", 0, "_id") != ours.records[record.Approved] {
			t.Errorf("a viewer's second page: %s", second.body)
		}
		never := same(viewer.get("/events/" + event + "/waste/" + "2y0anwrrxjg5m1h1vf0v7qj1hp").want(http.StatusNotFound))
		for _, status := range []record.Status{record.Unsubmitted, record.Submitted} {
			if a := viewer.get("/events/" + event + "/waste/" + ours.records[status]).want(http.StatusNotFound); same(a) != never {
				t.Errorf("%s: %s, and for an id that does not exist %s", status, a.body, never)
			}
		}
		for _, path := range []string{item, "/events", "/events/" + event, "/events/" + event + "/waste", "/organization", "/auth/me"} {
			if a := viewer.get(path).want(http.StatusOK); strings.Contains(string(a.body), secret) {
				t.Errorf("%s shows a comment: %s", path, a.body)
			}
		}
		results := func(paths ...string) {
			for _, path := range paths {
				for _, accept := range []string{"application/json", "text/html", "text/csv"} {
					a := viewer.do(http.MethodGet, "/events/"+event+"/results"+path, nil, map[string]string{"Accept": accept})
					if a.status != http.StatusOK || strings.Contains(string(a.body), secret) {
						t.Errorf("results%s as %s: %d, or it shows a comment: %s", path, accept, a.status, a.body)
					}
				}
			}
		}
		results("", "/history", "/1", "/2", "/2/diff/1", "/explain", "/report", "/report?names=roles")
		// Whether the last two changes made one revision or two depends on the worker.
		newest := ""
		testkit.Eventually(t, 30*time.Second, func() error {
			newest = ours.manager.get("/events/" + event + "/results").want(http.StatusOK).number("revision")
			a := ours.manager.post("/events/"+event+"/sign-off", map[string]any{"revision": json.Number(newest), "statement": "Final."})
			if a.status != http.StatusOK && a.status != http.StatusAccepted {
				return fmt.Errorf("sign-off: %d %s", a.status, a.body)
			}
			return nil
		})
		testkit.Eventually(t, 30*time.Second, func() error {
			if a := ours.manager.get("/events/" + event).want(http.StatusOK); a.str("signOff", "state") != "signed" {
				return fmt.Errorf("not signed yet: %s", a.body)
			}
			return nil
		})
		ours.manager.post("/events/"+event+"/sign-off/withdraw", map[string]any{"comment": secret}).want(http.StatusOK)
		results("/"+newest, "/"+newest+"/explain", "/"+newest+"/report", "/"+newest+"/report?names=roles")
		if a := ours.user.get("/events/" + event + "/results/" + newest).want(http.StatusOK); !strings.Contains(string(a.body), secret) {
			t.Errorf("the comment that is searched for was never there: %s", a.body)
		}
		for _, path := range []string{item + "/history", "/events/" + event + "/history", "/events/" + event + "/export", "/review", "/users",
			"/events/" + event + "/review", "/events/" + event + "/changes", "/events/" + event + "/imports/" + ours.ids["importId"],
			"/events/" + event + "/results/preview", "/events/" + event + "/results/report?names=full", "/events/" + event + "/results/" + newest + "/report?names=full"} {
			viewer.get(path).want(http.StatusForbidden)
		}
		// A user who becomes a viewer does not get earlier responses.
		key := map[string]string{"Idempotency-Key": "before"}
		colleague := s.as(t, "colleague@example.test")
		colleague.do(http.MethodPost, "/events/"+event+"/waste", waste, key).want(http.StatusCreated)
		ours.admin.do(http.MethodPatch, "/users/"+ours.ids["userId"], map[string]any{"role": "viewer"}, nil).want(http.StatusOK)
		colleague = s.as(t, "colleague@example.test")
		for _, rehearsed := range []string{"true", "false"} {
			key["X-Dry-Run"] = rehearsed
			colleague.do(http.MethodPost, "/events/"+event+"/waste", waste, key).want(http.StatusForbidden)
		}
		viewer.post("/auth/logout", nil).want(http.StatusOK)
	})
}
