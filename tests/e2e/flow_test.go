package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
)

// TestSpecification follows the flow of the interface specification, word by word, on
// both engines.
func TestSpecification(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		anyone := s.anonymous(t)
		login := anyone.post("/auth/login", map[string]any{"email": "user@example.test", "password": password}).want(http.StatusOK)
		wantKeys(t, login.data(), "accessToken", "expiresIn", "idToken", "refreshToken", "tokenType")
		if login.str("tokenType") != "Bearer" || login.number("expiresIn") != "3600" {
			t.Errorf("token bundle: %s", login.body)
		}
		refreshed := anyone.post("/auth/refresh", map[string]any{"refreshToken": login.str("refreshToken")}).want(http.StatusOK)
		wantKeys(t, refreshed.data(), "accessToken", "expiresIn", "idToken", "tokenType")
		// The refresh token stays valid.
		anyone.post("/auth/refresh", map[string]any{"refreshToken": login.str("refreshToken")}).want(http.StatusOK)
		user := &caller{t: t, url: s.url, token: refreshed.str("accessToken")}
		manager := s.manager(t)

		anyone.get("/events").wantError(http.StatusUnauthorized, "UNAUTHENTICATED")
		user.post("/events", map[string]any{"title": "No"}).wantError(http.StatusForbidden, "FORBIDDEN")
		empty := user.get("/events").want(http.StatusOK)
		if empty.number("pagination", "page") != "1" || empty.number("pagination", "limit") != "25" ||
			empty.number("pagination", "total") != "0" || empty.number("pagination", "totalPages") != "0" || len(empty.data("items").([]any)) != 0 {
			t.Errorf("empty list: %s", empty.body)
		}
		event := manager.post("/events", map[string]any{"title": "Conference", "country": "GB", "startDate": "2026-06-10", "endDate": "2026-06-11", "attendees": 10}).want(http.StatusCreated)
		id := event.str("_id")
		user.get("/events/"+id+"/results").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")

		// Server-owned fields are ignored when sent.
		created := user.post("/events/"+id+"/flights", map[string]any{
			"from": "lhr", "to": "JFK", "class": "Economy", "passengers": 1,
			"submitted": true, "status": "approved", "_id": "mine", "eventId": "other", "createdBy": "me", "revision": 9,
		}).want(http.StatusCreated)
		flight := created.str("_id")
		if created.data("submitted") != false || created.str("status") != "unsubmitted" || flight == "mine" || created.str("eventId") != id ||
			created.str("from") != "LHR" || created.str("class") != "economy" || created.number("revision") != "1" {
			t.Errorf("created: %s", created.body)
		}
		submitted := user.post("/events/"+id+"/flights/"+flight+"/submit", nil).want(http.StatusOK)
		if submitted.data("submitted") != true || submitted.str("_id") != flight {
			t.Errorf("submitted: %s", submitted.body)
		}
		user.post("/events/"+id+"/flights/"+flight+"/submit", nil).wantError(http.StatusConflict, "INVALID_TRANSITION")
		user.get("/events/"+id+"/results").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
		queue := manager.get("/events/" + id + "/review").want(http.StatusOK)
		if queue.number("pagination", "total") != "1" || queue.str("items", 0, "_id") != flight {
			t.Errorf("queue: %s", queue.body)
		}
		user.post("/events/"+id+"/flights/"+flight+"/approve", nil).wantError(http.StatusForbidden, "FORBIDDEN")
		manager.post("/events/"+id+"/flights/"+flight+"/approve", nil).want(http.StatusOK)

		// LHR to JFK in economy is 648.382 kg + 136.335 kg well-to-tank within 0.1%
		// (worked example derived-01); to the milligram it is 5,539.833 km times
		// 0.11704 and 0.02461.
		result := user.result(id, 1)
		if got := result.number("total", "kgCO2e"); got != "784.717344" {
			t.Errorf("total %s", got)
		}
		if result.number("byStage", "direct") != "648.382054" || result.number("byStage", "upstream") != "136.335290" {
			t.Errorf("stages: %s", result.body)
		}
		for _, r := range []struct {
			typ  string
			body map[string]any
		}{
			{"accommodation", map[string]any{"nights": 2, "rooms": 10, "city": "London"}},
			{"venue", map[string]any{"electricityKWh": 1000, "gasKWh": 100.5}},
			{"waste", map[string]any{"treatment": "landfill", "weightKg": 50}},
		} {
			approved(user, manager, id, r.typ, r.body)
		}
		result = user.result(id, 4)
		// 784.717344 + 2·10·11.5 + 1000·(0.13096+0.01299+0.03682+0.00359)
		// + 100.5·(0.18231+0.03021) + 0.05·520.58023
		wantSum(t, result, "784.717344", "230.000000", "184.360000", "21.358260")
		if result.number("perAttendeeKg") == "" || result.str("factorSet", "id") == "" || result.str("inputsHash") == "" {
			t.Errorf("result: %s", result.body)
		}
	})
}

