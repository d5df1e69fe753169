package record_test

import (
	"context"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
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
