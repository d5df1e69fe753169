package record_test

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestARecordNamesItsLatestReview: a record says who submitted it while it is submitted, and who reviewed it until it is
// submitted again.
func TestARecordNamesItsLatestReview(t *testing.T) {
	t.Parallel()
	store, w := newFlow(t, record.Unsubmitted)
	for _, step := range []struct {
		move                record.Move
		by                  record.Actor
		submitted, reviewed bool
	}{
		{record.Submit, creator, true, false},
		{record.Withdraw, creator, false, false},
		{record.Submit, creator, true, false},
		{record.RequestChanges, manager, true, true},
		{record.Submit, creator, true, false},
		{record.Reject, manager, true, true},
	} {
		if _, err := w.Apply(t.Context(), request(step.move, step.by)); err != nil {
			t.Fatalf("%s: %v", step.move, err)
		}
		r := store.r
		submitted, reviewed := r.SubmittedBy != nil && r.SubmittedAt != nil, r.ReviewedBy != nil && r.ReviewedAt != nil && r.ReviewComment == "why"
		unreviewed := r.ReviewedBy == nil && r.ReviewedAt == nil && r.ReviewComment == ""
		if submitted != step.submitted || reviewed != step.reviewed || unreviewed == step.reviewed {
			t.Errorf("%s: submitted %t, reviewed %t, want %t, %t: %+v", step.move, submitted, reviewed, step.submitted, step.reviewed, r)
		}
	}
}

// TestAChangeNeedsItsGate: what affects a figure is changed in an open event only, and what opens a signed one again in a
// signed one; what affects none is changed in any state.
func TestAChangeNeedsItsGate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		state, needs record.GateState
		any          bool
		want         apperr.Code
	}{
		{record.GateOpen, record.GateOpen, false, ""},
		{record.GateClosing, record.GateOpen, false, apperr.Unavailable},
		{record.GateSigned, record.GateOpen, false, apperr.EventSigned},
		{record.GateOpen, record.GateSigned, false, apperr.InvalidTransition},
		{record.GateClosing, record.GateSigned, false, apperr.Unavailable},
		{record.GateSigned, record.GateSigned, false, ""},
		{record.GateClosing, record.GateOpen, true, ""},
		{record.GateSigned, record.GateOpen, true, ""},
	} {
		e := record.NewEvent("acme", "e1", record.Event{Method: record.DefaultMethod}, manager, time.Unix(0, 0))
		e.Gate.State = c.state
		flow := record.EventFlow{Store: stubbornEvent{oneEvent: oneEvent{&e}, times: new(int)}, Now: func() time.Time { return time.Unix(1, 0) }}
		_, err := flow.Apply(t.Context(), record.EventRequest{Org: "acme", ID: "e1", Action: record.EventChanged, By: manager, Gate: c.needs, AnyGate: c.any,
			Change: func(e *record.Event) error { e.Title += "x"; return nil }})
		if apperr.CodeOf(err) != c.want || (e.Title == "x") != (c.want == "") {
			t.Errorf("an event that is %q, for a change that needs %q (any %t): %v, title %q", c.state, c.needs, c.any, err, e.Title)
		}
	}
}
