package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// lesson is a fault that must be reported: the field, the code, the value received, and
// the probable correction.
type lesson struct{ field, code, came, suggested string }

func (l lesson) taught(details []any) bool {
	for _, d := range details {
		detail, _ := d.(map[string]any)
		message, _ := detail["message"].(string)
		if detail["field"] == l.field && (l.code == "" || detail["code"] == l.code) && strings.Contains(message, l.came) && message != "" &&
			(l.suggested == "" || strings.Contains(fmt.Sprint(detail["suggestions"], message), l.suggested)) {
			return true
		}
	}
	return false
}

// TestRefusalsTeach verifies that all faults are reported at once, each with the path
// of the field, what would be right, the value received, and the probable correction.
func TestRefusalsTeach(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	manager, admin := s.manager(t), s.as(t, "admin@example.test")
	event := manager.post("/events", map[string]any{"title": "Lessons", "country": "GB"}).want(http.StatusCreated).str("_id")
	for _, c := range []struct {
		caller       *caller
		method, path string
		body         string
		lessons      []lesson
	}{
		{manager, http.MethodPost, "/events/" + event + "/flights",
			`{"from":"LHT","to":"JFX","passengers":0,"class":4,"via":["KEF",7],"trips":1.5,"group":"atendees","country":"XX","date":"30.5.2026","dataQuality":"mesured","evidence":[{"url":"http://x"}],"metadata":{"a b":"c"}}`,
			[]lesson{
				{"from", "UNKNOWN_CODE", "LHT", "LHR"}, {"to", "UNKNOWN_CODE", "JFX", "JFK"}, {"passengers", "OUT_OF_RANGE", "got 0", ""}, {"class", "WRONG_TYPE", "text; got 4", ""}, {"via[1]", "WRONG_TYPE", "text; got 7", ""},
				{"trips", "WRONG_TYPE", "1.5", ""}, {"group", "NOT_ALLOWED", "atendees", "attendees"}, {"date", "BAD_FORMAT", "30.5.2026", ""}, {"dataQuality", "NOT_ALLOWED", "mesured", "measured"},
				{"evidence[0].url", "BAD_FORMAT", "http://x", ""}, {"metadata.a b", "BAD_FORMAT", "a b", ""},
			}},
		{manager, http.MethodPost, "/events/" + event + "/flights", `{"form":"LHR","to":"JFK","passenger":2}`, []lesson{{"from", "REQUIRED", "", "form"}, {"passengers", "REQUIRED", "", "passenger"}}},
		{manager, http.MethodPost, "/events/" + event + "/accommodation", `{"nights":"2","rooms":40,"country":"UK","kind":"hotl"}`,
			[]lesson{{"nights", "WRONG_TYPE", `"2"`, ""}, {"country", "UNKNOWN_CODE", "UK", "GB"}, {"kind", "NOT_ALLOWED", "hotl", "hotel"}}},
		{manager, http.MethodPost, "/events", `{"titel":"x","country":"UK","attendees":-1,"method":{"gwp":"AR5"},"endDate":"2026-02-30"}`,
			[]lesson{{"title", "REQUIRED", "", "titel"}, {"country", "UNKNOWN_CODE", "UK", "GB"}, {"attendees", "OUT_OF_RANGE", "-1", ""}, {"method.gwp", "NOT_ALLOWED", "AR5", "AR6"}, {"endDate", "BAD_FORMAT", "2026-02-30", ""}}},
		{admin, http.MethodPost, "/users", `{"email":"nobody","role":"manger"}`, []lesson{{"email", "BAD_FORMAT", "an email address", ""}, {"role", "NOT_ALLOWED", "manger", "manager"}}},
		{manager, http.MethodPost, "/events/" + event + "/flights", `{"from":"LHR","from":"MAN","to":"JFX","passengers":-1}`,
			[]lesson{{"from", "DUPLICATE_KEY", "", ""}, {"to", "UNKNOWN_CODE", "JFX", "JFK"}, {"passengers", "OUT_OF_RANGE", "-1", ""}}},
		{manager, http.MethodGet, "/events?page=0&limit=x", "", []lesson{{"page", "OUT_OF_RANGE", "", ""}, {"limit", "WRONG_TYPE", "", ""}}},
	} {
		var body any
		if c.body != "" {
			body = c.body
		}
		a := c.caller.do(c.method, c.path, body, nil).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		details, _ := a.at("error", "details").([]any)
		for _, want := range c.lessons {
			if !want.taught(details) {
				t.Errorf("%s: no %+v in %s", c.body, want, a.body)
			}
		}
		if len(details) != len(c.lessons) {
			t.Errorf("%s: %d faults, want %d: %s", c.body, len(details), len(c.lessons), a.body)
		}
	}
	// In a batch each record has its own, by its index.
	good := `{"from":"LHR","to":"JFK","passengers":1}`
	a := manager.post("/events/"+event+"/flights/batch", `{"items":[`+good+`,`+good+`,`+good+`,{"from":"LHR","to":"JFX","passengers":"3"}]}`).want(http.StatusOK)
	details, _ := a.at("data", "items", 3, "error", "details").([]any)
	for _, want := range []lesson{{"items[3].passengers", "WRONG_TYPE", `"3"`, ""}, {"items[3].to", "UNKNOWN_CODE", "JFX", "JFK"}} {
		if !want.taught(details) {
			t.Errorf("batch: no %+v in %s", want, a.body)
		}
	}
	if a.number("succeeded") != "3" || a.number("failed") != "1" {
		t.Errorf("batch: %s", a.body)
	}
}

