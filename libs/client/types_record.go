package client

import (
	"time"
)

// RecordState is what the service knows of a record.
type RecordState struct {
	// Identifier of the record.
	ID string `json:"_id"`
	// Identifier of the owning event.
	EventID string `json:"eventId"`
	// Its record type.
	Type string `json:"type"`
	// false on creation, true after submit.
	Submitted bool   `json:"submitted"`
	Status    Status `json:"status"`
	// Rises with every change and move.
	Revision  int   `json:"revision"`
	CreatedBy Actor `json:"createdBy"`
	// When it was made.
	CreatedAt time.Time `json:"createdAt"`
	// When it last changed.
	UpdatedAt time.Time `json:"updatedAt"`
	// When it was last submitted.
	SubmittedAt *time.Time `json:"submittedAt,omitempty"`
	// Who submitted it last.
	SubmittedBy *Actor `json:"submittedBy,omitempty"`
	// When it was last decided on.
	ReviewedAt *time.Time `json:"reviewedAt,omitempty"`
	// Who decided on it last.
	ReviewedBy *Actor `json:"reviewedBy,omitempty"`
	// What they said.
	ReviewComment string     `json:"reviewComment,omitempty"`
	Footprint     *Footprint `json:"footprint,omitempty"`
	// What another destination would come to, in answers to rehearsals.
	WhatIf *WhatIf `json:"whatIf,omitempty"`
	// Notices name the fields of the request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}

// Footprint is what a record adds to the total once it is approved.
type Footprint struct {
	// Kilograms of CO2 equivalent, in kg CO2e.
	KgCO2e Kilograms `json:"kgCO2e"`
	// Lower end of the 95 % interval, in kg CO2e.
	Low Kilograms `json:"low"`
	// Upper end of the 95 % interval, in kg CO2e.
	High Kilograms `json:"high"`
	// The set of factors used.
	FactorSet string `json:"factorSet"`
	// Fields that were absent and took their default.
	Defaulted []string `json:"defaulted"`
	// What to know about the figure: proxies, dropped fields, defaults.
	Notices []Notice `json:"notices"`
}

// Narrowing is the interval that a record would have if one field were given.
type Narrowing struct {
	// The field that would narrow the interval.
	Field string `json:"field"`
	// Lower end of the 95 % interval with it.
	Low Kilograms `json:"low"`
	// Upper end of the 95 % interval with it.
	High Kilograms `json:"high"`
}

// Notice is something to know about a figure.
type Notice struct {
	// What was noticed, for programs.
	Code string `json:"code"`
	// What was noticed, for people.
	Message string `json:"message"`
	// The field it is about.
	Field string `json:"field,omitempty"`
	// What may have been meant.
	Suggestions []string `json:"suggestions,omitempty"`
	// What would narrow the interval of the record most.
	WouldNarrowTo *Narrowing `json:"wouldNarrowTo,omitempty"`
}

// HistoryEntry is a change or a move of a record. Entries are chained by their hashes.
type HistoryEntry struct {
	// Revision of the record after it.
	Revision int `json:"revision"`
	// The move, or the change.
	Action string `json:"action"`
	// The status before; absent on creation.
	From string `json:"from,omitempty"`
	To   Status `json:"to"`
	By   Actor  `json:"by"`
	// When it happened.
	At time.Time `json:"at"`
	// What was said.
	Comment string `json:"comment,omitempty"`
	// Names of the fields an edit changed.
	Changed []string `json:"changed,omitempty"`
	// Hash of what the record says after the move.
	InputHash string `json:"inputHash,omitempty"`
	// Of a creation or an edit of attendee travel: the rows it left, and how many people they count.
	Origins *OriginCounts `json:"origins,omitempty"`
	// Of a decision (approve, auto-approve, request-changes, reject, reopen): whether the organization asked for four eyes.
	FourEyes bool `json:"fourEyes,omitempty"`
	// Of a decision: the revision of the organization that set the policy.
	PolicyRevision int `json:"policyRevision,omitempty"`
	// Random; it keeps actor and comment from being guessed from what the hash covers. Old entries have none.
	Salt string `json:"salt,omitempty"`
	// The hash of the entry before.
	PreviousHash string `json:"previousHash,omitempty"`
	// SHA-256 over the entry and the hash of the one before.
	Hash string `json:"hash,omitempty"`
}

// OriginCounts is what a history keeps of the rows of attendee travel.
type OriginCounts struct {
	// How many rows.
	Rows int `json:"rows"`
	// How many people they count.
	People int `json:"people"`
	// SHA-256 of their canonical JSON.
	Hash string `json:"hash"`
}

// Outcome is what became of one of several records: Record or Error, one of them nil.
type Outcome struct {
	// The id you named. Absent for a record to be created.
	ID     string  `json:"_id,omitempty"`
	Record *Record `json:"record,omitempty"`
	// What became of a record that was sent.
	Outcome string `json:"outcome,omitempty"`
	Error   *Error `json:"error,omitempty"`
}

// Outcomes are what became of several records, in the order they were named in.
type Outcomes struct {
	// An outcome for each item sent, in the order they were sent in.
	Items []Outcome `json:"items"`
	// How many of the items have a record.
	Succeeded int `json:"succeeded"`
	// How many of the items have an error.
	Failed int `json:"failed"`
	// Notices name the fields of the request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}

// Import reports how far an import is.
type Import struct {
	// Identifier of the import.
	ID string `json:"_id"`
	// Identifier of the event.
	EventID string `json:"eventId"`
	// Record type of the rows.
	Type string `json:"type"`
	// failed: nothing was imported; errors say why.
	Status string `json:"status"`
	// Whether good rows are imported although others are wrong.
	Partial bool `json:"partial"`
	// Rows looked at so far. The head and empty rows do not count.
	Rows int `json:"rows"`
	// Rows that are records by now.
	Imported int `json:"imported"`
	// Rows that cannot be imported.
	Failed int `json:"failed"`
	// What is wrong with them, the first 100.
	Errors []RowError `json:"errors"`
	// How many there are in all.
	ErrorCount int `json:"errorCount"`
	// Heads that name no field.
	IgnoredColumns []string `json:"ignoredColumns"`
	// What the import does with rows whose reference a record has.
	OnDuplicate OnDuplicate `json:"onDuplicate,omitempty"`
	// Rows that changed a record that was there.
	Updated int `json:"updated,omitempty"`
	// Rows whose record was there with the same fields.
	Unchanged int `json:"unchanged,omitempty"`
	// Rows whose record was there and was left alone.
	Skipped int `json:"skipped,omitempty"`
	// Who undid the import. Absent while nobody has.
	Undone    *Undone `json:"undone,omitempty"`
	CreatedBy Actor   `json:"createdBy"`
	// When it was begun.
	CreatedAt time.Time `json:"createdAt"`
	// When its figures last changed.
	UpdatedAt time.Time `json:"updatedAt"`
}

// RowError is one fault in a file.
type RowError struct {
	// As spreadsheets count: the head is row 1. 0: the file as a whole.
	Row int `json:"row"`
	// The head of the column, or the field that has none.
	Column string `json:"column,omitempty"`
	// What is wrong, for programs.
	Code string `json:"code"`
	// What is wrong, for people.
	Message string `json:"message"`
	// What would be right.
	Suggestions []string `json:"suggestions,omitempty"`
	// The _id of the record that has the reference.
	RecordID string `json:"recordId,omitempty"`
}

// Undone says who undid an import.
type Undone struct {
	By Actor `json:"by"`
	// When.
	At time.Time `json:"at"`
	// How many records were removed.
	Removed int `json:"removed"`
}

// ImportOutcome is what became of a record that an import created.
type ImportOutcome struct {
	// Identifier of the record.
	ID string `json:"_id"`
	// Its record type.
	Type string `json:"type"`
	// Its reference.
	ExternalReference string `json:"externalReference,omitempty"`
	// Its status; of one that was removed, the status it had.
	Status string `json:"status"`
	// What became of it.
	Outcome string `json:"outcome"`
	Error   *Error `json:"error,omitempty"`
}

// UndoneImport is what became of the records of an import that was undone.
type UndoneImport struct {
	Import Import `json:"import"`
	// How many were removed.
	Removed int `json:"removed"`
	// How many were touched since and stay.
	Kept int `json:"kept"`
	// How many are approved and stay.
	Refused int `json:"refused"`
	// How many records the import had changed that were there before it. They stay.
	UpdatedBefore int `json:"updatedBefore"`
	// Each record that is still there or was removed now, in the order of the file.
	Items []ImportOutcome `json:"items"`
	// Notices name the fields of the request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}

// MovedImport is what became of the records of an import that were moved.
type MovedImport struct {
	Import Import `json:"import"`
	// How many took the move.
	Moved int `json:"moved"`
	// How many were there already.
	Unchanged int `json:"unchanged"`
	// How many could not take it; Error says why.
	Refused int `json:"refused"`
	// Each record, in the order of the file.
	Items []ImportOutcome `json:"items"`
	// Notices name the fields of the request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}

// ReviewInfo helps to decide about a record.
type ReviewInfo struct {
	// What the record would count; nil where it cannot be calculated under the method of the event. In kg CO2e.
	KgCO2e *Kilograms `json:"kgCO2e,omitempty"`
	// That in percent of the newest total of the event, to two places; nil while there is none. In %.
	SharePercent *float64 `json:"sharePercent,omitempty"`
	// When it was submitted.
	WaitingSince time.Time `json:"waitingSince"`
	// Whole hours since then.
	AgeHours int `json:"ageHours"`
	// What would be found about the record were it counted, beside the counted records and the others of this
	// page.
	Findings []Finding `json:"findings"`
}

// Deleted names what was deleted.
type Deleted struct {
	// Its identifier.
	ID      string `json:"_id"`
	Deleted bool   `json:"deleted"`
	// Notices name the fields of the request that had no effect.
	Notices []Notice `json:"notices,omitempty"`
}
