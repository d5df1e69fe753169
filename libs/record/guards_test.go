package record_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// The policy decides on the contribution in the event's current context, and approves only the revision it has
// evaluated.
func TestThePolicyApprovesWhatItHasSeen(t *testing.T) {
	t.Parallel()
	nothing, err := json.Marshal(total.Contribution{})
	if err != nil {
		t.Fatal(err)
	}
	p := record.Policy{AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(100)}}
	ev := record.Event{Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", ContextRev: 3}
	r := record.Record{ID: "r", Org: "org", Event: "e", Type: "waste", Rev: 2, ContextRev: 3, Contribution: nothing,
		Fields: json.RawMessage(`{"country":"GB","treatment":"landfill","weightKg":1000}`)}
	req, ok := record.PolicyApproval(p, r, ev, false)
	if !ok {
		t.Fatal("what is stored as little is not approved")
	}
	newer := r
	newer.Rev++
	if !req.IfMatch(r) || req.IfMatch(newer) {
		t.Error("it approves another revision than the one it was asked for")
	}
	r.ContextRev = 2
	if _, ok := record.PolicyApproval(p, r, ev, false); ok {
		t.Error("520 kg are approved by what they counted under another context")
	}
}

// With four-eyes control a record that was approved before waits for a person; without it the policy approves it
// again.
func TestThePolicyDoesNotApproveAgain(t *testing.T) {
	t.Parallel()
	ev := record.Event{Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", ContextRev: 1}
	store, w := newFlow(t, record.Unsubmitted)
	for _, m := range []record.Move{record.Submit, record.Approve, record.Reopen, record.Submit} {
		if before, err := record.ApprovedBefore(t.Context(), store, store.r); err != nil || before {
			t.Errorf("before %s: %t, %v", m, before, err)
		}
		if _, err := w.Apply(t.Context(), request(m, manager)); err != nil {
			t.Fatal(err)
		}
	}
	before, err := record.ApprovedBefore(t.Context(), store, store.r)
	if err != nil || !before {
		t.Fatalf("approved before: %t, %v", before, err)
	}
	r := store.r
	r.Type, r.Fields = "waste", json.RawMessage(`{"country":"GB","treatment":"landfill","weightKg":1}`)
	for _, fourEyes := range []bool{true, false} {
		p := record.Policy{FourEyes: fourEyes, AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(100)}}
		if _, ok := record.PolicyApproval(p, r, ev, before); ok == fourEyes {
			t.Errorf("four eyes %t: approved %t", fourEyes, ok)
		}
	}
}

// With four-eyes control the last editor of a record may not approve it, even if somebody else has approved it in
// between.
func TestTheLastEditorDoesNotApproveWhatWasReopened(t *testing.T) {
	t.Parallel()
	store, w := newFlow(t, record.Unsubmitted)
	other := manager
	other.ID = "other"
	for _, step := range []struct {
		move record.Move
		by   record.Actor
	}{{record.Edit, manager}, {record.Submit, creator}, {record.Approve, other}, {record.Reopen, other}, {record.Submit, creator}} {
		if _, err := w.Apply(t.Context(), request(step.move, step.by)); err != nil {
			t.Fatal(step.move, err)
		}
	}
	w.Policy = policyOf(true)
	if _, err := w.Apply(t.Context(), request(record.Approve, manager)); apperr.CodeOf(err) != apperr.SelfApprovalForbidden {
		t.Errorf("approved by its last editor: %v, %+v", err, store.r.Status)
	}
}

// A proposal is not applied to a field that has changed since.
func TestAProposalOfAFieldThatHasChangedIsStale(t *testing.T) {
	t.Parallel()
	changed := []record.FieldChange{{Field: "country", Before: json.RawMessage(`"GB"`), After: json.RawMessage(`"FR"`)}}
	e := record.Event{Country: "DE"}
	if err := e.ApplyChanges(changed); apperr.CodeOf(err) != apperr.ProposalStale || e.Country != "DE" {
		t.Errorf("%v, %s", err, e.Country)
	}
	e.Country = "GB"
	if err := e.ApplyChanges(changed); err != nil || e.Country != "FR" {
		t.Errorf("%v, %s", err, e.Country)
	}
}

// A record with the fence of a sign-off cannot be moved with an event read before that sign-off.
func TestAFencedRecordIsNotMovedOnAnOlderEvent(t *testing.T) {
	t.Parallel()
	store, w := newFlow(t, record.Submitted)
	store.r.Fence = 1
	reads := 0
	w.Gate = func(context.Context, record.OrgID, record.EventID) (record.Event, error) {
		reads++
		if reads == 1 {
			return record.Event{}, nil // of epoch 0, and open
		}
		return record.Event{Governance: record.Governance{Gate: record.Gate{Epoch: 1, State: record.GateSigned}}}, nil
	}
	if _, err := w.Apply(t.Context(), request(record.Approve, manager)); apperr.CodeOf(err) != apperr.EventSigned || store.writes != 0 {
		t.Errorf("%v, %d writes", err, store.writes)
	}
}