// TestABadFileTeaches verifies that faults of a file are reported by row and column:
// the first hundred, and their number.
func TestABadFileTeaches(t *testing.T) {
	t.Parallel()
	onBothEngines(t, nil, func(t *testing.T, s *system) {
		manager := s.manager(t)
		event := manager.post("/events", map[string]any{"title": "File", "country": "GB"}).want(http.StatusCreated).str("_id")
		file := "from,to,passengers,Round Trip,clas,Remark\nLHR,JFK,2,yes,business,x\n" + strings.Repeat("LHR,JFX,0,no,economy,x\n", 130)
		accepted := manager.do(http.MethodPost, "/events/"+event+"/flights/import", file, map[string]string{"Content-Type": "text/csv"}).want(http.StatusAccepted)
		var done *answer
		testkit.Eventually(t, 30*time.Second, func() error {
			done = manager.get("/events/" + event + "/imports/" + accepted.str("_id")).want(http.StatusOK)
			if status := done.str("status"); status != "failed" {
				return fmt.Errorf("status %s", status)
			}
			return nil
		})
		errors, _ := done.data("errors").([]any)
		if len(errors) != 100 || done.number("errorCount") != "260" || done.number("failed") != "130" || done.number("rows") != "131" {
			t.Errorf("%d errors: %.600s", len(errors), done.body)
		}
		for i, want := range []struct{ row, column, code, message, suggestion string }{
			{"3", "to", "UNKNOWN_CODE", "JFX", "JFK"}, {"3", "passengers", "OUT_OF_RANGE", "got 0", ""}, {"4", "to", "UNKNOWN_CODE", "JFX", "JFK"},
		} {
			if done.number("errors", i, "row") != want.row || done.str("errors", i, "column") != want.column || done.str("errors", i, "code") != want.code ||
				!strings.Contains(done.str("errors", i, "message"), want.message) || !strings.Contains(fmt.Sprint(done.data("errors", i, "suggestions")), want.suggestion) {
				t.Errorf("error %d: %v", i, done.data("errors", i))
			}
		}
		if fmt.Sprint(done.data("ignoredColumns")) != "[Remark]" {
			t.Errorf("ignored columns %v", done.data("ignoredColumns"))
		}
		if n := manager.get("/events/"+event+"/flights").want(http.StatusOK).number("pagination", "total"); n != "0" {
			t.Errorf("%s records of a bad file", n)
		}
	})
}
