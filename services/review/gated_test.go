package review_test

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/web/webtest"
	"github.com/eventcarbon/ecf/services/review"
)

// watched records the order in which the record and the event of a request are read, and calls
// a function after one of these reads.
type watched struct {
	*sqlitestore.Store
	read  []string
	after string
	then  func()
}

func (s *watched) note(what string) {
	s.read = append(s.read, what)
	if s.then != nil && s.after == what {
		then := s.then
		s.then = nil
		then()
	}
}

func (s *watched) Record(ctx context.Context, org record.OrgID, key record.Key) (record.Record, error) {
	defer s.note("record")
	return s.Store.Record(ctx, org, key)
}

func (s *watched) CurrentEvent(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	defer s.note("gate")
	return s.Store.CurrentEvent(ctx, org, id)
}

func (s *watched) EventContext(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	defer s.note("event")
	return s.Store.EventContext(ctx, org, id)
}

func watch(t *testing.T) (*harness, *watched) {
	t.Helper()
	h := start(t, record.Policy{})
	store := &watched{Store: h.store}
	app, err := review.New(review.Deps{Store: store, Notifier: h, Verifier: webtest.Tokens{}, Logger: slog.New(slog.DiscardHandler), Now: h.now})
	if err != nil {
		t.Fatal(err)
	}
	h.app = app
	return h, store
}

// TestOneReadingOfTheEvent verifies that a decision reads the event once, and one that a
// sign-off may prevent reads it after the record, as the gate requires.
func TestOneReadingOfTheEvent(t *testing.T) {
	t.Parallel()
	h, store := watch(t)
	approved, rejected := h.submitted("ada"), h.submitted("ada")
	for _, c := range []struct {
		path string
		want []string
	}{
		{"/waste/" + string(approved.ID) + "/review", []string{"event", "record"}},
		{"/waste/" + string(approved.ID) + "/approve", []string{"record", "gate"}},
		{"/waste/" + string(approved.ID) + "/reopen", []string{"record", "gate"}},
		{"/waste/" + string(rejected.ID) + "/reject", []string{"event", "record"}},
	} {
		store.read = nil
		if a := h.post(planck, c.path, `{"comment":"seen"}`); a.status != http.StatusOK || !slices.Equal(store.read, c.want) {
			t.Errorf("%s: %d, read %q, want %q", c.path, a.status, store.read, c.want)
		}
	}
}

// TestApprovalBesideASignOff verifies that an approval fails if the event is signed after the
// record or the event was read.
func TestApprovalBesideASignOff(t *testing.T) {
	t.Parallel()
	for _, after := range []string{"record", "gate"} {
		for _, key := range [][]string{nil, {"Idempotency-Key", "decision-1"}} {
			h, store := watch(t)
			r := h.submitted("ada")
			store.after, store.then = after, func() { h.sign(r) }
			if a := h.post(planck, "/waste/"+string(r.ID)+"/approve", "", key...); a.code != "EVENT_SIGNED" || h.stored(r).Status != record.Submitted {
				t.Errorf("signed after the %s was read: %d %s, and the record is %s", after, a.status, a.code, h.stored(r).Status)
			}
		}
	}
}

// sign has the effect of a sign-off on an event and its one record.
func (h *harness) sign(r record.Record) {
	h.t.Helper()
	ctx := h.t.Context()
	e, err := h.store.Event(ctx, r.Org, r.Event)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, state := range []record.GateState{record.GateClosing, record.GateSigned} {
		rev := e.Rev
		e.Rev, e.Gate = rev+1, record.Gate{Epoch: 1, State: state}
		if state == record.GateClosing {
			e.Gate.Pending = &record.PendingSignOff{Revision: 1}
		}
		if err := h.store.ReplaceEvent(ctx, r.Org, e, rev); err != nil {
			h.t.Fatal(err)
		}
		if err := h.store.Fence(ctx, r.Org, r.Key().Sub(), 1, r.Seq, 1); err != nil {
			h.t.Fatal(err)
		}
	}
}

// TestGatedDecisionsOnWhatIsNotThere verifies that a record that cannot be read ahead has the
// usual response.
func TestGatedDecisionsOnWhatIsNotThere(t *testing.T) {
	t.Parallel()
	h, _ := watch(t)
	if a := h.post(planck, "/waste/none/approve", ""); a.code != "RECORD_NOT_FOUND" {
		t.Errorf("no record: %d %s", a.status, a.code)
	}
	r := h.submitted("ada")
	e, err := h.store.Event(t.Context(), "org1", "e1")
	if err != nil {
		t.Fatal(err)
	}
	e.Rev, e.Deleted = e.Rev+1, true
	if err := h.store.ReplaceEvent(t.Context(), "org1", e, e.Rev-1); err != nil {
		t.Fatal(err)
	}
	if a := h.post(planck, "/waste/"+string(r.ID)+"/approve", ""); a.code != "EVENT_NOT_FOUND" {
		t.Errorf("deleted event: %d %s", a.status, a.code)
	}
}

// TestDecisionsShowTheFiguresOfTheEventAsItIs verifies that the response to a decision has the figure and the tag that the
// record has in its event, whose factor set has changed since the record was calculated; also to a decision on many.
func TestDecisionsShowTheFiguresOfTheEventAsItIs(t *testing.T) {
	t.Parallel()
	h := start(t, record.Policy{})
	one, another := h.submitted("ada"), h.submitted("ada")
	e, err := h.store.Event(t.Context(), "org1", "e1")
	if err != nil {
		t.Fatal(err)
	}
	e.Rev, e.ContextRev, e.FactorSet = e.Rev+1, e.ContextRev+1, "desnz-2018"
	if err := h.store.ReplaceEvent(t.Context(), "org1", e, e.Rev-1); err != nil {
		t.Fatal(err)
	}
	a := h.post(planck, "/waste/"+string(one.ID)+"/review", "")
	want := h.stored(one).Under(e)
	if tag := a.header.Get("ETag"); a.status != http.StatusOK || !strings.Contains(a.body, `"footprint":`+string(want.Preview)) || tag != want.ETag() || tag == h.stored(one).ETag() {
		t.Errorf("one: %d %s, the tag is %s, want %s and %s", a.status, a.body, tag, want.ETag(), want.Preview)
	}
	many := h.post(planck, "/review/request-changes", `{"ids":["`+string(another.ID)+`"],"comment":"Which bin?"}`)
	if want := h.stored(another).Under(e).Preview; many.status != http.StatusOK || !strings.Contains(many.body, `"footprint":`+string(want)) {
		t.Errorf("many: %d %s, want %s", many.status, many.body, want)
	}
}
