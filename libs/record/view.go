package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

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

// MarshalJSON gives the record as clients see it: the server's fields, and the
// input fields flat beside them. Footprint never lets an input field have the
// name of a server field.
func (r Record) MarshalJSON() ([]byte, error) {
	server := struct {
		ID            ID              `json:"_id"`
		Event         EventID         `json:"eventId"`
		Type          string          `json:"type"`
		Submitted     bool            `json:"submitted"`
		Status        Status          `json:"status"`
		Rev           int64           `json:"revision"`
		CreatedBy     Actor           `json:"createdBy"`
		CreatedAt     string          `json:"createdAt"`
		UpdatedAt     string          `json:"updatedAt"`
		SubmittedAt   *string         `json:"submittedAt"`
		SubmittedBy   *Actor          `json:"submittedBy"`
		ReviewedBy    *Actor          `json:"reviewedBy"`
		ReviewedAt    *string         `json:"reviewedAt"`
		ReviewComment string          `json:"reviewComment,omitempty"`
		Footprint     json.RawMessage `json:"footprint"`
	}{
		r.ID, r.Event, r.Type, r.Status.IsSubmitted(), r.Status, r.Rev, r.CreatedBy, stamp(r.CreatedAt), stamp(r.UpdatedAt),
		stampOf(r.SubmittedAt), r.SubmittedBy, r.ReviewedBy, stampOf(r.ReviewedAt), r.ReviewComment, r.Preview,
	}
	text, err := json.Marshal(server)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", r.ID, err)
	}
	fields := bytes.TrimSpace(r.Fields)
	if len(fields) <= len("{}") {
		return text, nil
	}
	out := make([]byte, 0, len(text)+len(fields))
	out = append(out, text[:len(text)-1]...)
	out = append(out, ',')
	return append(out, fields[1:]...), nil
}

// MarshalJSON gives the event as clients see it.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		ID               EventID         `json:"_id"`
		Title            string          `json:"title"`
		StartDate        string          `json:"startDate,omitempty"`
		EndDate          string          `json:"endDate,omitempty"`
		Attendees        *int64          `json:"attendees,omitempty"`
		VirtualAttendees *int64          `json:"virtualAttendees,omitempty"`
		Country          string          `json:"country,omitempty"`
		Timezone         string          `json:"timezone,omitempty"`
		Description      string          `json:"description,omitempty"`
		Boundary         json.RawMessage `json:"boundary,omitempty"`
		Method           Method          `json:"method"`
		FactorSet        string          `json:"factorSet"`
		CreatedBy        Actor           `json:"createdBy"`
		CreatedAt        string          `json:"createdAt"`
		UpdatedAt        string          `json:"updatedAt"`
		Rev              int64           `json:"revision"`
	}{
		e.ID, e.Title, e.StartDate, e.EndDate, e.Attendees, e.VirtualAttendees, e.Country, e.Timezone, e.Description,
		e.Boundary, e.Method, e.FactorSet, e.CreatedBy, stamp(e.CreatedAt), stamp(e.UpdatedAt), e.Rev,
	})
}

// ETag is the strong entity tag of a record: it changes with the revision and,
// because the served footprint does too, with the event's context.
func (r Record) ETag() string {
	return `"` + strconv.FormatInt(r.Rev, 10) + "." + strconv.FormatInt(r.ContextRev, 10) + "." + string(r.ID) + `"`
}

// ETag is the strong entity tag of an event.
func (e Event) ETag() string {
	return `"` + strconv.FormatInt(e.Rev, 10) + "." + string(e.ID) + `"`
}

// MatchRecord makes the IfMatch of a Request from the tags of an If-Match
// field. Only the revision is compared: that the event's context has moved on
// since does not change what somebody has seen and decided about the record.
func MatchRecord(tags []string) func(Record) bool {
	return func(r Record) bool {
		return matches(tags, strconv.FormatInt(r.Rev, 10), string(r.ID))
	}
}

// MatchEvent says whether one of the tags of an If-Match field names the event
// as it is.
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
