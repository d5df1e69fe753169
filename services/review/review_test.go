package review_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/review"
)

// harness is the service over the embedded engine.
type harness struct {
	t        *testing.T
	app      *fiber.App
	store    *sqlitestore.Store
	clock    atomic.Int64
	notified atomic.Int64
}

func (h *harness) Notify(context.Context, record.OrgID, record.EventID) { h.notified.Add(1) }

func (h *harness) now() time.Time { return time.UnixMilli(h.clock.Add(1000)) }

// meeting is the event of the harness, before it is stored.
var meeting = record.Event{ID: "e1", Org: "org1", Title: "Meeting", Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", Rev: 1, ContextRev: 1}

func start(t *testing.T, policy record.Policy) *harness {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	h := &harness{t: t, store: sqlitestore.New(db)}
	h.clock.Store(time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC).UnixMilli())
	if h.app, err = review.New(review.Deps{Store: h.store, Notifier: h, Verifier: webtest.Tokens{}, Logger: slog.New(slog.DiscardHandler), Now: h.now}); err != nil {
		t.Fatal(err)
	}
	for _, org := range []record.OrgID{"org1", "org2"} {
		if err := h.store.InsertOrganization(t.Context(), record.Organization{ID: org, Name: string(org), Plan: "team", Policy: policy, Rev: 1}); err != nil {
			t.Fatal(err)
		}
	}
	e := meeting
	e.CreatedAt, e.UpdatedAt = h.now(), h.now()
	if _, err := h.store.InsertEvent(t.Context(), "org1", e, record.Unlimited); err != nil {
		t.Fatal(err)
	}
	return h
}

// submitted stores a record of a tonne in a landfill that the given user has created and submitted.
func (h *harness) submitted(by string) record.Record {
	h.t.Helper()
	return h.submittedWaste(by, `{"country":"GB","treatment":"landfill","weightKg":1000}`)
}

func (h *harness) submittedWaste(by, fields string) record.Record {
	h.t.Helper()
	actor := record.Actor{ID: by, Name: by, Role: identity.Manager}
	w := record.Workflow{Store: h.store, Now: h.now, NewMark: func() string { return record.NewMark(h.now()) }}
	preview, contribution, err := record.Evaluate("waste", json.RawMessage(fields), nil, meeting.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	r, err := w.Insert(h.t.Context(), "org1", record.Record{ID: record.ID(record.NewID()), Event: "e1", Type: "waste", ContextRev: 1,
		Fields: json.RawMessage(fields), Preview: preview, Contribution: contribution}, actor)
	if err == nil {
		r, err = w.Apply(h.t.Context(), record.Request{Org: "org1", Key: r.Key(), Move: record.Submit, By: actor})
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

// answer is a response as the tables below compare it.
type answer struct {
	status int
	code   string
	state  string
	header http.Header
	body   string
}

func (h *harness) post(as, path, body string, header ...string) answer {
	h.t.Helper()
	got := webtest.Send(h.t, h.app, as, http.MethodPost, "/api/v2/events/e1"+path, body, header...)
	var read struct {
		Data  struct{ Status string }
		Error struct{ Code string }
	}
	if err := json.Unmarshal(got.Body, &read); err != nil {
		h.t.Fatalf("%s: %v: %.500s", path, err, got.Body)
	}
	return answer{got.Status, read.Error.Code, read.Data.Status, got.Header, string(got.Body)}
}

func (h *harness) stored(r record.Record) record.Record {
	h.t.Helper()
	now, err := h.store.Record(h.t.Context(), "org1", r.Key())
	if err != nil {
		h.t.Fatal(err)
	}
	return now
}

const (
	ada    = "org1.ada.user"
	planck = "org1.max.manager"
	niels  = "org1.niels.manager"
	alien  = "org2.eve.admin"
)

// TestDecisions verifies who may make which decision in which state, and the resulting record.
func TestDecisions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, as, move, body string
		fourEyes             bool
		want                 string
	}{
		{"a manager approves", planck, "approve", "", false, "200  approved"},
		{"a manager approves with a comment", planck, "approve", `{"comment":"seen"}`, false, "200  approved"},
		{"a manager takes it up", planck, "review", "", false, "200  in_review"},
		{"a user does not", ada, "approve", "", false, "403 FORBIDDEN submitted"},
		{"nor another organization", alien, "approve", "", false, "404 EVENT_NOT_FOUND submitted"},
		{"who entered it may without four eyes", niels, "approve", "", false, "200  approved"},
		{"and may not with them", niels, "approve", "", true, "403 SELF_APPROVAL_FORBIDDEN submitted"},
		{"somebody else may", planck, "approve", "", true, "200  approved"},
		{"changes need a reason", planck, "request-changes", "", false, "400 VALIDATION_ERROR submitted"},
		{"changes with a reason", planck, "request-changes", `{"comment":"Which bin?"}`, false, "200  changes_requested"},
		{"a rejection needs a reason", planck, "reject", `{}`, false, "400 VALIDATION_ERROR submitted"},
		{"a rejection with a reason that nobody can see", planck, "reject", `{"comment":" \u00a0\u200b\n"}`, false, "400 VALIDATION_ERROR submitted"},
		{"a rejection with one", planck, "reject", `{"comment":"Twice"}`, false, "200  rejected"},
		{"what is not approved is not reopened", planck, "reopen", `{"comment":"Oops"}`, false, "409 INVALID_TRANSITION submitted"},
		{"a comment must be a string", planck, "approve", `{"comment":7}`, false, "400 VALIDATION_ERROR submitted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := start(t, record.Policy{FourEyes: c.fourEyes})
			r := h.submitted("niels")
			a := h.post(c.as, "/waste/"+string(r.ID)+"/"+c.move, c.body)
			now := h.stored(r)
			if got := fmt.Sprintf("%d %s %s", a.status, a.code, now.Status); got != c.want {
				t.Errorf("got  %s\nwant %s\n%.600s", got, c.want, a.body)
			}
			if a.status == http.StatusOK && a.state != string(now.Status) {
				t.Errorf("answered %q, stored %q", a.state, now.Status)
			}
			if counts := now.Status == record.Approved; (h.notified.Load() > 0) != counts || (now.Mark != "") != counts {
				t.Errorf("approved: %t, notifications: %d, mark %q", counts, h.notified.Load(), now.Mark)
			}
		})
	}
}

