package calculation_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/signoff"
	"github.com/eventcarbon/ecf/services/calculation"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

var errAway = errors.New("the database is away")

// failing fails a number of calls of a method.
type failing struct {
	left      int
	err       error
	meanwhile func() // may be nil
}

func (f *failing) fail() error {
	if f.left == 0 {
		return nil
	}
	f.left--
	if f.meanwhile != nil {
		f.meanwhile()
	}
	return f.err
}

// failingRecords is a store whose calls by a sign-off in the background may fail.
type failingRecords struct {
	calculation.RecordStore
	fences, marks, before, after failing
}

func (r *failingRecords) Fence(ctx context.Context, org record.OrgID, sub record.Sub, from, to, epoch int64) error {
	if err := r.fences.fail(); err != nil {
		return err
	}
	return r.RecordStore.Fence(ctx, org, sub, from, to, epoch)
}

func (r *failingRecords) HasMarks(ctx context.Context, org record.OrgID, event record.EventID) (bool, error) {
	e, err := r.EventContext(ctx, org, event)
	if err == nil && e.Gate.State == record.GateClosing {
		err = r.marks.fail()
	}
	if err != nil {
		return false, err
	}
	return r.RecordStore.HasMarks(ctx, org, event)
}

// ReplaceEvent may fail before or after a signature is written.
func (r *failingRecords) ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error {
	if e.Gate.State == record.GateClosing {
		return r.RecordStore.ReplaceEvent(ctx, org, e, prevRev)
	}
	if err := r.before.fail(); err != nil {
		return err
	}
	return errors.Join(r.RecordStore.ReplaceEvent(ctx, org, e, prevRev), r.after.fail())
}

// failingResults is a store that may fail to store the parts of an edition.
type failingResults struct {
	resulttree.Store
	parts failing
}

func (r *failingResults) PutPart(ctx context.Context, org record.OrgID, event record.EventID, name string, data []byte, at time.Time) error {
	if err := r.parts.fail(); err != nil {
		return err
	}
	return r.Store.PutPart(ctx, org, event, name, data, at)
}

// signing signs the event of a service whose stores fail, and returns it with the error of the attempt.
func (s *service) signing(prepare func(*failingRecords, *failingResults)) (record.Event, error) {
	s.t.Helper()
	conference(s)
	away := apperr.New(apperr.Unavailable, "away").Because(errAway)
	records, results := &failingRecords{RecordStore: s.records}, &failingResults{Store: s.results}
	records.fences.err, records.marks.err, records.before.err, records.after.err, results.parts.err = errAway, away, errAway, away, errAway
	prepare(records, results)
	d := s.deps
	d.Records, d.Results = records, results
	finished, err := calculation.SignOff(s.t.Context(), d, signoff.Request{Org: org, Event: s.event.ID, Revision: 1, Statement: "As agreed.", By: someManager, Open: []byte(`{}`)})
	now := s.eventNow()
	if err == nil && finished.ETag() != now.ETag() {
		s.t.Errorf("it ended with %+v, and the gate is %+v", finished.Gate, now.Gate)
	}
	return now, err
}

// TestASignOffOutlastsItsStores: what fails while an event is signed in the background is repeated. Otherwise nothing
// of the event could be decided for minutes, and it would not be signed.
func TestASignOffOutlastsItsStores(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*failingRecords, *failingResults){
		"fences":                 func(r *failingRecords, _ *failingResults) { r.fences.left = 2 },
		"marks":                  func(r *failingRecords, _ *failingResults) { r.marks.left = 1 },
		"parts":                  func(_ *failingRecords, r *failingResults) { r.parts.left = 2 },
		"the signature":          func(r *failingRecords, _ *failingResults) { r.before.left = 2 },
		"the response about it":  func(r *failingRecords, _ *failingResults) { r.after.left = 1 },
		"parts and the response": func(r *failingRecords, p *failingResults) { p.parts.left = 1; r.after.left = 1 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			e, err := s.signing(prepare)
			if err != nil || e.Gate.State != record.GateSigned || len(e.Editions) != 1 {
				t.Fatalf("%v: the gate is %+v, with %d editions", err, e.Gate, len(e.Editions))
			}
			if a := s.of("/1/report"); a.status != http.StatusOK {
				t.Errorf("the report of the edition: %d %s", a.status, a.body)
			}
		})
	}
}

// TestARefusedSignOffOpensTheEvent: a result that has changed is not signed, even if it takes two attempts to say so.
func TestARefusedSignOffOpensTheEvent(t *testing.T) {
	t.Parallel()
	s := start(t)
	e, err := s.signing(func(r *failingRecords, results *failingResults) {
		results.parts.left = 1
		results.parts.meanwhile = func() {
			changed, err := s.results.Result(t.Context(), org, s.event.ID)
			if err == nil {
				changed.Revision++
				changed.Version++
				err = s.results.PutResult(t.Context(), changed, changed.Version-1)
			}
			if err != nil {
				t.Error(err)
			}
		}
		r.before.left = 1
	})
	if f := e.Gate.Failure; err != nil || e.Gate.State != record.GateOpen || f == nil || f.Code != apperr.PreconditionFailed || len(e.Editions) != 0 {
		t.Errorf("%v: the gate is %+v", err, e.Gate)
	}
}

// TestASignOffEndsWithItsGate: what fails is not repeated once the sweeper has opened the event, and a signature that is
// late does not close it again.
func TestASignOffEndsWithItsGate(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(*failingRecords, *failingResults) *failing{
		"parts":         func(_ *failingRecords, r *failingResults) *failing { return &r.parts },
		"the signature": func(r *failingRecords, _ *failingResults) *failing { return &r.before },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t)
			attempts := 0
			e, err := s.signing(func(records *failingRecords, results *failingResults) {
				f := of(records, results)
				f.left, f.meanwhile = 2, func() {
					attempts++
					s.change(func(ev *record.Event) { ev.Gate = record.Gate{Epoch: ev.Gate.Epoch + 1} })
				}
			})
			if err == nil || e.Gate.State != record.GateOpen || len(e.Editions) != 0 || attempts != 1 {
				t.Errorf("%v after %d attempts: the gate is %+v", err, attempts, e.Gate)
			}
		})
	}
}
