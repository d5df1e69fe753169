package writes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/web"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/libs/writes"
)

// service changes events of one organization as the services do.
type service struct {
	*testing.T
	store    *sqlitestore.Store
	app      *fiber.App
	notified int
	change   writes.EventChange
}

// Notify implements notify.Notifier.
func (s *service) Notify(context.Context, record.OrgID, record.EventID) { s.notified++ }

func begin(t *testing.T, policy record.Policy) *service {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	s := &service{T: t, store: sqlitestore.New(db)}
	now := func() time.Time { return time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC) }
	policy.Rev = 4
	s.must(s.store.InsertOrganization(t.Context(), record.Organization{ID: "acme", Plan: "team", Rev: 1, Policy: policy}))
	maker := writes.Maker{Store: s.store, Notifier: s, Now: now}
	o, _ := api.Operations().Find("updateEvent")
	s.app = web.New(web.Options{Service: "test", Logger: slog.New(slog.DiscardHandler)})
	s.must(web.Register(s.app, web.BasePath, webtest.Tokens{}, api.Table{o}, []web.Route{{Operation: o.ID, Handler: func(c *fiber.Ctx) error {
		w, err := maker.Begin(c)
		if err != nil {
			return err
		}
		s.change.Event, s.change.Action = record.EventID(c.Params("eventId")), record.EventChanged
		out, err := w.ChangeEvent(c.UserContext(), s.change)
		if err != nil {
			return err
		}
		switch {
		case out.Proposal != nil:
			return web.OK(c, "proposed by "+out.Proposal.By.ID)
		case out.Unchanged:
			return web.OK(c, "unchanged")
		}
		return web.OK(c, "changed")
	}}}))
	return s
}

func (s *service) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// open creates the event.
func (s *service) open(change func(*record.Event)) {
	s.Helper()
	attendees, at := int64(100), time.Date(2026, 5, 1, 9, 0, 0, 0, time.UTC)
	ev := record.Event{ID: "e", Org: "acme", Title: "Before", StartDate: "2026-06-10", EndDate: "2026-06-11", Attendees: &attendees, Country: "GB", Method: record.DefaultMethod,
		FactorSet: "desnz-2026", CreatedAt: at, UpdatedAt: at, Rev: 1, ContextRev: 1, EverApproved: true}
	change(&ev)
	_, err := s.store.InsertEvent(s.Context(), "acme", ev, record.Unlimited)
	s.must(err)
}

func (s *service) event() record.Event {
	s.Helper()
	ev, err := s.store.Event(s.Context(), "acme", "e")
	s.must(err)
	return ev
}

// ask changes the event, and returns what became of it: changed, unchanged, proposed by somebody, or the codes of an error.
func (s *service) ask(header ...string) string {
	s.Helper()
	a := webtest.Send(s.T, s.app, "acme.mia.manager", http.MethodPatch, web.BasePath+"/events/e", "", header...)
	var body struct {
		Data  string
		Error web.ErrorBody
	}
	s.must(json.Unmarshal(a.Body, &body))
	if a.Status == http.StatusOK {
		return body.Data
	}
	out := string(body.Error.Code)
	for _, d := range body.Error.Details {
		out += " " + d.Field + " " + d.Code
	}
	return out
}

func attendees(n int64) func(*record.Event) error {
	return func(e *record.Event) error { e.Attendees = &n; return nil }
}

func title(e *record.Event) error { e.Title = "After"; return nil }

func team(e *record.Event) error {
	e.Team = []record.TeamMember{{ID: "mia", Role: record.TeamReviewer}}
	return nil
}

