package record

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"
)

// EventAction is what was done to an event.
type EventAction string

// The actions in the history of an event.
const (
	EventCreated   EventAction = "create"
	EventChanged   EventAction = "change"
	FactorsAdopted EventAction = "adopt-factor-set"
	EventDeleted   EventAction = "delete"
	// EventAdopted starts the chain of an event that predates histories.
	EventAdopted   EventAction = "adopt"
	ChangeProposed EventAction = "propose-change"
	// ChangeAssessed records the effect of a proposal, calculated when it was first
	// viewed.
	ChangeAssessed   EventAction = "assess-change"
	ChangeApproved   EventAction = "approve-change"
	ChangeRejected   EventAction = "reject-change"
	SignOffBegun     EventAction = "begin-sign-off"
	SignOffFailed    EventAction = "fail-sign-off"
	SignedOff        EventAction = "sign-off"
	SignOffWithdrawn EventAction = "withdraw-sign-off"
)

// FieldChange is what an action did to one field of an event.
type FieldChange struct {
	Field  string          `json:"field"`
	Before json.RawMessage `json:"before"`
	After  json.RawMessage `json:"after"`
}

func (c FieldChange) equal(other FieldChange) bool {
	return c.Field == other.Field && bytes.Equal(c.Before, other.Before) && bytes.Equal(c.After, other.After)
}

// EventEntry is one line of an event's history. Like those of a record, entries
// are never changed, and each carries the hash of the one before. Its JSON is
// also the stored form.
type EventEntry struct {
	Rev     int64         `json:"revision"`
	Action  EventAction   `json:"action"`
	By      Actor         `json:"by"`
	At      time.Time     `json:"at"`
	Comment string        `json:"comment,omitempty"`
	Changed []FieldChange `json:"changed,omitempty"`
	// ContextRev is the revision of the event's context after the action: where
	// it differs from the one before, every figure was recalculated.
	ContextRev int64 `json:"contextRevision"`
	// Change names the proposal an action is about.
	Change string `json:"change,omitempty"`
	// FourEyes and PolicyRev state the policy in force at a decision.
	FourEyes  bool  `json:"fourEyes,omitempty"`
	PolicyRev int64 `json:"policyRevision,omitempty"`
	// Once identifies the request of the action, if it had an idempotency key, so that a repeated request finds it.
	// It is neither served nor hashed, because it is not part of the action.
	Once string `json:"once,omitempty"`
	// State is the hash of the event's contents after the action.
	State string `json:"stateHash"`
	// Salt prevents guessing actor and comment from their commitment.
	Salt string `json:"salt,omitempty"`
	Prev string `json:"previousHash"`
	Hash string `json:"hash"`
}

// MarshalJSON returns the entry with its time in the API's one form.
func (e EventEntry) MarshalJSON() ([]byte, error) {
	type plain EventEntry // without this method
	return json.Marshal(struct {
		plain
		At string `json:"at"`
	}{plain(e), stamp(e.At)})
}

// Commitment is the hash by which the chain covers the actor and the
// comment, so that a chain can be verified if both are omitted.
func (e EventEntry) Commitment() string {
	return commitment(e.Salt, e.By, e.Comment)
}

func commitment(salt string, by Actor, comment string) string {
	return hashOf("commitment", salt, by.ID, by.Name, comment)
}

// digest covers the tenant and the event, so that an entry cannot be moved to
// another event's history.
func (e EventEntry) digest(org OrgID, id EventID) string {
	return e.digestWith(org, id, e.Commitment())
}

func (e EventEntry) digestWith(org OrgID, id EventID, committed string) string {
	values := []string{
		"event", string(org), string(id), strconv.FormatInt(e.Rev, 10), string(e.Action), e.By.Role.String(),
		e.At.UTC().Format(time.RFC3339Nano), committed, strconv.FormatInt(e.ContextRev, 10), e.Change,
		strconv.FormatBool(e.FourEyes), strconv.FormatInt(e.PolicyRev, 10), e.State, e.Prev, strconv.Itoa(len(e.Changed)),
	}
	for _, c := range e.Changed {
		values = append(values, c.Field, string(c.Before), string(c.After))
	}
	return hashOf(values...)
}

// Intact reports whether the entry is what was sealed, for this event.
func (e EventEntry) Intact(org OrgID, id EventID) bool { return e.Hash == e.digest(org, id) }

// IntactWithout is Intact for an entry whose actor and comment were left out,
// by their commitment.
func (e EventEntry) IntactWithout(org OrgID, id EventID, committed string) bool {
	return e.Hash == e.digestWith(org, id, committed)
}

// Describes reports whether an event is what its newest entry left behind.
func (e EventEntry) Describes(ev Event) bool { return e.Rev == ev.Rev && e.State == stateHash(ev) }

