package editions

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// Edition is an edition that is kept.
type Edition struct {
	Manifest
	store Parts
	org   record.OrgID
	event record.EventID
}

// Open reads the root of an edition; ErrNotFound.
func Open(ctx context.Context, store Parts, org record.OrgID, event record.EventID, root string) (*Edition, error) {
	e := &Edition{store: store, org: org, event: event}
	text, err := e.part(ctx, root)
	if err != nil {
		return nil, fmt.Errorf("edition %s: %w", root, err)
	}
	if err := json.Unmarshal(text, &e.Manifest); err != nil {
		return nil, fmt.Errorf("edition %s: %w", root, err)
	}
	if e.Format != manifestFormat {
		return nil, fmt.Errorf("edition %s: its format is %q, which this version does not know", root, e.Format)
	}
	return e, nil
}

// part reads a part and verifies its content against its name.
func (e *Edition) part(ctx context.Context, name string) ([]byte, error) {
	packed, err := e.store.Part(ctx, e.org, e.event, name)
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errDamaged, name, err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", errDamaged, name, err)
	}
	if nameOf(text) != name {
		return nil, fmt.Errorf("%w: %s", errDamaged, name)
	}
	return text, nil
}

// Reader reads a document from its beginning, one part at a time. A document that
// the edition does not have is empty.
func (e *Edition) Reader(ctx context.Context, name string) io.Reader {
	return &reader{ctx: ctx, edition: e, parts: e.Documents[name].Parts}
}

type reader struct {
	ctx     context.Context //nolint:containedctx // it lives as long as one reading
	edition *Edition
	parts   []Part
	current []byte
}

// Read implements io.Reader.
func (r *reader) Read(to []byte) (int, error) {
	for len(r.current) == 0 {
		if len(r.parts) == 0 {
			return 0, io.EOF
		}
		text, err := r.edition.part(r.ctx, r.parts[0].Name)
		if err != nil {
			return 0, err
		}
		r.current, r.parts = text, r.parts[1:]
	}
	n := copy(to, r.current)
	r.current = r.current[n:]
	return n, nil
}

// Items reads a page of a document that was written by Item, and how many items it
// has. It reads the parts that the page is in and no others.
func (e *Edition) Items(ctx context.Context, name string, skip, limit int64) (items []json.RawMessage, total int64, err error) {
	items = []json.RawMessage{}
	for _, p := range e.Documents[name].Parts {
		first := total
		total += p.Items
		if total <= skip || first >= skip+limit {
			continue
		}
		text, err := e.part(ctx, p.Name)
		if err != nil {
			return nil, 0, err
		}
		for i, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
			if at := first + int64(i); skip <= at && at < skip+limit {
				items = append(items, line)
			}
		}
	}
	return items, total, nil
}

// Sweep removes the parts of an event that no edition of the given roots uses. Those
// stored within the last day stay: a sign-off in progress may be about to use them.
func Sweep(ctx context.Context, store Parts, org record.OrgID, event record.EventID, roots []string, now time.Time) error {
	before := now.Add(-sweepAge)
	old, err := store.PartsBefore(ctx, org, event, before)
	if err != nil || len(old) == 0 {
		return err
	}
	used := map[string]bool{}
	for _, root := range roots {
		e, err := Open(ctx, store, org, event, root)
		if err != nil {
			return fmt.Errorf("sweep parts: %w", err)
		}
		used[root] = true
		for _, d := range e.Documents {
			for _, p := range d.Parts {
				used[p.Name] = true
			}
		}
	}
	for _, name := range old {
		if used[name] {
			continue
		}
		if err := store.DeletePart(ctx, org, event, name, before); err != nil {
			return fmt.Errorf("sweep parts: %w", err)
		}
	}
	return nil
}
