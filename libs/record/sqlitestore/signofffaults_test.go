package sqlitestore_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/signoff"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
)

// TestASignOffFencesAllTypes: records of every type are fenced, also where one write does not fence all of a type. None
// of them could be approved any more by who has read the event before.
func TestASignOffFencesAllTypes(t *testing.T) {
	t.Parallel()
	s := toSign(t)
	numbers := map[string]int64{"flights": 1, "waste": 2001, "venue": 1000}
	for typ, n := range numbers {
		if typ == "flights" {
			continue // it has a record
		}
		records := make([]record.Record, n)
		for i := range records {
			records[i] = record.Record{ID: record.ID(fmt.Sprintf("%s%d", typ, i)), Fields: []byte(`{}`), ContextRev: 1}
		}
		sub := record.Sub{Event: galaEvent, Type: typ}
		if _, _, err := s.workflow().InsertAll(t.Context(), s.store, galaOrg, sub, records, mia); err != nil {
			t.Fatal(err)
		}
	}
	closing, _, err := s.sign()
	if err != nil {
		t.Fatal(err)
	}
	for typ, n := range numbers {
		all, err := s.store.RecordRange(t.Context(), galaOrg, record.Sub{Event: galaEvent, Type: typ}, 1, n)
		if err != nil || int64(len(all)) != n {
			t.Fatalf("%d of %s, %v", len(all), typ, err)
		}
		for _, r := range all {
			if r.Fence != closing.Gate.Epoch {
				t.Fatalf("%s %d has the fence %d", typ, r.Seq, r.Fence)
			}
		}
	}
}

var errAway = errors.New("the engine does not respond")

// failing is a store some methods of which fail.
type failing struct {
	*sqlitestore.Store
	method string
}

func (f failing) fail(method string) error {
	if f.method == method {
		return errAway
	}
	return nil
}

func (f failing) MaxSeqs(ctx context.Context, org record.OrgID, event record.EventID) (map[string]int64, error) {
	highest, err := f.Store.MaxSeqs(ctx, org, event)
	return highest, errors.Join(err, f.fail("numbers"))
}

func (f failing) Fence(ctx context.Context, org record.OrgID, sub record.Sub, from, to, epoch int64) error {
	return errors.Join(f.fail("fence"), f.Store.Fence(ctx, org, sub, from, to, epoch))
}

func (f failing) HasMarks(ctx context.Context, org record.OrgID, event record.EventID) (bool, error) {
	marked, err := f.Store.HasMarks(ctx, org, event)
	return marked, errors.Join(err, f.fail("marks"))
}

func (f failing) Event(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	e, err := f.Store.Event(ctx, org, id)
	return e, errors.Join(err, f.fail("event"))
}

func (f failing) ClosingEvents(ctx context.Context, limit int) ([]record.EventRef, error) {
	closing, err := f.Store.ClosingEvents(ctx, limit)
	return closing, errors.Join(err, f.fail("closing events"))
}

// TestASignOffThatFailsSignsNothing: the event of a sign-off that cannot fence the records, cannot tell whether the result
// has all of them, or cannot store the edition, is opened.
func TestASignOffThatFailsSignsNothing(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"numbers", "fence", "marks", "edition"} {
		s := toSign(t)
		closing, err := s.begin(func(*signoff.Request) {})
		if err != nil {
			t.Fatal(err)
		}
		s.Store = failing{s.store, method}
		if method == "edition" {
			s.keep = func() error { return apperr.New(apperr.Unavailable, "The store is away.") }
		}
		if _, err = s.Finish(t.Context(), closing); err == nil {
			t.Errorf("%s: no error", method)
		}
		s.wantOpen(closing, apperr.Unavailable)
	}
	s := toSign(t)
	s.Store = failing{s.store, "numbers"}
	if _, err := s.begin(func(*signoff.Request) {}); !errors.Is(err, errAway) {
		t.Errorf("begun without the number of records: %v", err)
	}
}

// TestASignOffThatEndsIsSwept: the gate of a sign-off whose process ended is opened once the lease is over, or the sweeper
// says why it cannot be.
func TestASignOffThatEndsIsSwept(t *testing.T) {
	t.Parallel()
	s := toSign(t)
	closing, err := s.begin(func(*signoff.Request) {})
	if err != nil {
		t.Fatal(err)
	}
	s.now = closing.Gate.Pending.Until
	if opened, err := s.Sweep(t.Context()); err != nil || opened != 0 {
		t.Errorf("%d opened within the lease, %v", opened, err)
	}
	s.now = s.now.Add(time.Millisecond)
	for _, away := range []string{"closing events", "event"} {
		s.Store = failing{s.store, away}
		if opened, err := s.Sweep(t.Context()); !errors.Is(err, errAway) || opened != 0 {
			t.Errorf("without %s %d opened, %v", away, opened, err)
		}
	}
	s.Store = s.store
	if opened, err := s.Sweep(t.Context()); err != nil || opened != 1 {
		t.Errorf("%d opened after the lease, %v", opened, err)
	}
	s.wantOpen(closing, apperr.Unavailable)
}

// TestAWithdrawalOfTheEventAsItWasSeen: a sign-off is made and withdrawn where the event is what its manager saw.
func TestAWithdrawalOfTheEventAsItWasSeen(t *testing.T) {
	t.Parallel()
	s := toSign(t)
	seen := func(record.Event) bool { return true }
	closing, err := s.begin(func(r *signoff.Request) { r.IfMatch = seen })
	if err == nil {
		_, err = s.Finish(t.Context(), closing)
	}
	if err != nil {
		t.Fatal(err)
	}
	opened, err := s.Withdraw(t.Context(), signoff.Withdrawal{Org: galaOrg, Event: galaEvent, By: mia, Comment: "Late.", IfMatch: seen})
	if err != nil || opened.Gate.State != record.GateOpen || opened.Editions[0].Withdrawn == nil || opened.Editions[0].Withdrawn.By != mia {
		t.Errorf("%+v, %+v, %v", opened.Gate, opened.Editions, err)
	}
}
