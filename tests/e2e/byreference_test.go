package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestWritingByReference verifies that a record is read, written and deleted by its
// external reference; that a write without a difference changes nothing; and that a
// locked record is refused with instructions.
func TestWritingByReference(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		s := newImporting(t, open())
		s.create(0)
		at := "/events/" + s.event + "/waste/by-reference/A%2F7"
		const body = `{"treatment":"landfill","weightKg":5,"description":"bins"}`
		s.ask(s.user, http.MethodGet, at, "").wantError(http.StatusNotFound, "RECORD_NOT_FOUND")
		s.ask(s.user, http.MethodPut, at, body, "If-Match", `"1.x"`).wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
		made := s.ask(s.user, http.MethodPut, at, body, "If-None-Match", "*").want(http.StatusCreated)
		if made.str("externalReference") != "A/7" || made.header.Get("Location") != "/api/v2/events/"+s.event+"/waste/"+made.str("_id") {
			t.Errorf("created: %v %s", made.header, made.body)
		}
		taken := s.ask(s.user, http.MethodPut, at, body, "If-None-Match", "*").wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
		if !strings.Contains(string(taken.body), `"recordId":"`+made.str("_id")+`"`) {
			t.Errorf("the response does not say which record: %s", taken.body)
		}
		if same := s.ask(s.user, http.MethodPut, at, body).want(http.StatusOK); same.header.Get("ETag") != made.header.Get("ETag") {
			t.Errorf("writing the same fields made a revision: %s", same.body)
		}
		// PUT replaces: absent fields are removed.
		put := s.ask(s.user, http.MethodPut, at, `{"treatment":"landfill","weightKg":6,"externalReference":"A/7"}`, "If-Match", made.header.Get("ETag")).want(http.StatusOK)
		if put.number("weightKg") != "6" || put.number("revision") != "2" || put.data("description") != nil {
			t.Errorf("replaced: %s", put.body)
		}
		s.ask(s.user, http.MethodPut, at, body, "If-Match", made.header.Get("ETag")).wantError(http.StatusPreconditionFailed, "PRECONDITION_FAILED")
		s.ask(s.user, http.MethodPut, at, `{"treatment":"landfill","weightKg":6,"externalReference":"B"}`).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		s.ask(s.user, http.MethodPut, at, body, "X-Dry-Run", "true").want(http.StatusOK)
		if got := s.ask(s.user, http.MethodGet, at, "").want(http.StatusOK); got.number("weightKg") != "6" {
			t.Errorf("the dry run was stored: %s", got.body)
		}
		// A reference that no path can hold is refused wherever a record can be given
		// one.
		for _, never := range []string{".", ".."} {
			s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste", fmt.Sprintf(`{"treatment":"landfill","weightKg":6,"externalReference":%q}`, never)).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		}
		// Another record with the same reference is refused, naming the record that has
		// it, by every way to write.
		second := s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste", `{"treatment":"landfill","weightKg":1}`).want(http.StatusCreated).str("_id")
		for _, refused := range []*answer{
			s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste", `{"treatment":"landfill","weightKg":6,"externalReference":"A/7"}`).wantError(http.StatusConflict, "DUPLICATE_REFERENCE"),
			s.ask(s.user, http.MethodPatch, "/events/"+s.event+"/waste/"+second, `{"externalReference":"A/7"}`).wantError(http.StatusConflict, "DUPLICATE_REFERENCE"),
			s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/batch", `{"items":[{"treatment":"landfill","weightKg":6,"externalReference":"A/7"}]}`).want(http.StatusOK),
			s.outcome("", "treatment,weightKg,externalReference\nlandfill,6,A/7\n"),
		} {
			if !strings.Contains(string(refused.body), `"recordId":"`+made.str("_id")+`"`) {
				t.Errorf("the response does not say which record has it: %s", refused.body)
			}
		}
		// Locked: the same fields are accepted, and a difference is refused with
		// instructions.
		s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/"+made.str("_id")+"/submit", "").want(http.StatusOK)
		s.ask(s.user, http.MethodPut, at, `{"treatment":"landfill","weightKg":6}`).want(http.StatusOK)
		locked := s.ask(s.user, http.MethodPut, at, body).wantError(http.StatusConflict, "RECORD_LOCKED")
		if text := string(locked.body); !strings.Contains(text, "Withdraw it") || !strings.Contains(text, `"recordId":"`+made.str("_id")+`"`) || !strings.Contains(text, `"withdraw"`) {
			t.Errorf("locked: %s", text)
		}
		s.ask(s.user, http.MethodDelete, at, "").wantError(http.StatusConflict, "RECORD_LOCKED")
		s.ask(s.user, http.MethodPost, "/events/"+s.event+"/waste/"+made.str("_id")+"/withdraw", "").want(http.StatusOK)
		s.ask(s.user, http.MethodDelete, at, "").want(http.StatusOK)
		if again := s.ask(s.user, http.MethodPut, at, body).want(http.StatusCreated); again.str("_id") == made.str("_id") {
			t.Error("a deleted record came back")
		}
		s.ask("other/bob/admin", http.MethodPut, at, body).wantError(http.StatusNotFound, "EVENT_NOT_FOUND")
	})
}

