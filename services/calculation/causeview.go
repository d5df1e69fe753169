package calculation

import (
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// causeView is a reason for which a revision exists, as clients see it.
type causeView struct {
	Action string `json:"action"`
	// By is null if unknown: for a new engine, or a change that predates causes.
	By      *record.Actor `json:"by"`
	At      *string       `json:"at"`
	Comment string        `json:"comment"`
	// Fields are those of the event that changed.
	Fields []string `json:"fields,omitempty"`
	// Records counts all records, RecordIDs has the first of them.
	Records   int64       `json:"records"`
	RecordIDs []record.ID `json:"recordIds"`
}

// causesOf returns the causes of a revision. One that predates causes has a single unknown cause.
func causesOf(r resulttree.Result) []causeView {
	causes := r.Causes
	if len(causes) == 0 {
		causes = []resulttree.Cause{{Action: resulttree.ActionUnknown}}
	}
	return causeViews(causes)
}

func causeViews(causes []resulttree.Cause) []causeView {
	views := make([]causeView, len(causes))
	for i, c := range causes {
		views[i] = causeView{Action: c.Action, Comment: c.Comment, Fields: c.Fields, Records: c.Records, RecordIDs: append([]record.ID{}, c.RecordIDs...)}
		if c.By.ID != "" {
			by := c.By
			views[i].By = &by
		}
		if !c.At.IsZero() {
			at := c.At.UTC().Format(timeLayout)
			views[i].At = &at
		}
	}
	return views
}