// wantSum checks the first three types by hand and that the parts add up to the total.
func wantSum(t *testing.T, a *answer, flights, hotels, electricity, gas string) {
	t.Helper()
	kg := func(path ...any) int64 { return milligrams(t, a.number(path...)) }
	if got, want := kg("byType", 0, "kgCO2e"), milligrams(t, flights); got != want {
		t.Errorf("flights %d mg, want %d", got, want)
	}
	if got, want := kg("byType", 1, "kgCO2e"), milligrams(t, hotels); got != want {
		t.Errorf("hotels %d mg, want %d", got, want)
	}
	if got, want := kg("byType", 2, "kgCO2e"), milligrams(t, electricity)+milligrams(t, gas); got != want {
		t.Errorf("venue %d mg, want %d", got, want)
	}
	total := kg("total", "kgCO2e")
	var types int64
	for i := range a.data("byType").([]any) {
		types += kg("byType", i, "kgCO2e")
	}
	if types != total || kg("byScope", "scope1")+kg("byScope", "scope2")+kg("byScope", "scope3") != total ||
		kg("byStage", "direct")+kg("byStage", "upstream")+kg("byStage", "combined") != total {
		t.Errorf("the parts do not add up to the total: %s", a.body)
	}
}

// milligrams parses kilograms with six decimals.
func milligrams(t *testing.T, kg string) int64 {
	t.Helper()
	var whole, rest int64
	if n, err := fmt.Sscanf(kg, "%d.%6d", &whole, &rest); n != 2 || err != nil {
		t.Fatalf("%q is not kilograms with six decimals", kg)
	}
	return whole*1_000_000 + rest
}

func wantKeys(t *testing.T, object any, keys ...string) {
	t.Helper()
	m, _ := object.(map[string]any)
	if got := slices.Sorted(maps.Keys(m)); !slices.Equal(got, keys) {
		t.Errorf("keys %v, want %v", got, keys)
	}
}

func TestListsAreNewestFirstAndClamped(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		event := manager.post("/events", map[string]any{"title": "One", "country": "GB"}).want(http.StatusCreated).str("_id")
		second := manager.post("/events", map[string]any{"title": "Two"}).want(http.StatusCreated).str("_id")
		events := user.get("/events").want(http.StatusOK)
		if events.str("items", 0, "_id") != second || events.str("items", 1, "_id") != event {
			t.Errorf("order of events: %s", events.body)
		}
		list := "/events/" + event + "/waste"
		var ids []string
		for i := range 7 {
			ids = append(ids, user.post(list, map[string]any{"treatment": "landfill", "weightKg": i + 1}).want(http.StatusCreated).str("_id"))
		}
		slices.Reverse(ids)
		var got []string
		for page := 1; page <= 3; page++ {
			a := user.get(fmt.Sprintf("%s?page=%d&limit=3&sort=asc&status=approved", list, page)).want(http.StatusOK)
			for i := range a.data("items").([]any) {
				got = append(got, a.str("items", i, "_id"))
			}
			if a.number("pagination", "total") != "7" || a.number("pagination", "totalPages") != "3" {
				t.Errorf("pagination: %s", a.body)
			}
		}
		if !slices.Equal(got, ids) {
			t.Errorf("listed %v, want %v", got, ids)
		}
		for query, limit := range map[string]string{"limit=0": "1", "limit=-5": "1", "limit=1000": "100", "limit=99999999999999999999999": "100", "": "25", "page=99999999999999999999": "25"} {
			if a := user.get(list + "?" + query).want(http.StatusOK); a.number("pagination", "limit") != limit {
				t.Errorf("%s: %s", query, a.body)
			}
		}
		for _, query := range []string{"page=0", "page=-1", "page=x", "limit=2.5", "page=NaN", "page[$gt]=1&page=1e9"} {
			user.get(list+"?"+query).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		// Deleting moves the rest up and repeats no record.
		user.do(http.MethodDelete, list+"/"+ids[2], nil, nil).want(http.StatusOK)
		a := user.get(list + "?limit=100").want(http.StatusOK)
		if a.number("pagination", "total") != "6" || a.str("items", 2, "_id") != ids[3] {
			t.Errorf("after deleting: %s", a.body)
		}
		user.get(list+"/"+ids[2]).wantError(http.StatusNotFound, "RECORD_NOT_FOUND")
		// An unchanged list is answered without a body.
		again := user.do(http.MethodGet, list+"?limit=100", nil, map[string]string{"If-None-Match": a.header.Get("ETag")})
		again.want(http.StatusNotModified)
	})
}

