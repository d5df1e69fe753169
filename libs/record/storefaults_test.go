package record_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

var errUnread = errors.New("the store does not respond")

// unreadable is a history that cannot be read.
type unreadable struct{}

func (unreadable) Entries(context.Context, record.OrgID, record.ID) ([]record.Entry, error) {
	return nil, errUnread
}

func (unreadable) RecordsByID(context.Context, record.OrgID, []record.ID) ([]record.Record, error) {
	return nil, errUnread
}

// TestWhatCannotBeReadPermitsNothing: a move whose permission cannot be determined, because the store does not respond,
// is not made.
func TestWhatCannotBeReadPermitsNothing(t *testing.T) {
	t.Parallel()
	event := func(e record.Event, err error) func(context.Context, record.OrgID, record.EventID) (record.Event, error) {
		return func(context.Context, record.OrgID, record.EventID) (record.Event, error) { return e, err }
	}
	for name, c := range map[string]struct {
		without func(w *record.Workflow, req *record.Request)
		code    apperr.Code
	}{
		"who edited it":                    {func(w *record.Workflow, _ *record.Request) { w.Policy, w.History = policyOf(true), unreadable{} }, apperr.Internal},
		"who edited it, without a history": {func(w *record.Workflow, _ *record.Request) { w.Policy, w.History = policyOf(true), nil }, apperr.Internal},
		"whether it was made before":       {func(w *record.Workflow, req *record.Request) { w.History, req.Once = unreadable{}, "once" }, apperr.Internal},
		"the policy": {func(w *record.Workflow, _ *record.Request) {
			w.Policy = func(context.Context, record.OrgID) (record.Policy, error) { return record.Policy{}, errUnread }
		}, apperr.Internal},
		"the event":          {func(w *record.Workflow, _ *record.Request) { w.Gate = event(record.Event{}, errUnread) }, apperr.Internal},
		"an event not there": {func(w *record.Workflow, _ *record.Request) { w.Gate = event(record.Event{}, record.ErrNotFound) }, apperr.EventNotFound},
		"that the event has approved records": {func(w *record.Workflow, _ *record.Request) {
			w.Gate = event(record.Event{}, nil)
			w.Approving = func(context.Context, record.OrgID, record.EventID) error { return errUnread }
		}, apperr.Internal},
	} {
		store, w := newFlow(t, record.Unsubmitted)
		if _, err := w.Apply(t.Context(), request(record.Submit, creator)); err != nil {
			t.Fatal(err)
		}
		req := request(record.Approve, manager)
		c.without(&w, &req)
		if _, err := w.Apply(t.Context(), req); err == nil || apperr.CodeOf(err) != c.code || store.r.Status != record.Submitted || store.writes != 1 {
			t.Errorf("%s: %v, and the record is %s after %d writes", name, err, store.r.Status, store.writes)
		}
	}
}

// TestAnEventIsGovernedBeforeItsFirstApproval: that a record is approved is recorded in the event before it is, once.
func TestAnEventIsGovernedBeforeItsFirstApproval(t *testing.T) {
	t.Parallel()
	for ever, want := range map[bool]int{false: 1, true: 0} {
		store, w := newFlow(t, record.Submitted)
		w.Gate = func(context.Context, record.OrgID, record.EventID) (record.Event, error) {
			return record.Event{EverApproved: ever}, nil
		}
		asked := 0
		w.Approving = func(context.Context, record.OrgID, record.EventID) error {
			if asked++; store.writes != 0 {
				t.Error("recorded after the record was approved")
			}
			return nil
		}
		if r, err := w.Apply(t.Context(), request(record.Approve, manager)); err != nil || r.Status != record.Approved || asked != want {
			t.Errorf("approved before %t: %s, %v, recorded %d times", ever, r.Status, err, asked)
		}
	}
}

// TestAnEditOfNothingMakesNobodyAnEditor: a record that is saved as it was has no new revision, and its editor stays.
func TestAnEditOfNothingMakesNobodyAnEditor(t *testing.T) {
	t.Parallel()
	store, w := newFlow(t, record.Unsubmitted)
	req := request(record.Edit, manager)
	req.Change = func(*record.Record) ([]string, error) { return nil, nil }
	if r, err := w.Apply(t.Context(), req); err != nil || r.Rev != 1 || r.EditedBy != creator || store.writes != 0 || store.r.EditedBy != creator {
		t.Errorf("revision %d of %s, %v, after %d writes", r.Rev, r.EditedBy.ID, err, store.writes)
	}
}

// deletable is a store that no longer finds a deleted record.
type deletable struct{ *oneRecord }

func (s deletable) Record(ctx context.Context, org record.OrgID, key record.Key) (record.Record, error) {
	if s.r.Deleted {
		return record.Record{}, record.ErrNotFound
	}
	return s.oneRecord.Record(ctx, org, key)
}

