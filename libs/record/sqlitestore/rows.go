package sqlitestore

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// The types of this file are the stored forms. They are apart from those of
// package record so that a name changed there, or in the API, does not change
// what is read from an older file.

// actorJSON is a record.Actor. The role is stored by its name.
type actorJSON struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
	Role string `json:"role,omitempty"`
}

func actorToJSON(a record.Actor) actorJSON {
	role := ""
	if a.Role != identity.RoleNone {
		role = a.Role.String()
	}
	return actorJSON{ID: a.ID, Name: a.Name, Role: role}
}

func actorFromJSON(a actorJSON) (record.Actor, error) {
	actor := record.Actor{ID: a.ID, Name: a.Name}
	if a.Role == "" {
		return actor, nil
	}
	role, err := identity.ParseRole(a.Role)
	actor.Role = role
	return actor, err
}

// stampJSON is a time and an actor, each as far as known.
type stampJSON struct {
	At *int64     `json:"at,omitempty"`
	By *actorJSON `json:"by,omitempty"`
}

func stampToJSON(at *time.Time, by *record.Actor) stampJSON {
	var s stampJSON
	if at != nil {
		ms := millis(*at)
		s.At = &ms
	}
	if by != nil {
		a := actorToJSON(*by)
		s.By = &a
	}
	return s
}

func stampFromJSON(s stampJSON) (at *time.Time, by *record.Actor, err error) {
	if s.At != nil {
		t := instant(*s.At)
		at = &t
	}
	if s.By != nil {
		a, err := actorFromJSON(*s.By)
		if err != nil {
			return nil, nil, err
		}
		by = &a
	}
	return at, by, nil
}

// noticeJSON is a footprint.Notice.
type noticeJSON struct {
	Code        string   `json:"code"`
	Message     string   `json:"message"`
	Field       string   `json:"field,omitempty"`
	Suggestions []string `json:"suggestions,omitempty"`
}

// entryJSON is a record.Entry.
type entryJSON struct {
	Rev       int64                   `json:"rev"`
	Move      string                  `json:"move"`
	From      string                  `json:"from,omitempty"`
	To        string                  `json:"to"`
	By        actorJSON               `json:"by"`
	At        int64                   `json:"at"`
	Comment   string                  `json:"comment,omitempty"`
	Changed   []string                `json:"changed,omitempty"`
	Input     string                  `json:"input,omitempty"`
	Once      string                  `json:"once,omitempty"`
	FourEyes  bool                    `json:"fourEyes,omitempty"`
	PolicyRev int64                   `json:"policyRev,omitempty"`
	Origins   *footprint.OriginCounts `json:"origins,omitempty"`
	Salt      string                  `json:"salt,omitempty"`
	Prev      string                  `json:"prev,omitempty"`
	Hash      string                  `json:"hash"`
}

func entryToJSON(e record.Entry) entryJSON {
	return entryJSON{
		Rev: e.Rev, Move: string(e.Move), From: string(e.From), To: string(e.To), By: actorToJSON(e.By),
		At: millis(e.At), Comment: e.Comment, Changed: e.Changed, Input: e.Input, Once: e.Once, Prev: e.Prev, Hash: e.Hash,
		FourEyes: e.FourEyes, PolicyRev: e.PolicyRev, Origins: e.Origins, Salt: e.Salt,
	}
}

func entryFromJSON(e entryJSON) (record.Entry, error) {
	by, err := actorFromJSON(e.By)
	if err != nil {
		return record.Entry{}, fmt.Errorf("history entry %d: %w", e.Rev, err)
	}
	return record.Entry{
		Rev: e.Rev, Move: record.Move(e.Move), From: record.Status(e.From), To: record.Status(e.To), By: by,
		At: instant(e.At), Comment: e.Comment, Changed: e.Changed, Input: e.Input, Once: e.Once, Prev: e.Prev, Hash: e.Hash,
		FourEyes: e.FourEyes, PolicyRev: e.PolicyRev, Origins: e.Origins, Salt: e.Salt,
	}, nil
}

