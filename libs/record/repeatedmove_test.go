package record_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

func (s *oneRecord) Entries(context.Context, record.OrgID, record.ID) ([]record.Entry, error) {
	return s.entries, nil
}

// RecordsByID implements record.Workflow's History, including deleted records.
func (s *oneRecord) RecordsByID(context.Context, record.OrgID, []record.ID) ([]record.Record, error) {
	return []record.Record{s.r}, nil
}

// A repeated request finds its move, even if others have moved the record since, and does not repeat it.
func TestAMoveIsMadeOnceForEachRequest(t *testing.T) {
	t.Parallel()
	store, w := newFlow(t, record.Unsubmitted)
	w.History = store
	once := request(record.Submit, creator)
	once.Once = "request-1"
	first, err := w.Apply(t.Context(), once)
	if err != nil || first.Status != record.Submitted {
		t.Fatalf("%+v, %v", first, err)
	}
	again, err := w.Apply(t.Context(), once)
	if err != nil || again.Rev != first.Rev || store.writes != 1 {
		t.Fatalf("%+v, %v, %d writes", again, err, store.writes)
	}
	// After a withdrawal the record could be submitted again; a repetition must not do so.
	if _, err := w.Apply(t.Context(), request(record.Withdraw, creator)); err != nil {
		t.Fatal(err)
	}
	again, err = w.Apply(t.Context(), once)
	if err != nil || again.Status != record.Unsubmitted || store.writes != 2 {
		t.Fatalf("%+v, %v, %d writes", again, err, store.writes)
	}
	other := once
	other.Once = "request-2"
	if r, err := w.Apply(t.Context(), other); err != nil || r.Status != record.Submitted || store.writes != 3 {
		t.Fatalf("%+v, %v, %d writes", r, err, store.writes)
	}
	other.Once = "request-3"
	if _, err := w.Apply(t.Context(), other); apperr.CodeOf(err) != apperr.InvalidTransition {
		t.Fatal(err)
	}
	if err := record.VerifyHistory("org", "r", append(store.entries, store.r.Last)); err != nil {
		t.Error(err)
	}
}

// TestARepetitionIsToldThatItsMoveWasMade: who repeats a request without a key because the answer was lost hears that the move
// is made and was theirs. Nobody else hears who made it.
func TestARepetitionIsToldThatItsMoveWasMade(t *testing.T) {
	t.Parallel()
	other := record.Actor{ID: "other", Name: "Other", Role: identity.Manager}
	policy := record.Actor{ID: "admin", Name: "Admin", Role: identity.Admin}
	type step struct {
		move record.Move
		by   record.Actor
	}
	for name, c := range map[string]struct {
		before []step
		again  step
		told   bool
	}{
		"submitted":                        {[]step{{record.Submit, creator}}, step{record.Submit, creator}, true},
		"approved":                         {[]step{{record.Submit, creator}, {record.Approve, manager}}, step{record.Approve, manager}, true},
		"reopened":                         {[]step{{record.Submit, creator}, {record.Approve, manager}, {record.Reopen, manager}}, step{record.Reopen, manager}, true},
		"submitted, approved by a policy":  {[]step{{record.Submit, creator}, {record.AutoApprove, policy}}, step{record.Submit, creator}, true},
		"submitted by another":             {[]step{{record.Submit, creator}}, step{record.Submit, other}, false},
		"approved by another":              {[]step{{record.Submit, creator}, {record.Approve, other}}, step{record.Approve, manager}, false},
		"another's, approved by a policy":  {[]step{{record.Submit, creator}, {record.AutoApprove, policy}}, step{record.Submit, other}, false},
		"approved by the policy of admin":  {[]step{{record.Submit, creator}, {record.AutoApprove, policy}}, step{record.Approve, policy}, false},
		"submitted, then approved":         {[]step{{record.Submit, creator}, {record.Approve, manager}}, step{record.Submit, creator}, false},
		"another move of the same":         {[]step{{record.Submit, creator}, {record.Approve, manager}}, step{record.Reject, manager}, false},
		"submitted, withdrawn, then moved": {[]step{{record.Submit, creator}, {record.Withdraw, creator}}, step{record.Review, manager}, false},
	} {
		_, w := newFlow(t, record.Unsubmitted)
		for _, s := range c.before {
			if _, err := w.Apply(t.Context(), request(s.move, s.by)); err != nil {
				t.Fatal(name, s.move, err)
			}
		}
		_, err := w.Apply(t.Context(), request(c.again.move, c.again.by))
		var refusal *apperr.Error
		if !errors.As(err, &refusal) || refusal.Code != apperr.InvalidTransition {
			t.Errorf("%s: %v, want %s", name, err, apperr.InvalidTransition)
			continue
		}
		if told := strings.HasPrefix(refusal.Details[0].Message, "You made this move at 2026-06-01T09:00:00.000Z, and the record is "); told != c.told {
			t.Errorf("%s: %q, want that it was made: %t", name, refusal.Details[0].Message, c.told)
		}
	}
}
