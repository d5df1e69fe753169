package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// RecordRef names a record: its event, type and id.
type RecordRef struct{ EventID, Type, ID string }

// Ref names the record.
func (r *Record) Ref() RecordRef { return RecordRef{r.EventID, r.Type, r.ID} }

func (r RecordRef) path(more ...string) []string {
	return append([]string{"events", r.EventID, r.Type, r.ID}, more...)
}

// ListRecords lists the records of one type in an event.
func (c *Client) ListRecords(eventID, recordType string) *Listing[Record] {
	return list[Record](c, "events", eventID, recordType)
}

// CreateRecord makes a record, unsubmitted.
func (c *Client) CreateRecord(ctx context.Context, eventID string, in RecordInput, options ...Option) (*Record, error) {
	return ask[Record](ctx, c, post(in, "events", eventID, in.RecordType()), options)
}

// CreateRecords makes up to 100 records of one type, each by itself: some may be
// refused while others are made.
func (c *Client) CreateRecords(ctx context.Context, eventID string, in []RecordInput, options ...Option) (*Outcomes, error) {
	return c.SendRecords(ctx, eventID, in, "", options...)
}

// SendRecords is CreateRecords, and says what becomes of a record whose reference
// another one has.
func (c *Client) SendRecords(ctx context.Context, eventID string, in []RecordInput, onDuplicate OnDuplicate, options ...Option) (*Outcomes, error) {
	if len(in) == 0 {
		return nil, fmt.Errorf("%w: no records to create", ErrArgument)
	}
	recordType := in[0].RecordType()
	for _, r := range in {
		if r.RecordType() != recordType {
			return nil, fmt.Errorf("%w: records of %s and of %s cannot be created together", ErrArgument, recordType, r.RecordType())
		}
	}
	body := map[string]any{"items": in}
	if onDuplicate != "" {
		body["onDuplicate"] = onDuplicate
	}
	return ask[Outcomes](ctx, c, post(body, "events", eventID, recordType, "batch"), options)
}

// SubmitRecords submits up to 100 records of one type, each by itself.
func (c *Client) SubmitRecords(ctx context.Context, eventID, recordType string, ids []string, options ...Option) (*Outcomes, error) {
	return ask[Outcomes](ctx, c, postMany(ids, "", "events", eventID, recordType, "submit"), options)
}

// ImportOptions say how a file is to be read.
type ImportOptions struct {
	// Partial imports the good rows of a file that has bad ones too.
	Partial bool
	// DecimalComma reads "2,5" as two and a half.
	DecimalComma bool
	// NumberFormat is how numbers are written, by an example such as "1.234,5".
	NumberFormat string
	// DateOrder is the order of dates that are not written 2026-05-31: dmy, mdy or ymd.
	DateOrder string
	// Encoding is windows-1252 for a file that is not in UTF-8.
	Encoding string
	// Workbook: the file is XLSX, of which Sheet is read; the first one where it is
	// empty.
	Workbook bool
	Sheet    string
	// Columns say what columns of the file are, in place of their headings: the letters of a column, a colon, and a field or
	// another heading, such as C:from or D:Weight (t); F: leaves it out. Try them with [DryRun], which tells the letters of all
	// columns, and of a refused file in [Error.Columns].
	Columns []string
	// OnDuplicate says what becomes of a row whose reference a record has; empty
	// refuses it.
	OnDuplicate OnDuplicate
	// Again imports a file that was imported before.
	Again bool
}

// ImportRecords starts an import of CSV, which is streamed; [Client.WaitForImport] waits for its end. A seekable
// source, such as a file, can be sent again from its beginning; any other is sent once.
func (c *Client) ImportRecords(ctx context.Context, eventID, recordType string, csv io.Reader, how ImportOptions, options ...Option) (*Import, error) {
	return c.importFile(ctx, post(nil, "events", eventID, recordType, "import"), csv, how, options)
}

// ImportMixed is [Client.ImportRecords] for a file of several types, whose column
// "type" names that of each row, such as an export.
func (c *Client) ImportMixed(ctx context.Context, eventID string, csv io.Reader, how ImportOptions, options ...Option) (*Import, error) {
	return c.importFile(ctx, post(nil, "events", eventID, "import"), csv, how, options)
}

func (c *Client) importFile(ctx context.Context, k call, csv io.Reader, how ImportOptions, options []Option) (*Import, error) {
	k.upload, k.query = &upload{source: csv}, url.Values{}
	if how.Partial {
		k.query.Set("partial", "true")
	}
	if how.DecimalComma {
		k.query.Set("decimal", "comma")
	}
	for name, value := range map[string]string{"numberFormat": how.NumberFormat, "dateOrder": how.DateOrder, "encoding": how.Encoding, "sheet": how.Sheet} {
		if value != "" {
			k.query.Set(name, value)
		}
	}
	for _, column := range how.Columns {
		k.query.Add("column", column)
	}
	k.upload.workbook = how.Workbook
	if how.OnDuplicate != "" {
		k.query.Set("onDuplicate", string(how.OnDuplicate))
	}
	if how.Again {
		k.query.Set("again", "true")
	}
	return ask[Import](ctx, c, k, options)
}

// GetImport reports how far an import is.
func (c *Client) GetImport(ctx context.Context, eventID, importID string, options ...Option) (*Import, error) {
	return ask[Import](ctx, c, get("events", eventID, "imports", importID), options)
}

