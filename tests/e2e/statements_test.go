package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
)

// TestFieldsOfTheServiceAreItsOwn verifies that a client cannot set server-owned
// fields, on creation or by a change; the response shows the server's values (statement
// 21).
func TestFieldsOfTheServiceAreItsOwn(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		manager, admin := s.manager(t), s.as(t, "admin@example.test")
		me := manager.get("/auth/me").want(http.StatusOK).str("_id")
		foreign := map[string]any{
			"_id": "mine", "id": "mine", "org": "other", "orgId": "other", "organization": "other", "eventId": "other", "type": "flights", "seq": 1, "sequence": 1, "number": 1,
			"submitted": true, "approved": true, "status": "approved", "state": "approved", "revision": 99, "rev": 99,
			"createdBy": map[string]any{"_id": "other", "role": "admin"}, "createdAt": "2001-01-01T00:00:00.000Z", "updatedAt": "2001-01-01T00:00:00.000Z",
			"submittedBy": map[string]any{"_id": "other", "role": "admin"}, "submittedAt": "2001-01-01T00:00:00.000Z", "reviewedBy": map[string]any{"_id": "other", "role": "admin"},
			"reviewedAt": "2001-01-01T00:00:00.000Z", "reviewComment": "fine", "footprint": map[string]any{"kgCO2e": 0}, "kgCO2e": 0, "history": []any{}, "deleted": true, "recalc": "x",
			"factorSet": "desnz-2024", "counts": map[string]any{"approved": 9}, "engineVersion": "0", "plan": "enterprise", "quota": 1000,
		}
		with := func(own map[string]any) map[string]any {
			all := maps.Clone(foreign)
			maps.Copy(all, own)
			return all
		}
		check := func(a *answer, want map[string]string, absent ...string) {
			t.Helper()
			for name, value := range want {
				if got := fmt.Sprint(a.data(name)); got != value {
					t.Errorf("%s: %s is %s, want %s: %s", a.what, name, got, value, a.body)
				}
			}
			object, ok := a.data().(map[string]any)
			if !ok {
				t.Fatalf("%s: %s", a.what, a.body)
			}
			object = maps.Clone(object)
			if object["notices"] == nil {
				t.Errorf("%s: the dropped field is not reported: %s", a.what, a.body)
			}
			delete(object, "notices")
			shown, err := json.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			for _, word := range append(absent, `"mine"`, `"other"`, "2001-01-01", "desnz-2024") {
				if strings.Contains(string(shown), word) {
					t.Errorf("%s: %s is the client's: %s", a.what, word, shown)
				}
			}
			if id := fmt.Sprint(a.data("createdBy", "_id")); id != me {
				t.Errorf("%s: createdBy %s", a.what, id)
			}
		}
		made := manager.post("/events", with(map[string]any{"title": "Ours", "country": "GB"})).want(http.StatusCreated)
		event := made.str("_id")
		check(made, map[string]string{"revision": "1"}, `"status"`)
		if n := made.number("counts", "approved"); n != "0" {
			t.Errorf("%s records are counted as approved, as the client wrote: %s", n, made.body)
		}
		check(manager.do(http.MethodPatch, "/events/"+event, with(map[string]any{"title": "Still ours"}), nil).want(http.StatusOK), map[string]string{"_id": event, "revision": "2"})

		created := manager.post("/events/"+event+"/waste", with(map[string]any{"treatment": "landfill", "weightKg": 10})).want(http.StatusCreated)
		record := created.str("_id")
		state := map[string]string{"eventId": event, "type": "waste", "submitted": "false", "status": "unsubmitted", "revision": "1"}
		check(created, state)
		if kg := created.number("footprint", "kgCO2e"); kg == "0" || kg == "0.000000" {
			t.Errorf("the footprint is the client's: %s", created.body)
		}
		state["revision"] = "2"
		changed := manager.do(http.MethodPatch, "/events/"+event+"/waste/"+record, with(map[string]any{"weightKg": 20}), nil).want(http.StatusOK)
		check(changed, state)
		manager.get("/events/"+event+"/results").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")

		user := admin.post("/users", map[string]any{"email": "new@example.test", "role": "user", "_id": "mine", "org": "other", "disabled": true, "password": password, "createdAt": "2001-01-01T00:00:00.000Z"}).want(http.StatusCreated)
		if user.str("_id") == "mine" || user.data("disabled") != false || strings.Contains(string(user.body), "2001-") {
			t.Errorf("user: %s", user.body)
		}
		organization := admin.do(http.MethodPatch, "/organization", map[string]any{"name": "Renamed", "plan": "enterprise", "_id": "other", "eventQuota": map[string]any{"limit": nil, "used": 0}}, nil).want(http.StatusOK)
		if organization.str("plan") != "team" || organization.str("_id") != s.org || organization.number("eventQuota", "used") != "1" {
			t.Errorf("organization: %s", organization.body)
		}
	})
}

