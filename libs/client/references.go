package client

import (
	"context"
	"net/http"
)

// OnDuplicate says what becomes of a record that is sent under a reference that
// another one has.
type OnDuplicate string

// What may become of it.
const (
	RefuseDuplicate OnDuplicate = "refuse" // it is an error
	SkipDuplicate   OnDuplicate = "skip"   // the record that is there stays
	UpdateDuplicate OnDuplicate = "update" // the record that is there gets the fields sent
)

// GetEventByReference reads the event that has a reference.
func (c *Client) GetEventByReference(ctx context.Context, reference string, options ...Option) (*Event, error) {
	return ask[Event](ctx, c, get("events", "by-reference", reference), options)
}

// PutEventByReference creates the event of a reference, or replaces its fields by e, or proposes that with four-eyes
// control. Identical fields change nothing. For managers.
func (c *Client) PutEventByReference(ctx context.Context, reference string, e EventPut, options ...Option) (*Governed[Event], error) {
	return ask[Governed[Event]](ctx, c, change(http.MethodPut, e, "events", "by-reference", reference), options)
}

// ReferenceRef names a record by its external reference.
type ReferenceRef struct{ EventID, Type, Reference string }

func (r ReferenceRef) path() []string {
	return []string{"events", r.EventID, r.Type, "by-reference", r.Reference}
}

// GetRecordByReference reads the record that has a reference.
func (c *Client) GetRecordByReference(ctx context.Context, r ReferenceRef, options ...Option) (*Record, error) {
	return ask[Record](ctx, c, get(r.path()...), options)
}

// PutRecordByReference creates the record of a reference, or replaces its fields by in. Identical fields change
// nothing.
func (c *Client) PutRecordByReference(ctx context.Context, r ReferenceRef, in RecordInput, options ...Option) (*Record, error) {
	return ask[Record](ctx, c, change(http.MethodPut, in, r.path()...), options)
}

// DeleteRecordByReference deletes the record that has a reference, while it is not
// submitted.
func (c *Client) DeleteRecordByReference(ctx context.Context, r ReferenceRef, options ...Option) (*Deleted, error) {
	return ask[Deleted](ctx, c, deletion(r.path()...), options)
}
