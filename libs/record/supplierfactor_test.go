package record_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

var (
	supplierTime = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	ann          = record.Actor{ID: "ann", Name: "Ann", Role: identity.Manager}
	bob          = record.Actor{ID: "bob", Name: "Bob", Role: identity.Manager}
	eve          = record.Actor{ID: "eve", Name: "Eve", Role: identity.Manager}
)

// proposed returns a version that a person has proposed.
func proposed(by record.Actor) record.SupplierFactor {
	return record.SupplierFactor{
		SupplierFactor: footprint.SupplierFactor{ID: "f1", Name: "Hall power", Version: 2}, Org: "org", Rev: 1, Status: record.SupplierProposed,
		CreatedBy: by, CreatedAt: supplierTime, EditedBy: by, UpdatedAt: supplierTime,
		History: []record.SupplierEntry{{Rev: 1, Action: string(record.SupplierCreate), By: by, At: supplierTime}},
	}.Sealed()
}

// then makes changes of a version, each by a person, none of which may fail.
func then(t *testing.T, f record.SupplierFactor, by record.Actor, actions ...record.SupplierAction) record.SupplierFactor {
	t.Helper()
	for _, a := range actions {
		var err error
		c := record.SupplierChange{Action: a, By: by, At: supplierTime, Comment: string(a), Once: fmt.Sprint(a, "-", f.Rev), Fields: footprint.SupplierFactor{ID: "other", Name: "Hall power", Version: 9}}
		if f, err = f.Apply(c); err != nil {
			t.Fatalf("%s: %v", a, err)
		}
	}
	return f
}

// TestMovesOfSupplierFactors has every action in every state, by every role.
func TestMovesOfSupplierFactors(t *testing.T) {
	t.Parallel()
	const (
		proposal, approved = record.SupplierProposed, record.SupplierApproved
		rejected, gone     = record.SupplierRejected, record.SupplierWithdrawn
	)
	actions := []record.SupplierAction{record.SupplierEdit, record.SupplierDelete, record.SupplierApprove, record.SupplierReject, record.SupplierWithdraw, record.SupplierCreate}
	want := map[record.SupplierStatus][]record.SupplierStatus{ // by action; empty: impossible
		proposal: {proposal, proposal, approved, rejected, "", ""},
		approved: {"", "", "", "", gone, ""},
		rejected: {"", rejected, "", "", "", ""},
		gone:     {"", "", "", "", "", ""},
	}
	in := map[record.SupplierStatus]record.SupplierFactor{
		proposal: proposed(ann), approved: then(t, proposed(ann), bob, record.SupplierApprove), rejected: then(t, proposed(ann), bob, record.SupplierReject),
		gone: then(t, proposed(ann), bob, record.SupplierApprove, record.SupplierWithdraw),
	}
	for status, f := range in {
		for i, action := range actions {
			for _, role := range identity.Roles() {
				by := record.Actor{ID: "eve", Role: role}
				got, err := f.Apply(record.SupplierChange{Action: action, By: by, At: supplierTime})
				possible := want[status][i] != "" && role.Holds(identity.Manager)
				if (err == nil) != possible || err == nil && (got.Status != want[status][i] || got.Deleted != (action == record.SupplierDelete) || got.Rev != f.Rev+1 || got.Verify() != nil) {
					t.Errorf("%s of one that is %s by a %s: it is %s, %v, want %q", action, status, role, got.Status, err, want[status][i])
				}
				if code := apperr.CodeOf(err); want[status][i] != "" && !possible && code != apperr.Forbidden {
					t.Errorf("%s by a %s: %s", action, role, code)
				}
			}
		}
	}
}

// TestFourEyesOnSupplierFactors: nobody approves a version that they have proposed or edited, even if somebody else edited it
// later; and only under four eyes, and only approval is denied.
func TestFourEyesOnSupplierFactors(t *testing.T) {
	t.Parallel()
	edited := then(t, then(t, proposed(ann), bob, record.SupplierEdit), eve, record.SupplierEdit)
	other := record.Actor{ID: "zoe", Role: identity.Admin}
	for _, c := range []struct {
		f    record.SupplierFactor
		by   record.Actor
		want bool
	}{
		{proposed(ann), ann, false}, {proposed(ann), bob, true},
		{edited, ann, false}, {edited, bob, false}, {edited, eve, false}, {edited, other, true},
	} {
		for _, eyes := range []bool{true, false} {
			change := record.SupplierChange{Action: record.SupplierApprove, By: c.by, At: supplierTime, Policy: record.Policy{FourEyes: eyes, Rev: 7}}
			got, err := c.f.Apply(change)
			if (err == nil) != (c.want || !eyes) || err != nil && apperr.CodeOf(err) != apperr.SelfApprovalForbidden {
				t.Errorf("approval by %s, four eyes %t: %v", c.by.ID, eyes, err)
			}
			if last := got.History[len(got.History)-1]; err == nil && (last.FourEyes != eyes || last.PolicyRev != 7 || last.By != c.by) {
				t.Errorf("approval by %s, four eyes %t: the entry is %+v", c.by.ID, eyes, last)
			}
			change.Action = record.SupplierReject
			if got, err := c.f.Apply(change); err != nil || got.History[len(got.History)-1].FourEyes != eyes {
				t.Errorf("rejection by %s, four eyes %t: %v", c.by.ID, eyes, err)
			}
		}
	}
}