// TestThePathNamesTheEventAndTheType verifies that the event is that of the path,
// whatever a body says, and that a record is found below its own event and type only
// (statement 22).
func TestThePathNamesTheEventAndTheType(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		manager := s.manager(t)
		one := manager.post("/events", map[string]any{"title": "One", "country": "GB"}).want(http.StatusCreated).str("_id")
		two := manager.post("/events", map[string]any{"title": "Two", "country": "GB"}).want(http.StatusCreated).str("_id")
		id := manager.post("/events/"+one+"/waste", map[string]any{"treatment": "landfill", "weightKg": 10, "eventId": two}).want(http.StatusCreated).str("_id")
		if n := manager.get("/events/"+two+"/waste").want(http.StatusOK).number("pagination", "total"); n != "0" {
			t.Errorf("%s records are below the event of the body", n)
		}
		for _, wrong := range []string{"/events/" + two + "/waste/" + id, "/events/" + one + "/water/" + id} {
			for _, c := range []struct{ method, tail string }{
				{http.MethodGet, ""}, {http.MethodPatch, ""}, {http.MethodDelete, ""}, {http.MethodGet, "/history"}, {http.MethodPost, "/submit"}, {http.MethodPost, "/withdraw"},
				{http.MethodPost, "/review"}, {http.MethodPost, "/approve"}, {http.MethodPost, "/request-changes"}, {http.MethodPost, "/reject"}, {http.MethodPost, "/reopen"},
			} {
				var body any
				if c.method != http.MethodGet {
					body = map[string]any{"comment": "x", "description": "changed", "eventId": one, "type": "waste"}
				}
				manager.do(c.method, wrong+c.tail, body, nil).wantError(http.StatusNotFound, "RECORD_NOT_FOUND")
			}
		}
		for _, list := range []string{"/events/" + two + "/waste/submit", "/events/" + one + "/water/submit", "/events/" + two + "/review/approve"} {
			if a := manager.post(list, map[string]any{"ids": []string{id}}).want(http.StatusOK); a.at("data", "items", 0, "error", "code") != "RECORD_NOT_FOUND" {
				t.Errorf("%s: %s", list, a.body)
			}
		}
		if a := manager.get("/events/" + one + "/waste/" + id).want(http.StatusOK); a.number("revision") != "1" {
			t.Errorf("the record was changed: %s", a.body)
		}
	})
}

// TestMovesOutOfOrderHaveNoEffect verifies that each move out of order is refused with
// a defined error and changes nothing (statement 23).
func TestMovesOutOfOrderHaveNoEffect(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		manager, admin := s.manager(t), s.as(t, "admin@example.test")
		admin.do(http.MethodPatch, "/organization", map[string]any{"policy": map[string]any{"fourEyes": true}}, nil).want(http.StatusOK)
		event := manager.post("/events", map[string]any{"title": "Order", "country": "GB"}).want(http.StatusCreated).str("_id")
		path := "/events/" + event + "/waste/" + manager.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 10}).want(http.StatusCreated).str("_id")
		refused := func(c *caller, move string, status int, code string) {
			t.Helper()
			before := manager.get(path).want(http.StatusOK)
			history := manager.get(path + "/history").want(http.StatusOK)
			c.post(path+"/"+move, map[string]any{"comment": "x"}).wantError(status, code)
			if after := manager.get(path).want(http.StatusOK); string(after.body) != string(before.body) || string(manager.get(path+"/history").body) != string(history.body) {
				t.Errorf("the refused %s changed the record: %s", move, after.body)
			}
		}
		const conflict, transition = http.StatusConflict, "INVALID_TRANSITION"
		refused(admin, "approve", conflict, transition) // unsubmitted
		refused(admin, "reopen", conflict, transition)
		manager.post(path+"/submit", nil).want(http.StatusOK)
		refused(manager, "submit", conflict, transition) // twice
		refused(manager, "approve", http.StatusForbidden, "SELF_APPROVAL_FORBIDDEN")
		admin.post(path+"/reject", map[string]any{"comment": "No."}).want(http.StatusOK)
		refused(admin, "approve", conflict, transition) // after reject
		refused(manager, "submit", conflict, transition)
		manager.get("/events/"+event+"/results").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	})
}

// TestTheLastEventOfThePlanIsMadeOnce verifies that with one event left, exactly one of
// 64 concurrent creations succeeds (statement 24).
func TestTheLastEventOfThePlanIsMadeOnce(t *testing.T) {
	t.Parallel()
	onBothEngines(t, map[string]string{"ECF_QUOTAS": "free=3,team=50,enterprise=unlimited"}, func(t *testing.T, s *system) {
		s.account(t, s.organization(t, "Small Ltd", "free"), "boss@small.test", identity.Manager)
		manager := s.as(t, "boss@small.test")
		for range 2 {
			manager.post("/events", map[string]any{"title": "Before"}).want(http.StatusCreated)
		}
		var made, refused atomic.Int64
		var group sync.WaitGroup
		for range 64 {
			group.Go(func() {
				switch a := manager.post("/events", map[string]any{"title": "The last"}); a.status {
				case http.StatusCreated:
					made.Add(1)
				case http.StatusPaymentRequired:
					refused.Add(1)
				default:
					t.Errorf("status %d: %s", a.status, a.body)
				}
			})
		}
		group.Wait()
		if made.Load() != 1 || refused.Load() != 63 {
			t.Errorf("%d created, %d refused", made.Load(), refused.Load())
		}
		if n := manager.get("/events").want(http.StatusOK).number("pagination", "total"); n != "3" {
			t.Errorf("%s events", n)
		}
	})
}
