package imports

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
)

// slowParts is a store in which a second passes with each part of a file.
type slowParts struct {
	*watchedImports
	clock atomic.Int64
}

func (s *slowParts) now() time.Time { return time.Unix(1_800_000_000+s.clock.Load(), 0) }

func (s *slowParts) ImportPart(ctx context.Context, org record.OrgID, id string, n int64) ([]byte, error) {
	s.clock.Add(1)
	return s.watchedImports.ImportPart(ctx, org, id, n)
}

// TestSlowRowsKeepTheLease: an import of rows that take a second each is stored before its lease expires, while rows are
// passed that cannot be imported, or that an earlier attempt has imported. Otherwise another process would begin it again, and
// it would never end.
func TestSlowRowsKeepTheLease(t *testing.T) {
	t.Parallel()
	const rows = 150
	for name, c := range map[string]struct {
		weight string
		done   int64
	}{
		"bad rows before a good one": {weight: "none"},
		"rows imported before":       {weight: "1000", done: rows},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &slowParts{watchedImports: openWatched(t)}
			i := w.addImport(t, "a", "slow", 0)
			row := func(n int64, weight string) {
				// Each row fills the buffer of the reader, so that rows are read when their turn comes.
				if err := w.PutImportPart(t.Context(), i.Org, i.ID, n, []byte("landfill,"+weight+strings.Repeat(" ", 8<<10)+"\n")); err != nil {
					t.Fatal(err)
				}
			}
			for n := range int64(rows) {
				row(n+1, c.weight)
			}
			row(rows+1, "1000")
			before := i.Rev
			i.Partial, i.Rev = true, before+1
			if c.done > 0 {
				event, err := w.Event(t.Context(), i.Org, i.Event)
				if err != nil {
					t.Fatal(err)
				}
				at := event.Context()
				i.Status, i.Context, i.ContextRev, i.Done, i.Rows, i.Imported = record.Importing, &at, event.ContextRev, c.done, rows+1, c.done
			}
			if err := w.ReplaceImport(t.Context(), i.Org, i, before); err != nil {
				t.Fatal(err)
			}
			stored, longest := w.now(), time.Duration(0)
			w.onStep = func(record.Import) { stored, longest = w.now(), max(longest, w.now().Sub(stored)) }
			if err := New(w, slog.New(slog.DiscardHandler), w.now).Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			after, err := w.Import(t.Context(), i.Org, i.Event, i.ID)
			if err != nil || after.Status != record.Completed || after.Rows != rows+1 {
				t.Errorf("%s with %d rows, %v", after.Status, after.Rows, err)
			}
			if longest >= importLease {
				t.Errorf("%s between two stores of the import, whose lease is %s", longest, importLease)
			}
		})
	}
}
