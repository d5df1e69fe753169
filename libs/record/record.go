// Package record is the domain shared by the services: organizations, their events, and
// the carbon-source records of an event with the table of transitions between
// their states. It is independent of databases and HTTP: the storage engines implement
// its Store, and the services use its Workflow.
package record

import (
	"encoding/json"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
)

// OrgID names a tenant. It is a type of its own so that a store call without
// a tenant does not compile. It comes from a verified token, never from a
// path or a body.
type OrgID string

// EventID names an event.
type EventID string

// ID names a record.
type ID string

// Organization is a tenant.
type Organization struct {
	ID        OrgID
	Name      string
	Plan      string // names a quota, see ECF_QUOTAS
	Policy    Policy
	CreatedAt time.Time
	// PolicyLog is the history of the policy.
	PolicyLog
	Rev int64 // 1 when created, +1 with every change
}

// Policy is what an organization's administrators decided about review.
type Policy struct {
	// FourEyes prevents users from approving records that they created, or edited or submitted since the last
	// approval.
	FourEyes bool
	// AutoApprove approves small records automatically.
	AutoApprove AutoApproval
	// RequireReason requires a comment with every change of an event that affects a figure, once records of it were
	// approved.
	RequireReason bool
	// Rev is the revision of the organization that set the current policy.
	Rev int64
}

// Actor is who did something, as stored in histories: with the name and role at
// that time.
type Actor struct {
	ID   string        `json:"_id" bson:"id"`
	Name string        `json:"name,omitempty" bson:"name,omitempty"`
	Role identity.Role `json:"role,omitempty" bson:"role"`
}

// ActorOf returns the actor behind a verified caller.
func ActorOf(p identity.Principal) Actor {
	return Actor{ID: p.UserID, Name: p.Name, Role: p.Role}
}

// Event is a gathering whose footprint is calculated.
type Event struct {
	ID   EventID
	Org  OrgID
	Slot int64 // 1, 2, 3 … within the organization: its quota and its order

	Title            string
	StartDate        string // YYYY-MM-DD, or empty
	EndDate          string // YYYY-MM-DD, inclusive, or empty
	Attendees        *int64 // in person; nil: not stated
	VirtualAttendees *int64
	Country          string // ISO 3166-1 alpha-2, or empty
	Timezone         string
	// Place is the place as entered; Location is the resolved place. Both are empty if not stated.
	Place       string
	Location    footprint.Venue
	Description string
	Boundary    json.RawMessage // as decoded, or nil
	Method      Method
	// Reference is the client's externalReference; unique among the events of the
	// organization that are not deleted.
	Reference string
	// Metadata are the client's own values; nil for none.
	Metadata map[string]string
	// Compensation are the offsets and removals stated by the organizer; nil for none. No figure includes them.
	Compensation []Compensation

	// Team, if not empty, lists who can see and edit the event.
	Team []TeamMember

	FactorSet string // pinned: a newer set never changes a result by itself
	CreatedBy Actor
	CreatedAt time.Time
	UpdatedAt time.Time

	Rev int64 // +1 with every change
	// ContextRev rises by one with each change that affects figures or their
	// coverage (method, country, dates, attendees, factor set, boundary), or that are
	// reported beside them (remote attendees, compensation): figures
	// calculated with another ContextRev are recalculated.
	ContextRev int64
	// Mark, if not empty, is a dirty flag: the result does not reflect this event's
	// context yet. Only the worker that has written the result clears it.
	Mark    string
	Deleted bool
	// EverApproved is set before the first record of the event is approved, and never reset: from then on the figure
	// may have been seen. It changes without a new revision. Older events may lack it until one of their records is
	// approved or reopened.
	EverApproved bool

	// Governance controls changes of the figure, and holds their history.
	Governance
}

// WithoutInput returns the event without what its clients have set: as one that was
// just made, but for the engine and the factor set it is pinned to.
func (e Event) WithoutInput() Event {
	method := DefaultMethod
	method.Engine = e.Method.Engine
	e.Title, e.StartDate, e.EndDate, e.Attendees, e.VirtualAttendees = "", "", "", nil, nil
	e.Country, e.Timezone, e.Description, e.Boundary, e.Method = "", "", "", nil, method
	e.Reference, e.Metadata, e.Compensation = "", nil, nil
	e.Place, e.Location = "", footprint.Venue{}
	return e
}

// RefKey is the value under the unique index on references of events, as
// Record.RefKey is of records.
func (e Event) RefKey() string {
	if e.Reference == "" || e.Deleted {
		return "id:" + string(e.ID)
	}
	return "ref:" + e.Reference
}

