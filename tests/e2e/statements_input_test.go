package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// TestOperatorsAreNoValues verifies that database operators are not accepted as values
// and never reach the database as operators, and that unknown names are dropped
// (statement 25).
func TestOperatorsAreNoValues(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		manager, admin := s.manager(t), s.as(t, "admin@example.test")
		event := manager.post("/events", map[string]any{"title": "Hidden", "country": "GB"}).want(http.StatusCreated).str("_id")
		records := "/events/" + event + "/waste"
		record := manager.post(records, map[string]any{"treatment": "landfill", "weightKg": 10}).want(http.StatusCreated).str("_id")
		bad := func(c *caller, method, path, body string) {
			t.Helper()
			c.do(method, path, body, nil).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		anyone := s.anonymous(t)
		bad(anyone, http.MethodPost, "/auth/login", `{"email":{"$gt":""},"password":{"$gt":""}}`)
		bad(anyone, http.MethodPost, "/auth/login", `{"email":["admin@example.test"],"password":"x"}`)
		bad(anyone, http.MethodPost, "/auth/refresh", `{"refreshToken":{"$ne":null}}`)
		bad(anyone, http.MethodPost, "/auth/setup", `{"setupToken":{"$regex":".*"},"password":"a long enough password"}`)
		bad(admin, http.MethodPost, "/users", `{"email":{"$gt":""},"role":"admin"}`)
		bad(manager, http.MethodPost, "/events", `{"title":{"$set":"x"}}`)
		bad(manager, http.MethodPost, "/events", `{"title":"a\u0000b"}`)
		bad(manager, http.MethodPost, "/events", `{"title":"one","title":"two"}`)
		bad(manager, http.MethodPost, records, `{"treatment":"landfill","weightKg":{"$gt":0}}`)
		bad(manager, http.MethodPost, records, `{"treatment":"landfill","weightKg":1,"weightKg":2}`)
		bad(manager, http.MethodPost, records, `{"treatment":"landfill","weightKg":1,"evidence":[{"name":"a","name":"b"}]}`)
		bad(manager, http.MethodPatch, records+"/"+record, `{"externalReference":{"$exists":true}}`)
		bad(manager, http.MethodPost, records+"/submit", `{"ids":[{"$gt":""}]}`)
		bad(manager, http.MethodPost, records+"/submit", `{"ids":{"$gt":""}}`)
		for _, key := range []string{"$where", "a.b", "", "\\u0000", "a b", strings.Repeat("k", 41)} {
			bad(manager, http.MethodPost, records, `{"treatment":"landfill","weightKg":1,"metadata":{"`+key+`":"v"}}`)
		}
		// Unknown names are dropped at every depth.
		made := manager.post(records, `{"treatment":"landfill","weightKg":1,"$where":"sleep(9999)","a.b":1,"$set":{"status":"approved"},"__proto__":{"x":1},"evidence":[{"name":"n","$gt":""}]}`).want(http.StatusCreated)
		for _, name := range []string{"$where", "a.b", "$set", "__proto__"} {
			if made.data(name) != nil {
				t.Errorf("%s was stored: %s", name, made.body)
			}
		}
		if made.data("evidence", 0, "$gt") != nil {
			t.Errorf("$gt was stored: %s", made.body)
		}
		manager.post("/events", `{"title":"Named","$where":"1","boundary.included":["x"]}`).want(http.StatusCreated)
		// Nor is a query a filter.
		all := manager.get("/events").want(http.StatusOK)
		for _, query := range []string{"?page[$gt]=1", "?filter[$where]=1", "?title[$ne]=x", "?$where=1"} {
			if a := manager.get("/events" + query).want(http.StatusOK); string(a.body) != string(all.body) {
				t.Errorf("%s: %s", query, a.body)
			}
		}
		for _, id := range []string{"%7B%22$gt%22:%22%22%7D", "[$ne]=1", "$where", "%24gt"} {
			manager.get("/events/"+id).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
			manager.get(records+"/"+id).wantError(http.StatusNotFound, "RECORD_NOT_FOUND")
		}
	})
}