// GetRecord reads a record.
func (c *Client) GetRecord(ctx context.Context, r RecordRef, options ...Option) (*Record, error) {
	return ask[Record](ctx, c, get(r.path()...), options)
}

// UpdateRecord changes a record that is not submitted. With [IfMatch] it changes
// only what was seen, and is repeated when no answer comes.
func (c *Client) UpdateRecord(ctx context.Context, r RecordRef, p RecordPatch, options ...Option) (*Record, error) {
	return ask[Record](ctx, c, change(http.MethodPatch, p, r.path()...), options)
}

// DeleteRecord deletes a record that is not submitted.
func (c *Client) DeleteRecord(ctx context.Context, r RecordRef, options ...Option) (*Deleted, error) {
	return ask[Deleted](ctx, c, deletion(r.path()...), options)
}

// GetRecordHistory lists what happened to a record.
func (c *Client) GetRecordHistory(r RecordRef) *Listing[HistoryEntry] {
	return list[HistoryEntry](c, r.path("history")...)
}

// ListOrigins lists where the people of a record of attendee travel come from.
func (c *Client) ListOrigins(r RecordRef) *Listing[Origin] {
	return list[Origin](c, r.path("origins")...)
}

// move makes a move of the workflow.
func (c *Client) move(ctx context.Context, r RecordRef, move, comment string, options []Option) (*Record, error) {
	k := post(nil, r.path(move)...)
	if comment != "" {
		k.body = map[string]string{"comment": comment}
	}
	k.guarded = true
	return ask[Record](ctx, c, k, options)
}

// SubmitRecord puts a record into the review queue.
func (c *Client) SubmitRecord(ctx context.Context, r RecordRef, options ...Option) (*Record, error) {
	return c.move(ctx, r, "submit", "", options)
}

// WithdrawRecord takes a record out of the queue.
func (c *Client) WithdrawRecord(ctx context.Context, r RecordRef, options ...Option) (*Record, error) {
	return c.move(ctx, r, "withdraw", "", options)
}

// ClaimRecord begins the review of a record; the comment may be empty. For
// managers.
func (c *Client) ClaimRecord(ctx context.Context, r RecordRef, comment string, options ...Option) (*Record, error) {
	return c.move(ctx, r, "review", comment, options)
}

// ApproveRecord makes a record count; the comment may be empty. For managers.
func (c *Client) ApproveRecord(ctx context.Context, r RecordRef, comment string, options ...Option) (*Record, error) {
	return c.move(ctx, r, "approve", comment, options)
}

// RequestChanges sends a record back. For managers.
func (c *Client) RequestChanges(ctx context.Context, r RecordRef, comment string, options ...Option) (*Record, error) {
	return c.move(ctx, r, "request-changes", comment, options)
}

// RejectRecord decides that a record never counts. For managers.
func (c *Client) RejectRecord(ctx context.Context, r RecordRef, comment string, options ...Option) (*Record, error) {
	return c.move(ctx, r, "reject", comment, options)
}

// ReopenRecord opens a decided record again; it no longer counts. For managers.
func (c *Client) ReopenRecord(ctx context.Context, r RecordRef, comment string, options ...Option) (*Record, error) {
	return c.move(ctx, r, "reopen", comment, options)
}

// ListReviewQueue lists what waits for a decision in the organization. For
// managers.
func (c *Client) ListReviewQueue() *Listing[ReviewItem] { return list[ReviewItem](c, "review") }

// ListEventReviewQueue lists what waits for a decision in an event. For managers.
func (c *Client) ListEventReviewQueue(eventID string) *Listing[ReviewItem] {
	return list[ReviewItem](c, "events", eventID, "review")
}

// RequestChangesOfRecords sends up to 100 records of an event back, each by itself
// and with one comment. For managers.
func (c *Client) RequestChangesOfRecords(ctx context.Context, eventID string, ids []string, comment string, options ...Option) (*Outcomes, error) {
	return c.decideRecords(ctx, eventID, "request-changes", ids, comment, options)
}

// RejectRecords rejects up to 100 records of an event, each by itself and with one
// comment. For managers.
func (c *Client) RejectRecords(ctx context.Context, eventID string, ids []string, comment string, options ...Option) (*Outcomes, error) {
	return c.decideRecords(ctx, eventID, "reject", ids, comment, options)
}

// ReopenRecords opens up to 100 decided records of an event again, each by itself
// and with one comment. For managers.
func (c *Client) ReopenRecords(ctx context.Context, eventID string, ids []string, comment string, options ...Option) (*Outcomes, error) {
	return c.decideRecords(ctx, eventID, "reopen", ids, comment, options)
}

func (c *Client) decideRecords(ctx context.Context, eventID, decision string, ids []string, comment string, options []Option) (*Outcomes, error) {
	return ask[Outcomes](ctx, c, postMany(ids, comment, "events", eventID, "review", decision), options)
}

// ApproveRecords approves up to 100 records of an event, each by itself. For
// managers.
func (c *Client) ApproveRecords(ctx context.Context, eventID string, ids []string, options ...Option) (*Outcomes, error) {
	return ask[Outcomes](ctx, c, postMany(ids, "", "events", eventID, "review", "approve"), options)
}
