package imports

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/writes"
)

const (
	// maxImportRows is the maximum number of rows of a file.
	maxImportRows = 100_000
	// maxRowErrors is the number of errors in the import itself; the others are read page by
	// page.
	maxRowErrors = 100
	// keepEvery is the number of rows between two reports of progress, which also renew the
	// lease, and turnEvery the number of rows per slice. Rows that take long are fewer.
	keepEvery = 500
	turnEvery = 100
)

// validation validates all rows of a file.
type validation struct {
	store    record.Records
	event    record.Event
	decoding footprint.Options
	// maxRows is the maximum number of rows; 0: maxImportRows.
	maxRows int64
	// keep stores the progress of the import; an error ends the work.
	keep func(i *record.Import) error
	// turn lets others work; an error ends the work.
	turn func() error
	// now is the clock by which rows take long.
	now func() time.Time
	// bad stores the rows that cannot be imported; nil: they are only counted.
	bad *badRows
	// known is the number of rows whose records exist already.
	known int64
	// repeats finds rows that may be there already; nil: that is not asked.
	repeats *repeats
	// read takes the rows as they are read; nil: nobody wants them.
	read func(row sheet.Row, faults []record.RowError)
	// origins are the good rows of a file of them, where that is asked.
	origins []json.RawMessage
}

// newRecords returns the number of records that the validated rows would create.
func (v *validation) newRecords(i record.Import) int64 {
	if RowType(i) == footprint.OriginRows {
		return 1
	}
	return i.Rows - i.Bad - v.known
}

// Rehearse validates a whole file as its import would, counts in i what the import would do, and
// stores nothing. It returns the number of records that would be created, and reports whether
// the file would be imported. It calls read, if that is not nil, with each row as it was read and what is wrong with it.
func Rehearse(ctx context.Context, store record.Store, event record.Event, decoding footprint.Options, i *record.Import, file io.Reader, read func(sheet.Row, []record.RowError)) (fresh int64, good bool, err error) {
	turn := func() error { return fairshare.Yield(ctx) }
	v := validation{store: store, event: event, decoding: decoding, read: read, turn: turn, now: time.Now, repeats: &repeats{store: store, event: event}, keep: func(*record.Import) error { return turn() }}
	good, err = v.run(ctx, i, file)
	return v.newRecords(*i), good, err
}

// run counts rows and errors in i, and reports whether the file is to be imported. err is an
// internal error.
func (v *validation) run(ctx context.Context, i *record.Import, file io.Reader) (good bool, err error) {
	i.Rows, i.Bad, i.Faults, i.Errors = 0, 0, 0, nil
	if err := v.bad.begin(ctx); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, v.bad.end(ctx, i)) }()
	reader, err := sheet.NewReader(file, RowType(*i), Options(*i))
	if fatal, err := v.headRefused(ctx, i, 1, err); fatal || err != nil {
		return false, err
	}
	ignore := func() {
		if i.Type != footprint.AttendeeTravel { // whose columns were removed when it was received
			i.Ignored = NotLeftOut(*i, reader.Ignored())
		}
	}
	noteAddress(i, reader.Address())
	ignore()
	defer ignore() // columns without a head are ignored if they have values
	if err := v.bad.add(ctx, BadRow{Row: 1, Cells: reader.Heads()}); err != nil {
		return false, err
	}
	references := map[string]int64{}
	kept, turned := v.now(), v.now()
	for {
		row, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if fatal, err := v.headRefused(ctx, i, row.Number, err); fatal || err != nil {
			return false, err
		}
		if most := cmp.Or(v.maxRows, MaxRows(*i)); i.Rows == most {
			_, err := v.headRefused(ctx, i, row.Number, apperr.Invalid(apperr.Detail{Code: "TOO_MANY_ROWS",
				Message: fmt.Sprintf("A file may have at most %d rows. Please split this one.", most)}))
			return false, err
		}
		i.Rows++
		refusal, err := v.row(ctx, i, row, references)
		if err != nil {
			return false, err
		}
		if v.read != nil {
			v.read(row, faultsOf(row.Number, refusal, reader.Head))
		}
		if refusal != nil {
			i.Bad++
			if err := v.bad.note(ctx, i, row, refusal, reader.Head); err != nil {
				return false, err
			}
		}
		if i.Rows%paceEvery != 0 {
			continue
		}
		switch now := v.now(); {
		case i.Rows%keepEvery == 0 || now.Sub(kept) >= renewEvery:
			err = v.keep(i)
			kept, turned = now, now
		case i.Rows%turnEvery == 0 || now.Sub(turned) >= longestSlice:
			err = v.turn()
			turned = now
		}
		if err != nil {
			return false, err
		}
	}
	noteSplit(i, reader.Split())
	if i.Rows == 0 {
		empty := apperr.Invalid(apperr.Detail{Code: "REQUIRED", Message: "The file has a header row but no other rows."})
		if err := v.bad.note(ctx, i, sheet.Row{Number: 1}, empty, nil); err != nil {
			return false, err
		}
	}
	good = i.Bad < i.Rows && (i.Bad == 0 || i.Partial)
	if good {
		err = v.findRepeats(ctx, i)
	}
	return good, err
}

// originByAddress is the code of a notice.
const originByAddress = "ORIGIN_BY_ADDRESS"

// noteAddress notes the heading of the address that people are taken to come from, if any.
func noteAddress(i *record.Import, heading string) {
	i.Notices = slices.DeleteFunc(i.Notices, func(n fields.Notice) bool { return n.Code == originByAddress })
	if heading != "" {
		i.Notices = append(i.Notices, fields.Notice{Code: originByAddress, Field: "place", Suggestions: []string{heading},
			Message: fmt.Sprintf("People are taken to come from the towns of the column %q, an address that need not be where they set out. If another column is meant, call it %q.", heading, "City")})
	}
}