// TestOnlyKnownTypesNameAnything verifies that a type must be one of the list, letter
// by letter, before it is used as a name (statement 26).
func TestOnlyKnownTypesNameAnything(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		manager := s.manager(t)
		event := manager.post("/events", map[string]any{"title": "Types", "country": "GB"}).want(http.StatusCreated).str("_id")
		id := manager.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": 1}).want(http.StatusCreated).str("_id")
		for _, typ := range []string{
			"system.users", "Waste", "WASTE", "waste%20", "%20waste", "waste%00", "waste%2f..", "wast%65x", "..", "%2e%2e", "%2f", "%5c", "waste%0a", "w%C3%A4ste", "$where", "records", "events", "users",
			"review", "results", "factor-set", "imports", "batch", "import", "export", "waste.", "waste;x", "ground_transport", "__proto__",
		} {
			w := wire{host: strings.TrimPrefix(s.url, "http://")}
			for _, c := range []struct{ method, target, body string }{
				{http.MethodGet, "/api/v2/events/" + event + "/" + typ + "/" + id, ""},
				{http.MethodPatch, "/api/v2/events/" + event + "/" + typ + "/" + id, `{"weightKg":2}`},
				{http.MethodPost, "/api/v2/events/" + event + "/" + typ + "/batch", `{"items":[{"treatment":"landfill","weightKg":1}]}`},
			} {
				q := &wireRequest{method: c.method, target: c.target, body: []byte(c.body), fields: []field{{"Authorization", "Bearer " + manager.token}, {"Content-Type", "application/json"}}}
				status, header, body, _, err := w.send(q)
				var e struct {
					Error struct{ Code, RequestID string }
				}
				if err != nil || json.Unmarshal(body, &e) != nil || status != http.StatusNotFound && status != http.StatusMethodNotAllowed ||
					!slices.Contains([]string{"NOT_FOUND", "TYPE_NOT_FOUND", "METHOD_NOT_ALLOWED", "RESULT_NOT_FOUND"}, e.Error.Code) || e.Error.RequestID != header.Get("X-Request-Id") {
					t.Errorf("%s %s: %v %d %s", c.method, c.target, err, status, body)
				}
			}
			w.close()
		}
		manager.get("/events/"+event+"/system.users").wantError(http.StatusNotFound, "TYPE_NOT_FOUND")
		if a := manager.get("/events/"+event+"/Waste").wantError(http.StatusNotFound, "TYPE_NOT_FOUND"); !strings.Contains(fmt.Sprint(a.at("error", "details", 0, "suggestions")), "waste") {
			t.Errorf("the types are not listed: %s", a.body)
		}
		if a := manager.get("/events/" + event + "/waste").want(http.StatusOK); a.number("pagination", "total") != "1" || a.number("items", 0, "revision") != "1" {
			t.Errorf("something was written: %s", a.body)
		}
	})
}

