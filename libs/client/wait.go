package client

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// resultCurrent and calculationPending are words of the API about results.
const (
	resultCurrent      = "current"
	calculationPending = "CALCULATION_PENDING"
)

// WaitForResult polls the result of an event until it is current: it includes everything that was approved, changed
// or reopened before the call. It waits as long as its context allows. If nothing is approved there is no result, and
// the error is CodeResultNotFound at once.
func (c *Client) WaitForResult(ctx context.Context, eventID string, options ...Option) (*Result, error) {
	var tag string
	seen := "no result"
	for {
		var meta Meta
		// The tag comes last, so that it is the one that holds.
		result, err := c.GetResult(ctx, eventID, append(slices.Clone(options), WithMeta(&meta), IfNoneMatch(tag))...)
		switch refused, _ := errors.AsType[*Error](err); {
		case err == nil && result.Status == resultCurrent:
			return result, nil
		case err == nil:
			seen, tag = "a result that is "+result.Status, meta.ETag
		case errors.Is(err, ErrNotModified):
		case refused != nil && slices.ContainsFunc(refused.Details, func(d Detail) bool { return d.Code == calculationPending }):
			seen = "a result that is being calculated"
		case ctx.Err() == nil:
			return nil, err
		}
		if err := c.options.Sleep(ctx, c.options.PollInterval); err != nil {
			return nil, fmt.Errorf("waiting for the result of the event %s, last seen was %s: %w", eventID, seen, err)
		}
	}
}

// The ends of an import.
const (
	importCompleted = "completed"
	importFailed    = "failed"
)

// WaitForImport asks for an import until it has ended, and tells progress, which
// may be nil, of every look. An import that failed is no error: look at its
// Status and Errors. It waits as long as its context allows.
func (c *Client) WaitForImport(ctx context.Context, eventID, importID string, progress func(*Import), options ...Option) (*Import, error) {
	for {
		now, err := c.GetImport(ctx, eventID, importID, options...)
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(now)
		}
		if now.Status == importCompleted || now.Status == importFailed {
			return now, nil
		}
		if err := c.options.Sleep(ctx, c.options.PollInterval); err != nil {
			return nil, fmt.Errorf("waiting for the import %s, which is %s at row %d: %w", importID, now.Status, now.Rows, err)
		}
	}
}
