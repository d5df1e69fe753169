package record_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/identity"
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
	req, ok := record.PolicyApproval(p, r, ev, record.Past{})
	if !ok {
		t.Fatal("what is stored as little is not approved")
	}
	newer := r
	newer.Rev++
	if !req.IfMatch(r) || req.IfMatch(newer) {
		t.Error("it approves another revision than the one it was asked for")
	}
	r.ContextRev = 2
	if _, ok := record.PolicyApproval(p, r, ev, record.Past{}); ok {
		t.Error("520 kg are approved by what they counted under another context")
	}
}

// With four-eyes control a record that was approved before, by a person or the policy, waits for a person; without it
// the policy approves it again.
func TestThePolicyDoesNotApproveAgain(t *testing.T) {
	t.Parallel()
	ev := record.Event{Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", ContextRev: 1}
	for _, approve := range []record.Move{record.Approve, record.AutoApprove} {
		store, w := newFlow(t, record.Unsubmitted)
		for _, m := range []record.Move{record.Submit, approve, record.Reopen, record.Submit} {
			if _, err := w.Apply(t.Context(), request(m, record.Actor{ID: "admin", Role: identity.Admin})); err != nil {
				t.Fatal(m, err)
			}
		}
		past, err := record.PastOf(t.Context(), store, store.r)
		if err != nil || !past.Approved || past.SentBack {
			t.Fatalf("%s before: %+v, %v", approve, past, err)
		}
		r := store.r
		r.Type, r.Fields = "waste", json.RawMessage(`{"country":"GB","treatment":"landfill","weightKg":1}`)
		for _, fourEyes := range []bool{true, false} {
			p := record.Policy{FourEyes: fourEyes, AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(100)}}
			if _, ok := record.PolicyApproval(p, r, ev, past); ok == fourEyes {
				t.Errorf("%s before, four eyes %t: approved %t", approve, fourEyes, ok)
			}
			if _, ok := record.PolicyApproval(p, r, ev, record.Past{Lot: past.Lot}); !ok {
				t.Errorf("never approved before, four eyes %t: not approved", fourEyes)
			}
		}
	}
}

// The policy approves no record whose figure by contract is above the limit, however small its total is.
func TestThePolicyLooksAtBothFiguresOfElectricity(t *testing.T) {
	t.Parallel()
	ev := record.Event{Country: "NO", Method: record.DefaultMethod, FactorSet: "desnz-2026", ContextRev: 1}
	p := record.Policy{AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(50)}}
	for factor, want := range map[string]bool{"0.01": true, "0.9": false} {
		r := record.Record{ID: "r", Org: "org", Event: "e", Type: "venue", Rev: 2, Fields: json.RawMessage(`{"country":"NO","electricityKWh":1500,` +
			`"supplierFactor":"Coal AS@1","supplier":{"id":"f","name":"Coal AS","version":1,"kgCO2ePerUnit":` + factor + `,"unit":"kWh","stage":"combined","source":"contract","evidence":[]}}`)}
		if _, ok := record.PolicyApproval(p, r, ev, record.Past{}); ok != want {
			t.Errorf("46 kg by the grid, 1,500 kWh at %s kg by contract: approved %t", factor, ok)
		}
	}
}

// The policy approves no record whose biogenic CO2 is above the limit, which results state beside the total.
func TestThePolicyLooksAtBiogenicCO2(t *testing.T) {
	t.Parallel()
	ev := record.Event{Country: "GB", Method: record.NewMethod, FactorSet: "desnz-2026", ContextRev: 1}
	p := record.Policy{AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(50)}}
	for kilograms, want := range map[string]bool{"10": true, "1000": false} {
		r := record.Record{ID: "r", Org: "org", Event: "e", Type: "energy", Rev: 2,
			Fields: json.RawMessage(`{"country":"GB","source":"wood_chips","weightKg":` + kilograms + `}`)}
		if _, ok := record.PolicyApproval(p, r, ev, record.Past{}); ok != want {
			t.Errorf("%s kg of wood, which count for 45 kg a tonne: approved %t", kilograms, ok)
		}
	}
}

