package imports

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
)

const (
	// badPart is the number of bytes of bad rows in one stored part, uncompressed.
	badPart = 512 << 10
	// KeptBadRows is the number of an event's newest imports whose bad rows are kept.
	KeptBadRows = 10
)

// BadRow is a row that was not imported, as it was sent. The first one is the head of the file,
// without faults.
type BadRow struct {
	Row    int64             `json:"row"`
	Cells  []string          `json:"cells,omitempty"`
	Faults []record.RowError `json:"faults,omitempty"`
}

// badRows stores the bad rows of one import. The methods of nil store nothing.
type badRows struct {
	store   record.Imports
	org     record.OrgID
	id      string
	next    int64 // the number of the next part
	pending []BadRow
	size    int
}

// badRowsOf continues after the stored parts of an import.
func badRowsOf(store record.Imports, i record.Import) *badRows {
	return &badRows{store: store, org: i.Org, id: i.BadPartsID(), next: i.BadParts}
}

// begin removes what an earlier attempt has stored.
func (b *badRows) begin(ctx context.Context) error {
	if b == nil {
		return nil
	}
	b.next, b.pending, b.size = 0, nil, 0
	return b.store.DropImportParts(ctx, b.org, b.id)
}

// note counts the faults of a row in the import and stores the row.
func (b *badRows) note(ctx context.Context, i *record.Import, row sheet.Row, refusal error, head func(string) string) error {
	faults := faultsOf(row.Number, refusal, head)
	i.Faults += int64(len(faults))
	i.Errors = append(i.Errors, faults[:max(0, min(len(faults), maxRowErrors-len(i.Errors)))]...)
	return b.add(ctx, BadRow{Row: row.Number, Cells: row.Cells, Faults: faults})
}

func (b *badRows) add(ctx context.Context, row BadRow) error {
	if b == nil {
		return nil
	}
	row.Cells = slices.Clone(row.Cells)
	b.pending = append(b.pending, row)
	for _, c := range row.Cells {
		b.size += len(c)
	}
	for _, f := range row.Faults {
		b.size += len(f.Message) + len(f.Column)
	}
	if b.size < badPart && len(b.pending) < 2000 {
		return nil
	}
	return b.flush(ctx)
}

func (b *badRows) flush(ctx context.Context) error {
	if len(b.pending) == 0 {
		return nil
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if err := json.NewEncoder(w).Encode(b.pending); err != nil {
		return fmt.Errorf("bad rows: %w", err)
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("bad rows: %w", err)
	}
	if err := b.store.PutImportPart(ctx, b.org, b.id, b.next, packed.Bytes()); err != nil {
		return err
	}
	b.next, b.pending, b.size = b.next+1, nil, 0
	return nil
}

// end stores the rest, and the number of parts in the import. A head without rows is not
// stored.
func (b *badRows) end(ctx context.Context, i *record.Import) error {
	if b == nil || i.Faults == 0 {
		return nil
	}
	err := b.flush(ctx)
	i.BadParts = b.next
	return err
}

// BadRows reads the bad rows of an import in order, the head of the file first.
func BadRows(ctx context.Context, store record.Imports, i record.Import) iter.Seq2[BadRow, error] {
	return func(yield func(BadRow, error) bool) {
		for n := range i.BadParts {
			rows, err := badRowsIn(ctx, store, i, n)
			if err != nil {
				yield(BadRow{}, err)
				return
			}
			for _, row := range rows {
				if !yield(row, nil) {
					return
				}
			}
		}
	}
}

func badRowsIn(ctx context.Context, store record.Imports, i record.Import, n int64) (rows []BadRow, err error) {
	packed, err := store.ImportPart(ctx, i.Org, i.BadPartsID(), n)
	if errors.Is(err, record.ErrNotFound) { // removed since the import was read
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("bad rows: %w", err)
	}
	text, err := io.ReadAll(r) // the size is limited: this program compressed it
	if err != nil {
		return nil, fmt.Errorf("bad rows: %w", err)
	}
	return rows, json.Unmarshal(text, &rows)
}

// dropOldBadRows removes the bad rows of all but the newest imports of an event. A failure is
// retried after the next import.
func dropOldBadRows(ctx context.Context, store record.Imports, i record.Import) {
	old, _, err := store.EventImports(ctx, i.Org, i.Event, KeptBadRows, 100)
	if err != nil {
		return
	}
	for _, o := range old {
		if o.BadParts == 0 || o.Open() || store.DropImportParts(ctx, o.Org, o.BadPartsID()) != nil {
			continue
		}
		before := o.Rev
		o.BadParts, o.Rev = 0, before+1
		_ = store.ReplaceImport(ctx, o.Org, o, before)
	}
}
