package client

import "encoding/json"

// RowsToPreview are rows to be counted with what is stored: at most 100 at once.
type RowsToPreview struct {
	Items []RowToPreview `json:"items"`
	// Sum of the answer to the part before; empty for the first part.
	After string `json:"after,omitempty"`
	// Answer each row with its lines.
	Explain bool `json:"explain,omitempty"`
}

// RowToPreview is a row of a record type.
type RowToPreview struct {
	Type string `json:"type"`
	// The draft that the row changes; empty for a new one.
	RecordID string `json:"recordId,omitempty"`
	// The row as it would be written in the body of a record of its type.
	Fields json.RawMessage `json:"fields"`
}

// RowsPreview is the sums of an event with rows that are not stored.
type RowsPreview struct {
	EventID string `json:"eventId"`
	// Whether a change is still missing in the approved sum.
	Status   string     `json:"status"`
	Approved CountedSum `json:"approved"`
	Waiting  CountedSum `json:"waiting"`
	// The drafts with the rows of this part and of those before it.
	Drafts CountedSum `json:"drafts"`
	All    CountedSum `json:"all"`
	// The rows of this part, in their order.
	Rows []PreviewedRow `json:"rows"`
	// What the next part names as After.
	Sum       string        `json:"sum"`
	FactorSet FactorSetName `json:"factorSet"`
	// Version of the calculation.
	EngineVersion string `json:"engineVersion"`
}

// CountedSum is so many records, and what they come to together.
type CountedSum struct {
	Records int      `json:"records"`
	Total   Interval `json:"total"`
}

// PreviewedRow is what a row comes to, or why it counts nothing.
type PreviewedRow struct {
	Footprint *Interval `json:"footprint,omitempty"`
	// The approved total with this row.
	ApprovedWith *Interval `json:"approvedWith,omitempty"`
	// What it is made of, where Explain asks for it.
	Lines []ExplainedLine `json:"lines,omitempty"`
	Error *Error          `json:"error,omitempty"`
}
