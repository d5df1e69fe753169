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

// UpdateEvent changes an event, or proposes the change under four eyes. With [IfMatch]
// it changes only what was seen, and is repeated when no answer comes. For managers.
func (c *Client) UpdateEvent(ctx context.Context, eventID string, p EventPatch, options ...Option) (*Governed[Event], error) {
	return ask[Governed[Event]](ctx, c, change(http.MethodPatch, p, "events", eventID), options)
}

// DeleteEvent deletes an event, or proposes it under four eyes; its quota is not given
// back. For managers.
func (c *Client) DeleteEvent(ctx context.Context, eventID string, options ...Option) (*Governed[Deleted], error) {
	return ask[Governed[Deleted]](ctx, c, change(http.MethodDelete, struct{}{}, "events", eventID), options)
}

// ExportRecords returns all records of an event as CSV, drafts included. The
// caller closes it.
func (c *Client) ExportRecords(ctx context.Context, eventID string, options ...Option) (io.ReadCloser, error) {
	return c.open(ctx, get("events", eventID, "export"), options)
}

// ExportWorkbook is [Client.ExportRecords] as a workbook (XLSX).
func (c *Client) ExportWorkbook(ctx context.Context, eventID string, options ...Option) (io.ReadCloser, error) {
	k := get("events", eventID, "export")
	k.accept = string(Workbook)
	return c.open(ctx, k, options)
}

// ExportEvent returns an event and all its records in one call. With [IfNoneMatch] it
// asks whether anything of them has changed. An event of very many records is better
// read by [Client.ListRecords], or as a table by [Client.ExportRecords].
func (c *Client) ExportEvent(ctx context.Context, eventID string, options ...Option) (*Export, error) {
	k := get("events", eventID, "export")
	k.accept = "application/json"
	return ask[Export](ctx, c, k, options)
}

// AdoptEngine changes the engine of an event, and recalculates its result. Try it with [DryRun]. For managers.
func (c *Client) AdoptEngine(ctx context.Context, eventID, engine string, options ...Option) (*Governed[Adoption], error) {
	k := post(map[string]string{"engine": engine}, "events", eventID, "factor-set")
	k.guarded = true
	return ask[Governed[Adoption]](ctx, c, k, options)
}

// AdoptFactorSet changes the factor set of an event, and recalculates its result. Try it with [DryRun]. For managers.
func (c *Client) AdoptFactorSet(ctx context.Context, eventID, setID string, options ...Option) (*Governed[Adoption], error) {
	k := post(map[string]string{"factorSet": setID}, "events", eventID, "factor-set")
	k.guarded = true
	return ask[Governed[Adoption]](ctx, c, k, options)
}

// ListEventHistory lists who changed what of an event, newest first.
func (c *Client) ListEventHistory(eventID string) *Listing[EventHistoryEntry] {
	return list[EventHistoryEntry](c, "events", eventID, "history")
}

// SignOffEvent signs the newest result of an event. The answer comes before the
// event is signed: its SignOff tells how it went. With [DryRun] the outcome is the
// checklist of what is still open. For managers.
func (c *Client) SignOffEvent(ctx context.Context, eventID string, in SignOffInput, options ...Option) (*SignOffOutcome, error) {
	k := post(in, "events", eventID, "sign-off")
	k.guarded = true
	return ask[SignOffOutcome](ctx, c, k, options)
}

// WithdrawSignOff opens a signed event again. For managers.
func (c *Client) WithdrawSignOff(ctx context.Context, eventID, comment string, options ...Option) (*Event, error) {
	k := post(map[string]string{"comment": comment}, "events", eventID, "sign-off", "withdraw")
	k.guarded = true
	return ask[Event](ctx, c, k, options)
}

// ListEventChanges lists the changes of an event that wait for a second manager.
// For managers.
func (c *Client) ListEventChanges(ctx context.Context, eventID string, options ...Option) (*EventChanges, error) {
	return ask[EventChanges](ctx, c, get("events", eventID, "changes"), options)
}

// ApproveEventChange makes a change that another manager has proposed. Of one
// that deletes the event only the id comes back. For managers.
func (c *Client) ApproveEventChange(ctx context.Context, eventID, changeID, comment string, options ...Option) (*Event, error) {
	k := post(map[string]string{"comment": comment}, "events", eventID, "changes", changeID, "approve")
	k.guarded = true
	return ask[Event](ctx, c, k, options)
}

// AssessEventChange recalculates the effect of a stale change. For managers.
func (c *Client) AssessEventChange(ctx context.Context, eventID, changeID string, options ...Option) (*EventChange, error) {
	k := post(struct{}{}, "events", eventID, "changes", changeID, "assess")
	k.guarded = true
	answer, err := ask[struct {
		Change EventChange `json:"change"`
	}](ctx, c, k, options)
	if err != nil {
		return nil, err
	}
	return &answer.Change, nil
}

// RejectEventChange drops a proposed change. For managers.
func (c *Client) RejectEventChange(ctx context.Context, eventID, changeID, comment string, options ...Option) (*Event, error) {
	k := post(map[string]string{"comment": comment}, "events", eventID, "changes", changeID, "reject")
	k.guarded = true
	return ask[Event](ctx, c, k, options)
}
