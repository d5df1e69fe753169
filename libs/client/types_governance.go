package client

import (
	"encoding/json"
	"time"
)

// SignOff is whether the figure of an event is signed.
type SignOff struct {
	// "open", "closing" while a sign-off is being made, or "signed".
	State string `json:"state"`
	// The revision of the result that is signed, or about to be.
	Revision int    `json:"revision,omitempty"`
	By       *Actor `json:"by,omitempty"`
	// When it was signed.
	At *time.Time `json:"at,omitempty"`
	// Number of the signed edition.
	Edition int `json:"edition,omitempty"`
	// Why the last sign-off did not come about.
	Failure *SignOffFailure `json:"failure,omitempty"`
	// What was ever signed, oldest first.
	Editions []Edition  `json:"editions"`
	Open     *Checklist `json:"open,omitempty"`
}

// SignOffFailure is why a sign-off did not come about.
type SignOffFailure struct {
	// The revision that was to be signed.
	Revision int `json:"revision"`
	// An error code.
	Code string `json:"code"`
	// What happened.
	Message string `json:"message"`
	// When.
	At time.Time `json:"at"`
}

// Edition is a signed figure. It stays on record whatever happens to the event.
type Edition struct {
	// Its number.
	Edition int `json:"edition"`
	// The revision of the result.
	Revision int `json:"revision"`
	// Hash of everything that is kept of it.
	Root string `json:"root"`
	// What was signed.
	Statement string `json:"statement"`
	By        Actor  `json:"by"`
	// When it was signed.
	At time.Time `json:"at"`
	// Whether a second manager signed what a first one proposed.
	FourEyes bool `json:"fourEyes"`
	// Who opened the event again.
	Withdrawn *Withdrawn `json:"withdrawn,omitempty"`
}

// Withdrawn is who opened a signed event again, and why.
type Withdrawn struct {
	By Actor `json:"by"`
	// When.
	At time.Time `json:"at"`
	// Why.
	Comment string `json:"comment"`
}

// Checklist is what is still open of an event that is to be signed.
type Checklist struct {
	// The newest revision of the result.
	Revision int `json:"revision"`
	// Whether the result is up to date: "current" or "recalculating".
	Status string `json:"status"`
	// Records that wait for a decision.
	Waiting int `json:"waiting"`
	// Records that were sent back.
	ChangesRequested int `json:"changesRequested"`
	// Drafts.
	Unsubmitted int `json:"unsubmitted"`
	// Rejected records.
	Rejected int `json:"rejected"`
	// Proposed changes of the event.
	OpenChanges int `json:"openChanges"`
	// Findings of severity warning.
	Warnings []Finding `json:"warnings"`
}

// SignOffInput is what is signed.
type SignOffInput struct {
	// The newest revision of the result.
	Revision int `json:"revision"`
	// What you state with your name, in your words.
	Statement string `json:"statement"`
}

// SignOffOutcome is the sign-off that has begun, its proposal or, of a rehearsal,
// the checklist alone.
type SignOffOutcome struct {
	Event     *Event       `json:"event,omitempty"`
	Checklist *Checklist   `json:"checklist,omitempty"`
	Change    *EventChange `json:"change,omitempty"`
}

// FieldChange is what an action did to one field.
type FieldChange struct {
	// The field.
	Field string `json:"field"`
	// Its value before; null for none.
	Before json.RawMessage `json:"before"`
	// Its value after; null for none.
	After json.RawMessage `json:"after"`
}

// EventChange is a change that waits for a second manager.
type EventChange struct {
	// Identifier of the proposal.
	ID string `json:"_id"`
	// What happens when it is approved.
	Kind       string `json:"kind"`
	ProposedBy Actor  `json:"proposedBy"`
	// When it was proposed.
	ProposedAt time.Time `json:"proposedAt"`
	// The reason.
	Comment string `json:"comment,omitempty"`
	// Of a sign-off: its revision and statement.
	Body json.RawMessage `json:"body,omitempty"`
	// The fields before and after.
	Changed []FieldChange `json:"changed,omitempty"`
	// What it does to the figure, as a rehearsal calculates it; absent until it is first listed.
	Effect *ChangeEffect `json:"effect,omitempty"`
	// Revision of the event's context it was calculated on.
	ContextRevision int `json:"contextRevision"`
	// Revision of the result it was calculated on.
	ResultRevision int `json:"resultRevision"`
	// In the list: what it was calculated on has moved.
	Stale bool `json:"stale,omitempty"`
}

