package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// GateState states whether the figure of an event may change.
type GateState string

// The states of a gate.
const (
	GateOpen    GateState = "" // records may be approved and reopened
	GateClosing GateState = "closing"
	GateSigned  GateState = "signed"
)

// Gate decides whether records can enter or leave the approved state.
// Its epoch rises with every transition, so that a write based on an earlier state is
// detected; see package signoff.
type Gate struct {
	Epoch int64     `json:"epoch"`
	State GateState `json:"state,omitempty"`
	// Pending is the sign-off in progress while the gate is closing.
	Pending *PendingSignOff `json:"pending,omitempty"`
	// Failure is the reason why the last sign-off failed.
	Failure *SignOffFailure `json:"failure,omitempty"`
}

// PendingSignOff is a sign-off in progress.
type PendingSignOff struct {
	Revision  int64           `json:"revision"` // of the result that is to be signed
	Statement string          `json:"statement"`
	By        Actor           `json:"by"`
	At        time.Time       `json:"at"`
	FourEyes  bool            `json:"fourEyes,omitempty"`
	Open      json.RawMessage `json:"open,omitempty"` // the checklist
	// Until is when a sweeper considers the sign-off crashed.
	Until time.Time `json:"until"`
}

// SignOffFailure is the reason why a sign-off failed.
type SignOffFailure struct {
	Revision int64       `json:"revision"`
	Code     apperr.Code `json:"code"`
	Message  string      `json:"message"`
	At       time.Time   `json:"at"`
}

// Edition is a signed figure.
type Edition struct {
	Edition   int64           `json:"edition"`  // 1, 2, 3 … of the event
	Revision  int64           `json:"revision"` // of the result
	Root      string          `json:"root"`     // hash of the stored edition
	Statement string          `json:"statement"`
	By        Actor           `json:"by"`
	At        time.Time       `json:"at"`
	FourEyes  bool            `json:"fourEyes,omitempty"`
	Open      json.RawMessage `json:"open,omitempty"` // open checklist items at the sign-off
	Withdrawn *Withdrawal     `json:"withdrawn,omitempty"`
}

// Withdrawal records who withdrew a sign-off, and why.
type Withdrawal struct {
	By      Actor     `json:"by"`
	At      time.Time `json:"at"`
	Comment string    `json:"comment"`
}

// MaxEditions bounds the editions of an event.
const MaxEditions = 50

// Proposal is a change of an event that waits for a second manager.
type Proposal struct {
	ID string `json:"_id"`
	// Kind is the action that happens when it is approved: change,
	// adopt-factor-set, delete or sign-off.
	Kind    EventAction `json:"kind"`
	By      Actor       `json:"proposedBy"`
	At      time.Time   `json:"proposedAt"`
	Comment string      `json:"comment,omitempty"`
	// Body is the request body.
	Body    json.RawMessage `json:"body,omitempty"`
	Changed []FieldChange   `json:"changed,omitempty"`
	// Effect is the effect of the change on the figure, calculated by a dry run.
	Effect json.RawMessage `json:"effect,omitempty"`
	// ContextRev and ResultRevision are the revisions that the effect was calculated from.
	ContextRev     int64 `json:"contextRevision"`
	ResultRevision int64 `json:"resultRevision"`
}

// MarshalJSON returns the proposal with its time in the API's one form.
func (p Proposal) MarshalJSON() ([]byte, error) {
	type plain Proposal // without this method
	return json.Marshal(struct {
		plain
		At string `json:"proposedAt"`
	}{plain(p), stamp(p.At)})
}

// MovesFigure reports whether the proposal is about the figure: a change of the team
// alone is not.
func (p Proposal) MovesFigure() bool { return p.Kind != EventChanged || Governed(p.Changed) }

// Find returns the proposal with an id, and its index.
func (g Governance) Find(id string) (Proposal, int, bool) {
	for i, p := range g.Proposals {
		if p.ID == id {
			return p, i, true
		}
	}
	return Proposal{}, 0, false
}

