package imports

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// insertOrigins creates one record from all good rows of a file.
func (j *job) insertOrigins() error {
	reader, err := sheet.NewReader(j.file(), footprint.OriginRows, Options(j.i))
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
	p := pending{n: 1, row: sheet.Row{Number: 1}, decoded: decoded, record: record.Record{ID: RecordID(j.i, 1), Event: j.i.Event, Type: j.i.Type}}
	if err := p.record.SetInput(decoded, *j.i.Context, j.i.ContextRev); err != nil {
		return err
	}
	if err := j.storeBatch([]pending{p}, n); err != nil {
		return err
	}
	j.i.Imported, j.i.Bad = int64(len(rows)), n-int64(len(rows))
	return j.end(record.Completed)
}