// VerifyEventHistory checks the whole chain of an event, oldest first: that each
// entry is what was sealed and follows the one before, and that the event is what
// the last one left behind. It returns an error that names the first revision
// that was changed, moved or is missing.
func VerifyEventHistory(ev Event, entries []EventEntry) error {
	if len(entries) == 0 {
		return fmt.Errorf("event %s: it has no history", ev.ID)
	}
	first := entries[0]
	if first.Prev != "" || first.Action == EventCreated && first.Rev != 1 || first.Action != EventCreated && first.Action != EventAdopted {
		return fmt.Errorf("event %s: the beginning of the history is missing", ev.ID)
	}
	prev := EventEntry{Rev: first.Rev - 1}
	for _, e := range entries {
		switch {
		case e.Rev != prev.Rev+1:
			return fmt.Errorf("event %s: revision %d of the history is missing", ev.ID, prev.Rev+1)
		case e.Prev != prev.Hash || !e.Intact(ev.Org, ev.ID):
			return fmt.Errorf("event %s: revision %d of the history was changed", ev.ID, e.Rev)
		}
		prev = e
	}
	if !prev.Describes(ev) {
		return fmt.Errorf("event %s: the event was changed after revision %d, by no action", ev.ID, prev.Rev)
	}
	return nil
}

// EventFields returns the names of all fields of an event that its history may name.
func EventFields() []string {
	names := make([]string, len(eventFields))
	for i, f := range eventFields {
		names[i] = f.name
	}
	return names
}

// EventChanges lists the fields that differ between two states of an event.
func EventChanges(before, after Event) []FieldChange {
	var changed []FieldChange
	for _, f := range eventFields {
		b, a := jsonOf(f.value(&before)), jsonOf(f.value(&after))
		if !bytes.Equal(b, a) {
			changed = append(changed, FieldChange{Field: f.name, Before: b, After: a})
		}
	}
	return changed
}

// Governed reports whether any of the changes affects a published figure, so that
// it needs a reason or a second manager if the policy requires it.
func Governed(changed []FieldChange) bool {
	return slices.ContainsFunc(changed, func(c FieldChange) bool {
		f, _ := eventFieldOf(c.Field)
		return f.is&governed != 0
	})
}

// Undone returns an event with the fields that the entry's action has changed as they
// were before it: the event as it was then, but for what came later.
func (e EventEntry) Undone(ev Event) (Event, error) {
	now := ev
	for _, c := range e.Changed {
		if err := ev.set(c.Field, c.Before); err != nil {
			return Event{}, fmt.Errorf("undo change of %s: %w", c.Field, err)
		}
	}
	if restated(ev, now) {
		ev.ContextRev = e.ContextRev - 1
	}
	return ev, nil
}

// ChangesTeam reports whether one of the changes is of the team.
func ChangesTeam(changed []FieldChange) bool {
	return slices.ContainsFunc(changed, func(c FieldChange) bool { return c.Field == "team" })
}

// stateHash returns the hash of an event's contents.
func stateHash(e Event) string {
	values := []string{strconv.FormatInt(e.ContextRev, 10), strconv.FormatInt(e.Gate.Epoch, 10), string(e.Gate.State)}
	for _, f := range eventFields {
		if value := string(jsonOf(f.value(&e))); f.is&later == 0 || value != "null" {
			values = append(values, f.name, value)
		}
	}
	for _, ed := range e.Editions {
		values = append(values, strconv.FormatInt(ed.Edition, 10), strconv.FormatInt(ed.Revision, 10), ed.Root)
	}
	return hashOf(values...)
}

// newSalt returns 128 random bits.
func newSalt() string { return rand.Text() }

// seal completes the next revision of an event: actor, time, the hash of its state and the chain. before is the zero
// Event for a new one.
func (e EventEntry) seal(before, after Event) Event {
	e.Rev, e.ContextRev = after.Rev, after.ContextRev
	e.Changed = EventChanges(before, after)
	e.Salt, e.State, e.Prev = newSalt(), stateHash(after), before.Last.Hash
	e.Hash = e.digest(after.Org, after.ID)
	after.Last = e
	return after
}

// NewEvent returns a new event with the first entry of its history. The caller
// has set the fields of the client.
func NewEvent(org OrgID, id EventID, e Event, by Actor, now time.Time) Event {
	e.Org, e.ID, e.Rev, e.ContextRev = org, id, 1, 1
	e.CreatedBy, e.UpdatedBy, e.CreatedAt, e.UpdatedAt, e.Begin = by, by, now, now, 1
	return EventEntry{Action: EventCreated, By: by, At: now}.seal(Event{}, e)
}

// Adopted returns an event created before histories were kept with the entry that begins
// its chain, and any other event unchanged. The entry records
// the state found, without an actor.
func Adopted(e Event) Event {
	if e.Last.Rev != 0 {
		return e
	}
	entry := EventEntry{
		Rev: e.Rev, Action: EventAdopted, By: System(), At: e.UpdatedAt, ContextRev: e.ContextRev,
		Changed: EventChanges(Event{}, e), State: stateHash(e),
		// The salt is deterministic: two concurrent writers store the same entry.
		Salt: hashOf("adopt", string(e.Org), string(e.ID))[:26],
	}
	entry.Hash = entry.digest(e.Org, e.ID)
	e.Last, e.Begin = entry, e.Rev
	return e
}