// TestConditionalDecision verifies that a decision on an outdated record is rejected, and
// changes nothing.
func TestConditionalDecision(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{})
	r := h.submitted("ada")
	path := "/waste/" + string(r.ID)
	claimed := h.post(planck, path+"/review", "", "If-Match", r.ETag())
	if claimed.status != http.StatusOK || claimed.header.Get("ETag") == "" || claimed.header.Get("ETag") == r.ETag() {
		t.Fatalf("claimed: %d %v", claimed.status, claimed.header)
	}
	if late := h.post(niels, path+"/approve", "", "If-Match", r.ETag()); late.status != http.StatusPreconditionFailed || h.stored(r).Status != record.InReview {
		t.Errorf("on an older revision: %d %s, the record is %s", late.status, late.code, h.stored(r).Status)
	}
	if a := h.post(niels, path+"/approve", "", "If-Match", claimed.header.Get("ETag")); a.status != http.StatusOK {
		t.Errorf("on the newest revision: %d %.400s", a.status, a.body)
	}
}

// TestRehearsedDecision verifies that a dry run answers like the decision, and stores nothing.
func TestRehearsedDecision(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{FourEyes: true})
	r := h.submitted("ada")
	path := "/waste/" + string(r.ID) + "/approve"
	a := h.post(planck, path, "", "X-Dry-Run", "true")
	if a.status != http.StatusOK || a.state != "approved" || a.header.Get("X-Dry-Run") != "true" {
		t.Errorf("rehearsed: %d %q %v", a.status, a.state, a.header)
	}
	if now := h.stored(r); now.Status != record.Submitted || now.Rev != r.Rev || h.notified.Load() != 0 {
		t.Errorf("the rehearsal left %s at revision %d, %d notifications", now.Status, now.Rev, h.notified.Load())
	}
	if own := h.post("org1.ada.manager", path, "", "X-Dry-Run", "true"); own.code != "SELF_APPROVAL_FORBIDDEN" {
		t.Errorf("the rehearsal of a refused decision: %d %s", own.status, own.code)
	}
}

