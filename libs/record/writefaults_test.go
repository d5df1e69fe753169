package record_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

var errUnwritten = errors.New("the store does not write")

// stubbornEvent is a store of an event whose writes fail a number of times.
type stubbornEvent struct {
	oneEvent
	replace, entry, read error
	times                *int
}

func (s stubbornEvent) fail(err error) error {
	if err == nil || *s.times == 0 {
		return nil
	}
	*s.times--
	return err
}

func (s stubbornEvent) Event(ctx context.Context, org record.OrgID, id record.EventID) (record.Event, error) {
	e, err := s.oneEvent.Event(ctx, org, id)
	return e, errors.Join(err, s.fail(s.read))
}

func (s stubbornEvent) ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error {
	if err := s.fail(s.replace); err != nil {
		return err
	}
	return s.oneEvent.ReplaceEvent(ctx, org, e, prevRev)
}

func (s stubbornEvent) InsertEventEntry(context.Context, record.OrgID, record.EventID, record.EventEntry) error {
	return s.fail(s.entry)
}

// TestAChangeOfAnEventIsMadeOrRefused: a change is acknowledged only if it is stored with its history. One that another
// change overtakes is made on top of it.
func TestAChangeOfAnEventIsMadeOrRefused(t *testing.T) {
	t.Parallel()
	by := record.Actor{ID: "u1"}
	for name, c := range map[string]struct {
		store stubbornEvent
		times int
		code  apperr.Code
	}{
		"at once":              {stubbornEvent{}, 0, ""},
		"overtaken once":       {stubbornEvent{replace: record.ErrConflict}, 1, ""},
		"overtaken each time":  {stubbornEvent{replace: record.ErrConflict}, 1000, apperr.CodeOf(apperr.Overtaken("event"))},
		"a reference is taken": {stubbornEvent{replace: record.ErrDuplicateReference}, 1, apperr.DuplicateReference},
		"not written":          {stubbornEvent{replace: errUnwritten}, 1, apperr.Internal},
		"without its history":  {stubbornEvent{entry: errUnwritten}, 1, apperr.Internal},
		"not there":            {stubbornEvent{read: record.ErrNotFound}, 1, apperr.EventNotFound},
		"not read":             {stubbornEvent{read: errUnwritten}, 1, apperr.Internal},
	} {
		e := record.NewEvent("acme", "e1", record.Event{Method: record.DefaultMethod}, by, time.Unix(0, 0))
		c.store.oneEvent, c.store.times = oneEvent{&e}, &c.times
		flow := record.EventFlow{Store: c.store, Now: func() time.Time { return time.Unix(1, 0) }}
		got, err := flow.Apply(t.Context(), record.EventRequest{Org: "acme", ID: "e1", Action: record.EventChanged, By: by, Gate: record.GateOpen,
			Change: func(e *record.Event) error { e.Title += "x"; return nil }})
		made := e.Rev == 2 && e.Title == "x"
		if apperr.CodeOf(err) != c.code || made != (c.code == "") || made && got.Rev != 2 {
			t.Errorf("%s: revision %d, %v, stored as revision %d with the title %q", name, got.Rev, err, e.Rev, e.Title)
		}
	}
}

// TestApprovalsWaitForASignOff: while an event is being signed nothing is approved or reopened. Afterwards it is, unless
// the event was signed, however often the gate is read until then, and a request does not wait for longer than a client
// does.
func TestApprovalsWaitForASignOff(t *testing.T) {
	t.Parallel()
	closing := record.Event{Governance: record.Governance{Gate: record.Gate{Epoch: 1, State: record.GateClosing}}}
	open := record.Event{Governance: record.Governance{Gate: record.Gate{Epoch: 2}}}
	signed := record.Event{Governance: record.Governance{Gate: record.Gate{Epoch: 1, State: record.GateSigned}}}
	for name, c := range map[string]struct {
		reads int
		then  record.Event
		want  apperr.Code
	}{"given up": {12, open, ""}, "signed": {2, signed, apperr.EventSigned}, "still being signed": {2, closing, apperr.Unavailable}} {
		for move, from := range map[record.Move]record.Status{record.Approve: record.Submitted, record.Reopen: record.Approved} {
			store, w := newFlow(t, from)
			now := time.Unix(0, 0)
			reads := 0
			w.Now = func() time.Time { return now }
			w.Gate = func(context.Context, record.OrgID, record.EventID) (record.Event, error) {
				if reads++; reads <= c.reads {
					return closing, nil
				}
				now = now.Add(time.Second)
				return c.then, nil
			}
			_, err := w.Apply(t.Context(), request(move, manager))
			if apperr.CodeOf(err) != c.want || (store.writes == 1) != (c.want == "") {
				t.Errorf("%s, %s: %v, %d writes", name, move, err, store.writes)
			}
		}
	}
}

