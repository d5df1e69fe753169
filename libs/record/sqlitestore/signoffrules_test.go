package sqlitestore_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/signoff"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
)

// signed is an event with one submitted record, and a sign-off of it.
type signed struct {
	t     *testing.T
	store *sqlitestore.Store
	signoff.Service
	now time.Time
	// keep is called when its edition is stored.
	keep func() error
}

const (
	galaOrg   record.OrgID   = "org"
	galaEvent record.EventID = "gala"
)

var (
	mia = record.Actor{ID: "mia", Name: "Mia", Role: identity.Manager}
	leo = record.Actor{ID: "leo", Name: "Leo", Role: identity.Manager}
)

// errNotNewest is the error of an edition whose revision is not the newest.
var errNotNewest = apperr.New(apperr.PreconditionFailed, "Revision 1 was to be signed, but the newest is 2.")

func (s *signed) Keep(context.Context, record.Event, record.Edition) (string, error) {
	return "root", s.keep()
}

func toSign(t *testing.T) *signed {
	t.Helper()
	_, store := open(t, filepath.Join(t.TempDir(), "ecf.db"))
	s := &signed{t: t, store: store, now: time.Now().UTC().Truncate(time.Millisecond)}
	s.keep = func() error { return nil }
	s.Service = signoff.Service{Store: store, Results: s, Now: func() time.Time { return s.now }, Patience: time.Millisecond}
	ev := record.NewEvent(galaOrg, galaEvent, record.Event{Title: "Gala", Method: record.DefaultMethod}, mia, s.now)
	ev.Proposals = []record.Proposal{{ID: "p2", Kind: record.EventChanged, By: mia, At: s.now}, {ID: "p1", Kind: record.SignOffBegun, By: mia, At: s.now}}
	if _, err := store.InsertEvent(t.Context(), galaOrg, ev, record.Unlimited); err != nil {
		t.Fatal(err)
	}
	w := s.workflow()
	r, err := w.Insert(t.Context(), galaOrg, record.Record{ID: "r", Event: galaEvent, Type: "flights", Fields: []byte(`{"from":"LHR"}`), ContextRev: 1}, mia)
	if err == nil {
		_, err = w.Apply(t.Context(), record.Request{Org: galaOrg, Key: r.Key(), Move: record.Submit, By: mia})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *signed) workflow() record.Workflow {
	return record.Workflow{Store: s.store, History: s.store, Gate: s.store.CurrentEvent, Now: s.Service.Now, NewMark: func() string { return record.NewMark(s.now) }}
}

// begin closes the gate.
func (s *signed) begin(change func(r *signoff.Request)) (record.Event, error) {
	r := signoff.Request{Org: galaOrg, Event: galaEvent, Revision: 1, Statement: "Final.", By: mia}
	change(&r)
	return s.Begin(s.t.Context(), r)
}

// sign begins a sign-off and takes it to its end.
func (s *signed) sign() (closing, after record.Event, err error) {
	s.t.Helper()
	if closing, err = s.begin(func(*signoff.Request) {}); err != nil {
		s.t.Fatal(err)
	}
	after, err = s.Finish(s.t.Context(), closing)
	return closing, after, err
}

// wantOpen verifies that the gate is open again, with a new epoch, for a reason.
func (s *signed) wantOpen(closing record.Event, reason apperr.Code) {
	s.t.Helper()
	now, err := s.store.Event(s.t.Context(), galaOrg, galaEvent)
	if err != nil || now.Gate.State != record.GateOpen || now.Gate.Epoch != closing.Gate.Epoch+1 || len(now.Editions) != 0 ||
		now.Gate.Failure == nil || now.Gate.Failure.Code != reason || now.Gate.Failure.Revision != 1 || now.Gate.Failure.Message == "" ||
		now.Gate.Failure.Message != now.Last.Comment || now.Gate.Failure.At.IsZero() || now.Last.Action != record.SignOffFailed {
		s.t.Errorf("gate %+v after epoch %d, %d editions, %v", now.Gate, closing.Gate.Epoch, len(now.Editions), err)
	}
}

// A sign-off raises the epoch of the gate, stores it in every record, also in the only one, and ends the proposal
// that it was.
func TestASignOffFencesEveryRecord(t *testing.T) {
	t.Parallel()
	s := toSign(t)
	if _, err := s.begin(func(r *signoff.Request) { r.Proposal = "p3" }); apperr.CodeOf(err) != apperr.ProposalNotFound {
		t.Errorf("of a proposal that is not open: %v", err)
	}
	closing, err := s.begin(func(r *signoff.Request) { r.Proposal = "p1" })
	if err != nil || closing.Gate.Epoch != 1 || len(closing.Proposals) != 1 || closing.Proposals[0].ID != "p2" {
		t.Fatalf("closing with %+v and the proposals %+v, %v", closing.Gate, closing.Proposals, err)
	}
	after, err := s.Finish(t.Context(), closing)
	r, read := s.store.Record(t.Context(), galaOrg, record.Key{Event: galaEvent, Type: "flights", ID: "r"})
	if err := errors.Join(err, read); err != nil || after.Gate.State != record.GateSigned || after.Gate.Epoch != 1 || r.Fence != 1 {
		t.Errorf("gate %+v, record with the fence %d, %v", after.Gate, r.Fence, err)
	}
}

// Nothing is signed before the results include all changes, nor another revision than the one that was named.
func TestASignOffIsOfTheNewestFigure(t *testing.T) {
	t.Parallel()
	s := toSign(t)
	if _, err := s.workflow().Apply(t.Context(), record.Request{Org: galaOrg, Key: record.Key{Event: galaEvent, Type: "flights", ID: "r"}, Move: record.Approve, By: leo}); err != nil {
		t.Fatal(err)
	}
	closing, err := s.begin(func(*signoff.Request) {})
	if err != nil {
		t.Fatal(err)
	}
	asked := false
	s.keep = func() error { asked = true; return errNotNewest }
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Finish(brief, closing); !errors.Is(err, context.DeadlineExceeded) || asked {
		t.Errorf("beside a mark: %v, an edition was stored: %t", err, asked)
	}
	marked, err := s.store.MarkedRecords(t.Context(), galaOrg, galaEvent, 10)
	if err == nil {
		err = s.store.ClearRecordMarks(t.Context(), galaOrg, galaEvent, marked)
	}
	if err != nil || len(marked) != 1 {
		t.Fatal(len(marked), err)
	}
	if _, err := s.Finish(t.Context(), closing); err != nil {
		t.Error(err)
	}
	s.wantOpen(closing, apperr.PreconditionFailed)
}

// A refusal to store an edition opens the gate and names the reason; so does a failure that lasts, with an error.
func TestASignOffWithoutItsEdition(t *testing.T) {
	t.Parallel()
	s := toSign(t)
	s.keep = func() error { return apperr.New(apperr.EditionLimit, "Too large.") }
	closing, _, err := s.sign()
	if err != nil {
		t.Error(err)
	}
	s.wantOpen(closing, apperr.EditionLimit)

	full := errors.New("the disk is full")
	s.keep = func() error { return full }
	closing, _, err = s.sign()
	if !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
	s.wantOpen(closing, apperr.Unavailable)
}

// A sign-off that took longer than its lease signs nothing, however late it wakes up, and opens no gate that another
// one has closed.
func TestALateSignOffSignsNothing(t *testing.T) {
	t.Parallel()
	for _, kept := range []error{nil, errNotNewest} {
		s := toSign(t)
		first, err := s.begin(func(*signoff.Request) {})
		if err != nil {
			t.Fatal(err)
		}
		var second record.Event
		s.keep = func() error {
			s.now = s.now.Add(time.Hour)
			if opened, err := s.Sweep(t.Context()); err != nil || opened != 1 {
				t.Errorf("%d opened, %v", opened, err)
			}
			s.wantOpen(first, apperr.Unavailable)
			if second, err = s.begin(func(r *signoff.Request) { r.By = leo }); err != nil {
				t.Fatal(err)
			}
			return kept
		}
		_, err = s.Finish(t.Context(), first)
		now, read := s.store.Event(t.Context(), galaOrg, galaEvent)
		if read != nil || (err == nil) != (kept != nil) || now.Rev != second.Rev || now.Gate.State != record.GateClosing || len(now.Editions) != 0 {
			t.Errorf("an edition stored with %v: %v, gate %+v, %d editions, %v", kept, err, now.Gate, len(now.Editions), read)
		}
	}
}

// Under four eyes another manager withdraws a sign-off than has signed; and both are made only of the event that
// their manager saw.
func TestWhoWithdrawsASignOff(t *testing.T) {
	t.Parallel()
	s := toSign(t)
	unseen := func(record.Event) bool { return false }
	if _, err := s.begin(func(r *signoff.Request) { r.IfMatch = unseen }); apperr.CodeOf(err) != apperr.PreconditionFailed {
		t.Errorf("signed unseen: %v", err)
	}
	closing, err := s.begin(func(r *signoff.Request) { r.FourEyes, r.Open, r.PolicyRev = true, []byte(`{"waiting":1}`), 7 })
	if err != nil || len(closing.Proposals) != 2 {
		t.Fatal(len(closing.Proposals), err)
	}
	after, err := s.Finish(t.Context(), closing)
	if err != nil || after.Gate.State != record.GateSigned {
		t.Fatalf("%+v, %v", after.Gate, err)
	}
	want := record.Edition{Edition: 1, Revision: 1, Root: "root", Statement: "Final.", By: mia, At: s.now, FourEyes: true, Open: []byte(`{"waiting":1}`)}
	if !reflect.DeepEqual(after.Editions, []record.Edition{want}) || !after.Last.FourEyes || after.Last.PolicyRev != 7 || after.Last.Comment != "Final." {
		t.Errorf("the edition is %+v, want %+v; and the last entry is %+v", after.Editions, want, after.Last)
	}
	s.now = s.now.Add(time.Hour)
	for _, c := range []struct {
		by       record.Actor
		fourEyes bool
		ifMatch  func(record.Event) bool
		want     apperr.Code
	}{
		{by: mia, fourEyes: true, want: apperr.SelfApprovalForbidden},
		{by: leo, fourEyes: true, ifMatch: unseen, want: apperr.PreconditionFailed},
		{by: leo, fourEyes: true},
	} {
		open, err := s.Withdraw(t.Context(), signoff.Withdrawal{Org: galaOrg, Event: galaEvent, By: c.by, Comment: "Late.", FourEyes: c.fourEyes, PolicyRev: 8, IfMatch: c.ifMatch})
		if apperr.CodeOf(err) != c.want {
			t.Errorf("by %s: %v, want %q", c.by.ID, err, c.want)
		}
		if err != nil {
			continue
		}
		if want.Withdrawn = (&record.Withdrawal{By: c.by, At: s.now, Comment: "Late."}); !reflect.DeepEqual(open.Editions, []record.Edition{want}) ||
			open.Gate.State != record.GateOpen || open.Gate.Epoch != after.Gate.Epoch+1 || !open.Last.FourEyes || open.Last.PolicyRev != 8 {
			t.Errorf("withdrawn is %+v, and the gate is %+v", open.Editions, open.Gate)
		}
	}
}

// reopened lists an event that is not closing any more, as a sweep finds it that was slower than the sign-off.
type reopened struct{ *sqlitestore.Store }

func (reopened) ClosingEvents(context.Context, int) ([]record.EventRef, error) {
	return []record.EventRef{{Org: galaOrg, Event: galaEvent}, {Org: galaOrg, Event: "none"}}, nil
}

// A sweep opens an event whose sign-off began when the clock was days ahead, and no other that has not ended.
func TestASweepAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	s := toSign(t)
	right := s.now
	s.now = right.Add(72 * time.Hour)
	closing, err := s.begin(func(*signoff.Request) {})
	if err != nil {
		t.Fatal(err)
	}
	pending := closing.Gate.Pending
	for _, s.now = range []time.Time{pending.Until, pending.At, pending.At.Add(-signoff.Lease)} {
		if opened, err := s.Sweep(t.Context()); err != nil || opened != 0 {
			t.Fatalf("%v before its end: %d opened, %v", pending.Until.Sub(s.now), opened, err)
		}
	}
	s.now = right
	if opened, err := s.Sweep(t.Context()); err != nil || opened != 1 {
		t.Errorf("%d opened, %v", opened, err)
	}
	s.wantOpen(closing, apperr.Unavailable)
}

// A sweep passes over an event whose sign-off has ended since it was found.
func TestASweepOfWhatHasEnded(t *testing.T) {
	t.Parallel()
	s := toSign(t)
	_, after, err := s.sign()
	if err != nil {
		t.Fatal(err)
	}
	s.Store = reopened{s.store}
	if opened, err := s.Sweep(t.Context()); err != nil || opened != 0 {
		t.Errorf("%d opened, %v", opened, err)
	}
	if now, err := s.store.Event(t.Context(), galaOrg, galaEvent); err != nil || now.Rev != after.Rev {
		t.Errorf("the gate is %+v, %v", now.Gate, err)
	}
}
