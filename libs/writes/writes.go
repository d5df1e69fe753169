// Package writes is shared by handlers of writes: whether a
// request is a dry run, the ids reserved by its idempotency key, and
// responses of bulk operations.
package writes

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/idempotency"
	"github.com/eventcarbon/ecf/libs/notify"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/web"
)

// Store is the target of writes: the store itself, or an overlay for dry runs.
type Store interface {
	record.Originals
	InsertPolicies(ctx context.Context, org record.OrgID, entries []record.PolicyEntry) error
	ReplaceOrganization(ctx context.Context, o record.Organization, prevRev int64) error
	InsertEvent(ctx context.Context, org record.OrgID, e record.Event, quota int64) (record.Event, error)
	ReplaceEvent(ctx context.Context, org record.OrgID, e record.Event, prevRev int64) error
	InsertEventEntry(ctx context.Context, org record.OrgID, id record.EventID, e record.EventEntry) error
	SetEverApproved(ctx context.Context, org record.OrgID, id record.EventID) error
	InsertRecord(ctx context.Context, org record.OrgID, r record.Record) (record.Record, error)
	InsertRecords(ctx context.Context, org record.OrgID, sub record.Sub, records []record.Record) ([]record.Record, []error, error)
	ReplaceRecord(ctx context.Context, org record.OrgID, r record.Record, prevRev int64) error
	InsertEntry(ctx context.Context, org record.OrgID, event record.EventID, id record.ID, e record.Entry) error
}

// Maker makes the writes of a service.
type Maker struct {
	Store    Store
	Notifier notify.Notifier
	Now      func() time.Time
	// Audit receives the actions on events; nil: only the gateway enters them.
	Audit audit.Recorder
	// Admit is the Workflow's.
	Admit func(ctx context.Context, org record.OrgID, event record.EventID, n int64) error
}

// Write is one write request or dry run.
type Write struct {
	Store    Store
	Workflow record.Workflow
	// Request is the request's reservation of its idempotency key; the zero value without one.
	Request idempotency.Reservation
	Org     record.OrgID
	By      record.Actor
	// Rehearsal marks a dry run.
	Rehearsal bool
	// Report enters actions on events into the audit log, in the name of the request; nil for none.
	Report record.EventReport
	// Enter enters what an earlier change owes to the audit log; nil: there is none.
	Enter func(ctx context.Context, note audit.Note) error
	// Still, if set, returns an error once the caller may no longer do what is requested. It is called before an event
	// is changed, and before each record of many.
	Still func(ctx context.Context) error

	now      func() time.Time
	notifier notify.Notifier
}

// Continue returns an error once the caller may no longer do what is requested, see Still. It must be called by one
// goroutine at a time.
func (w Write) Continue(ctx context.Context) error {
	if w.Still == nil {
		return nil
	}
	return w.Still(ctx)
}

// Begin returns the write of a request.
func (m Maker) Begin(c *fiber.Ctx) (Write, error) {
	rehearsal, err := web.DryRun(c)
	if err != nil {
		return Write{}, err
	}
	p := web.PrincipalOf(c)
	w := Write{
		Request: idempotency.Of(c), Org: record.OrgID(p.Org), By: record.ActorOf(p), Rehearsal: rehearsal, now: m.Now, notifier: m.Notifier,
	}
	if rehearsal {
		w.Store = record.Rehearse(m.Store)
	} else {
		w.Store = meter(m.Store, web.Stored(c), int64(max(c.Request().Header.ContentLength(), 0)))
	}
	if m.Audit != nil && !rehearsal {
		token, _ := web.BearerToken(c)
		w.Enter = enterIn(m.Audit, token)
		w.Report = reportTo(w.Enter)
	}
	w.Workflow = record.Workflow{
		Store: w.Store, History: w.Store, Admit: m.Admit, Policy: policyOnce(w.Store), Gate: (&gateReader{store: w.Store}).read,
		Approving: w.Store.SetEverApproved, Now: m.Now, NewMark: func() string { return record.NewMark(m.Now()) },
	}
	return w, nil
}

