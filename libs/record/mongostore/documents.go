package mongostore

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// The types of this file are the stored documents. They are apart from those
// of package record so that a name changed there, or in the API, does not
// change what is read from an older document.
//
// The canonical JSON values (fields, preview, contribution, boundary) are
// stored as strings, empty for none, not as documents: their bytes are hashed,
// and their keys may hold dots and dollars.

// organizationDoc is a record.Organization.
type organizationDoc struct {
	ID     string    `bson:"_id"`
	Name   string    `bson:"name"`
	Plan   string    `bson:"plan"`
	Policy policyDoc `bson:"policy"`
	// PolicyState is the JSON of later additions to the policy, with its log; absent in older organizations.
	PolicyState string        `bson:"policyState,omitempty"`
	CreatedAt   bson.DateTime `bson:"createdAt"`
	Rev         int64         `bson:"rev"`
}

type policyDoc struct {
	FourEyes    bool             `bson:"fourEyes"`
	AutoApprove *autoApprovalDoc `bson:"autoApprove,omitempty"`
}

// autoApprovalDoc is an enabled record.AutoApproval. The decimal is a string, since Decimal128 support differs
// between servers.
type autoApprovalDoc struct {
	BelowKg        string   `bson:"belowKg"`
	SpotCheckOneIn int64    `bson:"spotCheckOneIn"`
	By             actorDoc `bson:"by"`
}

func policyToDoc(p record.Policy) policyDoc {
	d := policyDoc{FourEyes: p.FourEyes}
	if a := p.AutoApprove; a.On() {
		d.AutoApprove = &autoApprovalDoc{BelowKg: a.BelowKg.String(), SpotCheckOneIn: a.SpotCheckOneIn, By: actorToDoc(a.By)}
	}
	return d
}

func policyFromDoc(d policyDoc) (record.Policy, error) {
	p := record.Policy{FourEyes: d.FourEyes}
	if d.AutoApprove == nil {
		return p, nil
	}
	below, err := decimal.Parse(d.AutoApprove.BelowKg)
	if err != nil {
		return p, fmt.Errorf("policy: %w", err)
	}
	by, err := actorFromDoc(d.AutoApprove.By)
	p.AutoApprove = record.AutoApproval{BelowKg: below, SpotCheckOneIn: d.AutoApprove.SpotCheckOneIn, By: by}
	return p, err
}

func organizationToDoc(o record.Organization) (organizationDoc, error) {
	state, err := o.EncodePolicy()
	return organizationDoc{
		PolicyState: state,
		ID:          string(o.ID), Name: o.Name, Plan: o.Plan, Policy: policyToDoc(o.Policy), CreatedAt: date(o.CreatedAt), Rev: o.Rev,
	}, err
}

func organizationFromDoc(d organizationDoc) (record.Organization, error) {
	policy, err := policyFromDoc(d.Policy)
	if err != nil {
		return record.Organization{}, fmt.Errorf("organization %s: %w", d.ID, err)
	}
	o := record.Organization{
		ID: record.OrgID(d.ID), Name: d.Name, Plan: d.Plan, Policy: policy, CreatedAt: instant(d.CreatedAt), Rev: d.Rev,
	}
	return o, o.DecodePolicy(d.PolicyState)
}

// actorDoc is a record.Actor. The role is stored by its name.
type actorDoc struct {
	ID   string `bson:"id"`
	Name string `bson:"name,omitempty"`
	Role string `bson:"role,omitempty"`
}

func actorToDoc(a record.Actor) actorDoc {
	role := ""
	if a.Role != identity.RoleNone {
		role = a.Role.String()
	}
	return actorDoc{ID: a.ID, Name: a.Name, Role: role}
}

func actorFromDoc(d actorDoc) (record.Actor, error) {
	a := record.Actor{ID: d.ID, Name: d.Name}
	if d.Role == "" {
		return a, nil
	}
	role, err := identity.ParseRole(d.Role)
	a.Role = role
	return a, err
}

// eventDoc is a record.Event.
type eventDoc struct {
	ID   string `bson:"_id"`
	Org  string `bson:"org"`
	Slot int64  `bson:"slot"`
	Mark string `bson:"mark"`
	// EverApproved is absent if false. It is separate from the state, so that no replacement removes it.
	EverApproved bool `bson:"everApproved,omitempty"`

	State eventState `bson:",inline"`
}

