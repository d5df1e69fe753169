package client

import (
	"context"
	"io"
	"net/http"
	"strconv"
)

// GetResult reads the newest result of an event; see [Client.WaitForResult].
func (c *Client) GetResult(ctx context.Context, eventID string, options ...Option) (*Result, error) {
	return ask[Result](ctx, c, get("events", eventID, "results"), options)
}

// ListResultHistory lists the results an event has had.
func (c *Client) ListResultHistory(eventID string) *Listing[Result] {
	return list[Result](c, "events", eventID, "results", "history")
}

// GetResultRevision reads one of them.
func (c *Client) GetResultRevision(ctx context.Context, eventID string, revision int, options ...Option) (*Result, error) {
	return ask[Result](ctx, c, get("events", eventID, "results", strconv.Itoa(revision)), options)
}

// ExplainResultRevision lists the counted records of a signed revision as they were, with formulas and sources.
func (c *Client) ExplainResultRevision(eventID string, revision int) *Listing[ExplainedRecord] {
	return list[ExplainedRecord](c, "events", eventID, "results", strconv.Itoa(revision), "explain")
}

// GetRevisionReport returns the report of a signed revision, byte for byte as it was. The caller closes it.
func (c *Client) GetRevisionReport(ctx context.Context, eventID string, revision int, format Format, options ...Option) (io.ReadCloser, error) {
	k := get("events", eventID, "results", strconv.Itoa(revision), "report")
	k.accept = string(format)
	return c.open(ctx, k, options)
}

// CompareResults reports what led from one revision to another.
func (c *Client) CompareResults(ctx context.Context, eventID string, from, to int, options ...Option) (*Comparison, error) {
	return ask[Comparison](ctx, c, get("events", eventID, "results", strconv.Itoa(from), "diff", strconv.Itoa(to)), options)
}

// ExplainResult lists the counted records line by line.
func (c *Client) ExplainResult(eventID string) *Listing[ExplainedRecord] {
	return list[ExplainedRecord](c, "events", eventID, "results", "explain")
}

// PreviewResult reports what the total would be were the whole queue approved. For
// managers.
func (c *Client) PreviewResult(ctx context.Context, eventID string, options ...Option) (*Preview, error) {
	return ask[Preview](ctx, c, get("events", eventID, "results", "preview"), options)
}

// PreviewRows reports what the sums of an event would be with rows that are not
// stored. It stores nothing.
func (c *Client) PreviewRows(ctx context.Context, eventID string, rows RowsToPreview, options ...Option) (*RowsPreview, error) {
	return ask[RowsPreview](ctx, c, call{method: http.MethodPost, path: []string{"events", eventID, "results", "preview"}, body: rows, harmless: true}, options)
}

// RehearseEvent reports what changes of an event that move its figures would do to
// them. It stores and proposes nothing. For managers.
func (c *Client) RehearseEvent(ctx context.Context, eventID string, changes RehearsalInput, options ...Option) (*Effect, error) {
	return ask[Effect](ctx, c, call{method: http.MethodPost, path: []string{"events", eventID, "results", "rehearsal"}, body: changes, harmless: true}, options)
}

// Format is what a report is written in.
type Format string

// The formats of a report.
const (
	// Bundle is JSON that anyone can recompute offline; its bytes must not be changed.
	Bundle Format = "application/json"
	// Table is CSV.
	Table Format = "text/csv"
	// Workbook is the table as a workbook (XLSX).
	Workbook Format = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	// Printable is a page of HTML.
	Printable Format = "text/html"
)

// GetReport returns the report of an event's result. The caller closes it.
func (c *Client) GetReport(ctx context.Context, eventID string, format Format, options ...Option) (io.ReadCloser, error) {
	k := get("events", eventID, "results", "report")
	k.accept = string(format)
	return c.open(ctx, k, options)
}
