package imports

import (
	"errors"
	"io"
	"slices"
	"strconv"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/ids"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/writes"
)

// pending is a row that becomes a record.
type pending struct {
	n       int64 // counts non-empty rows
	row     sheet.Row
	record  record.Record
	decoded footprint.Decoded
}

// insert creates records from the remaining rows.
func (j *job) insert() error {
	if RowType(j.i) == footprint.OriginRows {
		return j.insertOrigins()
	}
	reader, err := sheet.NewReader(j.file(), j.i.Type, Options(j.i))
	if err != nil {
		return err
	}
	j.reader = reader
	var batch []pending
	most := j.rowsAtOnce(j.i.Org)
	n := int64(0)
	for {
		row, err := reader.Next()
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return err
		}
		if !ended {
			if n++; n <= j.i.Done {
				if err := j.pace(n); err != nil {
					return err
				}
				continue
			}
			p, ok, err := j.pendingOf(n, row)
			if err != nil {
				return err
			}
			if ok {
				batch = append(batch, p)
			} else if err := j.pace(n); err != nil {
				return err
			}
		}
		if len(batch) == most || ended {
			// After the last row nothing is left to give way with: a file that takes long to pass would never end.
			if err := j.storeBatch(batch, n); err != nil && (!ended || !errors.Is(err, errGivesWay)) {
				return err
			}
			batch, most = nil, j.rowsAtOnce(j.i.Org)
		}
		if ended {
			j.i.Bad = j.i.Rows - j.i.Imported - j.i.Updated - j.i.Unchanged - j.i.Skipped
			return j.end(record.Completed)
		}
	}
}

// pendingOf returns the record of the n-th row, unless it was found bad.
func (j *job) pendingOf(n int64, row sheet.Row) (p pending, good bool, err error) {
	if row.Err != nil {
		return pending{}, false, nil //nolint:nilerr // the row is counted among the bad ones
	}
	decoded, err := j.decoding.Decode(row.Type, row.Body, *j.i.Context)
	if err != nil {
		_, err = refusedOr(err)
		return pending{}, false, err
	}
	row.Cells = slices.Clone(row.Cells)
	p = pending{n: n, row: row, decoded: decoded, record: record.Record{ID: RecordID(j.i, n), Event: j.i.Event, Type: row.Type}}
	good = p.record.SetInput(decoded, *j.i.Context, j.i.ContextRev) == nil
	return p, good, nil
}

// RecordID returns the id of the record of an import's n-th row, the same in every attempt.
func RecordID(i record.Import, n int64) record.ID {
	return record.ID(ids.Derive("import\x00" + i.Seed + "\x00" + strconv.FormatInt(n, 10)))
}

// storeBatch stores a batch and then the progress. After a crash in between, the batch is
// stored again, which changes nothing. It stores nothing if the uploader has lost the
// permission.
func (j *job) storeBatch(batch []pending, done int64) error {
	if err := j.allowed(); err != nil {
		return err
	}
	bad := badRowsOf(j.store, j.i)
	fresh := batch[:0:0]
	for _, p := range batch {
		handled, err := j.existing(p, bad)
		if err != nil {
			return err
		}
		if !handled {
			fresh = append(fresh, p)
		}
	}
	for len(fresh) > 0 {
		same := fresh[0].record.Key().Sub()
		here, others := fresh[:0:0], fresh[:0:0]
		for _, p := range fresh {
			if p.record.Key().Sub() == same {
				here = append(here, p)
			} else {
				others = append(others, p)
			}
		}
		if err := j.create(same, here, bad); err != nil {
			return err
		}
		fresh = others
	}
	if len(bad.pending) > 0 || bad.next != j.i.BadParts {
		if err := bad.end(j.ctx, &j.i); err != nil {
			return err
		}
	}
	j.i.Done = done
	j.sure = countsOf(j.i)
	return j.progress(&j.i)
}

func (j *job) workflow() record.Workflow {
	return record.Workflow{Store: j.store, History: j.store, Now: j.now}
}

// create stores rows as new records of one type.
func (j *job) create(sub record.Sub, fresh []pending, bad *badRows) error {
	records := make([]record.Record, len(fresh))
	for n, p := range fresh {
		records[n] = p.record
	}
	_, refused, err := j.workflow().InsertAll(j.ctx, j.store, j.i.Org, sub, records, j.i.By)
	if err != nil {
		return err
	}
	for n, refusal := range refused {
		if refusal == nil || errors.Is(refusal, record.ErrDuplicate) { // stored by an earlier attempt
			j.i.Imported++
			continue
		}
		// The reference has been taken since the file was validated.
		handled, err := j.existing(fresh[n], bad)
		if err != nil {
			return err
		}
		if !handled {
			if err := j.refuse(fresh[n], bad, refusal); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuse records a row found to be bad during the import.
func (j *job) refuse(p pending, bad *badRows, refusal error) error {
	if slices.ContainsFunc(j.i.Errors, func(e record.RowError) bool { return e.Row == p.row.Number }) {
		return nil // counted by an earlier attempt
	}
	if bad.next == 0 && len(bad.pending) == 0 {
		if err := bad.add(j.ctx, BadRow{Row: 1, Cells: j.reader.Heads()}); err != nil {
			return err
		}
	}
	return bad.note(j.ctx, &j.i, p.row, refusal, j.reader.Head)
}

// existing handles a row whose reference a record has, as the import specifies, and reports
// whether it did.
func (j *job) existing(p pending, bad *badRows) (bool, error) {
	mode := writes.Duplicates(j.i.OnDuplicate)
	if mode != writes.Skip && mode != writes.Update || p.record.Reference == "" {
		return false, nil
	}
	r, err := j.store.RecordByReference(j.ctx, j.i.Org, p.record.Key().Sub(), p.record.Reference)
	if errors.Is(err, record.ErrNotFound) || err == nil && r.ID == p.record.ID {
		return false, nil // it is new, or was created by an earlier attempt
	}
	if err != nil {
		return false, err
	}
	if mode == writes.Skip {
		j.i.Skipped++
		return true, nil
	}
	once := "import:" + string(p.record.ID)
	if len(record.ChangedFields(r.Fields, p.decoded.Fields)) == 0 && r.Last.Once != once {
		j.i.Unchanged++
		return true, nil
	}
	_, err = j.workflow().Apply(j.ctx, record.Request{Org: j.i.Org, Key: r.Key(), Move: record.Edit, By: j.i.By, Once: once,
		Change: func(r *record.Record) ([]string, error) {
			return record.ChangedFields(r.Fields, p.decoded.Fields), r.SetInput(p.decoded, *j.i.Context, j.i.ContextRev)
		}})
	switch apperr.CodeOf(err) {
	case "":
		j.i.Updated++
		return true, nil
	case apperr.RecordNotFound:
		return false, nil
	case apperr.Internal, apperr.Unavailable:
		return false, err
	}
	return true, j.refuse(p, bad, err)
}
