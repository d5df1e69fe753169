package calculation_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// twice makes a request with a key in a process that crashes after the work and before the response is stored, and
// repeats it: the response is the same, and then replayed. same extracts the part that must be equal; empty:
// everything.
func (s *service) twice(token, path string, body any, status int, same ...any) reply {
	s.t.Helper()
	key := []string{"Idempotency-Key", "key of " + path}
	s.records.unsettled.Store(true)
	first := s.call(http.MethodPost, "/api/v2"+path, token, body, key...).want(status)
	s.records.unsettled.Store(false)
	before := s.eventEver()
	s.clock.Add((20 * time.Second).Milliseconds())
	again := s.call(http.MethodPost, "/api/v2"+path, token, body, key...).want(status)
	if again.header.Get("Idempotent-Replayed") != "" {
		s.t.Fatalf("%s: the answer was kept", path)
	}
	if len(same) == 0 && string(again.body) != string(first.body) || len(same) > 0 && again.text(same...) != first.text(same...) {
		s.t.Errorf("%s: repeated %s\nfirst %s", path, again.body, first.body)
	}
	if note := again.header.Get("X-Ecf-Audit"); note == "" || note != first.header.Get("X-Ecf-Audit") {
		s.t.Errorf("%s: audit note %q of the repetition, first %q", path, note, first.header.Get("X-Ecf-Audit"))
	}
	if after := s.eventEver(); after.Rev != before.Rev && after.Last.Action != record.SignedOff {
		s.t.Errorf("%s: done again: %+v", path, after.Last)
	}
	if third := s.call(http.MethodPost, "/api/v2"+path, token, body, key...).want(status); third.header.Get("Idempotent-Replayed") != "true" || string(third.body) != string(again.body) {
		s.t.Errorf("%s: replayed %s\nwant %s", path, third.body, again.body)
	}
	return again
}

