package records

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
)

const (
	// maxImportRows is how many rows one file may have.
	maxImportRows = 100_000
	// maxRowErrors is how many errors of a file are told; all are counted.
	maxRowErrors = 100
	// keepEvery is how many rows are looked at between two reports of progress,
	// which also renew the lease and let other imports work.
	keepEvery = 500
)

// validation looks at every row of a file.
type validation struct {
	store record.Records
	event record.Event
	// maxRows is how many rows the file may have; 0: maxImportRows.
	maxRows int64
	// keep stores the progress of the import; an error ends the work.
	keep func(i *record.Import) error
}

// run counts rows and errors into i, and says whether the file is to be
// imported. err is a failure of ours.
func (v validation) run(ctx context.Context, i *record.Import, file io.Reader) (good bool, err error) {
	i.Rows, i.Bad, i.Faults, i.Errors = 0, 0, 0, nil
	reader, err := sheet.NewReader(file, i.Type, optionsOf(*i))
	if fatal, err := headRefused(i, 1, err); fatal || err != nil {
		return false, err
	}
	i.Ignored = reader.Ignored()
	references := map[string]int64{}
	for {
		row, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if fatal, err := headRefused(i, row.Number, err); fatal || err != nil {
			return false, err
		}
		if most := cmp.Or(v.maxRows, maxImportRows); i.Rows == most {
			_, err := headRefused(i, row.Number, apperr.Invalid(apperr.Detail{Code: "TOO_MANY_ROWS",
				Message: fmt.Sprintf("A file has at most %d rows. Please divide this one.", most)}))
			return false, err
		}
		i.Rows++
		refusal, err := v.row(ctx, i.Type, row, references)
		if err != nil {
			return false, err
		}
		if refusal != nil {
			i.Bad++
			note(i, row.Number, refusal, reader.Head)
		}
		if i.Rows%keepEvery == 0 {
			if err := v.keep(i); err != nil {
				return false, err
			}
		}
	}
	if i.Rows == 0 {
		note(i, 1, apperr.Invalid(apperr.Detail{Code: "REQUIRED", Message: "The file has a head and no rows."}), nil)
	}
	return i.Bad < i.Rows && (i.Bad == 0 || i.Partial), nil
}

// headRefused notes what is wrong with a file as a whole.
func headRefused(i *record.Import, row int64, err error) (fatal bool, failure error) {
	if err == nil || apperr.CodeOf(err) != apperr.ValidationError {
		return false, err
	}
	i.Bad++
	i.Rows++
	note(i, row, err, nil)
	return true, nil
}

// row says what is wrong with a row; err is a failure of ours.
func (v validation) row(ctx context.Context, typ string, row sheet.Row, references map[string]int64) (refusal, err error) {
	if row.Err != nil {
		return row.Err, nil
	}
	decoded, err := footprint.Decode(typ, row.Body, v.event.Context())
	if err != nil {
		return refusedOr(err)
	}
	reference := decoded.ExternalReference
	if reference == "" {
		return nil, nil
	}
	if first, twice := references[reference]; twice {
		return apperr.Invalid(apperr.Detail{Field: "externalReference", Code: "DUPLICATE", Message: fmt.Sprintf("Row %d has the same reference.", first)}), nil
	}
	taken, err := v.store.HasReference(ctx, v.event.Org, record.Sub{Event: v.event.ID, Type: typ}, reference)
	if err != nil {
		return nil, err
	}
	if taken {
		return apperr.Invalid(apperr.Detail{Field: "externalReference", Code: "DUPLICATE", Message: "Another record of this event and type has this reference."}), nil
	}
	references[reference] = row.Number
	return nil, nil
}

// refusedOr tells refusals from failures.
func refusedOr(err error) (refusal, failure error) {
	if apperr.CodeOf(err) == apperr.ValidationError {
		return err, nil
	}
	return nil, err
}

// note adds a row's faults to the import's errors.
func note(i *record.Import, row int64, refusal error, head func(string) string) {
	var e *apperr.Error
	if !errors.As(refusal, &e) {
		return
	}
	details := e.Details
	if len(details) == 0 {
		details = []apperr.Detail{{Code: string(e.Code), Message: e.Message}}
	}
	for _, d := range details {
		i.Faults++
		if len(i.Errors) >= maxRowErrors {
			continue
		}
		column := d.Field
		if head != nil && row > 1 {
			column = head(d.Field)
		}
		i.Errors = append(i.Errors, record.RowError{Row: row, Column: column, Code: d.Code, Message: d.Message, Suggestions: d.Suggestions})
	}
}
