// Package signoff freezes the figure of an event: while it is signed, no record
// enters or leaves the approved state, and the signed result is the
// latest. It needs no transactions, only conditional writes of single documents.
//
// An event has a gate with an epoch. A sign-off closes the gate with a new
// epoch, stores that epoch in every record (its fencing token), waits until the results
// include all changes, stores the named result permanently, and signs by one
// conditional write of the event. An approval reads the record, then
// the event, and writes on the condition that the record's revision and fence are
// as read: a write decided before the gate was closed is either written before the
// record is fenced, and waited for, or fails. model_test.go explores this
// exhaustively.
package signoff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
)

const (
	// Lease bounds a sign-off, plus leasePerRecord for each record: a sweeper reopens the gate of one that took
	// longer. Clock skew between processes is harmless: a late signature fails on the event's revision. Storing an
	// edition costs about 1.2 ms of a processor per record.
	Lease          = 5 * time.Minute
	leasePerRecord = 10 * time.Millisecond
	// fenceBatch is how many records one write fences.
	fenceBatch = 1000
	// waitEvery is the polling interval.
	waitEvery = 50 * time.Millisecond
	// firstPause is the pause before the first repetition of what an engine failed.
	firstPause = 100 * time.Millisecond
	// patience is for how long storing an edition is repeated: longer than a failover takes.
	patience = 30 * time.Second
)

// Store is what a sign-off needs of the records' store.
type Store interface {
	record.EventStore
	Fence(ctx context.Context, org record.OrgID, sub record.Sub, from, to, epoch int64) error
	MaxSeqs(ctx context.Context, org record.OrgID, event record.EventID) (map[string]int64, error)
	HasMarks(ctx context.Context, org record.OrgID, event record.EventID) (bool, error)
	ClosingEvents(ctx context.Context, limit int) ([]record.EventRef, error)
}

// Results is what a sign-off needs of the calculation.
type Results interface {
	// Keep stores the edition to be signed and returns the hash that identifies it; PRECONDITION_FAILED if its
	// revision is not the newest one of the event's result. It is idempotent; an edition stored for a failed sign-off
	// remains unreferenced.
	Keep(ctx context.Context, e record.Event, edition record.Edition) (root string, err error)
}

// Service makes and withdraws sign-offs.
type Service struct {
	Store   Store
	Results Results
	Now     func() time.Time
	// Report enters the changes of a request into the audit log; later ones are
	// reported with the next request.
	Report record.EventReport
	// Once is that of record.EventFlow, for Begin and Withdraw.
	Once string
	// Patience is for how long storing an edition is repeated if an engine fails it; 0: 30 s.
	Patience time.Duration
}

// Request is a sign-off requested by a manager.
type Request struct {
	Org       record.OrgID
	Event     record.EventID
	Revision  int64
	Statement string
	By        record.Actor
	FourEyes  bool
	PolicyRev int64
	Proposal  string
	// Open is the checklist at the time of the request.
	Open []byte
	// IfMatch, when set, reports whether the event is still the one that the caller saw.
	IfMatch func(record.Event) bool
}

func (s Service) flow() record.EventFlow {
	return record.EventFlow{Store: s.Store, Now: s.Now, Report: s.Report, Once: s.Once}
}

// later is the flow for changes that no request waits for.
func (s Service) later() record.EventFlow { return record.EventFlow{Store: s.Store, Now: s.Now} }

func (s Service) now() time.Time { return s.Now().UTC().Truncate(time.Millisecond) }

// lease returns the time limit of a sign-off of the event.
func (s Service) lease(ctx context.Context, org record.OrgID, event record.EventID) (time.Duration, error) {
	highest, err := s.Store.MaxSeqs(ctx, org, event)
	lease := Lease
	for _, records := range highest {
		lease += time.Duration(records) * leasePerRecord
	}
	return lease, err
}

// Begin closes the gate. Finish must follow.
func (s Service) Begin(ctx context.Context, r Request) (record.Event, error) {
	lease, err := s.lease(ctx, r.Org, r.Event)
	if err != nil {
		return record.Event{}, fmt.Errorf("sign off: %w", err)
	}
	return s.flow().Apply(ctx, record.EventRequest{
		Org: r.Org, ID: r.Event, Action: record.SignOffBegun, By: r.By, Comment: r.Statement,
		Proposal: r.Proposal, FourEyes: r.FourEyes, PolicyRev: r.PolicyRev, Gate: record.GateOpen,
		Change: func(e *record.Event) error {
			if r.IfMatch != nil && !r.IfMatch(*e) {
				return record.EventMoved()
			}
			if len(e.Editions) >= record.MaxEditions {
				return apperr.New(apperr.EditionLimit, "An event has at most %d editions; this one has them all.", record.MaxEditions)
			}
			if _, i, ok := e.Find(r.Proposal); ok {
				e.Proposals = e.WithoutProposal(i)
			} else if r.Proposal != "" {
				return apperr.New(apperr.ProposalNotFound, "There is no such open change. It may have been decided already.")
			}
			now := s.now()
			e.Gate = record.Gate{Epoch: e.Gate.Epoch + 1, State: record.GateClosing, Pending: &record.PendingSignOff{
				Revision: r.Revision, Statement: r.Statement, By: r.By, At: now, FourEyes: r.FourEyes, Open: r.Open, Until: now.Add(lease),
			}}
			return nil
		},
	})
}