// splitRows is the code of a notice.
const splitRows = "SPLIT_ROWS"

// noteSplit notes that rows of the file are several records each, if any are.
func noteSplit(i *record.Import, s sheet.Split) {
	i.Notices = slices.DeleteFunc(i.Notices, func(n fields.Notice) bool { return n.Code == splitRows })
	which := "One row of the file has amounts of several records and is"
	switch {
	case s.Rows == 0:
		return
	case s.Rows > 1:
		which = fmt.Sprintf("%d rows of the file have amounts of several records and are", s.Rows)
	}
	i.Notices = append(i.Notices, fields.Notice{Code: splitRows, Field: "file", Suggestions: s.Heads,
		Message: fmt.Sprintf("%s read as %d rows, one for each of the columns %s.", which, s.Records, strings.Join(s.Heads, ", "))})
}

// findRepeats notes what the file says that records say already.
func (v *validation) findRepeats(ctx context.Context, i *record.Import) (err error) {
	found := v.repeats.notices(i.Rows - i.Bad)
	if len(v.origins) > 0 {
		found, err = v.repeats.list(ctx, i.To, v.origins)
	}
	// Notices of an earlier attempt are replaced, and those of the file itself are kept.
	i.Notices = slices.DeleteFunc(i.Notices, func(n fields.Notice) bool { return n.Code == possibleDuplicates })
	i.Notices = append(i.Notices, found...)
	return err
}

// headRefused records an error of the file as a whole.
func (v *validation) headRefused(ctx context.Context, i *record.Import, row int64, err error) (fatal bool, failure error) {
	if err == nil || apperr.CodeOf(err) != apperr.ValidationError {
		return false, err
	}
	i.Bad++
	i.Rows++
	return true, v.bad.note(ctx, i, sheet.Row{Number: row}, err, nil)
}

// row returns the errors of a row; err is an internal error.
func (v *validation) row(ctx context.Context, i *record.Import, row sheet.Row, references map[string]int64) (refusal, err error) {
	if row.Err != nil {
		return row.Err, nil
	}
	if RowType(*i) == footprint.OriginRows {
		refusal, err := refusedOr(footprint.CheckOrigin(row.Body, v.event.Context()))
		if refusal == nil && err == nil && v.repeats != nil {
			v.origins = append(v.origins, row.Body)
		}
		return refusal, err
	}
	decoded, err := v.decoding.Decode(row.Type, row.Body, v.event.Context())
	if err != nil {
		return refusedOr(err)
	}
	reference := decoded.ExternalReference
	if reference == "" {
		return nil, v.repeats.row(ctx, row.Type, decoded)
	}
	if err := record.CheckReference(reference); err != nil {
		return refusedOr(err)
	}
	place := row.Type + "\x00" + reference
	if first, twice := references[place]; twice {
		return apperr.Invalid(apperr.Detail{Field: "externalReference", Code: "DUPLICATE", Message: fmt.Sprintf("Row %d has the same reference.", first)}), nil
	}
	references[place] = row.Number
	existing, err := v.store.RecordByReference(ctx, v.event.Org, record.Sub{Event: v.event.ID, Type: row.Type}, reference)
	if errors.Is(err, record.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	refusal = duplicateRow(*i, existing, decoded)
	if refusal == nil {
		v.known++
	}
	if v.bad == nil && refusal == nil { // a dry run counts what the import would do
		switch {
		case writes.Duplicates(i.OnDuplicate) == writes.Skip:
			i.Skipped++
		case len(record.ChangedFields(existing.Fields, decoded.Fields)) == 0:
			i.Unchanged++
		default:
			i.Updated++
		}
	}
	return refusal, nil
}

// duplicateRow returns why a row whose reference a record has cannot be imported.
func duplicateRow(i record.Import, existing record.Record, decoded footprint.Decoded) error {
	switch writes.Duplicates(i.OnDuplicate) {
	case writes.Skip:
		return nil
	case writes.Update:
		if len(record.ChangedFields(existing.Fields, decoded.Fields)) == 0 || slices.Contains(record.AllowedMoves(existing, i.By, false), record.Edit) {
			return nil
		}
		d := record.DuplicateDetail(existing)
		d.Code, d.Message = string(apperr.Forbidden), "The record "+string(existing.ID)+" has this reference, and only who created it, or a manager, may change it."
		if _, editable := record.NextState(record.Edit, existing.Status); !editable {
			d.Code, d.Message = string(apperr.RecordLocked), fmt.Sprintf("The record %s has this reference and is %s, so it cannot be changed.", existing.ID, existing.Status)
		}
		return apperr.Invalid(d)
	}
	return apperr.Invalid(record.DuplicateDetail(existing))
}

// refusedOr separates rejections from internal errors.
func refusedOr(err error) (refusal, failure error) {
	if apperr.CodeOf(err) == apperr.ValidationError {
		return err, nil
	}
	return nil, err
}

// faultsOf returns the errors of a row, with the column heads of the file.
func faultsOf(row int64, refusal error, head func(string) string) []record.RowError {
	var e *apperr.Error
	if !errors.As(refusal, &e) {
		return nil
	}
	details := e.Details
	if len(details) == 0 {
		details = []apperr.Detail{{Code: string(e.Code), Message: e.Message}}
	}
	faults := make([]record.RowError, 0, len(details))
	for _, d := range details {
		column := d.Field
		if head != nil && row > 1 {
			column = head(d.Field)
		}
		faults = append(faults, record.RowError{Row: row, Column: column, Code: d.Code, Message: d.Message, Suggestions: d.Suggestions, RecordID: d.RecordID})
	}
	return faults
}