// policyOnce returns a function that reads the policy of the request's organization on its first call. All moves of a
// request use the same policy.
func policyOnce(store Store) func(ctx context.Context, org record.OrgID) (record.Policy, error) {
	var mu sync.Mutex
	var read bool
	var policy record.Policy
	return func(ctx context.Context, org record.OrgID) (record.Policy, error) {
		mu.Lock()
		defer mu.Unlock()
		if !read {
			o, err := store.Organization(ctx, org)
			if err != nil {
				return record.Policy{}, err
			}
			policy, read = o.Policy, true
		}
		return policy, nil
	}
}

// gateReader reads an event for the concurrent moves of one request. Calls may share a read, but only one that begins
// after the call: its result is then not older than the record that the caller has read.
type gateReader struct {
	store Store

	mu      sync.Mutex
	next    *gateReading // the read that has not begun
	running sync.Mutex   // held by the current read
}

type gateReading struct {
	id    record.EventID
	done  chan struct{}
	event record.Event
	err   error
}

// errGateNotRead is the error of those who share a read during which the store panicked.
var errGateNotRead = errors.New("writes: the gate of the event was not read")

func (g *gateReader) read(ctx context.Context, org record.OrgID, event record.EventID) (record.Event, error) {
	g.mu.Lock()
	r, leads := g.next, g.next == nil
	if leads {
		r = &gateReading{id: event, done: make(chan struct{})}
		g.next = r
	}
	g.mu.Unlock()
	if r.id != event {
		return g.store.CurrentEvent(ctx, org, event)
	}
	if !leads {
		select {
		case <-r.done:
			return r.event, r.err
		case <-ctx.Done():
			return record.Event{}, ctx.Err()
		}
	}
	g.running.Lock()
	defer g.running.Unlock()
	defer close(r.done)
	g.mu.Lock()
	g.next = nil
	g.mu.Unlock()
	r.err = errGateNotRead // unless the store returns
	r.event, r.err = g.store.CurrentEvent(ctx, org, event)
	return r.event, r.err
}

// Notify requests the recalculation of an event.
func (w Write) Notify(ctx context.Context, event record.EventID) {
	if !w.Rehearsal {
		w.notifier.Notify(ctx, w.Org, event)
	}
}

// Apply applies a transition for the request, and notifies the workers if it affects counted records.
func (w Write) Apply(ctx context.Context, r record.Request) (record.Record, error) {
	r.Org, r.By, r.Once = w.Org, w.By, w.Request.Once()
	moved, err := w.Workflow.Apply(ctx, r)
	if err == nil && r.Move == record.Submit && moved.Status == record.Submitted {
		moved = w.byPolicy(ctx, moved)
	}
	if err == nil && moved.Mark != "" {
		w.Notify(ctx, moved.Event)
	}
	return moved, err
}

// byPolicy applies the organization's automatic approval to a submitted record, and returns the record after it.
// Since the submission has succeeded, a failure of the policy leaves the record to people.
func (w Write) byPolicy(ctx context.Context, submitted record.Record) record.Record {
	policy, err := w.Workflow.Policy(ctx, w.Org)
	if err != nil || !policy.AutoApprove.On() {
		return submitted
	}
	// One read serves as the event and as its gate, since it follows the write of the record.
	ev, err := w.Workflow.Gate(ctx, w.Org, submitted.Event)
	if err != nil {
		return submitted
	}
	past, err := record.PastOf(ctx, w.Store, submitted)
	if err != nil {
		return submitted
	}
	request, ok := record.PolicyApproval(policy, submitted, ev, past)
	if !ok {
		return submitted
	}
	request.Known = &record.Known{Record: submitted, Event: &ev}
	approved, err := w.Workflow.Apply(ctx, request)
	if err != nil {
		return submitted
	}
	return approved
}
