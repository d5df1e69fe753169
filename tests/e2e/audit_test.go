package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
)

// auditLog returns the entries with an action, oldest first.
func auditLog(admin *caller, action string) []map[string]any {
	admin.t.Helper()
	items, _ := admin.get("/organization/audit?limit=100").want(http.StatusOK).data("items").([]any)
	var found []map[string]any
	for _, item := range items {
		if e := item.(map[string]any); e["action"] == action {
			found = append([]map[string]any{e}, found...)
		}
	}
	return found
}

func wantEntry(t *testing.T, e map[string]any, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got, _ := e[name].(string); got != value {
			t.Errorf("%s is %q, want %q, in %v", name, got, value, e)
		}
	}
}

// TestAuditLogOfTheWholeSystem verifies that requests refused for the role or for four
// eyes, hits of the write limit, and changes of the policy are entries of the audit
// log, with actor, operation, values before and after, request and time (statement 35).
func TestAuditLogOfTheWholeSystem(t *testing.T) {
	t.Parallel()
	onBothEngines(t, map[string]string{"ECF_WRITE_RATE_LIMIT": "12/1h"}, func(t *testing.T, s *system) {
		s.account(t, s.org, "busy@example.test", identity.User)
		user, manager, admin, busy := s.user(t), s.manager(t), s.as(t, "admin@example.test"), s.as(t, "busy@example.test")
		id := func(c *caller) string { return c.get("/auth/me").want(http.StatusOK).str("_id") }

		policy := func(body string) *answer {
			return admin.do(http.MethodPatch, "/organization", body, map[string]string{"X-Request-Id": "policy-1"})
		}
		policy(`{"policy":{"fourEyes":true,"autoApproveBelowKg":50}}`).want(http.StatusOK)
		policy(`{"policy":{"fourEyes":true}}`).want(http.StatusOK) // changes nothing
		policy(`{"name":"Renamed Ltd"}`).want(http.StatusOK)
		admin.do(http.MethodPatch, "/organization", `{"policy":{"fourEyes":false}}`, map[string]string{"X-Dry-Run": "true"}).want(http.StatusAccepted)
		policy(`{"policy":{"autoApproveBelowKg":null}}`).want(http.StatusOK)
		changes := auditLog(admin, "organization.update")
		if len(changes) != 2 {
			t.Fatalf("changes of the policy: %v", changes)
		}
		wantEntry(t, changes[0], map[string]string{
			"actor": id(admin), "subject": s.org, "outcome": "done", "requestId": "policy-1", "address": "127.0.0.1",
			"before": "fourEyes false, autoApproveBelowKg 0", "after": "fourEyes true, autoApproveBelowKg 50",
		})
		wantEntry(t, changes[1], map[string]string{"before": "autoApproveBelowKg 50", "after": "autoApproveBelowKg 0"})

		for range 5 {
			user.get("/users").wantError(http.StatusForbidden, "FORBIDDEN")
		}
		event := manager.post("/events", map[string]any{"title": "Audited", "country": "GB"}).want(http.StatusCreated).str("_id")
		waste := manager.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1000}).want(http.StatusCreated).str("_id")
		path := "/events/" + event + "/waste/" + waste
		manager.post(path+"/submit", nil).want(http.StatusOK)
		manager.post(path+"/approve", nil).wantError(http.StatusForbidden, "SELF_APPROVAL_FORBIDDEN")
		refused := auditLog(admin, "request.forbidden")
		if len(refused) != 4 {
			t.Fatalf("refusals for the role: %v", refused)
		}
		for i, after := range []string{"", "2 times within an hour", "4 times within an hour"} {
			wantEntry(t, refused[i], map[string]string{
				"actor": id(user), "subject": "GET /users", "outcome": "refused", "reason": "FORBIDDEN", "address": "127.0.0.1", "after": after,
			})
			if refused[i]["requestId"] == "" || !strings.HasSuffix(refused[i]["at"].(string), "Z") || refused[i]["session"] == "" {
				t.Errorf("%v", refused[i])
			}
		}
		wantEntry(t, refused[3], map[string]string{"actor": id(manager), "subject": "POST " + path + "/approve", "reason": "SELF_APPROVAL_FORBIDDEN"})

		for i := range 14 {
			want := http.StatusNotFound
			if i >= 12 {
				want = http.StatusTooManyRequests
			}
			busy.post("/events/none/waste", map[string]any{"treatment": "landfill", "weightKg": 1}).want(want)
		}
		limited := auditLog(admin, "request.limited")
		if len(limited) != 2 {
			t.Fatalf("hits of the limit: %v", limited)
		}
		wantEntry(t, limited[0], map[string]string{"actor": id(busy), "subject": "POST /events/none/waste", "outcome": "refused", "reason": "RATE_LIMITED"})

		text, err := json.Marshal(append(append(changes, refused...), limited...))
		if err != nil || strings.Contains(string(text), "@") {
			t.Errorf("an email is in the audit log: %s, %v", text, err)
		}
		// The endpoint for entries is for the gateway only.
		for _, way := range []string{"//internal/audit", "/internal/audit"} {
			if a := admin.do(http.MethodPost, way, `{"action":"request.forbidden"}`, nil); a.status != http.StatusNotFound {
				t.Errorf("%s: %d %s", way, a.status, a.body)
			}
		}
		if got := fmt.Sprint(len(auditLog(admin, "request.forbidden"))); got != "4" {
			t.Errorf("%s entries", got)
		}
	})
}