// TestEditsOfSupplierFactors: an edit keeps the id and the number of the version, and there are so many of them.
func TestEditsOfSupplierFactors(t *testing.T) {
	t.Parallel()
	f := then(t, proposed(ann), bob, record.SupplierEdit)
	if f.ID != "f1" || f.Version != 2 || f.EditedBy != bob || f.CreatedBy != ann {
		t.Errorf("%+v", f)
	}
	for f.Rev < 100 {
		f = then(t, f, bob, record.SupplierEdit)
	}
	if _, err := f.Apply(record.SupplierChange{Action: record.SupplierEdit, By: bob}); apperr.CodeOf(err) != apperr.InvalidTransition {
		t.Errorf("edit 100: %v", err)
	}
	then(t, f, ann, record.SupplierApprove)
	then(t, f, ann, record.SupplierDelete)
}

// TestSupplierFactorsAsTheyWere: the answer to a repeated request is the version as the request left it, and what is shown of a
// version is the newest decision, not an edit.
func TestSupplierFactorsAsTheyWere(t *testing.T) {
	t.Parallel()
	f := then(t, proposed(ann), bob, record.SupplierEdit, record.SupplierApprove, record.SupplierWithdraw)
	for once, want := range map[string]string{
		"edit-1": "proposed proposed 2", "approve-2": "proposed approved 3", "withdraw-3": "approved withdrawn 4", "": "false", "approve-3": "false",
	} {
		made, before, ok := f.As(once)
		got := fmt.Sprint(before, " ", made.Status, " ", len(made.History))
		if !ok {
			got = "false"
		}
		if got != want || made.Deleted {
			t.Errorf("%q: %s, want %s", once, got, want)
		}
	}
	deleted := then(t, proposed(ann), bob, record.SupplierReject, record.SupplierDelete)
	if made, _, ok := deleted.As("reject-1"); !ok || made.Deleted || made.Status != record.SupplierRejected {
		t.Errorf("the rejection before a deletion: %+v", made)
	}
	if made, before, ok := deleted.As("delete-2"); !ok || !made.Deleted || before != record.SupplierRejected {
		t.Errorf("the deletion: %+v, before %s", made, before)
	}
	for _, c := range []struct {
		actions []record.SupplierAction
		want    string
	}{
		{[]record.SupplierAction{record.SupplierEdit}, ""}, {[]record.SupplierAction{record.SupplierApprove}, "approve"},
		{[]record.SupplierAction{record.SupplierEdit, record.SupplierReject}, "reject"}, {[]record.SupplierAction{record.SupplierApprove, record.SupplierWithdraw}, "withdraw"},
	} {
		text, err := json.Marshal(then(t, proposed(ann), bob, c.actions...).View())
		var shown struct {
			DecidedBy *record.Actor
			Comment   string
		}
		if err := errors.Join(err, json.Unmarshal(text, &shown)); err != nil || shown.Comment != c.want || (shown.DecidedBy != nil) != (c.want != "") {
			t.Errorf("%s: %s %v, want the decision %q", c.actions, text, err, c.want)
		}
	}
}

// TestHistoriesOfSupplierFactorsAreVerified: a changed, missing or moved entry, and a version that was changed by no action.
func TestHistoriesOfSupplierFactorsAreVerified(t *testing.T) {
	t.Parallel()
	f := then(t, proposed(ann), bob, record.SupplierEdit, record.SupplierApprove)
	if err := f.Verify(); err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func(f *record.SupplierFactor){
		"an entry was changed":              func(f *record.SupplierFactor) { f.History[1].Comment = "other" },
		"the last one was changed":          func(f *record.SupplierFactor) { f.History[2].By = ann },
		"an entry is missing":               func(f *record.SupplierFactor) { f.History = slices.Delete(f.History, 1, 2) },
		"the last one is missing":           func(f *record.SupplierFactor) { f.History = f.History[:2] },
		"one has no hash behind others":     func(f *record.SupplierFactor) { f.History[2].Hash = "" },
		"its figure was changed":            func(f *record.SupplierFactor) { f.Name = "Other" },
		"its state was changed":             func(f *record.SupplierFactor) { f.Status = record.SupplierProposed },
		"it is of another organization":     func(f *record.SupplierFactor) { f.Org = "other" },
		"its history is of another version": func(f *record.SupplierFactor) { f.ID = "f2" },
	} {
		damaged := f
		damaged.History = slices.Clone(f.History)
		damage(&damaged)
		if damaged.Verify() == nil {
			t.Errorf("%s: nothing is found", name)
		}
	}
	// Changes from before hashes have none, and are not taken for damage.
	older := f
	older.History = slices.Clone(f.History)
	for i := range older.History {
		older.History[i].Hash, older.History[i].State = "", ""
	}
	if err := older.Verify(); err != nil {
		t.Errorf("from before hashes: %v", err)
	}
	text, err := record.EncodeSupplierFactor("org", f)
	if read := record.ReadStoredSupplierFactor("f1", text); err != nil || read.Damage != nil || read.Factor.Verify() != nil {
		t.Errorf("as stored: %v, %v", err, read.Damage)
	}
	if read := record.ReadStoredSupplierFactor("f2", text); read.Damage == nil || read.ID != "f2" {
		t.Errorf("stored under another id: %+v", read)
	}
}
