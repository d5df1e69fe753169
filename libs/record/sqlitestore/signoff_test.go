package sqlitestore_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/signoff"
)

// signedResults is a calculation whose newest revision is always 1: the race is between the gate and the records.
type signedResults struct{}

func (signedResults) Keep(_ context.Context, _ record.Event, e record.Edition) (string, error) {
	return fmt.Sprint("root of edition ", e.Edition), nil
}

// TestApprovalsRaceASignOff approves and reopens records from two processes while
// a third signs: once the event is signed, no record moves, and its history is
// whole.
func TestApprovalsRaceASignOff(t *testing.T) {
	t.Parallel()
	const org record.OrgID = "org"
	path := filepath.Join(t.TempDir(), "ecf.db")
	_, store := open(t, path)
	_, other := open(t, path)
	boss := record.Actor{ID: "u2", Name: "Bob", Role: identity.Manager}
	ev := record.NewEvent(org, "gala", record.Event{Title: "Gala", Method: record.DefaultMethod}, boss, time.Now().UTC().Truncate(time.Millisecond))
	if _, err := store.InsertEvent(t.Context(), org, ev, record.Unlimited); err != nil {
		t.Fatal(err)
	}
	flow := func(s interface {
		record.Records
		record.Entries
		record.Gates
		record.Histories
	}) record.Workflow {
		return record.Workflow{Store: s, History: s, Gate: s.CurrentEvent, Now: time.Now, NewMark: func() string { return record.NewMark(time.Now()) }}
	}
	workflows := []record.Workflow{flow(store), flow(other)}
	const records = 12
	key := func(i int) record.Key {
		return record.Key{Event: "gala", Type: "flights", ID: record.ID(fmt.Sprint("r", i))}
	}
	for i := range records {
		r := record.Record{ID: key(i).ID, Event: "gala", Type: "flights", Fields: []byte(`{"from":"LHR"}`), ContextRev: 1}
		if _, err := workflows[0].Insert(t.Context(), org, r, record.Actor{ID: "u1", Role: identity.User}); err != nil {
			t.Fatal(err)
		}
		if _, err := workflows[0].Apply(t.Context(), record.Request{Org: org, Key: key(i), Move: record.Submit, By: boss}); err != nil {
			t.Fatal(err)
		}
	}
	signing := signoff.Service{Store: store, Results: signedResults{}, Now: time.Now}
	worker, stop := context.WithCancel(t.Context())
	var group, background sync.WaitGroup
	background.Go(func() { // the worker clears marks
		for worker.Err() == nil {
			marked, err := store.MarkedRecords(worker, org, "gala", 100)
			if err == nil {
				_ = store.ClearRecordMarks(worker, org, "gala", marked)
			}
		}
	})
	for n, w := range workflows {
		group.Go(func() {
			for i := n; i < records; i += 2 {
				_, err := w.Apply(t.Context(), record.Request{Org: org, Key: key(i), Move: record.Approve, By: boss})
				if code := apperr.CodeOf(err); err != nil && code != apperr.EventSigned && code != apperr.Unavailable {
					t.Errorf("approve: %v", err)
				}
			}
		})
	}
	group.Go(func() {
		closing, err := signing.Begin(t.Context(), signoff.Request{Org: org, Event: "gala", Revision: 1, Statement: "Final.", By: boss})
		if err == nil {
			_, err = signing.Finish(t.Context(), closing)
		}
		if err != nil {
			t.Errorf("sign off: %v", err)
		}
	})
	group.Wait()
	stop()
	background.Wait()

	signed, err := store.Event(t.Context(), org, "gala")
	if err != nil || signed.Gate.State != record.GateSigned || len(signed.Editions) != 1 || signed.Editions[0].Root != "root of edition 1" {
		t.Fatalf("event %+v, %v", signed, err)
	}
	for i := range records {
		before, err := store.Record(t.Context(), org, key(i))
		if err != nil || before.Fence != signed.Gate.Epoch {
			t.Errorf("record %d has fence %d, the event epoch %d, %v", i, before.Fence, signed.Gate.Epoch, err)
		}
		move := record.Approve
		if before.Status == record.Approved {
			move = record.Reopen
		}
		_, err = workflows[1].Apply(t.Context(), record.Request{Org: org, Key: key(i), Move: move, By: boss, Comment: "Late."})
		if apperr.CodeOf(err) != apperr.EventSigned {
			t.Errorf("%s after the signature: %v", move, err)
		}
	}
	if _, err := signing.Begin(t.Context(), signoff.Request{Org: org, Event: "gala", Revision: 1, Statement: "Again.", By: boss}); apperr.CodeOf(err) != apperr.EventSigned {
		t.Errorf("signed twice: %v", err)
	}
	opened, err := signing.Withdraw(t.Context(), signoff.Withdrawal{Org: org, Event: "gala", By: boss, Comment: "Late invoice."})
	if err != nil || opened.Gate.State != record.GateOpen || opened.Gate.Epoch != signed.Gate.Epoch+1 || opened.Editions[0].Withdrawn == nil {
		t.Fatalf("withdrawn: %+v, %v", opened, err)
	}
	if _, err := workflows[0].Apply(t.Context(), record.Request{Org: org, Key: key(0), Move: map[bool]record.Move{true: record.Reopen, false: record.Approve}[statusOf(t, store, org, key(0)) == record.Approved], By: boss, Comment: "Late."}); err != nil {
		t.Errorf("a move after the withdrawal: %v", err)
	}
	wantChain(t, store, org, "gala")
}

