package record_test

import (
	"context"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestIfMatchDecides: a move is made of the record that the caller saw, of no other, and of any where the caller names none.
func TestIfMatchDecides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		match func(record.Record) bool
		want  apperr.Code
	}{
		"none named": {nil, ""},
		"the same":   {func(r record.Record) bool { return r.Rev == 1 }, ""},
		"another":    {func(r record.Record) bool { return r.Rev == 2 }, apperr.PreconditionFailed},
	} {
		store, w := newFlow(t, record.Unsubmitted)
		req := request(record.Submit, creator)
		req.IfMatch = c.match
		_, err := w.Apply(t.Context(), req)
		if got := apperr.CodeOf(err); got != c.want || store.r.Status.IsSubmitted() != (c.want == "") {
			t.Errorf("%s: %v, and the record is %s", name, err, store.r.Status)
		}
	}
}

// TestIfFigureDecidesApprovals: an approval is of the figure that the caller saw; no other decision is about it.
func TestIfFigureDecidesApprovals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		move record.Move
		same bool
		want apperr.Code
	}{
		{record.Approve, true, ""}, {record.Approve, false, apperr.PreconditionFailed},
		{record.Reject, false, ""}, {record.RequestChanges, false, ""}, {record.Reopen, false, ""},
	} {
		from := record.Submitted
		if c.move == record.Reopen {
			from = record.Approved
		}
		store, w := newFlow(t, from)
		w.Gate = func(context.Context, record.OrgID, record.EventID) (record.Event, error) {
			return record.Event{EverApproved: true}, nil
		}
		req := request(c.move, manager)
		req.IfFigure = func(record.Record, record.Event) bool { return c.same }
		_, err := w.Apply(t.Context(), req)
		if got := apperr.CodeOf(err); got != c.want || (store.r.Status == from) != (c.want != "") {
			t.Errorf("%s, the same figure %t: %v, and the record is %s", c.move, c.same, err, store.r.Status)
		}
	}
}

// TestOnlyTheApprovedAreGated: in a signed event records may be submitted and reviewed, and no record becomes or ceases to be
// approved. Only that reads the event.
func TestOnlyTheApprovedAreGated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		move  record.Move
		from  record.Status
		gated bool
	}{
		{record.Submit, record.Unsubmitted, false}, {record.Withdraw, record.Submitted, false}, {record.Review, record.Submitted, false},
		{record.Reject, record.InReview, false}, {record.Reopen, record.Rejected, false},
		{record.Approve, record.InReview, true}, {record.Reopen, record.Approved, true},
	} {
		_, w := newFlow(t, c.from)
		read := false
		w.Gate = func(context.Context, record.OrgID, record.EventID) (record.Event, error) {
			read = true
			return record.Event{Governance: record.Governance{Gate: record.Gate{Epoch: 1, State: record.GateSigned}}}, nil
		}
		_, err := w.Apply(t.Context(), request(c.move, record.Actor{ID: creator.ID, Role: identity.Manager}))
		want := apperr.Code("")
		if c.gated {
			want = apperr.EventSigned
		}
		if got := apperr.CodeOf(err); got != want || read != c.gated {
			t.Errorf("%s of a record that is %s: %v, event read %t", c.move, c.from, err, read)
		}
	}
}
