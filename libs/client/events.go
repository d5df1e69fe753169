package client

import (
	"context"
	"io"
	"net/http"
)

// ListEvents lists the events of the organization.
func (c *Client) ListEvents() *Listing[Event] { return list[Event](c, "events") }

// CreateEvent makes an event. For managers.
func (c *Client) CreateEvent(ctx context.Context, e EventInput, options ...Option) (*Event, error) {
	return ask[Event](ctx, c, post(e, "events"), options)
}

// GetEvent reads an event.
func (c *Client) GetEvent(ctx context.Context, eventID string, options ...Option) (*Event, error) {
	return ask[Event](ctx, c, get("events", eventID), options)
}

// UpdateEvent changes an event. With [IfMatch] it changes only what was seen, and
// is repeated when no answer comes. For managers.
func (c *Client) UpdateEvent(ctx context.Context, eventID string, p EventPatch, options ...Option) (*Event, error) {
	return ask[Event](ctx, c, change(http.MethodPatch, p, "events", eventID), options)
}

// DeleteEvent deletes an event; its quota is not given back. For managers.
func (c *Client) DeleteEvent(ctx context.Context, eventID string, options ...Option) (*Deleted, error) {
	return ask[Deleted](ctx, c, change(http.MethodDelete, nil, "events", eventID), options)
}

// ExportRecords returns all records of an event as CSV, drafts included. The
// caller closes it.
func (c *Client) ExportRecords(ctx context.Context, eventID string, options ...Option) (io.ReadCloser, error) {
	return c.open(ctx, get("events", eventID, "export"), options)
}

// AdoptFactorSet returns an event another factor set, and its result anew. Rehearse
// it with [DryRun]. For managers.
func (c *Client) AdoptFactorSet(ctx context.Context, eventID, setID string, options ...Option) (*Adoption, error) {
	k := post(map[string]string{"factorSet": setID}, "events", eventID, "factor-set")
	k.guarded = true
	return ask[Adoption](ctx, c, k, options)
}