// eventBody holds the fields of an event that no query uses.
type eventBody struct {
	Title            string          `json:"title"`
	StartDate        string          `json:"startDate,omitempty"`
	EndDate          string          `json:"endDate,omitempty"`
	Attendees        *int64          `json:"attendees,omitempty"`
	VirtualAttendees *int64          `json:"virtualAttendees,omitempty"`
	Country          string          `json:"country,omitempty"`
	Timezone         string          `json:"timezone,omitempty"`
	Place            string          `json:"place,omitempty"`
	Location         footprint.Venue `json:"location,omitzero"`
	Description      string          `json:"description,omitempty"`
	RadiativeForcing bool            `json:"radiativeForcing"`
	GWP              string          `json:"gwp"`
	Engine           string          `json:"engine,omitempty"`
	FactorSet        string          `json:"factorSet"`
	CreatedBy        actorJSON       `json:"createdBy"`

	Metadata     map[string]string     `json:"metadata,omitempty"`
	Compensation []record.Compensation `json:"compensation,omitempty"`
}

// eventColumns are the columns scanEvent reads, in its order.
const eventColumns = `id, org, slot, rev, context_rev, mark, deleted, created_at, updated_at, boundary, body, governance, gate, team, reference, ever_approved`

func eventBodyOf(e record.Event) ([]byte, error) {
	return json.Marshal(eventBody{
		Title: e.Title, StartDate: e.StartDate, EndDate: e.EndDate,
		Attendees: e.Attendees, VirtualAttendees: e.VirtualAttendees,
		Country: e.Country, Timezone: e.Timezone, Place: e.Place, Location: e.Location, Description: e.Description,
		RadiativeForcing: e.Method.RadiativeForcing, GWP: e.Method.GWP, Engine: e.Method.Engine,
		FactorSet: e.FactorSet, CreatedBy: actorToJSON(e.CreatedBy), Metadata: e.Metadata, Compensation: e.Compensation,
	})
}

// eventRow is an event as stored, with its fields in the order of its columns.
type eventRow struct {
	e                                record.Event // fields stored as columns
	created, updated                 int64
	boundary, governance, gate, team *string
	body                             []byte
}

func scanEventRow(row sqlitex.Scanner) (r eventRow, err error) {
	return r, row.Scan(&r.e.ID, &r.e.Org, &r.e.Slot, &r.e.Rev, &r.e.ContextRev, &r.e.Mark, &r.e.Deleted,
		&r.created, &r.updated, &r.boundary, &r.body, &r.governance, &r.gate, &r.team, &r.e.Reference, &r.e.EverApproved)
}

func scanEvent(row sqlitex.Scanner) (record.Event, error) {
	r, err := scanEventRow(row)
	if err != nil {
		return record.Event{}, err
	}
	return r.event()
}

// scanEventSize also returns the length of the event's texts.
func scanEventSize(row sqlitex.Scanner) (record.Event, int, error) {
	r, err := scanEventRow(row)
	if err != nil {
		return record.Event{}, 0, err
	}
	size := len(r.body)
	for _, text := range []*string{r.boundary, r.governance, r.team} {
		if text != nil {
			size += len(*text)
		}
	}
	e, err := r.event()
	return e, size, err
}

// event returns the event, which shares no mutable values with the row.
func (r eventRow) event() (record.Event, error) {
	e := r.e
	if err := e.DecodeTeam(r.team); err != nil {
		return record.Event{}, record.Damaged(fmt.Errorf("event %s: %w", e.ID, err))
	}
	t, err := decodeEvent(r.body, r.governance)
	if err != nil {
		return record.Event{}, record.Damaged(fmt.Errorf("event %s: %w", e.ID, err))
	}
	b := t.body
	e.Title, e.StartDate, e.EndDate = b.Title, b.StartDate, b.EndDate
	e.Attendees, e.VirtualAttendees = b.Attendees, b.VirtualAttendees
	e.Country, e.Timezone, e.Description = b.Country, b.Timezone, b.Description
	e.Place, e.Location = b.Place, b.Location
	e.Method = record.Method{RadiativeForcing: b.RadiativeForcing, GWP: b.GWP, Engine: b.Engine}
	e.FactorSet, e.CreatedBy, e.Metadata, e.Compensation = b.FactorSet, t.createdBy, b.Metadata, b.Compensation
	e.Governance = t.governance
	e.CreatedAt, e.UpdatedAt = instant(r.created), instant(r.updated)
	e.Boundary = raw(r.boundary)
	return e, nil
}