// Pending returns the open proposal that is the same as p, of the same person and in the same context: p is the
// repetition of its request.
func (g Governance) Pending(p Proposal) (Proposal, bool) {
	i := slices.IndexFunc(g.Proposals, func(open Proposal) bool {
		return open.By.ID == p.By.ID && open.Kind == p.Kind && open.Comment == p.Comment && open.ContextRev == p.ContextRev &&
			(p.Kind != SignedOff || open.ResultRevision == p.ResultRevision) && slices.EqualFunc(open.Changed, p.Changed, FieldChange.equal)
	})
	if i < 0 {
		return Proposal{}, false
	}
	return g.Proposals[i], true
}

// WithoutProposal returns the proposals but the i-th.
func (g Governance) WithoutProposal(i int) []Proposal {
	return slices.Delete(slices.Clone(g.Proposals), i, i+1)
}

// AddProposal appends a proposal; it returns PROPOSAL_LIMIT if there are too many, and ErrUnchanged if the id exists:
// an id belongs to one request.
func (g *Governance) AddProposal(p Proposal) error {
	if _, _, there := g.Find(p.ID); there {
		return ErrUnchanged
	}
	proposals := append(slices.Clone(g.Proposals), p)
	total, largest := 0, 0
	for _, p := range proposals {
		text, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("propose change: %w", err)
		}
		total, largest = total+len(text), max(largest, len(text))
	}
	if len(proposals) > MaxProposals || total-largest > MaxProposalBytes {
		return apperr.New(apperr.ProposalLimit, "An event may have at most %d open changes, with %d KiB in total besides the largest. Decide on some of them first.",
			MaxProposals, MaxProposalBytes>>10)
	}
	g.Proposals = proposals
	return nil
}

// ApplyChanges sets the fields of a proposal, where they still are what they were
// when it was made; else PROPOSAL_STALE.
func (e *Event) ApplyChanges(changed []FieldChange) error {
	for _, c := range changed {
		if f, ok := eventFieldOf(c.Field); ok && !bytes.Equal(jsonOf(f.value(e)), c.Before) {
			return apperr.New(apperr.ProposalStale, "The field %s has changed since this change was proposed. Propose it again.", c.Field)
		}
		if err := e.set(c.Field, c.After); err != nil {
			return fmt.Errorf("apply change of %s: %w", c.Field, err)
		}
	}
	return nil
}

const (
	// MaxProposals bounds the open proposals of an event.
	MaxProposals = 10
	// MaxProposalBytes bounds the size of all but the largest of them. That one is bounded by the fields of an event:
	// it has a list of compensation before and after its change, and could not be made in parts, because each part has
	// the whole list.
	MaxProposalBytes = 32 << 10
)

// Governance is the part of an event that controls and records changes of its figure.
// Its JSON is the stored form of both engines.
type Governance struct {
	UpdatedBy Actor `json:"updatedBy"`
	// Begin is the first revision of the history: 1, or that at which an event that predates histories was adopted.
	Begin int64      `json:"begin,omitempty"`
	Last  EventEntry `json:"last"`
	// Owed are earlier actions that were not reported to the audit log; see
	// EventFlow.Report.
	Owed      []EventEntry `json:"owed,omitempty"`
	Gate      Gate         `json:"gate"`
	Editions  []Edition    `json:"editions,omitempty"`
	Proposals []Proposal   `json:"proposals,omitempty"`
	// Large bounds the growth of the history.
	Large LargeChanges `json:"large,omitzero"`
}

// eventSigned is the error of a change that would affect a signed figure.
func eventSigned(e Event) error {
	detail := apperr.Detail{Field: "signOff", Code: "SIGNED", Message: "A manager can withdraw the sign-off, with a comment."}
	if n := len(e.Editions); n > 0 {
		last := e.Editions[n-1]
		return apperr.New(apperr.EventSigned, "Edition %d of this event has been signed off, so its figure cannot change.", last.Edition).With(detail)
	}
	return apperr.New(apperr.EventSigned, "This event has been signed off, so its figure cannot change.").With(detail)
}

// eventClosing is the answer to what cannot be done while a sign-off is made.
func eventClosing() error {
	return &apperr.Error{Code: apperr.Unavailable, RetryAfter: 2 * time.Second,
		Message: "This event is being signed off. Please try again in a moment."}
}

// Writable returns nil where the event takes changes of drafts, EVENT_SIGNED
// where it was signed.
func (e Event) Writable() error {
	if e.Gate.State == GateSigned {
		return eventSigned(e)
	}
	return nil
}
