package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/plainjson"
	"github.com/eventcarbon/ecf/libs/timestamp"
)

func stamp(t time.Time) string { return timestamp.Format(t) }

func stampOf(t *time.Time) *string {
	if t == nil {
		return nil
	}
	s := stamp(*t)
	return &s
}

// MarshalJSON encodes the record as clients see it: the server's fields, and the
// input fields flat beside them. Footprint never lets an input field have the
// name of a server field.
func (r Record) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil) }

// AppendJSON appends what MarshalJSON returns.
func (r Record) AppendJSON(b []byte) ([]byte, error) {
	fields := bytes.TrimSpace(footprint.WithoutOrigins(r.Type, r.Fields))
	b = slices.Grow(b, 512+len(r.Preview)+len(fields))
	b = plainjson.AppendMember(append(b, '{'), "_id", r.ID)
	b = plainjson.AppendMember(b, "eventId", r.Event)
	b = plainjson.AppendMember(b, "type", r.Type)
	b = strconv.AppendBool(plainjson.AppendName(b, "submitted"), r.Status.IsSubmitted())
	b = plainjson.AppendMember(b, "status", r.Status)
	b = plainjson.AppendNumber(b, "revision", r.Rev)
	b = r.CreatedBy.append(plainjson.AppendName(b, "createdBy"))
	b = appendStamp(plainjson.AppendName(b, "createdAt"), &r.CreatedAt)
	b = appendStamp(plainjson.AppendName(b, "updatedAt"), &r.UpdatedAt)
	b = appendStamp(plainjson.AppendName(b, "submittedAt"), r.SubmittedAt)
	b = r.SubmittedBy.append(plainjson.AppendName(b, "submittedBy"))
	b = r.ReviewedBy.append(plainjson.AppendName(b, "reviewedBy"))
	b = appendStamp(plainjson.AppendName(b, "reviewedAt"), r.ReviewedAt)
	b = plainjson.AppendMemberUnlessEmpty(b, "reviewComment", r.ReviewComment)
	b, err := plainjson.AppendRaw(plainjson.AppendName(b, "footprint"), r.Preview)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", r.ID, err)
	}
	if len(fields) <= len("{}") {
		return append(b, '}'), nil
	}
	return append(append(b, ','), fields[1:]...), nil
}

// append appends an actor as encoding/json writes one.
func (a *Actor) append(b []byte) []byte {
	if a == nil {
		return append(b, "null"...)
	}
	b = plainjson.AppendMember(append(b, '{'), "_id", a.ID)
	b = plainjson.AppendMemberUnlessEmpty(b, "name", a.Name)
	if a.Role != identity.RoleNone {
		b = plainjson.AppendMember(b, "role", a.Role.String())
	}
	return append(b, '}')
}

func appendStamp(b []byte, t *time.Time) []byte {
	if t == nil {
		return append(b, "null"...)
	}
	return append(timestamp.Append(append(b, '"'), *t), '"')
}

// MarshalJSON encodes the event as clients see it, without counts and result;
// see EventView.
func (e Event) MarshalJSON() ([]byte, error) { return marshalEvent(e, nil, nil, false) }

func marshalEvent(e Event, counts *Counts, result *headlineView, noReviewer bool) ([]byte, error) {
	return json.Marshal(struct {
		ID               EventID           `json:"_id"`
		Title            string            `json:"title"`
		StartDate        string            `json:"startDate,omitempty"`
		EndDate          string            `json:"endDate,omitempty"`
		Attendees        *int64            `json:"attendees,omitempty"`
		VirtualAttendees *int64            `json:"virtualAttendees,omitempty"`
		Country          string            `json:"country,omitempty"`
		Place            string            `json:"place,omitempty"`
		Location         footprint.Venue   `json:"location,omitzero"`
		Timezone         string            `json:"timezone,omitempty"`
		Description      string            `json:"description,omitempty"`
		Boundary         json.RawMessage   `json:"boundary,omitempty"`
		Reference        string            `json:"externalReference,omitempty"`
		Metadata         map[string]string `json:"metadata,omitempty"`
		Compensation     []Compensation    `json:"compensation,omitempty"`
		Method           Method            `json:"method"`
		Team             *teamView         `json:"team,omitempty"`
		FactorSet        string            `json:"factorSet"`
		CreatedBy        Actor             `json:"createdBy"`
		CreatedAt        string            `json:"createdAt"`
		UpdatedAt        string            `json:"updatedAt"`
		UpdatedBy        *Actor            `json:"updatedBy,omitempty"`
		SignOff          *signOffView      `json:"signOff,omitempty"`
		Proposals        int               `json:"openChanges,omitempty"`
		Counts           *Counts           `json:"counts,omitempty"`
		Result           *headlineView     `json:"result,omitempty"`
		Rev              int64             `json:"revision"`
	}{
		e.ID, e.Title, e.StartDate, e.EndDate, e.Attendees, e.VirtualAttendees, e.Country, e.Place, e.Location, e.Timezone, e.Description,
		e.Boundary, e.Reference, e.Metadata, e.Compensation, e.Method, teamOf(e.Team).without(noReviewer), e.FactorSet, e.CreatedBy, stamp(e.CreatedAt), stamp(e.UpdatedAt),
		updatedBy(e), signOffOf(e), len(e.Proposals), counts, result, e.Rev,
	})
}