// Method is how an event wants its footprint calculated.
type Method struct {
	RadiativeForcing bool   `json:"radiativeForcing" bson:"radiativeForcing"`
	GWP              string `json:"gwp" bson:"gwp"` // "published" or "AR6"
	// Engine is the engine the event is pinned to; empty means the first one, 1.2.0.
	// A newer engine never changes a result by itself.
	Engine string `json:"engine,omitempty" bson:"engine,omitempty"`
}

// DefaultMethod is the method of an event that does not choose: with radiative
// forcing, as DESNZ recommends, and the printed CO2e of each factor.
var DefaultMethod = Method{RadiativeForcing: true, GWP: "published"}

// NewMethod is the method of a new event that does not choose: DefaultMethod by the
// newest engine.
var NewMethod = Method{RadiativeForcing: true, GWP: "published", Engine: footprint.NewestEngine}

// Context returns the part of the event that affects its figures.
func (e Event) Context() footprint.EventContext {
	c := footprint.EventContext{
		Country: e.Country, StartDate: e.StartDate, EndDate: e.EndDate,
		RadiativeForcing: e.Method.RadiativeForcing, GWP: e.Method.GWP, FactorSet: e.FactorSet, Engine: e.Method.Engine, Place: e.Location,
	}
	if e.Attendees != nil {
		c.Attendees = *e.Attendees
	}
	return c
}

// Status is a record's place in the workflow.
type Status string

// The states of the workflow. "unsubmitted" and "submitted" are the
// specification's, the others the contract's.
const (
	Unsubmitted      Status = "unsubmitted"
	Submitted        Status = "submitted"
	InReview         Status = "in_review"
	Approved         Status = "approved"
	ChangesRequested Status = "changes_requested"
	Rejected         Status = "rejected"
)

// Statuses lists all states, in the order of the workflow.
func Statuses() []Status {
	return []Status{Unsubmitted, Submitted, InReview, Approved, ChangesRequested, Rejected}
}

// IsSubmitted reports whether a record in this state has been submitted: it is the flag
// `submitted` of the specification.
func (s Status) IsSubmitted() bool {
	switch s {
	case Submitted, InReview, Approved, Rejected:
		return true
	}
	return false
}

// Sub names one sub-collection of an event: all its records of one type.
type Sub struct {
	Event EventID
	Type  string
}

// Key names one record by its path, so that a record id under another event or
// type is not found.
type Key struct {
	Event EventID
	Type  string
	ID    ID
}

// Sub returns the sub-collection the record is in.
func (k Key) Sub() Sub { return Sub{Event: k.Event, Type: k.Type} }

// Record is one carbon source.
type Record struct {
	ID    ID
	Org   OrgID
	Event EventID
	Type  string
	// Seq numbers the records of a sub-collection 1, 2, 3 … without gaps, in the order of creation. A deleted
	// record keeps its number.
	Seq    int64
	Rev    int64
	Status Status

	// Fields is the input in canonical JSON, as returned by footprint.Decode.
	Fields json.RawMessage
	// Reference is the client's externalReference; unique in the sub-collection.
	Reference string
	// Notices are those of decoding (ignored fields), stored because evaluating the record again does not produce
	// them.
	Notices []footprint.Notice
	// Preview is the `footprint` that a client sees while the event's context is that of
	// ContextRev, as JSON; see Under.
	Preview json.RawMessage
	// Contribution is what the record adds to the total when it is approved, as
	// canonical JSON of total.Contribution; valid for ContextRev only.
	Contribution json.RawMessage
	ContextRev   int64

	CreatedBy     Actor
	CreatedAt     time.Time
	UpdatedAt     time.Time
	EditedBy      Actor // who created it or edited it last
	SubmittedAt   *time.Time
	SubmittedBy   *Actor
	ReviewedAt    *time.Time
	ReviewedBy    *Actor
	ReviewComment string

	// Last is the newest history entry; older ones are stored separately.
	Last Entry
	// Mark, if not empty, is a dirty flag: the result does not reflect this record's
	// state yet (see Workflow). Only the worker clears it.
	Mark string
	// Fence is the epoch of the newest sign-off that has seen the record; 0 before
	// the first. It changes without a new revision.
	Fence int64
	// Deleted makes the record a tombstone: it is invisible and keeps its Seq.
	Deleted bool
}

// Key returns the record's path.
func (r Record) Key() Key { return Key{Event: r.Event, Type: r.Type, ID: r.ID} }

// RefKey is the value under the unique index on references: the reference
// itself, or the record's own id where there is none (or no longer one). It is
// never missing, because engines differ on what a missing field collides with.
func (r Record) RefKey() string {
	if r.Reference == "" || r.Deleted {
		return "id:" + string(r.ID)
	}
	return "ref:" + r.Reference
}