// eventState holds the fields of an event that a replacement stores.
type eventState struct {
	Title            string `bson:"title"`
	StartDate        string `bson:"startDate"`
	EndDate          string `bson:"endDate"`
	Attendees        *int64 `bson:"attendees"`
	VirtualAttendees *int64 `bson:"virtualAttendees"`
	Country          string `bson:"country"`
	Timezone         string `bson:"timezone"`
	// Place and Location (JSON) are empty in events that predate them.
	Place       string        `bson:"place"`
	Location    string        `bson:"location"`
	Description string        `bson:"description"`
	Boundary    string        `bson:"boundary"`
	Method      methodDoc     `bson:"method"`
	FactorSet   string        `bson:"factorSet"`
	CreatedBy   actorDoc      `bson:"createdBy"`
	CreatedAt   bson.DateTime `bson:"createdAt"`
	UpdatedAt   bson.DateTime `bson:"updatedAt"`
	Rev         int64         `bson:"rev"`
	ContextRev  int64         `bson:"contextRev"`
	Deleted     bool          `bson:"deleted"`
	// Governance is the JSON of record.Governance; absent in events that predate it. GateState repeats part of it for
	// the sweeper.
	Governance string `bson:"governance,omitempty"`
	GateState  string `bson:"gateState,omitempty"`
	// Team and VisibleTo are absent in events that predate teams.
	Team      []teamMemberDoc `bson:"team"`
	VisibleTo []string        `bson:"visibleTo"`
	// RefKey is always present, as in records; Metadata is the JSON of a map.
	RefKey    string `bson:"refKey"`
	Reference string `bson:"reference"`
	Metadata  string `bson:"metadata"`
	// Compensation is the JSON of a list; absent in older events.
	Compensation string `bson:"compensation"`
}

type methodDoc struct {
	RadiativeForcing bool   `bson:"radiativeForcing"`
	GWP              string `bson:"gwp"`
	Engine           string `bson:"engine,omitempty"`
}

func eventStateOf(e record.Event) (eventState, error) {
	governance, err1 := textOf(e.Governance, false)
	location, err2 := textOf(e.Location, e.Location.IsZero())
	metadata, err3 := textOf(e.Metadata, len(e.Metadata) == 0)
	compensation, err4 := textOf(e.Compensation, len(e.Compensation) == 0)
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		return eventState{}, fmt.Errorf("event %s: %w", e.ID, err)
	}
	gate := string(e.Gate.State)
	if gate == "" {
		gate = "open" // if omitted, the old state would remain
	}
	return eventState{
		Title: e.Title, StartDate: e.StartDate, EndDate: e.EndDate,
		Attendees: e.Attendees, VirtualAttendees: e.VirtualAttendees,
		Country: e.Country, Timezone: e.Timezone, Description: e.Description, Place: e.Place, Location: location,
		Boundary: string(e.Boundary), Method: methodDoc(e.Method), FactorSet: e.FactorSet,
		Team: teamToDoc(e.Team), VisibleTo: visibleTo(e),
		CreatedBy: actorToDoc(e.CreatedBy), CreatedAt: date(e.CreatedAt), UpdatedAt: date(e.UpdatedAt),
		Rev: e.Rev, ContextRev: e.ContextRev, Deleted: e.Deleted, Governance: governance, GateState: gate,
		RefKey: e.RefKey(), Reference: e.Reference, Metadata: metadata, Compensation: compensation,
	}, nil
}

func eventFromDoc(d eventDoc) (record.Event, error) {
	state := d.State
	by, err := actorFromDoc(state.CreatedBy)
	if err != nil {
		return record.Event{}, fmt.Errorf("event %s: %w", d.ID, err)
	}
	var governance record.Governance
	var location footprint.Venue
	var metadata map[string]string
	var compensation []record.Compensation
	if err := errors.Join(fromText(state.Governance, &governance), fromText(state.Location, &location),
		fromText(state.Metadata, &metadata), fromText(state.Compensation, &compensation)); err != nil {
		return record.Event{}, fmt.Errorf("event %s: %w", d.ID, err)
	}
	return record.Event{
		ID: record.EventID(d.ID), Org: record.OrgID(d.Org), Slot: d.Slot,
		Title: state.Title, StartDate: state.StartDate, EndDate: state.EndDate,
		Attendees: state.Attendees, VirtualAttendees: state.VirtualAttendees,
		Country: state.Country, Timezone: state.Timezone, Description: state.Description, Place: state.Place, Location: location,
		Boundary: raw(state.Boundary), Method: record.Method(state.Method), FactorSet: state.FactorSet,
		CreatedBy: by, CreatedAt: instant(state.CreatedAt), UpdatedAt: instant(state.UpdatedAt),
		Rev: state.Rev, ContextRev: state.ContextRev, Mark: d.Mark, Deleted: state.Deleted, EverApproved: d.EverApproved,
		Governance: governance, Team: teamFromDoc(state.Team), Reference: state.Reference, Metadata: metadata, Compensation: compensation,
	}, nil
}

func date(t time.Time) bson.DateTime { return bson.NewDateTimeFromTime(t) }

func instant(d bson.DateTime) time.Time { return d.Time().UTC() }

// textOf returns a value as JSON, or the empty string for none.
func textOf(value any, none bool) (string, error) {
	if none {
		return "", nil
	}
	text, err := json.Marshal(value)
	return string(text), err
}

// fromText reads a value that textOf returned; the empty string leaves it as it is.
func fromText(text string, value any) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), value)
}

// raw returns a canonical JSON value; empty is none.
func raw(value string) json.RawMessage {
	if value == "" {
		return nil
	}
	return json.RawMessage(value)
}