// updatedBy returns the last editor of the event; nil if it was not changed since histories exist.
func updatedBy(e Event) *Actor {
	if e.UpdatedBy.ID == "" {
		return nil
	}
	return &e.UpdatedBy
}

// signOffView is the sign-off of an event as clients see it.
type signOffView struct {
	State    string          `json:"state"` // open, closing or signed
	Revision int64           `json:"revision,omitempty"`
	By       *Actor          `json:"by,omitempty"`
	At       string          `json:"at,omitempty"`
	Edition  int64           `json:"edition,omitempty"`
	Failure  *failureView    `json:"failure,omitempty"`
	Editions []editionView   `json:"editions"`
	Open     json.RawMessage `json:"open,omitempty"`
}

type failureView struct {
	Revision int64  `json:"revision"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	At       string `json:"at"`
}

type editionView struct {
	Edition   int64           `json:"edition"`
	Revision  int64           `json:"revision"`
	Root      string          `json:"root"`
	Statement string          `json:"statement"`
	By        Actor           `json:"by"`
	At        string          `json:"at"`
	FourEyes  bool            `json:"fourEyes"`
	Withdrawn *withdrawalView `json:"withdrawn,omitempty"`
}

type withdrawalView struct {
	By      Actor  `json:"by"`
	At      string `json:"at"`
	Comment string `json:"comment"`
}

// signOffOf returns the sign-off of an event; nil if there never was one.
func signOffOf(e Event) *signOffView {
	if e.Gate.Epoch == 0 {
		return nil
	}
	v := &signOffView{State: "open", Editions: []editionView{}}
	for _, d := range e.Editions {
		x := editionView{Edition: d.Edition, Revision: d.Revision, Root: d.Root, Statement: d.Statement, By: d.By, At: stamp(d.At), FourEyes: d.FourEyes}
		if w := d.Withdrawn; w != nil {
			x.Withdrawn = &withdrawalView{By: w.By, At: stamp(w.At), Comment: w.Comment}
		}
		v.Editions = append(v.Editions, x)
	}
	if f := e.Gate.Failure; f != nil {
		v.Failure = &failureView{Revision: f.Revision, Code: string(f.Code), Message: f.Message, At: stamp(f.At)}
	}
	if p := e.Gate.Pending; e.Gate.State == GateClosing && p != nil {
		v.State, v.Revision, v.By, v.At, v.Open = "closing", p.Revision, &p.By, stamp(p.At), p.Open
	}
	if n := len(e.Editions); e.Gate.State == GateSigned && n > 0 {
		d := e.Editions[n-1]
		v.State, v.Revision, v.By, v.At, v.Edition, v.Open = "signed", d.Revision, &d.By, stamp(d.At), d.Edition, d.Open
	}
	return v
}

// ETag is the strong entity tag of a record: it changes with the revision and,
// because the served footprint does too, with the event's context.
func (r Record) ETag() string {
	return `"` + strconv.FormatInt(r.Rev, 10) + "." + strconv.FormatInt(r.ContextRev, 10) + "." + string(r.ID) + `"`
}

// ETag is a tag of the event without its summary, for If-Match; see EventView.
func (e Event) ETag() string {
	return `"` + strconv.FormatInt(e.Rev, 10) + "." + string(e.ID) + `"`
}

// MatchRecord derives the IfMatch of a Request from the tags of an If-Match
// field. Only the revision is compared: a change of the event's context
// does not invalidate a decision about the record.
func MatchRecord(tags []string) func(Record) bool {
	return func(r Record) bool {
		return matches(tags, strconv.FormatInt(r.Rev, 10), string(r.ID))
	}
}

// MatchFigure derives the IfFigure of a Request from the tags of an If-Match field: unlike MatchRecord it compares the
// context too, because the figure is what the approval of a record is about.
func MatchFigure(tags []string) func(Record, Event) bool {
	return func(r Record, e Event) bool {
		now := r.Under(e) // a record that cannot be calculated keeps its tag
		return slices.ContainsFunc(tags, func(tag string) bool {
			parts := strings.Split(strings.Trim(tag, `"`), ".")
			return matches([]string{tag}, strconv.FormatInt(now.Rev, 10), string(now.ID)) &&
				(len(parts) < 3 || parts[len(parts)-2] == strconv.FormatInt(now.ContextRev, 10))
		})
	}
}

// Shows reports whether the figure that clients see of the record, its total, is kg. Both are compared as binary
// floating-point numbers, because JavaScript, which sends back what it has read, has no others.
func (r Record) Shows(kg decimal.Decimal) bool {
	var shown struct {
		KgCO2e float64 `json:"kgCO2e"`
	}
	seen, err := strconv.ParseFloat(kg.String(), 64)
	return err == nil && json.Unmarshal(r.Preview, &shown) == nil && shown.KgCO2e == seen
}

// MatchEvent reports whether one of the tags of an If-Match field is that of the current event.
func MatchEvent(tags []string, e Event) bool {
	return matches(tags, strconv.FormatInt(e.Rev, 10), string(e.ID))
}

func matches(tags []string, rev, id string) bool {
	for _, tag := range tags {
		if tag == "*" {
			return true
		}
		parts := strings.Split(strings.Trim(tag, `"`), ".")
		if !strings.HasPrefix(tag, "W/") && parts[0] == rev && parts[len(parts)-1] == id {
			return true
		}
	}
	return false
}
