package record

import (
	"context"
	"encoding/json"
	"strconv"
)

// Summaries are the data of a list of events in addition to the events.
type Summaries interface {
	// Summaries reads the summaries of events; those that the organization does not have are missing. Its cost
	// depends on the number of events and on changes since the last read, not on their number of records. Counts are
	// exact: they include every write acknowledged before the call. Marks are read before headlines, so that a result
	// that lacks a change is never reported as current.
	Summaries(ctx context.Context, org OrgID, events []EventID) (map[EventID]Summary, error)
	// PutHeadline stores h with its event if the stored Version is lower, and does nothing otherwise. The event's
	// revision is unchanged.
	PutHeadline(ctx context.Context, org OrgID, event EventID, h Headline) error
}

// Summary is the state of an event's records and of its result.
type Summary struct {
	Counts Counts
	// Due reports whether the result does not reflect every change yet.
	Due      bool
	Headline Headline
}

// Headline is an event's newest result in short. Its JSON is the stored form.
type Headline struct {
	// Version is that of the result, which increases with every write of it.
	Version  int64 `json:"version"`
	Revision int64 `json:"revision"`
	// Total is {kgCO2e, low, high}; empty if nothing is counted.
	Total json.RawMessage `json:"total,omitempty"`
}

// Counts is how many records of an event are in each state.
type Counts struct {
	Approved         int64 `json:"approved"`
	Submitted        int64 `json:"submitted"`
	InReview         int64 `json:"inReview"`
	ChangesRequested int64 `json:"changesRequested"`
	Rejected         int64 `json:"rejected"`
	Unsubmitted      int64 `json:"unsubmitted"`
}

// CountsOf returns the counts of the states.
func CountsOf(byStatus map[Status]int64) Counts {
	return Counts{
		Approved: byStatus[Approved], Submitted: byStatus[Submitted], InReview: byStatus[InReview],
		ChangesRequested: byStatus[ChangesRequested], Rejected: byStatus[Rejected], Unsubmitted: byStatus[Unsubmitted],
	}
}

// The states of a result: it reflects every change, or is about to be replaced.
const (
	ResultCurrent       = "current"
	ResultRecalculating = "recalculating"
)

// EventView is an event as clients see it: with its summary.
type EventView struct {
	Event
	Summary Summary
	// NoReviewer reports that no member of the event's team can review: its reviewers
	// have left the organization or lost the role.
	NoReviewer bool
	// BetterSet is the factor set that the response suggests to adopt; empty for none. It may change when sets are
	// added, without a change of the event.
	BetterSet string
}

type headlineView struct {
	Revision int64           `json:"revision"`
	Total    json.RawMessage `json:"total"`
	Status   string          `json:"status"`
}

// result returns the view of the result; nil if there is none.
func (v EventView) result() *headlineView {
	h := v.Summary.Headline
	if len(h.Total) == 0 {
		return nil
	}
	status := ResultCurrent
	if v.Summary.Due {
		status = ResultRecalculating
	}
	return &headlineView{h.Revision, h.Total, status}
}

// MarshalJSON returns the event with counts and result.
func (v EventView) MarshalJSON() ([]byte, error) {
	return marshalEvent(v.Event, &v.Summary.Counts, v.result(), v.NoReviewer)
}

// Version is a text that differs where the summary reads differently.
func (s Summary) Version() string {
	text, err := json.Marshal(struct {
		Counts Counts
		Result *headlineView
	}{s.Counts, EventView{Summary: s}.result()})
	if err != nil {
		return err.Error() // a total that is not JSON is never stored
	}
	return hashOf("summary", string(text))[:16]
}

// ETag is the strong entity tag of the view. MatchEvent compares only its
// revision: new records do not invalidate a decision about
// the event.
func (v EventView) ETag() string {
	version := v.Summary.Version()
	if v.NoReviewer {
		version += "-"
	}
	if v.BetterSet != "" {
		version += "+" + v.BetterSet
	}
	return `"` + strconv.FormatInt(v.Rev, 10) + "." + version + "." + string(v.ID) + `"`
}
