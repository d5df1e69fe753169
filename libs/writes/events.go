package writes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/record"
)

// EventChange is a requested change of an event.
type EventChange struct {
	Event   record.EventID
	Action  record.EventAction
	Comment string
	// IfMatch, when set, reports whether the event is still the one that the caller saw.
	IfMatch func(record.Event) bool
	// Change edits the event; it may be called more than once.
	Change func(e *record.Event) error
	// Effect, when set, returns the effect of a proposal on the figure, and the revision of the result it was
	// calculated from.
	Effect func(ctx context.Context, before, after record.Event) (effect json.RawMessage, revision int64, err error)
}

// EventOutcome is the result of a change: the event and, if a second manager must decide, the proposal created
// instead.
type EventOutcome struct {
	Event    record.Event
	Proposal *record.Proposal
	// Unchanged reports that the event already had the requested state, or that the caller had proposed the change
	// already, and nothing was written.
	Unchanged bool
}

// ChangeEvent applies a change of an event or, if it affects an approved figure
// and the organization requires four-eyes control, proposes it once. Errors for the
// client: EVENT_NOT_FOUND, PRECONDITION_FAILED, EVENT_SIGNED, PROPOSAL_LIMIT,
// VALIDATION_ERROR for a missing reason, and those of Change; record.ErrMade for a
// repeated request with a key.
func (w Write) ChangeEvent(ctx context.Context, ch EventChange) (EventOutcome, error) {
	policy, err := w.Workflow.Policy(ctx, w.Org)
	if err != nil && !errors.Is(err, record.ErrNotFound) {
		return EventOutcome{}, err
	}
	var proposal *record.Proposal
	var unchanged bool
	event, err := w.EventFlow().Apply(ctx, record.EventRequest{
		Org: w.Org, ID: ch.Event, Action: ch.Action, By: w.By, Comment: ch.Comment, PolicyRev: policy.Rev, AnyGate: true,
		Change: func(e *record.Event) (err error) {
			proposal, err = w.change(ctx, ch, policy, e)
			unchanged = errors.Is(err, record.ErrUnchanged)
			return err
		},
		Entry: func(entry *record.EventEntry) {
			if proposal != nil { // under four-eyes control alone
				entry.FourEyes, entry.Action, entry.Change = true, record.ChangeProposed, proposal.ID
			}
		},
	})
	if err != nil {
		return EventOutcome{}, err
	}
	if event.Mark != "" && !unchanged {
		w.Notify(ctx, event.ID)
	}
	return EventOutcome{Event: event, Proposal: proposal, Unchanged: unchanged}, nil
}

// change edits the event: the change itself, or a proposal of it.
func (w Write) change(ctx context.Context, ch EventChange, policy record.Policy, e *record.Event) (*record.Proposal, error) {
	seen := *e
	if err := ch.Change(e); err != nil {
		return nil, err
	}
	if ch.IfMatch != nil && !ch.IfMatch(seen) {
		return nil, record.EventMoved()
	}
	changed := record.EventChanges(seen, *e)
	if len(changed) == 0 {
		// No revision, no entry, no proposal, and no reason is required.
		return nil, record.ErrUnchanged
	}
	governed := record.Governed(changed)
	if !governed && !record.ChangesTeam(changed) {
		return nil, nil //nolint:nilnil // no proposal is needed
	}
	if governed {
		if err := seen.CheckOpen(); err != nil {
			return nil, err
		}
	}
	if !policy.FourEyes && !policy.RequireReason {
		return nil, nil //nolint:nilnil // no proposal is needed
	}
	approved, err := w.everApproved(ctx, seen)
	if err != nil || !approved {
		return nil, err
	}
	if governed && policy.RequireReason && ch.Comment == "" {
		return nil, reasonRequired()
	}
	if !policy.FourEyes || w.Rehearsal {
		return nil, nil //nolint:nilnil // no proposal is needed
	}
	p := record.Proposal{
		ID: w.Request.NewID(0), Kind: ch.Action, By: w.By, At: w.now().UTC().Truncate(time.Millisecond), Comment: ch.Comment,
		Changed: changed, ContextRev: seen.ContextRev,
	}
	if open, ok := seen.Pending(p); ok {
		return &open, record.ErrUnchanged
	}
	if ch.Effect != nil {
		if p.Effect, p.ResultRevision, err = ch.Effect(ctx, seen, *e); err != nil {
			return nil, err
		}
	}
	*e = seen
	e.Mark = ""
	return &p, e.AddProposal(p)
}

// everApproved reports whether a record of the event has ever been approved. If it used the currently approved
// records, anybody who can reopen them could switch the rules off (ADR 0100). For events that predate EverApproved
// they are counted. An approval after the count sets it, and then the write of this decision conflicts.
func (w Write) everApproved(ctx context.Context, e record.Event) (bool, error) {
	if e.EverApproved {
		return true, nil
	}
	counts, err := w.Store.CountByStatus(ctx, w.Org, e.ID)
	return counts[record.Approved] > 0, err
}

// reasonRequired is the error of a change of an approved figure without a reason.
func reasonRequired() error {
	return apperr.Invalid(apperr.Detail{Field: "comment", Code: "REQUIRED",
		Message: "Records of this event were approved, and your organization asks for a reason: say why the figure changes."})
}

// EventFlow returns the EventFlow of the request.
func (w Write) EventFlow() record.EventFlow {
	return record.EventFlow{Store: w.Store, Now: w.now, Report: w.Report, Once: w.Request.Once(), Still: w.Still}
}

// EventNote returns the audit note of an action on an event: ids, and the hash of
// its entry in the event's history, no amounts.
func EventNote(id record.EventID, e record.EventEntry) audit.Note {
	return audit.Note{
		Action: audit.Event + string(e.Action), ID: fmt.Sprintf("%s/%d", id, e.Rev), Actor: e.By.ID, Subject: string(id),
		After: fmt.Sprintf("revision %d, %s", e.Rev, e.Hash),
	}
}

// AuditEvent puts the newest action on an event into the answer, for the gateway
// to enter. Where that fails, the next change of the event enters it.
func AuditEvent(c *fiber.Ctx, e record.Event) error {
	note := EventNote(e.ID, e.Last)
	if !audit.Reportable(note.Action) {
		return nil
	}
	return audit.Attach(c, note)
}

// enterIn returns the Enter of a Write in the name of a token's user.
func enterIn(log audit.Recorder, token string) func(ctx context.Context, note audit.Note) error {
	return func(ctx context.Context, note audit.Note) error {
		if err := log.Record(ctx, token, audit.Report{Note: note}); err != nil {
			return apperr.New(apperr.Unavailable, "The audit log cannot be written right now. Nothing was changed; please try again.").Because(err)
		}
		return nil
	}
}

// reportTo returns an EventReport that enters the actions one after the other.
func reportTo(enter func(ctx context.Context, note audit.Note) error) record.EventReport {
	return func(ctx context.Context, _ record.OrgID, id record.EventID, actions []record.EventEntry) error {
		for _, e := range actions {
			note := EventNote(id, e)
			if !audit.Reportable(note.Action) {
				continue
			}
			if err := enter(ctx, note); err != nil {
				return err
			}
		}
		return nil
	}
}