func statusOf(t *testing.T, store record.Records, org record.OrgID, key record.Key) record.Status {
	t.Helper()
	r, err := store.Record(t.Context(), org, key)
	if err != nil {
		t.Fatal(err)
	}
	return r.Status
}

// wantChain checks that the history of an event verifies, and that it does not
// with any entry removed, swapped or altered.
func wantChain(t *testing.T, store interface {
	record.Events
	record.Gates
}, org record.OrgID, id record.EventID) {
	t.Helper()
	ev, err := store.Event(t.Context(), org, id)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := store.EventEntries(t.Context(), org, id, 1, ev.Rev-1)
	if err != nil {
		t.Fatal(err)
	}
	entries = append(entries, ev.Last)
	if err := record.VerifyEventHistory(ev, entries); err != nil {
		t.Error(err)
	}
	for i := range entries {
		for what, damage := range map[string]func(e []record.EventEntry) []record.EventEntry{
			"removed":  func(e []record.EventEntry) []record.EventEntry { return append(e[:i:i], e[i+1:]...) },
			"comment":  func(e []record.EventEntry) []record.EventEntry { e[i].Comment += "!"; return e },
			"actor":    func(e []record.EventEntry) []record.EventEntry { e[i].By.ID += "!"; return e },
			"revision": func(e []record.EventEntry) []record.EventEntry { e[i].Rev++; return e },
			"swapped": func(e []record.EventEntry) []record.EventEntry {
				j := (i + 1) % len(e)
				e[i], e[j] = e[j], e[i]
				return e
			},
		} {
			damaged := damage(append([]record.EventEntry(nil), entries...))
			if err := record.VerifyEventHistory(ev, damaged); err == nil {
				t.Errorf("entry %d %s, and the chain verifies", i+1, what)
			}
		}
	}
	if err := record.VerifyEventHistory(ev, entries); err != nil {
		t.Errorf("the damage was done to the entries themselves: %v", err)
	}
}

// crowded is a store whose event has a hundred thousand records.
type crowded struct{ signoff.Store }

func (crowded) MaxSeqs(context.Context, record.OrgID, record.EventID) (map[string]int64, error) {
	return map[string]int64{"flights": 60_000, "waste": 40_000}, nil
}

func (c crowded) Fence(context.Context, record.OrgID, record.Sub, int64, int64, int64) error {
	return nil
}

// slowResults stores editions slowly.
type slowResults struct {
	signedResults
	left time.Duration // that Keep had
}

func (r *slowResults) Keep(ctx context.Context, ev record.Event, e record.Edition) (string, error) {
	until, _ := ctx.Deadline()
	r.left = time.Until(until)
	return r.signedResults.Keep(ctx, ev, e)
}

// TestASignOffOfManyRecordsHasItsTime: the size of an edition grows with the event, and so does the time after which
// a sweeper considers the sign-off crashed.
func TestASignOffOfManyRecordsHasItsTime(t *testing.T) {
	t.Parallel()
	const org record.OrgID = "org"
	_, store := open(t, filepath.Join(t.TempDir(), "ecf.db"))
	now := time.Now().UTC().Truncate(time.Millisecond)
	boss := record.Actor{ID: "u2", Name: "Bob", Role: identity.Manager}
	ev := record.NewEvent(org, "gala", record.Event{Title: "Gala", Method: record.DefaultMethod}, boss, now)
	if _, err := store.InsertEvent(t.Context(), org, ev, record.Unlimited); err != nil {
		t.Fatal(err)
	}
	results := &slowResults{}
	signing := signoff.Service{Store: crowded{store}, Results: results, Now: func() time.Time { return now }}
	closing, err := signing.Begin(t.Context(), signoff.Request{Org: org, Event: "gala", Revision: 1, Statement: "Final.", By: boss})
	if err != nil {
		t.Fatal(err)
	}
	now = now.Add(20 * time.Minute)
	if opened, err := signing.Sweep(t.Context()); err != nil || opened != 0 {
		t.Errorf("%d opened after 20 minutes, %v", opened, err)
	}
	if signed, err := signing.Finish(t.Context(), closing); err != nil || signed.Gate.State != record.GateSigned || results.left < 20*time.Minute {
		t.Errorf("signed %+v with %s left, %v", signed.Gate, results.left, err)
	}
}