// TestWhoChangesAnEvent: what one manager may change alone, by the policy, what was approved and the gate.
func TestWhoChangesAnEvent(t *testing.T) {
	t.Parallel()
	const proposed = "proposed by mia"
	four, reason, both := record.Policy{FourEyes: true}, record.Policy{RequireReason: true}, record.Policy{FourEyes: true, RequireReason: true}
	is := func(state record.GateState) func(*record.Event) {
		return func(e *record.Event) { e.Gate = record.Gate{State: state, Epoch: 1} }
	}
	for _, c := range []struct {
		name    string
		policy  record.Policy
		event   func(*record.Event)
		change  func(*record.Event) error
		comment string
		want    string
	}{
		{"no rules", record.Policy{}, nil, attendees(7), "", "changed"},
		{"two managers", four, nil, attendees(7), "", proposed},
		{"two managers, a title", four, nil, title, "", "changed"},
		{"two managers, a team", four, nil, team, "", proposed},
		{"two managers, nothing", four, nil, attendees(100), "", "unchanged"},
		{"two managers, nothing approved yet", four, func(e *record.Event) { e.EverApproved = false }, attendees(7), "", "changed"},
		{"a reason", reason, nil, attendees(7), "", "VALIDATION_ERROR comment REQUIRED"},
		{"a reason is given", reason, nil, attendees(7), "miscounted", "changed"},
		{"a reason, a title", reason, nil, title, "", "changed"},
		{"a reason, a team", reason, nil, team, "", "changed"},
		{"a reason, nothing approved yet", reason, func(e *record.Event) { e.EverApproved = false }, attendees(7), "", "changed"},
		{"both, no reason", both, nil, attendees(7), "", "VALIDATION_ERROR comment REQUIRED"},
		{"both", both, nil, attendees(7), "miscounted", proposed},
		{"both, a team", both, nil, team, "", proposed},
		{"signed", record.Policy{}, is(record.GateSigned), attendees(7), "", "EVENT_SIGNED signOff SIGNED"},
		{"signed, two managers", four, is(record.GateSigned), attendees(7), "", "EVENT_SIGNED signOff SIGNED"},
		{"signed, a title", record.Policy{}, is(record.GateSigned), title, "", "changed"},
		{"signed, a team", record.Policy{}, is(record.GateSigned), team, "", "changed"},
		{"signed, nothing", record.Policy{}, is(record.GateSigned), attendees(100), "", "unchanged"},
		{"closing", record.Policy{}, is(record.GateClosing), attendees(7), "", "UNAVAILABLE"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := begin(t, c.policy)
			if c.event == nil {
				c.event = func(*record.Event) {}
			}
			s.open(c.event)
			before := s.event()
			s.change = writes.EventChange{Change: c.change, Comment: c.comment}
			if got := s.ask(web.HeaderDryRun, "true"); strings.HasPrefix(c.want, "proposed") && got != "changed" || !strings.HasPrefix(c.want, "proposed") && got != c.want {
				t.Errorf("a dry run: %s, want %s", got, c.want)
			}
			if now := s.event(); now.Rev != before.Rev || s.notified > 0 {
				t.Errorf("a dry run wrote revision %d, and notified %d times", now.Rev, s.notified)
			}
			if got := s.ask(); got != c.want {
				t.Fatalf("%s, want %s", got, c.want)
			}
			now := s.event()
			differs := *now.Attendees != *before.Attendees || now.Title != before.Title || len(now.Team) > 0
			if differs != (c.want == "changed") || (now.Rev > before.Rev) != (c.want == "changed" || c.want == proposed) || (len(now.Proposals) == 1) != (c.want == proposed) {
				t.Errorf("%s: revision %d after %d, %d attendees, %q, team %v, %d proposals", c.want, now.Rev, before.Rev, *now.Attendees, now.Title, now.Team, len(now.Proposals))
			}
			if c.want == proposed && (now.Last.Action != record.ChangeProposed || now.Last.Change != now.Proposals[0].ID || !now.Last.FourEyes || now.Last.PolicyRev != 4 || now.Proposals[0].Comment != c.comment) {
				t.Errorf("the history says %+v of %+v", now.Last, now.Proposals[0])
			}
			if now.Rev > before.Rev && now.Last.FourEyes != (c.want == proposed) {
				t.Errorf("%s: the history says that four eyes were needed: %t", c.want, now.Last.FourEyes)
			}
			if moved := now.ContextRev > before.ContextRev; moved != (s.notified == 1) || s.notified > 1 {
				t.Errorf("the figures moved %t, %d notifications", moved, s.notified)
			}
		})
	}
}

// TestAChangeOfWhatWasSeen: a condition that does not hold changes nothing.
func TestAChangeOfWhatWasSeen(t *testing.T) {
	t.Parallel()
	s := begin(t, record.Policy{})
	s.open(func(*record.Event) {})
	for _, c := range []struct {
		rev         int64
		want, title string
	}{{9, "PRECONDITION_FAILED", "Before"}, {1, "changed", "After"}, {1, "PRECONDITION_FAILED", "After"}} {
		s.change = writes.EventChange{Change: title, IfMatch: func(e record.Event) bool { return e.Rev == c.rev }}
		if got := s.ask(); got != c.want || s.event().Title != c.title {
			t.Errorf("of revision %d: %s, and the title is %q; want %s", c.rev, got, s.event().Title, c.want)
		}
	}
}

// TestProposalsAreBounded, and state their effect on the figure.
func TestProposalsAreBounded(t *testing.T) {
	t.Parallel()
	s := begin(t, record.Policy{FourEyes: true})
	s.open(func(*record.Event) {})
	for n := range int64(record.MaxProposals) + 1 {
		s.change = writes.EventChange{Change: attendees(n), Effect: func(_ context.Context, before, after record.Event) (json.RawMessage, int64, error) {
			return json.RawMessage(fmt.Sprintf(`{"from":%d,"to":%d}`, *before.Attendees, *after.Attendees)), 3 + n, nil
		}}
		want := "proposed by mia"
		if n == record.MaxProposals {
			want = "PROPOSAL_LIMIT"
		}
		if got := s.ask(); got != want {
			t.Fatalf("proposal %d: %s, want %s", n+1, got, want)
		}
		if ev := s.event(); want != "PROPOSAL_LIMIT" {
			p := ev.Proposals[len(ev.Proposals)-1]
			if string(p.Effect) != fmt.Sprintf(`{"from":100,"to":%d}`, n) || p.ResultRevision != 3+n || len(p.Changed) != 1 || p.Changed[0].Field != "attendees" {
				t.Errorf("proposal %d: %+v", n+1, p)
			}
		}
	}
	if ev := s.event(); len(ev.Proposals) != record.MaxProposals || *ev.Attendees != 100 {
		t.Errorf("%d proposals, %d attendees", len(ev.Proposals), *ev.Attendees)
	}
}

// TestApprovalsBeforeEverApproved: of an event that predates the field its approved records are counted.
func TestApprovalsBeforeEverApproved(t *testing.T) {
	t.Parallel()
	for status, want := range map[record.Status]string{record.Approved: "proposed by mia", record.Submitted: "changed"} {
		s := begin(t, record.Policy{FourEyes: true})
		s.open(func(e *record.Event) { e.EverApproved = false })
		_, err := s.store.InsertRecord(t.Context(), "acme", record.Record{ID: "r", Org: "acme", Event: "e", Type: "waste", Rev: 1, Status: status,
			Fields: json.RawMessage(`{}`), CreatedAt: s.event().CreatedAt, UpdatedAt: s.event().CreatedAt, Last: record.Entry{Rev: 1, Move: record.Create, To: status}})
		s.must(err)
		s.change = writes.EventChange{Change: attendees(7)}
		if got := s.ask(); got != want {
			t.Errorf("with a record that is %s: %s, want %s", status, got, want)
		}
	}
}
