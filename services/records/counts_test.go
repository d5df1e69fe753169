package records_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/records"
)

// manager takes every token for that of one manager.
type manager struct{}

func (manager) Verify(context.Context, string) (identity.Principal, error) {
	return identity.Principal{Org: "org", UserID: "u1", Name: "Ann", Role: identity.Manager}, nil
}

type unnotified struct{}

func (unnotified) Notify(context.Context, record.OrgID, record.EventID) {}

type service struct {
	*testing.T
	app   *fiber.App
	store *sqlitestore.Store
}

func serve(t *testing.T) service {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	store := sqlitestore.New(db)
	if err := store.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "team", Rev: 1}); err != nil {
		t.Fatal(err)
	}
	app, err := records.New(records.Deps{
		Store: store, Notifier: unnotified{}, Verifier: manager{}, Quotas: settings.Quotas{"team": record.Unlimited},
		Logger: slog.New(slog.DiscardHandler), Now: time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return service{t, app, store}
}

type answer struct {
	status int
	tag    string
	data   json.RawMessage
}

// ask sends a request; more are names and values of header fields.
func (s service) ask(method, path, body string, more ...string) answer {
	s.Helper()
	req := httptest.NewRequest(method, "/api/v2"+path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer x")
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(more); i += 2 {
		req.Header.Set(more[i], more[i+1])
	}
	res, err := s.app.Test(req, -1)
	if err != nil {
		s.Fatal(err)
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil {
		s.Fatal(err)
	}
	a := answer{status: res.StatusCode, tag: res.Header.Get("ETag"), data: text}
	var envelope struct{ Data json.RawMessage }
	if json.Unmarshal(text, &envelope) == nil && envelope.Data != nil {
		a.data = envelope.Data
	}
	return a
}

type eventBody struct {
	ID     string `json:"_id"`
	Counts *record.Counts
	Result *struct {
		Revision int64
		Status   string
		Total    json.RawMessage
	}
}

func parse[T any](t testing.TB, a answer) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.data, &v); err != nil {
		t.Fatalf("%v: %d %s", err, a.status, a.data)
	}
	return v
}

// TestEventsCarryCountsAndResult follows an event whose records change: the
// counts are exact alone and in the list, the strong tag covers them and the
// result, and If-Match compares the revision of the event alone.
func TestEventsCarryCountsAndResult(t *testing.T) {
	t.Parallel()
	s := serve(t)
	created := s.ask(http.MethodPost, "/events", `{"title":"Fair","country":"DE"}`)
	event := parse[eventBody](t, created)
	path := "/events/" + event.ID
	seen := map[string]bool{}
	check := func(want record.Counts, result string) {
		t.Helper()
		for _, from := range []string{path, "/events"} {
			a := s.ask(http.MethodGet, from, "")
			body := eventBody{}
			if from == path {
				body = parse[eventBody](t, a)
			} else {
				body = parse[struct{ Items []eventBody }](t, a).Items[0]
			}
			got := ""
			if r := body.Result; r != nil {
				got = fmt.Sprint(r.Revision, " ", r.Status, " ", string(r.Total))
			}
			if body.Counts == nil || *body.Counts != want || got != result {
				t.Errorf("GET %s: counts %+v, result %q; want %+v, %q", from, body.Counts, got, want, result)
			}
			if seen[a.tag] || a.tag == "" {
				t.Errorf("GET %s: the tag %s stood for another answer", from, a.tag)
			}
			seen[a.tag] = true
			if again := s.ask(http.MethodGet, from, "", "If-None-Match", a.tag); again.status != http.StatusNotModified {
				t.Errorf("GET %s with its own tag: %d", from, again.status)
			}
		}
	}
	if created.tag != s.ask(http.MethodGet, path, "").tag {
		t.Error("an event is created under another tag than it is read")
	}
	check(record.Counts{}, "")
	first := s.ask(http.MethodGet, path, "").tag
	for range 3 {
		if a := s.ask(http.MethodPost, path+"/waste", `{"treatment":"landfill","weightKg":5}`); a.status != http.StatusCreated {
			t.Fatalf("%d %s", a.status, a.data)
		}
	}
	check(record.Counts{Unsubmitted: 3}, "")
	list := parse[struct {
		Items []struct {
			ID string `json:"_id"`
		}
	}](t, s.ask(http.MethodGet, path+"/waste", ""))
	s.ask(http.MethodPost, path+"/waste/"+list.Items[0].ID+"/submit", "")
	check(record.Counts{Unsubmitted: 2, Submitted: 1}, "")
	s.ask(http.MethodDelete, path+"/waste/"+list.Items[1].ID, "")
	check(record.Counts{Unsubmitted: 1, Submitted: 1}, "")
	total := json.RawMessage(`{"kgCO2e":2.5,"low":1,"high":4}`)
	put := func(h record.Headline) {
		t.Helper()
		if err := s.store.PutHeadline(t.Context(), "org", record.EventID(event.ID), h); err != nil {
			t.Fatal(err)
		}
	}
	put(record.Headline{Version: 1, Revision: 1, Total: total})
	check(record.Counts{Unsubmitted: 1, Submitted: 1}, "1 current "+string(total))

	// The tag is of an event without records and without a result; its revision
	// is still the same.
	changed := s.ask(http.MethodPatch, path, `{"attendees":10}`, "If-Match", first)
	if changed.status != http.StatusOK {
		t.Errorf("a change under the tag of the same revision: %d %s", changed.status, changed.data)
	}
	if again := s.ask(http.MethodPatch, path, `{"attendees":11}`, "If-Match", first); again.status != http.StatusPreconditionFailed {
		t.Errorf("a change under the tag of an older revision: %d", again.status)
	}
	if changed.tag != s.ask(http.MethodGet, path, "").tag {
		t.Error("an event is changed under another tag than it is read")
	}
	// The change moved the context, and nobody has calculated since.
	check(record.Counts{Unsubmitted: 1, Submitted: 1}, "1 recalculating "+string(total))
	put(record.Headline{Version: 2, Revision: 2})
	check(record.Counts{Unsubmitted: 1, Submitted: 1}, "")
}
