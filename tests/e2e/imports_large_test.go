package e2e

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// weighing is a store that measures the memory in use whenever an importer reads from
// the file or stores its progress: at the same points in every run, regardless of
// speed.
type weighing struct {
	record.Store
	before, highest uint64
	calls           int
	// hold keeps all that was read, like an importer that holds the whole file.
	hold bool
	held [][]byte
}

func (w *weighing) begin() {
	runtime.GC()
	runtime.GC() // pools keep their contents for one more cycle
	w.before = inUse()
}

func inUse() uint64 {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	return now.HeapAlloc
}

func (w *weighing) weigh() {
	if w.calls++; w.calls%4 != 0 {
		return
	}
	runtime.GC() // what remains is in use
	if now := inUse(); now > w.before {
		w.highest = max(w.highest, now-w.before)
	}
}

func (w *weighing) ImportPart(ctx context.Context, org record.OrgID, id string, n int64) ([]byte, error) {
	part, err := w.Store.ImportPart(ctx, org, id, n)
	if w.hold {
		w.held = append(w.held, part)
	}
	w.weigh()
	return part, err
}

func (w *weighing) ReplaceImport(ctx context.Context, org record.OrgID, i record.Import, prevRev int64) error {
	w.weigh()
	return w.Store.ReplaceImport(ctx, org, i, prevRev)
}

// TestMemoryOfAnImportDoesNotGrow verifies that an import of a file ten times as long
// takes hardly more memory: less than a quarter of the additional size. An importer
// that holds the file must be found to take it.
func TestMemoryOfAnImportDoesNotGrow(t *testing.T) { //nolint:paralleltest // it looks at the memory of the whole process
	few, width := 500, 3_000
	if testkit.Long(t) {
		few, width = 10_000, 130
	}
	peak := func(rows int, hold bool) (used, size uint64) {
		db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"), sqlitestore.Schema()...)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		store := &weighing{Store: sqlitestore.New(db), hold: hold}
		s := newImporting(t, store)
		s.create(0)
		var file strings.Builder
		file.WriteString("treatment,weightKg,unknown\n")
		for i := range rows {
			fmt.Fprintf(&file, "landfill,%d,%s\n", i+1, strings.Repeat("x", width))
		}
		size = uint64(file.Len())
		s.send("", file.String()).want(http.StatusAccepted)
		file.Reset()
		store.begin()
		begun := time.Now()
		if err := s.sweep(store); err != nil {
			t.Fatal(err)
		}
		if s.total() != fmt.Sprint(rows) {
			t.Fatalf("%s records", s.total())
		}
		t.Logf("%d rows, %d KiB, in %v: %d KiB more in use, measured %d times; held: %v",
			rows, size>>10, time.Since(begun).Round(time.Millisecond), store.highest>>10, store.calls/4, hold)
		return store.highest, size
	}
	small, short := peak(few, false)
	large, long := peak(10*few, false)
	most := small + (long-short)/4
	if large > most {
		t.Errorf("%d KiB for a file of %d KiB, %d KiB for one of %d KiB", large>>10, long>>10, small>>10, short>>10)
	}
	if held, _ := peak(10*few, true); held <= most {
		t.Errorf("%d KiB for a file of %d KiB that is held: this test would not notice it", held>>10, long>>10)
	}
}