// TestRepeatedDecision verifies that a repeated decision is made once and answered twice.
func TestRepeatedDecision(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{})
	r := h.submitted("ada")
	path := "/waste/" + string(r.ID) + "/approve"
	first := h.post(planck, path, "", "Idempotency-Key", "decision-1")
	again := h.post(planck, path, "", "Idempotency-Key", "decision-1")
	if first.status != http.StatusOK || again.status != http.StatusOK || first.body != again.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("first %d %.300s\nagain %d %.300s", first.status, first.body, again.status, again.body)
	}
	if now := h.stored(r); now.Rev != r.Rev+1 {
		t.Errorf("revision %d, want %d", now.Rev, r.Rev+1)
	}
	if other := h.post(planck, path, `{"comment":"another"}`, "Idempotency-Key", "decision-1"); other.code != "IDEMPOTENCY_KEY_REUSED" {
		t.Errorf("another request with the key: %d %s", other.status, other.code)
	}
}

// TestApprovalOfManyAsTheyWereSeen verifies that, with revisions, only records at the given
// revision are approved.
func TestApprovalOfManyAsTheyWereSeen(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{})
	same, moved, unseen, free := h.submitted("ada"), h.submitted("ada"), h.submitted("ada"), h.submitted("ada")
	if a := h.post(niels, "/waste/"+string(moved.ID)+"/review", ""); a.status != http.StatusOK {
		t.Fatalf("%d %.300s", a.status, a.body)
	}
	decide := func(body map[string]any, header ...string) string {
		t.Helper()
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		return outcomes(t, h.post(planck, "/review/approve", string(text), header...))
	}
	seen := map[string]any{
		"ids":       []record.ID{same.ID, moved.ID, unseen.ID},
		"revisions": map[record.ID]int64{same.ID: same.Rev, moved.ID: moved.Rev},
	}
	const want = "approved; PRECONDITION_FAILED; PRECONDITION_FAILED"
	if got := decide(seen, "X-Dry-Run", "true"); got != want {
		t.Errorf("rehearsed: %s, want %s", got, want)
	}
	if got := decide(seen); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if a, b, c := h.stored(same).Status, h.stored(moved).Status, h.stored(unseen).Status; a != record.Approved || b != record.InReview || c != record.Submitted {
		t.Errorf("the records are %s, %s and %s", a, b, c)
	}
	if got := decide(map[string]any{"ids": []record.ID{free.ID}, "revisions": nil}); got != "approved" {
		t.Errorf("without revisions: %s", got)
	}
	for _, wrong := range []string{
		`"revisions":{"a":"2"}`, `"revisions":{"a":0}`, `"revisions":{"a":null}`, `"revisions":{"":1}`, `"revisions":[1]`, `"revisions":{"` + strings.Repeat("a", 65) + `":1}`,
		`"figures":{"a":"2"}`, `"figures":{"a":-1}`, `"figures":{"a":1e16}`, `"figures":{"a":null}`,
	} {
		body := `{"ids":["` + string(unseen.ID) + `"],` + wrong + `}`
		if a := h.post(planck, "/review/approve", body); a.status != http.StatusBadRequest || h.stored(unseen).Status != record.Submitted {
			t.Errorf("%s: %d %.300s, the record is %s", wrong, a.status, a.body, h.stored(unseen).Status)
		}
	}
}

// TestFaultyIDsKeepTheirPlaces: an id that is at fault does not move those after it.
func TestFaultyIDsKeepTheirPlaces(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{})
	for ids, want := range map[string][]string{
		`["","a","b","a"]`: {"ids[0] must not be empty", "ids[3] repeats ids[1]."},
		`["",7]`:           {"ids[0] must not be empty", "ids[1] must be text"},
	} {
		a := h.post(planck, "/review/approve", `{"ids":`+ids+`}`)
		for _, sentence := range want {
			if a.status != http.StatusBadRequest || !strings.Contains(a.body, sentence) || strings.Count(a.body, `"field"`) != len(want) {
				t.Errorf("%s: %d %s, want %q", ids, a.status, a.body, want)
			}
		}
	}
}

// outcomes returns the outcome of each record: the state, or the code of the error.
func outcomes(t *testing.T, a answer) string {
	t.Helper()
	var read struct {
		Data struct {
			Items []struct {
				Record *struct{ Status string }
				Error  *struct{ Code string }
			}
		}
	}
	if err := json.Unmarshal([]byte(a.body), &read); err != nil || a.status != http.StatusOK {
		t.Fatalf("%d %v %.600s", a.status, err, a.body)
	}
	var got []string
	for _, item := range read.Data.Items {
		switch {
		case item.Error != nil:
			got = append(got, item.Error.Code)
		case item.Record != nil:
			got = append(got, item.Record.Status)
		}
	}
	return strings.Join(got, "; ")
}

