package record_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

// reads is a oneRecord whose records have fences, and that records reads.
type reads struct {
	*oneRecord
	read []string
}

func (s *reads) Record(ctx context.Context, org record.OrgID, key record.Key) (record.Record, error) {
	s.read = append(s.read, "record")
	return s.oneRecord.Record(ctx, org, key)
}

func (s *reads) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prev int64) error {
	if s.r.Fence != r.Fence {
		return record.ErrConflict
	}
	return s.oneRecord.ReplaceRecord(ctx, org, r, prev)
}

// TestWhatIsKnownIsNotReadAgain: a move uses what its caller has read if it is current. Otherwise it reads again, and
// the gate after the record.
func TestWhatIsKnownIsNotReadAgain(t *testing.T) {
	t.Parallel()
	open, signed := &record.Event{Governance: record.Governance{}}, &record.Event{Governance: record.Governance{Gate: record.Gate{Epoch: 1, State: record.GateSigned}}}
	for _, c := range []struct {
		name string
		// stored and gate derive the stored state from what the caller has read.
		stored func(*record.Record)
		gate   *record.Event
		known  func(*record.Known)
		want   apperr.Code
		read   []string
	}{
		{"as it is", nil, open, nil, "", nil},
		{"without the event", nil, open, func(k *record.Known) { k.Event = nil }, "", []string{"event"}},
		{"signed since, and the record fenced", func(r *record.Record) { r.Fence = 1 }, signed, nil, apperr.EventSigned, []string{"record", "event"}},
		{"moved since", func(r *record.Record) { r.Rev, r.Status = r.Rev+1, record.InReview }, open, nil, "", []string{"record", "event"}},
		{"decided since", func(r *record.Record) { r.Rev, r.Status = r.Rev+1, record.Rejected }, open, nil, apperr.InvalidTransition, []string{"record"}},
		{"refused by what was read alone", nil, open, func(k *record.Known) { k.Record.Status = record.Unsubmitted }, "", []string{"record", "event"}},
		{"signed when it was read, and open again", nil, open, func(k *record.Known) { k.Event = signed }, "", []string{"record", "event"}},
		{"made by the same request before", func(r *record.Record) { r.Rev, r.Status, r.Last.Once = r.Rev+1, record.Approved, "once" }, open, nil, "", []string{"record"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			one, w := newFlow(t, record.Submitted)
			store := &reads{oneRecord: one}
			w.Store = store
			w.Gate = func(context.Context, record.OrgID, record.EventID) (record.Event, error) {
				store.read = append(store.read, "event")
				return *c.gate, nil
			}
			known := record.Known{Record: one.r, Event: open}
			if c.known != nil {
				c.known(&known)
			}
			if c.stored != nil {
				c.stored(&one.r)
			}
			req := request(record.Approve, manager)
			req.Known, req.Once = &known, "once"
			r, err := w.Apply(t.Context(), req)
			if apperr.CodeOf(err) != c.want && (c.want != "" || err != nil) {
				t.Errorf("%v, want %q", err, c.want)
			}
			if err == nil && (r.Status != record.Approved || one.r.Status != record.Approved) {
				t.Errorf("the record is %s, and %s in the store", r.Status, one.r.Status)
			}
			if !slices.Equal(store.read, c.read) {
				t.Errorf("read %q, want %q", store.read, c.read)
			}
		})
	}
}

// lostAnswer is a store that makes a write and returns an error.
type lostAnswer struct{ *reads }

var errLost = errors.New("the connection is lost")

func (s lostAnswer) ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prev int64) error {
	return errors.Join(s.reads.ReplaceRecord(ctx, org, r, prev), errLost)
}

// TestALostAnswerIsNoRefusal: a move whose outcome is unknown is not retried, since it would be rejected if it was
// made.
func TestALostAnswerIsNoRefusal(t *testing.T) {
	t.Parallel()
	one, w := newFlow(t, record.Submitted)
	w.Store = lostAnswer{&reads{oneRecord: one}}
	req := request(record.Approve, manager)
	req.Known = &record.Known{Record: one.r, Event: &record.Event{}}
	if _, err := w.Apply(t.Context(), req); !errors.Is(err, errLost) || one.writes != 1 {
		t.Errorf("%v after %d writes", err, one.writes)
	}
}