// TestABatchOfKnownReferences verifies each choice of what happens to known references.
func TestABatchOfKnownReferences(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, open func() record.Store) {
		s := newImporting(t, open())
		s.create(0)
		batch := "/events/" + s.event + "/waste/batch"
		item := func(ref string, kg int) string {
			return fmt.Sprintf(`{"treatment":"landfill","weightKg":%d,"externalReference":%q}`, kg, ref)
		}
		send := func(mode string, items ...string) (outcomes []string) {
			a := s.ask(s.user, http.MethodPost, batch, `{"onDuplicate":"`+mode+`","items":[`+strings.Join(items, ",")+`]}`).want(http.StatusOK)
			var read struct {
				Data struct {
					Items []struct {
						Outcome string
						Error   *struct {
							Code    string
							Details []struct{ Field string }
						}
					}
				}
			}
			if err := json.Unmarshal(a.body, &read); err != nil {
				t.Fatal(err)
			}
			for _, i := range read.Data.Items {
				if i.Error != nil {
					i.Outcome = i.Error.Code + " " + i.Error.Details[0].Field
				}
				outcomes = append(outcomes, i.Outcome)
			}
			return outcomes
		}
		for _, step := range []struct {
			mode  string
			items []string
			want  string
		}{
			{"refuse", []string{item("a", 1), item("b", 1)}, "[created created]"},
			{"refuse", []string{item("c", 1), item("a", 2)}, "[created DUPLICATE_REFERENCE items[1].externalReference]"},
			{"skip", []string{item("a", 2), item("d", 1)}, "[skipped created]"},
			{"update", []string{item("a", 1), item("b", 2), item("e", 1), item("e", 3)}, "[unchanged updated created updated]"},
		} {
			if got := fmt.Sprint(send(step.mode, step.items...)); got != step.want {
				t.Errorf("%s: %s, want %s", step.mode, got, step.want)
			}
		}
		for ref, want := range map[string]string{"a": "1", "b": "2", "e": "3"} {
			if got := s.ask(s.user, http.MethodGet, "/events/"+s.event+"/waste/by-reference/"+ref, "").want(http.StatusOK); got.number("weightKg") != want {
				t.Errorf("%s: %s", ref, got.body)
			}
		}
		s.ask(s.user, http.MethodPost, batch, `{"onDuplicate":"replace","items":[`+item("a", 1)+`]}`).wantError(http.StatusBadRequest, "VALIDATION_ERROR")
		s.ask(s.user, http.MethodPost, batch, `{"onDuplicat":"skip","items":[`+item("a", 1)+`]}`, "Prefer", "handling=strict").wantError(http.StatusBadRequest, "VALIDATION_ERROR")
	})
}

// TestReferencesSurviveProxies verifies that a reference arrives unchanged through a
// reverse proxy and the gateway.
func TestReferencesSurviveProxies(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	user, manager := s.user(t), s.manager(t)
	event := manager.post("/events", map[string]any{"title": "Names", "country": "GB"}).want(http.StatusCreated).str("_id")
	target, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host}))
	defer proxy.Close()
	for _, reference := range []string{"a/b", "/", `a\b`, "a%2Fb", "a b+c&d=e?f#g", "...", "é\n", "submit", "history", "~;,:@!$'()*"} {
		path := "/api/v2/events/" + event + "/waste/by-reference/" + url.PathEscape(reference)
		for _, host := range []string{proxy.URL, target.Scheme + "://" + target.Host} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, host+path, strings.NewReader(`{"treatment":"landfill","weightKg":5}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Authorization", "Bearer "+user.token)
			r.Header.Set("Content-Type", "application/json")
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			var read struct {
				Data struct{ ExternalReference string }
			}
			err = json.NewDecoder(response.Body).Decode(&read)
			_ = response.Body.Close()
			if err != nil || read.Data.ExternalReference != reference {
				t.Errorf("%q by %s: %d, %q, %v", reference, host, response.StatusCode, read.Data.ExternalReference, err)
			}
		}
	}
}