// TestApprovalOfMany verifies that records are approved independently of each other.
func TestApprovalOfMany(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{FourEyes: true})
	ours, own, done := h.submitted("ada"), h.submitted("max"), h.submitted("ada")
	if a := h.post(niels, "/waste/"+string(done.ID)+"/approve", ""); a.status != http.StatusOK {
		t.Fatalf("%d %.300s", a.status, a.body)
	}
	ids, _ := json.Marshal(map[string]any{"ids": []string{string(ours.ID), string(own.ID), string(done.ID), "missing"}})
	a := h.post(planck, "/review/approve", string(ids))
	if got, want := outcomes(t, a), "approved; SELF_APPROVAL_FORBIDDEN; INVALID_TRANSITION; RECORD_NOT_FOUND"; got != want {
		t.Errorf("got  %s\nwant %s\n%.800s", got, want, a.body)
	}
	if now := h.stored(ours); now.Status != record.Approved {
		t.Errorf("the good one is %s", now.Status)
	}
}

// TestDecisionsOnAnEventThatIsNotThere verifies that an event that was deleted, that is another organization's, or whose
// team the caller is not in, is not found, and none of its records is decided: neither alone nor among many.
func TestDecisionsOnAnEventThatIsNotThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		as     string
		change func(*record.Event)
	}{
		"of another organization": {alien, func(*record.Event) {}},
		"deleted":                 {planck, func(e *record.Event) { e.Deleted = true }},
		"of another team":         {planck, func(e *record.Event) { e.Team = []record.TeamMember{{ID: "niels", Role: record.TeamReviewer}} }},
	} {
		h := start(t, record.Policy{})
		r := h.submitted("ada")
		e, err := h.store.Event(t.Context(), "org1", "e1")
		if err != nil {
			t.Fatal(err)
		}
		c.change(&e)
		e.Rev++
		if err := h.store.ReplaceEvent(t.Context(), "org1", e, e.Rev-1); err != nil {
			t.Fatal(err)
		}
		for path, body := range map[string]string{
			"/review/approve":                     `{"ids":["` + string(r.ID) + `"]}`,
			"/review/reject":                      `{"ids":["` + string(r.ID) + `"],"comment":"seen"}`,
			"/waste/" + string(r.ID) + "/approve": "",
			"/waste/" + string(r.ID) + "/reject":  `{"comment":"seen"}`,
		} {
			if a := h.post(c.as, path, body); a.status != http.StatusNotFound || a.code != "EVENT_NOT_FOUND" {
				t.Errorf("%s, %s: %d %.300s", name, path, a.status, a.body)
			}
		}
		if now := h.stored(r); now.Status != record.Submitted || now.Rev != r.Rev {
			t.Errorf("%s: the record is %s, revision %d", name, now.Status, now.Rev)
		}
	}
}

// TestFaultyDecisions verifies that a request that cannot be read decides nothing, and names the field at fault.
func TestFaultyDecisions(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{})
	r := h.submitted("ada")
	many := `{"ids":["` + string(r.ID) + `"]}`
	for _, c := range []struct {
		path, body, field string
		header            []string
	}{
		{"/review/approve", many, "X-Dry-Run", []string{"X-Dry-Run", "perhaps"}},
		{"/review/request-changes", many, "comment", nil},
		{"/waste/" + string(r.ID) + "/approve", "", "X-Dry-Run", []string{"X-Dry-Run", "perhaps"}},
		{"/nothing/" + string(r.ID) + "/approve", "", "type", nil},
		{"/waste/" + string(r.ID) + "/approve", `{"comment":`, "", nil},
		{"/review/approve", `{"ids":`, "", nil},
	} {
		a := h.post(planck, c.path, c.body, c.header...)
		if a.status < 400 || a.status >= 500 || !strings.Contains(a.body, c.field) {
			t.Errorf("%s %s %s: %d %.300s", c.path, c.body, c.header, a.status, a.body)
		}
	}
	if now := h.stored(r); now.Status != record.Submitted || now.Rev != r.Rev {
		t.Errorf("the record is %s, revision %d", now.Status, now.Rev)
	}
}