// The policy does not approve what a person has sent back, however it is submitted again, until a person has
// approved it: otherwise a small figure would overrule the reviewer.
func TestThePolicyOverrulesNoReviewer(t *testing.T) {
	t.Parallel()
	ev := record.Event{Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", ContextRev: 1}
	p := record.Policy{AutoApprove: record.AutoApproval{BelowKg: decimal.FromInt(100)}}
	for _, c := range []struct {
		name  string
		moves []record.Move
		want  bool
	}{
		{"submitted", []record.Move{record.Submit}, true},
		{"withdrawn and submitted", []record.Move{record.Submit, record.Withdraw, record.Submit}, true},
		{"sent back", []record.Move{record.Submit, record.RequestChanges, record.Submit}, false},
		{"sent back, edited", []record.Move{record.Submit, record.RequestChanges, record.Edit, record.Submit}, false},
		{"sent back, withdrawn", []record.Move{record.Submit, record.RequestChanges, record.Submit, record.Withdraw, record.Submit}, false},
		{"rejected", []record.Move{record.Submit, record.Reject, record.Reopen, record.Submit}, false},
		{"sent back, approved, reopened", []record.Move{record.Submit, record.RequestChanges, record.Submit, record.Approve, record.Reopen, record.Submit}, true},
		{"approved, reopened, sent back", []record.Move{record.Submit, record.Approve, record.Reopen, record.Submit, record.RequestChanges, record.Submit}, false},
		{"sent back, approved, sent back again", []record.Move{record.Submit, record.RequestChanges, record.Submit, record.Approve, record.Reopen, record.Submit, record.RequestChanges, record.Submit}, false},
		// As the policy could before.
		{"sent back, approved by the policy", []record.Move{record.Submit, record.RequestChanges, record.Submit, record.AutoApprove, record.Reopen, record.Submit}, false},
	} {
		store, w := newFlow(t, record.Unsubmitted)
		for _, m := range c.moves {
			if _, err := w.Apply(t.Context(), request(m, record.Actor{ID: "admin", Role: identity.Admin})); err != nil {
				t.Fatal(c.name, m, err)
			}
		}
		past, err := record.PastOf(t.Context(), store, store.r)
		if err != nil {
			t.Fatal(c.name, err)
		}
		r := store.r
		r.Type, r.Fields = "waste", json.RawMessage(`{"country":"GB","treatment":"landfill","weightKg":1}`)
		if _, ok := record.PolicyApproval(p, r, ev, past); ok != c.want {
			t.Errorf("%s: approved %t, want %t", c.name, ok, c.want)
		}
	}
}

// Entries of attempts that failed, whose revisions the record has not reached, are no decisions.
func TestThePastIsNoFailedAttempt(t *testing.T) {
	t.Parallel()
	store, w := newFlow(t, record.Unsubmitted)
	apply := func(moves ...record.Move) {
		t.Helper()
		for _, m := range moves {
			if _, err := w.Apply(t.Context(), request(m, manager)); err != nil {
				t.Fatal(m, err)
			}
		}
	}
	apply(record.Submit, record.Withdraw, record.Submit)
	submitted := store.r
	apply(record.RequestChanges, record.Submit, record.Approve)
	if past, err := record.PastOf(t.Context(), store, submitted); err != nil || past.SentBack || past.Approved || past.Lot == "" {
		t.Errorf("%+v, %v", past, err)
	}
}

// Whether a record is spot-checked cannot be told before it is submitted: of one and the same record some submissions
// are drawn and some are not. Submitting the same record again does not draw again.
func TestSpotChecksCannotBeForetold(t *testing.T) {
	t.Parallel()
	a := record.AutoApproval{BelowKg: decimal.FromInt(1), SpotCheckOneIn: 2}
	seen := map[bool]int{}
	for range 64 {
		store, w := newFlow(t, record.Unsubmitted)
		var first record.Past
		for i, m := range []record.Move{record.Submit, record.Withdraw, record.Edit, record.Submit} {
			if _, err := w.Apply(t.Context(), request(m, manager)); err != nil {
				t.Fatal(m, err)
			}
			past, err := record.PastOf(t.Context(), store, store.r)
			if err != nil || past.Lot == "" {
				t.Fatal(past, err)
			}
			if i == 0 {
				first = past
			} else if past.Lot != first.Lot {
				t.Fatalf("drawn again after %s", m)
			}
		}
		seen[a.Approves(first.Lot, footprint.Mass{})]++
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("64 submissions of one record: %v", seen)
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