// eventEver reads the event, deleted or not.
func (s *service) eventEver() record.Event {
	s.t.Helper()
	ev, err := s.records.EventContext(s.t.Context(), org, s.event.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return ev
}

// fourEyes enables four-eyes control.
func (s *service) fourEyes() {
	s.t.Helper()
	o, err := s.records.Organization(s.t.Context(), org)
	if err == nil {
		o.Policy.FourEyes, o.Policy.Rev = true, o.Policy.Rev+1
		o.Rev++
		err = s.records.ReplaceOrganization(s.t.Context(), o, o.Rev-1)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// propose lets another manager propose a change of the event.
func (s *service) propose(id string, kind record.EventAction, change func(*record.Event)) {
	s.t.Helper()
	s.change(func(ev *record.Event) {
		after := *ev
		change(&after)
		p := record.Proposal{ID: id, Kind: kind, By: record.Actor{ID: "u-other", Role: someManager.Role}, At: s.now().UTC(), Changed: record.EventChanges(*ev, after), ContextRev: ev.ContextRev}
		if err := ev.AddProposal(p); err != nil {
			s.t.Fatal(err)
		}
	})
	s.settle()
}

const manager = "org1.manager"

// A process may crash between a change of an event and storing its response (ADR 0006): a repeated request finds the
// change in the event's history.
func TestARepeatedChangeOfAnEventIsFound(t *testing.T) {
	t.Parallel()
	prepared := func(t *testing.T) *service {
		t.Helper()
		s := start(t)
		s.add("waste", `{"treatment":"landfill","weightKg":1000}`, record.Approved)
		s.settle()
		return s
	}
	revision := func(s *service) map[string]any {
		return map[string]any{"revision": s.of("").want(http.StatusOK).at("data", "revision"), "statement": "So it is."}
	}
	signed := func(s *service) {
		testkit.Eventually(s.t, 10*time.Second, func() error {
			if g := s.eventNow().Gate; g.State != record.GateSigned {
				return fmt.Errorf("the gate is %+v", g)
			}
			return nil
		})
	}
	more := func(e *record.Event) { e.Attendees = new(int64(999)) }
	t.Run("adopt", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		a := s.twice(manager, "/events/e1/factor-set", map[string]any{"engine": footprint.Engine5}, http.StatusOK)
		if a.data("toEngine") != footprint.Engine5 || a.data("fromEngine") == footprint.Engine5 {
			t.Errorf("%s", a.body)
		}
	})
	t.Run("adopt, and the result has followed", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.records.unsettled.Store(true)
		send := func() reply {
			return s.call(http.MethodPost, "/api/v2/events/e1/factor-set", manager, map[string]any{"engine": footprint.Engine5}, "Idempotency-Key", "k").want(http.StatusOK)
		}
		first := send()
		s.settle()
		s.records.unsettled.Store(false)
		s.clock.Add((20 * time.Second).Milliseconds())
		if again := send(); string(again.body) != string(first.body) {
			t.Errorf("repeated %s\nfirst %s", again.body, first.body)
		}
	})
	t.Run("propose to adopt", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.fourEyes()
		s.twice(manager, "/events/e1/factor-set", map[string]any{"engine": footprint.Engine5}, http.StatusAccepted)
		if open := s.eventNow().Proposals; len(open) != 1 || !strings.Contains(string(open[0].Effect), `"differenceKgCO2e"`) || open[0].ResultRevision == 0 {
			t.Errorf("the proposals are %+v", open)
		}
	})
	t.Run("sign off", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.twice(manager, "/events/e1/sign-off", revision(s), http.StatusAccepted, "data", "checklist")
		signed(s)
		if n := len(s.eventNow().Editions); n != 1 {
			t.Errorf("%d editions", n)
		}
		s.twice(manager, "/events/e1/sign-off/withdraw", map[string]any{"comment": "Too early."}, http.StatusOK)
	})
	t.Run("propose to sign off", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.fourEyes()
		s.twice(manager, "/events/e1/sign-off", revision(s), http.StatusAccepted)
		if n := len(s.eventNow().Proposals); n != 1 {
			t.Errorf("%d proposals", n)
		}
	})
	t.Run("propose to sign off, without a key", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.fourEyes()
		ids := map[string]int{}
		for _, statement := range []string{"So it is.", "So it is.", "So it is now."} {
			body := revision(s)
			body["statement"] = statement
			ids[s.call(http.MethodPost, signOffPath, manager, body).want(http.StatusAccepted).data("change", "_id")]++
		}
		if n := len(s.eventNow().Proposals); n != 2 || len(ids) != 2 {
			t.Errorf("%d proposals, answered with %v", n, ids)
		}
	})
	t.Run("reject", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.propose("p1", record.EventChanged, more)
		s.twice(manager, "/events/e1/changes/p1/reject", map[string]any{"comment": "No."}, http.StatusOK)
	})
	t.Run("assess", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.propose("p1", record.EventChanged, more)
		s.twice(manager, "/events/e1/changes/p1/assess", nil, http.StatusOK)
	})
	t.Run("approve", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.propose("p1", record.EventChanged, more)
		s.twice(manager, "/events/e1/changes/p1/approve", nil, http.StatusOK)
	})
	t.Run("approve a deletion", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.propose("p1", record.EventDeleted, func(e *record.Event) { e.Deleted = true })
		if a := s.twice(manager, "/events/e1/changes/p1/approve", nil, http.StatusOK); a.data("deleted") != "true" {
			t.Errorf("%s", a.body)
		}
	})
	t.Run("what came since", func(t *testing.T) {
		t.Parallel()
		s := prepared(t)
		s.propose("p1", record.EventChanged, more)
		s.records.unsettled.Store(true)
		send := func() reply {
			return s.call(http.MethodPost, "/api/v2/events/e1/changes/p1/reject", manager, nil, "Idempotency-Key", "k").want(http.StatusOK)
		}
		send()
		s.records.unsettled.Store(false)
		flow := record.EventFlow{Store: s.records, Now: s.now}
		for range 120 { // more than are read at a time
			if _, err := flow.Apply(t.Context(), record.EventRequest{Org: org, ID: "e1", Action: record.EventChanged, By: someManager, AnyGate: true,
				Change: func(e *record.Event) error { e.Title += "."; return nil }}); err != nil {
				t.Fatal(err)
			}
		}
		s.clock.Add((20 * time.Second).Milliseconds())
		if again := send(); !strings.HasSuffix(again.data("title"), "...") {
			t.Errorf("%s", again.body)
		}
		if last := s.eventNow().Last; last.Action != record.EventChanged {
			t.Errorf("done again: %+v", last)
		}
	})
}