// Governed is the answer to a change of an event: what it made or, where a second
// manager has to decide, the proposal. One of the two is nil.
type Governed[T any] struct {
	// Done is what the change made.
	Done *T
	// Proposed is the change that waits for a second manager; nothing of it applies
	// before.
	Proposed *EventChange
}

// UnmarshalJSON reads the data of an answer: a proposal has the member change, and
// nothing else has.
func (g *Governed[T]) UnmarshalJSON(text []byte) error {
	var proposal struct {
		Change *EventChange `json:"change"`
	}
	if err := json.Unmarshal(text, &proposal); err != nil {
		return err
	}
	*g = Governed[T]{Proposed: proposal.Change}
	if g.Proposed != nil {
		return nil
	}
	g.Done = new(T)
	return json.Unmarshal(text, g.Done)
}

// MarshalJSON writes what UnmarshalJSON reads.
func (g Governed[T]) MarshalJSON() ([]byte, error) {
	if g.Proposed != nil {
		return json.Marshal(map[string]any{"change": g.Proposed})
	}
	return json.Marshal(g.Done)
}

// RehearsalInput is what to try, one of it at least.
type RehearsalInput struct {
	Method *Method `json:"method,omitempty"`
	// Id of a factor set that is held.
	FactorSet string `json:"factorSet,omitempty"`
	// People who come in person.
	Attendees *int `json:"attendees,omitempty"`
}

// EffectFigures are the figures that a change of an event can move.
type EffectFigures struct {
	Total Interval `json:"total"`
	// The total per attendee; null where they are not known.
	PerAttendeeKg *Kilograms `json:"perAttendeeKg"`
	// And per day; null where either is not known.
	PerAttendeeDayKg *Kilograms `json:"perAttendeeDayKg"`
}

// Effect is what a change of an event does to its figures.
type Effect struct {
	// Null where nothing is approved.
	Before *EffectFigures `json:"before"`
	// Null where nothing is approved.
	After *EffectFigures `json:"after"`
	// Total after minus before.
	DifferenceKgCO2e *Kilograms `json:"differenceKgCO2e"`
	// The revision of the result that was counted; 0 for none.
	BasedOnRevision int `json:"basedOnRevision"`
}

// ChangeEffect is what a change does to the figure.
type ChangeEffect struct {
	// The figures before; null where nothing is approved.
	Before json.RawMessage `json:"before"`
	// The figures after; null for a deletion.
	After json.RawMessage `json:"after"`
	// Total after minus before.
	DifferenceKgCO2e *Kilograms `json:"differenceKgCO2e"`
	// The revision of the result that was counted; 0 for none.
	BasedOnRevision int `json:"basedOnRevision"`
}

// HistoryActor is who did it: a person, with the name and role of that moment, or
// the system ("system"), which has no role.
type HistoryActor struct {
	// Identifier of the user; "system" for what the server did by itself.
	ID string `json:"_id"`
	// Their name at that moment.
	Name string `json:"name,omitempty"`
	Role Role   `json:"role,omitempty"`
}

// EventHistoryEntry is an action on an event. Entries are chained by their hashes.
type EventHistoryEntry struct {
	// Revision of the event after it.
	Revision int `json:"revision"`
	// What was done.
	Action string       `json:"action"`
	By     HistoryActor `json:"by"`
	// When it happened.
	At time.Time `json:"at"`
	// The reason that was given.
	Comment string `json:"comment,omitempty"`
	// The fields before and after.
	Changed []FieldChange `json:"changed,omitempty"`
	// Where it differs from the entry before, every figure was recalculated.
	ContextRevision int `json:"contextRevision"`
	// The proposal it is about.
	Change string `json:"change,omitempty"`
	// Whether it was done under four eyes.
	FourEyes bool `json:"fourEyes,omitempty"`
	// Revision of the organization that set the policy it was done under.
	PolicyRevision int `json:"policyRevision,omitempty"`
	// Hash of what the event says after it.
	StateHash string `json:"stateHash"`
	// Random; it keeps actor and comment from being guessed from what the hash covers.
	Salt string `json:"salt,omitempty"`
	// The hash of the entry before.
	PreviousHash string `json:"previousHash"`
	// SHA-256 over the entry and the hash of the one before.
	Hash string `json:"hash"`
}
