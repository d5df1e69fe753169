package records

import (
	"encoding/json"
	"errors"
	"io"
	"slices"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fields"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/web"
)

// rowsOfFile returns the type of a file's rows: records of its type, or, for attendee travel,
// the origins of one record.
func rowsOfFile(i record.Import) string {
	if i.Type == footprint.AttendeeTravel && !i.WholeRecords {
		return footprint.OriginRows
	}
	return i.Type
}

// rowTypes returns the possible types of a file's rows, before its head is known.
func rowTypes(i record.Import) []string {
	if i.Type == footprint.AttendeeTravel {
		return []string{footprint.OriginRows, i.Type}
	}
	return []string{i.Type}
}

// wholeRecords reports whether the rows of a file of attendee travel are records: then it has a
// column of origins, as an export does.
func wholeRecords(file *web.File, i record.Import) bool {
	if i.Type != footprint.AttendeeTravel {
		return false
	}
	r, err := sheet.NewReader(file.Reader(), i.Type, optionsOf(i))
	return err == nil && slices.Contains(r.Heads(), "origins")
}

// mostRows returns the maximum number of rows of a file.
func mostRows(i record.Import) int64 {
	if rowsOfFile(i) == footprint.OriginRows {
		return footprint.MaxOrigins
	}
	return maxImportRows
}

// knowsWhere rejects a file of origins without a known destination.
func knowsWhere(i record.Import, event record.Event) error {
	if rowsOfFile(i) != footprint.OriginRows {
		return nil
	}
	if i.To == "" {
		if event.Location.IsZero() {
			return apperr.Invalid(apperr.Detail{Field: "to", Code: fields.Required,
				Message: "to is required because the event has no place. Give a town with its country, or a code."})
		}
		return nil
	}
	if _, _, detail := footprint.ResolveVenue(i.To, event.Country); detail != nil {
		detail.Field = "to"
		return apperr.Invalid(*detail)
	}
	return nil
}

// insertOrigins creates one record from all good rows of a file.
func (j *job) insertOrigins() error {
	reader, err := sheet.NewReader(j.file(), footprint.OriginRows, optionsOf(j.i))
	if err != nil {
		return err
	}
	j.reader = reader
	var rows []json.RawMessage
	n := int64(0)
	for {
		row, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		n++
		if row.Err == nil && footprint.CheckOrigin(row.Body, *j.i.Context) == nil {
			rows = append(rows, row.Body)
		}
	}
	body, err := footprint.OriginsBody(j.i.To, rows)
	if err != nil {
		return err
	}
	decoded, err := footprint.Decode(j.i.Type, body, *j.i.Context)
	if err != nil {
		if refusal, failure := refusedOr(err); failure == nil {
			j.i.Errors = append(j.i.Errors, faultsOf(1, refusal, nil)...)
			j.i.Faults++
			return j.end(record.Failed)
		}
		return err
	}
	p := pending{n: 1, row: sheet.Row{Number: 1}, decoded: decoded, record: record.Record{ID: recordIDOf(j.i, 1), Event: j.i.Event, Type: j.i.Type}}
	if err := fill(&p.record, decoded, *j.i.Context, j.i.ContextRev); err != nil {
		return err
	}
	if err := j.storeBatch([]pending{p}, n); err != nil {
		return err
	}
	j.i.Imported, j.i.Bad = int64(len(rows)), n-int64(len(rows))
	return j.end(record.Completed)
}
