package client

import (
	"context"
	"io"
)

// ListImports lists the imports of an event, newest first.
func (c *Client) ListImports(eventID string) *Listing[Import] {
	return list[Import](c, "events", eventID, "imports")
}

// ListImportErrors lists all errors of an import.
func (c *Client) ListImportErrors(eventID, importID string) *Listing[RowError] {
	return list[RowError](c, "events", eventID, "imports", importID, "errors")
}

// GetBadRows returns the rows that were not imported as CSV, to correct and import again. The caller must close it.
func (c *Client) GetBadRows(ctx context.Context, eventID, importID string, options ...Option) (io.ReadCloser, error) {
	return c.open(ctx, get("events", eventID, "imports", importID, "bad-rows"), options)
}

// UndoImport removes the records that an import created and that were not changed since. Try it with [DryRun].
func (c *Client) UndoImport(ctx context.Context, eventID, importID string, options ...Option) (*UndoneImport, error) {
	return ask[UndoneImport](ctx, c, post(nil, "events", eventID, "imports", importID, "undo"), options)
}

// SubmitImport submits what an import created.
func (c *Client) SubmitImport(ctx context.Context, eventID, importID string, options ...Option) (*MovedImport, error) {
	return ask[MovedImport](ctx, c, post(nil, "events", eventID, "imports", importID, "submit"), options)
}

// ApproveImport approves what an import created. For managers.
func (c *Client) ApproveImport(ctx context.Context, eventID, importID string, options ...Option) (*MovedImport, error) {
	return ask[MovedImport](ctx, c, post(nil, "events", eventID, "imports", importID, "approve"), options)
}

// WithdrawRecords takes up to 100 records of one type out of the queue, each by
// itself.
func (c *Client) WithdrawRecords(ctx context.Context, eventID, recordType string, ids []string, options ...Option) (*Outcomes, error) {
	return ask[Outcomes](ctx, c, postMany(ids, "", "events", eventID, recordType, "withdraw"), options)
}

// DeleteRecords deletes up to 100 records of one type that are not submitted, each
// by itself.
func (c *Client) DeleteRecords(ctx context.Context, eventID, recordType string, ids []string, options ...Option) (*Outcomes, error) {
	return ask[Outcomes](ctx, c, postMany(ids, "", "events", eventID, recordType, "delete"), options)
}