func TestEveryMoveOverHTTP(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		event := manager.post("/events", map[string]any{"title": "Moves", "country": "GB"}).want(http.StatusCreated).str("_id")
		id := user.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1000, "externalReference": "w-1"}).want(http.StatusCreated).str("_id")
		path := "/events/" + event + "/waste/" + id
		user.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1, "externalReference": "w-1"}).wantError(http.StatusConflict, "DUPLICATE_REFERENCE")
		user.do(http.MethodPatch, path, map[string]any{"weightKg": 2000}, nil).want(http.StatusOK)
		user.post(path+"/submit", nil).want(http.StatusOK)
		user.do(http.MethodPatch, path, map[string]any{"weightKg": 3000}, nil).wantError(http.StatusConflict, "RECORD_LOCKED")
		user.post(path+"/withdraw", nil).want(http.StatusOK)
		user.post(path+"/submit", nil).want(http.StatusOK)
		manager.post(path+"/review", nil).want(http.StatusOK)
		manager.post(path+"/request-changes", nil).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		manager.post(path+"/request-changes", map[string]any{"comment": "Which bin?"}).want(http.StatusOK)
		user.post(path+"/submit", nil).want(http.StatusOK)
		seen := manager.get(path).want(http.StatusOK).header.Get("ETag")
		manager.do(http.MethodPost, path+"/approve", nil, map[string]string{"If-Match": `"1.1.` + id + `"`}).wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
		manager.do(http.MethodPost, path+"/approve", nil, map[string]string{"If-Match": seen}).want(http.StatusOK)
		if got := user.result(event, 1).number("total", "kgCO2e"); got != "1041.160460" { // 2 t × 520.58023
			t.Errorf("total %s", got)
		}
		refused := manager.post(path+"/approve", nil).wantError(http.StatusConflict, "INVALID_TRANSITION")
		if text := string(refused.body); !json.Valid(refused.body) || refused.at("error", "details", 0, "code") != "approved" || refused.at("error", "details", 1, "suggestions", 0) != "reopen" {
			t.Errorf("refusal: %s", text)
		}
		manager.post(path+"/reopen", map[string]any{"comment": "Weighed again"}).want(http.StatusOK)
		// Nothing is approved any more: the result disappears, and comes back.
		waitStatus(t, user, "/events/"+event+"/results", http.StatusNotFound)
		user.do(http.MethodPatch, path, map[string]any{"weightKg": 1000}, nil).want(http.StatusOK)
		user.post(path+"/submit", nil).want(http.StatusOK)
		manager.post(path+"/approve", nil).want(http.StatusOK)
		if got := user.result(event, 1).number("total", "kgCO2e"); got != "520.580230" {
			t.Errorf("total %s", got)
		}
		history := user.get(path + "/history?limit=100").want(http.StatusOK)
		want := []string{"approve", "submit", "edit", "reopen", "approve", "submit", "request-changes", "review", "submit", "withdraw", "submit", "edit", "create"}
		var got []string
		for i := range history.data("items").([]any) {
			got = append(got, history.str("items", i, "action"))
		}
		if !slices.Equal(got, want) {
			t.Errorf("history %v, want %v", got, want)
		}
		results := user.get("/events/" + event + "/results/history").want(http.StatusOK)
		if results.number("pagination", "total") != "3" || results.str("items", 0, "status") != "current" || results.str("items", 2, "status") != "superseded" {
			t.Errorf("results: %s", results.body)
		}
		first := user.get("/events/" + event + "/results/1").want(http.StatusOK)
		if first.number("total", "kgCO2e") != "1041.160460" {
			t.Errorf("first result: %s", first.body)
		}
		user.get("/events/"+event+"/results/9").wantError(http.StatusNotFound, "RESULT_NOT_FOUND")
	})
}