// notInserting is a store that inserts nothing.
type notInserting struct{ *oneRecord }

func (notInserting) InsertRecord(context.Context, record.OrgID, record.Record) (record.Record, error) {
	return record.Record{}, errUnwritten
}

func (notInserting) InsertRecords(context.Context, record.OrgID, record.Sub, []record.Record) ([]record.Record, []error, error) {
	return nil, nil, errUnwritten
}

// TestRecordsAreStoredOrRefused: new records are acknowledged only if they are stored, and within the plan.
func TestRecordsAreStoredOrRefused(t *testing.T) {
	t.Parallel()
	one, w := newFlow(t, record.Unsubmitted)
	w.Store = notInserting{one}
	sub := record.Sub{Event: "e", Type: "flights"}
	if _, err := w.Insert(t.Context(), "org", record.Record{ID: "s", Event: "e", Type: "flights"}, creator); !errors.Is(err, errUnwritten) {
		t.Errorf("one: %v", err)
	}
	if _, _, err := w.InsertAll(t.Context(), notInserting{one}, "org", sub, make([]record.Record, 3), creator); !errors.Is(err, errUnwritten) {
		t.Errorf("many: %v", err)
	}
	asked := int64(0)
	w.Admit = func(_ context.Context, org record.OrgID, event record.EventID, n int64) error {
		if asked += n; org != "org" || event != "e" {
			t.Errorf("the plan of %s, event %s", org, event)
		}
		return apperr.New(apperr.PlanLimitExceeded, "The plan is full.")
	}
	if _, err := w.Insert(t.Context(), "org", record.Record{ID: "s", Event: "e", Type: "flights"}, creator); apperr.CodeOf(err) != apperr.PlanLimitExceeded {
		t.Errorf("one above the plan: %v", err)
	}
	if _, _, err := w.InsertAll(t.Context(), notInserting{one}, "org", sub, make([]record.Record, 3), creator); apperr.CodeOf(err) != apperr.PlanLimitExceeded || asked != 4 {
		t.Errorf("many above the plan: %v, asked for %d", err, asked)
	}
}

// stubbornRecord is a store of a record whose writes fail a number of times.
type stubbornRecord struct {
	*oneRecord
	replace, entry error
	times          int
}

func (s *stubbornRecord) fail(err error) error {
	if err == nil || s.times == 0 {
		return nil
	}
	s.times--
	return err
}

func (s *stubbornRecord) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prev int64) error {
	if err := s.fail(s.replace); err != nil {
		return err
	}
	return s.oneRecord.ReplaceRecord(ctx, org, r, prev)
}

func (s *stubbornRecord) InsertEntry(ctx context.Context, org record.OrgID, event record.EventID, id record.ID, e record.Entry) error {
	if err := s.fail(s.entry); err != nil {
		return err
	}
	return s.oneRecord.InsertEntry(ctx, org, event, id, e)
}

// TestAMoveOfARecordIsMadeOrRefused: a move is acknowledged only if it is stored with the history before it. One that
// another move overtakes is made on top of it.
func TestAMoveOfARecordIsMadeOrRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		store stubbornRecord
		code  apperr.Code
	}{
		"at once":              {stubbornRecord{}, ""},
		"overtaken once":       {stubbornRecord{replace: record.ErrConflict, times: 1}, ""},
		"overtaken each time":  {stubbornRecord{replace: record.ErrConflict, times: 1000}, apperr.CodeOf(apperr.Overtaken("record"))},
		"a reference is taken": {stubbornRecord{replace: record.ErrDuplicateReference, times: 1}, apperr.DuplicateReference},
		"not written":          {stubbornRecord{replace: errUnwritten, times: 1}, apperr.Internal},
		"without its history":  {stubbornRecord{entry: errUnwritten, times: 1}, apperr.Internal},
	} {
		one, w := newFlow(t, record.Submitted)
		before := one.r.Last
		c.store.oneRecord = one
		w.Store = &c.store
		got, err := w.Apply(t.Context(), request(record.Approve, manager))
		made := one.r.Rev == 2 && one.r.Status == record.Approved && len(one.entries) > 0 && one.entries[0].Hash == before.Hash
		if apperr.CodeOf(err) != c.code || made != (c.code == "") || !made && one.writes > 0 || made && got.Rev != 2 {
			t.Errorf("%s: revision %d, %v, stored as revision %d, %s, with the history %+v", name, got.Rev, err, one.r.Rev, one.r.Status, one.entries)
		}
	}
}