// Finish takes a closing event to the end: signed, or open again with the reason in its gate. What an engine fails is
// repeated: storing the edition for the time of Patience, then the event is opened, and the error returned with it; writing
// the outcome as long as the sign-off may take, then the sweeper opens the gate.
func (s Service) Finish(ctx context.Context, closing record.Event) (record.Event, error) {
	lease := closing.Gate.Pending.Until.Sub(closing.Gate.Pending.At)
	ctx, cancel := context.WithTimeout(ctx, lease)
	defer cancel()
	var edition record.Edition
	err := persist(ctx, cmp.Or(s.Patience, patience), func() (err error) {
		edition, err = s.keep(ctx, closing)
		return err
	})
	var fault error
	code, reason := apperr.CodeOf(err), ""
	switch {
	case errors.Is(err, errSuperseded):
		return record.Event{}, fmt.Errorf("sign off: %w", err)
	case ofEngine(err):
		fault = fmt.Errorf("sign off: %w", err)
		code, reason = apperr.Unavailable, "The edition could not be stored. Try again later."
	case err != nil:
		reason = err.Error()
	}
	var finished record.Event
	err = persist(ctx, lease, func() (err error) {
		if reason != "" {
			finished, err = s.abandon(ctx, closing, code, reason)
		} else {
			finished, err = s.sign(ctx, closing, edition)
		}
		return err
	})
	return finished, errors.Join(fault, err)
}

// keep stores the edition of a closing event. Apart from those of an engine, an error is the reason why it cannot be
// signed.
func (s Service) keep(ctx context.Context, closing record.Event) (record.Edition, error) {
	// Its gate may have been opened since it failed to be kept before.
	e, err := s.Store.Event(ctx, closing.Org, closing.ID)
	if err == nil && e.Gate.Epoch != closing.Gate.Epoch {
		err = errSuperseded
	}
	if err == nil {
		err = s.fence(ctx, closing)
	}
	if err == nil {
		err = s.awaitResults(ctx, closing)
	}
	if err != nil {
		return record.Edition{}, err
	}
	pending := *closing.Gate.Pending
	edition := record.Edition{
		Edition: int64(len(closing.Editions)) + 1, Revision: pending.Revision, Statement: pending.Statement,
		By: pending.By, At: pending.At, FourEyes: pending.FourEyes, Open: pending.Open,
	}
	edition.Root, err = s.Results.Keep(ctx, closing, edition)
	return edition, err
}

// sign signs a closing event with its edition. It is idempotent.
func (s Service) sign(ctx context.Context, closing record.Event, edition record.Edition) (record.Event, error) {
	return s.later().Apply(ctx, record.EventRequest{
		Org: closing.Org, ID: closing.ID, Action: record.SignedOff, By: edition.By, Comment: edition.Statement,
		FourEyes: edition.FourEyes, PolicyRev: closing.Last.PolicyRev, AnyGate: true,
		Change: func(e *record.Event) error {
			switch {
			case e.Gate.Epoch != closing.Gate.Epoch:
				return errSuperseded
			case e.Gate.State == record.GateSigned:
				return record.ErrUnchanged // by an attempt whose response was lost
			}
			e.Gate = record.Gate{Epoch: e.Gate.Epoch, State: record.GateSigned}
			e.Editions = append(slices.Clip(e.Editions), edition)
			return nil
		},
	})
}

// persist repeats a step that an engine fails, after ever longer pauses, until it has failed for the given time or ctx ends.
func persist(ctx context.Context, most time.Duration, step func() error) error {
	var failed time.Duration
	for pause := firstPause; ; pause *= 2 {
		err := step()
		if failed += pause; !ofEngine(err) || errors.Is(err, errSuperseded) || failed > most || record.Pause(ctx, pause) != nil {
			return err
		}
	}
}

// ofEngine reports whether err is one of an engine, and not the reason for which an event cannot be signed.
func ofEngine(err error) bool {
	code := apperr.CodeOf(err)
	return code == apperr.Internal || code == apperr.Unavailable
}

// errSuperseded ends a sign-off whose gate was reopened meanwhile.
var errSuperseded = errors.New("signoff: the gate was opened by the sweeper")