// TestPagesOfAnySizeAndNumber verifies that for any page and limit the response is a
// page of at most a hundred or a 400, and that a repeated parameter counts once
// (statement 27).
func TestPagesOfAnySizeAndNumber(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		manager := s.manager(t)
		event := manager.post("/events", map[string]any{"title": "Pages", "country": "GB"}).want(http.StatusCreated).str("_id")
		for i := range 3 {
			manager.post("/events/"+event+"/waste", map[string]any{"treatment": "landfill", "weightKg": i}).want(http.StatusCreated)
		}
		for _, list := range []string{"/events", "/events/" + event + "/waste", "/review", "/events/" + event + "/results/history", "/factor-sets", "/record-types"} {
			for _, c := range []struct {
				query       string
				status      int
				page, limit string
			}{
				{"page=1000000000", 200, "1000000000", "25"}, {"page=9223372036854775807&limit=100", 200, "9223372036854775807", "100"}, {"page=9223372036854775808", 200, "", "25"},
				{"page=" + strings.Repeat("9", 300), 200, "", "25"}, {"limit=0", 200, "1", "1"}, {"limit=-5", 200, "1", "1"}, {"limit=9223372036854775808", 200, "1", "100"}, {"limit=-9223372036854775809", 200, "1", "1"},
				{"page=2&page=1", 200, "2", "25"}, {"limit=2&limit=x&limit=100", 200, "1", "2"}, {"page=1&page=x", 200, "1", "25"}, {"x=1&x=2&page=1", 200, "1", "25"}, {"PAGE=7", 200, "1", "25"},
				{"page=-1", 400, "", ""}, {"page=0", 400, "", ""}, {"page=NaN", 400, "", ""}, {"page=1e9", 400, "", ""}, {"page=1.0", 400, "", ""}, {"page=", 400, "", ""}, {"page=0x1", 400, "", ""},
				{"limit=NaN", 400, "", ""}, {"limit=", 400, "", ""}, {"limit=2.5", 400, "", ""}, {"page=x&limit=y", 400, "", ""}, {"page=%00", 400, "", ""}, {"page=-9223372036854775809", 400, "", ""},
			} {
				a := manager.get(list + "?" + c.query)
				if a.status == http.StatusNotFound && strings.Contains(list, "results") {
					break // nothing has been calculated, which is reported first
				}
				a.want(c.status)
				if c.status == http.StatusBadRequest {
					continue
				}
				if c.page != "" && a.number("pagination", "page") != c.page || a.number("pagination", "limit") != c.limit {
					t.Errorf("%s?%s: %s", list, c.query, a.body)
				}
				if items, _ := a.data("items").([]any); len(items) > 100 || strings.HasPrefix(c.query, "page=9") && len(items) > 0 {
					t.Errorf("%s?%s: %d items", list, c.query, len(items))
				}
			}
		}
	})
}

// TestNumbersAreWhatTheyAre verifies that a number is one that its field accepts, or
// 400, and that sums of the largest ones do not overflow (statement 28).
func TestNumbersAreWhatTheyAre(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		user, manager := s.user(t), s.manager(t)
		event := manager.post("/events", map[string]any{"title": "Numbers", "country": "GB"}).want(http.StatusCreated).str("_id")
		for _, n := range []string{"0", "-1", "1e308", "1e400", "9007199254740993", "9223372036854775808", `"3"`, "1.5", "10001", "true", "[]", "{}", "NaN", "Infinity", "-0", "0x10", "1e-1", "01", "null"} {
			a := user.post("/events/"+event+"/flights", fmt.Sprintf(`{"from":"LHR","to":"JFK","passengers":%s}`, n)).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
			if field := a.at("error", "details", 0, "field"); json.Valid([]byte(n)) && field != "passengers" {
				t.Errorf("passengers %s: %s", n, a.body)
			}
		}
		for _, n := range []string{"1", "1.0", "1e0", "10e-1", "10000", "1E4"} {
			user.post("/events/"+event+"/flights", fmt.Sprintf(`{"from":"LHR","to":"JFK","passengers":%s}`, n)).want(http.StatusCreated)
		}
		for _, n := range []string{"-1", "1e308", "NaN", `"1"`, "1." + strings.Repeat("0", 40) + "1"} {
			user.post("/events/"+event+"/waste", fmt.Sprintf(`{"treatment":"landfill","weightKg":%s}`, n)).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		for range 20 {
			approved(user, manager, event, "custom", map[string]any{"kgCO2e": json.Number("1000000000"), "description": "As much as there may be", "evidence": []map[string]string{{"name": "report"}}})
		}
		if total := user.result(event, 20).number("total", "kgCO2e"); total != "20000000000.000000" {
			t.Errorf("total %s", total)
		}
	})
}