// recordBody holds the fields of a record that no query uses.
type recordBody struct {
	Notices       []noticeJSON `json:"notices,omitempty"`
	EditedBy      actorJSON    `json:"editedBy"`
	Submitted     stampJSON    `json:"submitted"`
	Reviewed      stampJSON    `json:"reviewed"`
	ReviewComment string       `json:"reviewComment,omitempty"`
	Last          entryJSON    `json:"last"`
}

// recordColumns are the columns scanRecord reads, in its order.
const recordColumns = `id, org, event, type, seq, rev, status, deleted, reference, mark, context_rev,
	created_at, created_by, updated_at, fields, preview, contribution, body, fence`

func recordBodyOf(r record.Record) ([]byte, error) {
	b := recordBody{
		EditedBy: actorToJSON(r.EditedBy), ReviewComment: r.ReviewComment, Last: entryToJSON(r.Last),
		Submitted: stampToJSON(r.SubmittedAt, r.SubmittedBy), Reviewed: stampToJSON(r.ReviewedAt, r.ReviewedBy),
	}
	for _, n := range r.Notices {
		b.Notices = append(b.Notices, noticeJSON{Code: n.Code, Message: n.Message, Field: n.Field, Suggestions: n.Suggestions})
	}
	if len(b.Notices) > 0 || b.Last.Origins != nil {
		return json.Marshal(b)
	}
	return b.append(make([]byte, 0, 768)), nil
}

func scanRecord(row sqlitex.Scanner) (record.Record, error) {
	r, err := scanStoredRecord(row)
	if err == nil && r.Damage != nil {
		return record.Record{}, r.Damage
	}
	return r.Record, err
}

// scanStoredRecord decodes a record: damage is a finding, not an error. more receives the columns selected after
// recordColumns.
func scanStoredRecord(row sqlitex.Scanner, more ...any) (record.StoredRecord, error) {
	var r record.Record
	var created, updated int64
	var fields, preview, contribution, createdBy, text []byte
	if err := row.Scan(append([]any{&r.ID, &r.Org, &r.Event, &r.Type, &r.Seq, &r.Rev, &r.Status, &r.Deleted, &r.Reference,
		&r.Mark, &r.ContextRev, &created, &createdBy, &updated, &fields, &preview, &contribution, &text, &r.Fence}, more...)...); err != nil {
		return record.StoredRecord{}, err
	}
	r.CreatedAt, r.UpdatedAt = instant(created), instant(updated)
	r.Fields, r.Preview, r.Contribution = fields, preview, contribution
	if err := fillRecord(&r, createdBy, text); err != nil {
		return record.StoredRecord{Record: r, Damage: record.Damaged(fmt.Errorf("record %s: %w", r.ID, err))}, nil
	}
	return record.StoredRecord{Record: r}, nil
}

// fillRecord sets the fields stored as JSON.
func fillRecord(r *record.Record, createdBy, body []byte) error {
	by, err := decodeActor(createdBy)
	if err != nil {
		return err
	}
	b, err := decodeBody(body)
	if err != nil {
		return err
	}
	for _, n := range b.Notices {
		r.Notices = append(r.Notices, footprint.Notice{Code: n.Code, Message: n.Message, Field: n.Field, Suggestions: n.Suggestions})
	}
	r.ReviewComment = b.ReviewComment
	if r.CreatedBy, err = actorFromJSON(by); err != nil {
		return err
	}
	if r.EditedBy, err = actorFromJSON(b.EditedBy); err != nil {
		return err
	}
	if r.SubmittedAt, r.SubmittedBy, err = stampFromJSON(b.Submitted); err != nil {
		return err
	}
	if r.ReviewedAt, r.ReviewedBy, err = stampFromJSON(b.Reviewed); err != nil {
		return err
	}
	r.Last, err = entryFromJSON(b.Last)
	return err
}

func millis(t time.Time) int64 { return t.UnixMilli() }

func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// text returns the column value of canonical JSON: NULL for none.
func text(value json.RawMessage) any {
	if len(value) == 0 {
		return nil
	}
	return string(value)
}

// raw is the inverse of text.
func raw(column *string) json.RawMessage {
	if column == nil {
		return nil
	}
	return json.RawMessage(*column)
}

// scanJSON reads a row of one column, a value as JSON.
func scanJSON[T any](row sqlitex.Scanner) (value T, err error) {
	var text []byte
	if err := row.Scan(&text); err != nil {
		return value, err
	}
	err = record.Damaged(json.Unmarshal(text, &value))
	return value, err
}
