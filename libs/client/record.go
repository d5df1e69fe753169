package client

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Role is what an account may do; a higher role has the rights of the lower
// ones.
type Role string

// The roles, lowest first.
const (
	RoleViewer  Role = "viewer"
	RoleUser    Role = "user"
	RoleManager Role = "manager"
	RoleAdmin   Role = "admin"
)

// Status is where a record is in its workflow.
type Status string

// The statuses of a record. Only approved ones count.
const (
	StatusUnsubmitted      Status = "unsubmitted"
	StatusSubmitted        Status = "submitted"
	StatusInReview         Status = "in_review"
	StatusApproved         Status = "approved"
	StatusChangesRequested Status = "changes_requested"
	StatusRejected         Status = "rejected"
)

// RecordInput is what a record is made of: the input of its type, such as
// [Flight], or a [RawRecord].
type RecordInput interface {
	// RecordType returns the name of its type in paths.
	RecordType() string
}

// RawRecord is a record of any type, as JSON.
type RawRecord struct {
	Type   string
	Fields json.RawMessage
}

// RecordType returns its type.
func (r RawRecord) RecordType() string { return r.Type }

// MarshalJSON returns its fields unchanged.
func (r RawRecord) MarshalJSON() ([]byte, error) { return json.Marshal(r.Fields) }

// RecordPatch changes fields of a record, by their names in JSON. What is absent
// stays; nil empties.
type RecordPatch map[string]any

// Record is a record of the service: the service's fields, the fields common to all types, and those of its type,
// which Input decodes.
type Record struct {
	RecordState
	Common

	all json.RawMessage
}

// Input reads the record into the input of its type, such as a *[Flight].
func (r *Record) Input(into any) error {
	if err := json.Unmarshal(r.all, into); err != nil {
		return fmt.Errorf("fields of the record %s: %w", r.ID, err)
	}
	return nil
}

// UnmarshalJSON decodes a record and stores its text.
func (r *Record) UnmarshalJSON(text []byte) error {
	var known struct {
		RecordState
		Common
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return err
	}
	*r = Record{RecordState: known.RecordState, Common: known.Common, all: slices.Clone(text)}
	return nil
}

// MarshalJSON returns the record as it was read.
func (r Record) MarshalJSON() ([]byte, error) { return json.Marshal(r.all) }

// ReviewItem is a record that waits for a decision, and what helps to decide.
type ReviewItem struct {
	Record

	Review ReviewInfo `json:"review"`
}

// UnmarshalJSON reads both.
func (i *ReviewItem) UnmarshalJSON(text []byte) error {
	var about struct {
		Review ReviewInfo `json:"review"`
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return err
	}
	i.Review = about.Review
	return i.Record.UnmarshalJSON(text)
}