// fence stores the gate's epoch in every existing record. Every reader of a record inserted later reads it after the
// gate was closed.
func (s Service) fence(ctx context.Context, closing record.Event) error {
	highest, err := s.Store.MaxSeqs(ctx, closing.Org, closing.ID)
	if err != nil {
		return err
	}
	for typ, last := range highest {
		sub := record.Sub{Event: closing.ID, Type: typ}
		for from := int64(1); from <= last; from += fenceBatch {
			if err := s.Store.Fence(ctx, closing.Org, sub, from, min(last, from+fenceBatch-1), closing.Gate.Epoch); err != nil {
				return err
			}
		}
	}
	return nil
}

// awaitResults waits until no mark is left on the event, that is, until the result reflects all records.
func (s Service) awaitResults(ctx context.Context, closing record.Event) error {
	for {
		marked, err := s.Store.HasMarks(ctx, closing.Org, closing.ID)
		if err != nil || !marked {
			return err
		}
		if err := record.Pause(ctx, waitEvery); err != nil {
			return err
		}
	}
}

// abandon reopens the gate of a sign-off and records the reason.
func (s Service) abandon(ctx context.Context, closing record.Event, code apperr.Code, message string) (record.Event, error) {
	return s.later().Apply(ctx, record.EventRequest{
		Org: closing.Org, ID: closing.ID, Action: record.SignOffFailed, By: record.System(), Comment: message, Gate: record.GateClosing,
		Change: func(e *record.Event) error {
			if e.Gate.Epoch != closing.Gate.Epoch {
				return record.ErrUnchanged
			}
			e.Gate = record.Gate{Epoch: e.Gate.Epoch + 1, Failure: &record.SignOffFailure{
				Revision: closing.Gate.Pending.Revision, Code: code, Message: message, At: s.now(),
			}}
			return nil
		},
	})
}

// Withdrawal is a manager's request to open a signed event again.
type Withdrawal struct {
	Org       record.OrgID
	Event     record.EventID
	By        record.Actor
	Comment   string
	FourEyes  bool
	PolicyRev int64
	IfMatch   func(record.Event) bool
}

// Withdraw withdraws a sign-off. Under four-eyes control the signer cannot
// do so.
func (s Service) Withdraw(ctx context.Context, w Withdrawal) (record.Event, error) {
	return s.flow().Apply(ctx, record.EventRequest{
		Org: w.Org, ID: w.Event, Action: record.SignOffWithdrawn, By: w.By, Comment: w.Comment,
		FourEyes: w.FourEyes, PolicyRev: w.PolicyRev, Gate: record.GateSigned,
		Change: func(e *record.Event) error {
			if w.IfMatch != nil && !w.IfMatch(*e) {
				return record.EventMoved()
			}
			n := len(e.Editions)
			if n == 0 {
				return fmt.Errorf("withdraw: event %s is signed and has no edition", e.ID)
			}
			if w.FourEyes && e.Editions[n-1].By.ID == w.By.ID {
				return apperr.New(apperr.SelfApprovalForbidden, "Your organization asks for four eyes: who signed cannot withdraw the sign-off.")
			}
			editions := append([]record.Edition(nil), e.Editions...)
			editions[n-1].Withdrawn = &record.Withdrawal{By: w.By, At: s.now(), Comment: w.Comment}
			e.Editions = editions
			e.Gate = record.Gate{Epoch: e.Gate.Epoch + 1}
			return nil
		},
	})
}

// over reports whether the time of a sign-off is over. More than twice that time can be left only if a clock was set back:
// the event of a process that crashed would remain closed until then.
func over(p *record.PendingSignOff, now time.Time) bool {
	left := p.Until.Sub(now)
	return left < 0 || left > 2*p.Until.Sub(p.At)
}

// sweepLimit bounds the events of one sweep.
const sweepLimit = 64

// Sweep reopens the gates of sign-offs whose process crashed, and returns their number.
func (s Service) Sweep(ctx context.Context) (opened int, err error) {
	closing, err := s.Store.ClosingEvents(ctx, sweepLimit)
	if err != nil {
		return 0, fmt.Errorf("sweep sign-offs: %w", err)
	}
	var failures []error
	for _, ref := range closing {
		e, err := s.Store.Event(ctx, ref.Org, ref.Event)
		switch {
		case errors.Is(err, record.ErrNotFound):
		case err != nil:
			failures = append(failures, err)
		case e.Gate.State == record.GateClosing && over(e.Gate.Pending, s.now()):
			if _, err := s.abandon(ctx, e, apperr.Unavailable, "The sign-off took too long. Please try again."); err != nil {
				failures = append(failures, err)
				continue
			}
			opened++
		}
	}
	return opened, errors.Join(failures...)
}