// TestADeletionIsMadeOnceForEachRequest: a repeated request finds its deletion. Another one, and another move of the same
// request, find no record.
func TestADeletionIsMadeOnceForEachRequest(t *testing.T) {
	t.Parallel()
	store, w := newFlow(t, record.Unsubmitted)
	w.Store = deletable{store}
	req := request(record.Delete, creator)
	req.Once = "request-1"
	for range 2 {
		if r, err := w.Apply(t.Context(), req); err != nil || !r.Deleted || store.writes != 1 {
			t.Fatalf("%+v, %v after %d writes", r, err, store.writes)
		}
	}
	for name, change := range map[string]func(*record.Request){
		"another request":   func(req *record.Request) { req.Once = "request-2" },
		"without a name":    func(req *record.Request) { req.Once = "" },
		"another move":      func(req *record.Request) { req.Move = record.Submit },
		"of another record": func(req *record.Request) { req.Key.Type = "waste" },
	} {
		other := req
		change(&other)
		if _, err := w.Apply(t.Context(), other); apperr.CodeOf(err) != apperr.RecordNotFound || store.writes != 1 {
			t.Errorf("%s: %v after %d writes", name, err, store.writes)
		}
	}
	w.History = unreadable{}
	if _, err := w.Apply(t.Context(), req); !errors.Is(err, errUnread) {
		t.Errorf("a history that cannot be read: %v", err)
	}
	store, w = newFlow(t, record.Unsubmitted)
	w.Store = deletable{store}
	req.Once = ""
	for _, want := range []apperr.Code{"", apperr.RecordNotFound} {
		if _, err := w.Apply(t.Context(), req); apperr.CodeOf(err) != want {
			t.Errorf("by a request without a name: %v, want %q", err, want)
		}
	}
}

// keptEvent is a store of an event with its history.
type keptEvent struct {
	oneEvent
	entries *[]record.EventEntry
	fault   error
}

func (s keptEvent) InsertEventEntry(_ context.Context, _ record.OrgID, _ record.EventID, e record.EventEntry) error {
	*s.entries = append(*s.entries, e)
	return nil
}

func (s keptEvent) EventEntries(_ context.Context, _ record.OrgID, _ record.EventID, from, to int64) (some []record.EventEntry, err error) {
	for _, e := range *s.entries {
		if from <= e.Rev && e.Rev <= to {
			some = append(some, e)
		}
	}
	return some, s.fault
}

// TestAChangeOfAnEventIsFoundInALongHistory: a request that is repeated after hundreds of other changes is found, and not
// made again. Nor is one whose history cannot be read.
func TestAChangeOfAnEventIsFoundInALongHistory(t *testing.T) {
	t.Parallel()
	by := record.Actor{ID: "u1"}
	begun := time.Unix(0, 0)
	e := record.NewEvent("acme", "e1", record.Event{Method: record.DefaultMethod}, by, begun)
	store := keptEvent{oneEvent: oneEvent{&e}, entries: &[]record.EventEntry{}}
	change := func(store keptEvent, once string) error {
		flow := record.EventFlow{Store: store, Once: once, Now: func() time.Time { return begun.Add(time.Duration(e.Rev) * time.Minute) }}
		_, err := flow.Apply(t.Context(), record.EventRequest{Org: "acme", ID: "e1", Action: record.EventChanged, By: by, Gate: record.GateOpen,
			Change: func(e *record.Event) error { e.Title += "x"; return nil }})
		return err
	}
	const changes = 350
	name := func(n int) string { return fmt.Sprintf("request-%d", n) }
	for n := range changes {
		if err := change(store, name(n)); err != nil {
			t.Fatal(err)
		}
	}
	for n := range changes {
		if err := change(store, name(n)); !errors.Is(err, record.ErrMade) {
			t.Fatalf("%s: %v", name(n), err)
		}
	}
	faulty := store
	faulty.fault = errUnread
	if err := change(faulty, name(changes)); !errors.Is(err, errUnread) || len(e.Title) != changes {
		t.Errorf("%v after %d changes", err, len(e.Title))
	}
	if err := change(store, name(changes)); err != nil || len(e.Title) != changes+1 {
		t.Errorf("a new request: %v after %d changes", err, len(e.Title))
	}
}

// TestActionsAreOwedUntilTheyAreReported: what was done to an event where no audit log was reached is reported by the next
// change, oldest first. A change that cannot report it is not made.
func TestActionsAreOwedUntilTheyAreReported(t *testing.T) {
	t.Parallel()
	by := record.Actor{ID: "u1"}
	begun := time.Unix(0, 0)
	e := record.NewEvent("acme", "e1", record.Event{Method: record.DefaultMethod}, by, begun)
	var reported []int64
	var fault error
	report := func(_ context.Context, org record.OrgID, id record.EventID, actions []record.EventEntry) error {
		if org != "acme" || id != "e1" {
			t.Errorf("reported of %s %s", org, id)
		}
		reported = nil
		for _, a := range actions {
			reported = append(reported, a.Rev)
		}
		return fault
	}
	for _, c := range []struct {
		report record.EventReport
		fault  error
		want   []int64
	}{
		{nil, nil, nil}, {nil, nil, nil}, {report, errUnread, []int64{1, 2, 3}}, {report, nil, []int64{1, 2, 3}}, {report, nil, []int64{4}}, {nil, nil, nil}, {report, nil, []int64{5, 6}},
	} {
		reported, fault = nil, c.fault
		before := e.Rev
		flow := record.EventFlow{Store: oneEvent{&e}, Now: func() time.Time { return begun }, Report: c.report}
		_, err := flow.Apply(t.Context(), record.EventRequest{Org: "acme", ID: "e1", Action: record.EventChanged, By: by, Gate: record.GateOpen,
			Change: func(e *record.Event) error { e.Title += "x"; return nil }})
		if !errors.Is(err, c.fault) || (e.Rev > before) != (c.fault == nil) || !slices.Equal(reported, c.want) {
			t.Errorf("at revision %d: reported %v, want %v; %v", before, reported, c.want, err)
		}
	}
}
