package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestSmallRecordsAreApprovedByPolicy verifies what a policy approves: small records,
// but under four eyes not those of the admin who set the policy, and not the spot
// checks; in the name of that admin, by a move that no caller can request.
func TestSmallRecordsAreApprovedByPolicy(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager, admin := s.user(t), s.manager(t), s.as(t, "admin@example.test")
		patch := func(body string) *answer { return admin.do(http.MethodPatch, "/organization", body, nil) }
		event := "/events/" + manager.post("/events", map[string]any{"title": "Small things", "country": "GB"}).want(http.StatusCreated).str("_id")
		create := func(c *caller, kg int) string {
			return event + "/waste/" + c.post(event+"/waste", map[string]any{"treatment": "landfill", "weightKg": kg}).want(http.StatusCreated).str("_id")
		}
		submit := func(c *caller, kg int) (path, status string) {
			t.Helper()
			path = create(c, kg)
			return path, c.post(path+"/submit", nil).want(http.StatusOK).str("status")
		}
		wants := func(what string, c *caller, kg int, want string) string {
			t.Helper()
			path, got := submit(c, kg)
			if now := user.get(path).want(http.StatusOK).str("status"); got != want || now != want {
				t.Errorf("%s: answered %s, is %s, want %s", what, got, now, want)
			}
			return path
		}

		// 1 kg of waste in a landfill counts for 0.52 kg.
		wants("by default", user, 1, "submitted")
		for _, bad := range []string{
			`{"policy":{"autoApproveBelowKg":"1"}}`, `{"policy":{"autoApproveBelowKg":-1}}`, `{"policy":{"autoApproveBelowKg":1000001}}`,
			`{"policy":{"autoApproveBelowKg":1,"spotCheckOneIn":0}}`, `{"policy":{"spotCheckOneIn":1.5}}`,
		} {
			patch(bad).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		manager.do(http.MethodPatch, "/organization", `{"policy":{"autoApproveBelowKg":1}}`, nil).wantError(http.StatusForbidden, "FORBIDDEN")
		set := patch(`{"policy":{"autoApproveBelowKg":1}}`).want(http.StatusOK)
		if set.number("policy", "autoApproveBelowKg") != "1" || set.data("policy", "spotCheckOneIn") != nil || set.str("policy", "autoApproveSetBy", "role") != "admin" {
			t.Errorf("set: %s", set.body)
		}
		small := wants("small", user, 1, "approved")
		wants("large", user, 2, "submitted")
		history := user.get(small + "/history").want(http.StatusOK)
		if history.str("items", 0, "action") != "auto-approve" || history.str("items", 0, "by", "name") != "admin@example.test" || history.str("items", 1, "action") != "submit" {
			t.Errorf("history: %s", history.body)
		}
		if got := user.result(event[len("/events/"):], 1).number("total", "kgCO2e"); got == "0" {
			t.Errorf("total %s", got)
		}
		// It can be reversed, but not requested.
		manager.post(small+"/reopen", map[string]any{"comment": "Look again"}).want(http.StatusOK)
		manager.post(small+"/auto-approve", nil).wantError(http.StatusNotFound, "NOT_FOUND")

		// What a person has sent back waits for one, however small it has become.
		large := create(user, 2)
		user.post(large+"/submit", nil).want(http.StatusOK)
		manager.post(large+"/request-changes", map[string]any{"comment": "The treatment is wrong."}).want(http.StatusOK)
		user.do(http.MethodPatch, large, map[string]any{"weightKg": 1}, nil).want(http.StatusOK)
		if a := user.post(large+"/submit", nil).want(http.StatusOK); a.str("status") != "submitted" {
			t.Errorf("sent back by a person, made small and submitted again: %s", a.body)
		}

		// A dry run shows it and stores nothing; each of many at once is treated like a
		// single one; with a key it happens once.
		path := create(user, 1)
		if a := user.do(http.MethodPost, path+"/submit", nil, map[string]string{"X-Dry-Run": "true"}).want(http.StatusOK); a.str("status") != "approved" {
			t.Errorf("dry run: %s", a.body)
		}
		if a := user.get(path); a.str("status") != "unsubmitted" {
			t.Errorf("after the dry run: %s", a.body)
		}
		large = create(user, 2)
		many := user.post(event+"/waste/submit", map[string]any{"ids": []string{path[len(event+"/waste/"):], large[len(event+"/waste/"):]}}).want(http.StatusOK)
		if many.str("items", 0, "record", "status") != "approved" || many.str("items", 1, "record", "status") != "submitted" {
			t.Errorf("many: %s", many.body)
		}
		keyed := map[string]string{"Idempotency-Key": "once"}
		path = create(user, 1)
		first := user.do(http.MethodPost, path+"/submit", nil, keyed).want(http.StatusOK)
		if again := user.do(http.MethodPost, path+"/submit", nil, keyed).want(http.StatusOK); string(again.body) != string(first.body) || first.str("status") != "approved" {
			t.Errorf("again: %s\nfirst: %s", again.body, first.body)
		}
		if n := user.get(path+"/history").number("pagination", "total"); n != "3" {
			t.Errorf("%s moves", n)
		}

		// Four eyes: not what the admin who set the policy created.
		wants("the admin's own", admin, 1, "approved")
		patch(`{"policy":{"fourEyes":true}}`).want(http.StatusOK)
		wants("the admin's own under four eyes", admin, 1, "submitted")
		wants("another's under four eyes", user, 1, "approved")

		// Spot checks: those that their first submission determines.
		twoEyes := `{"policy":{"fourEyes":false,"spotCheckOneIn":2}}`
		patch(twoEyes).want(http.StatusAccepted) // a second administrator must request the same
		patch(twoEyes).want(http.StatusAccepted)
		s.account(t, s.org, "second-admin@example.test", identity.Admin)
		s.as(t, "second-admin@example.test").do(http.MethodPatch, "/organization", twoEyes, nil).want(http.StatusOK)
		seen := map[string]int{}
		for range 8 {
			path, got := submit(user, 1)
			seen[got]++
			if again := user.post(path+"/withdraw", nil); got == "submitted" {
				again.want(http.StatusOK)
				if a := user.post(path+"/submit", nil).want(http.StatusOK); a.str("status") != "submitted" {
					t.Errorf("%s: submitted again, it is not spot-checked", path)
				}
			}
		}
		if seen["approved"]+seen["submitted"] != 8 {
			t.Errorf("seen: %v", seen)
		}
		patch(`{"policy":{"spotCheckOneIn":1}}`).want(http.StatusOK)
		wants("everything is checked", user, 1, "submitted")
		off := patch(`{"policy":{"autoApproveBelowKg":null}}`).want(http.StatusOK)
		if off.data("policy", "autoApproveBelowKg") != nil || off.data("policy", "spotCheckOneIn") != nil || off.data("policy", "autoApproveSetBy") != nil {
			t.Errorf("off: %s", off.body)
		}
		wants("off", user, 1, "submitted")
		id := record.ID(small[len(event+"/waste/"):])
		var entries struct{ Items []record.Entry }
		all := user.get(fmt.Sprint(event, "/waste/", id, "/history"))
		decodeData(t, all, &entries)
		slices.Reverse(entries.Items)
		if err := record.VerifyHistory(record.OrgID(s.org), id, entries.Items); err != nil {
			t.Error(err)
		}
	})
}

func decodeData(t *testing.T, a *answer, v any) {
	t.Helper()
	if err := json.Unmarshal(a.want(http.StatusOK).body, &struct{ Data any }{v}); err != nil {
		t.Fatal(err)
	}
}
