package e2e

import (
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

// An import of ten times as many rows takes no more memory: of 10,000 rows
// beside 1,000, at full length of 100,000 beside 10,000.
func TestMemoryOfAnImportDoesNotGrow(t *testing.T) { //nolint:paralleltest // it looks at the memory of the whole process
	few := 1_000
	if testkit.Long(t) {
		few = 10_000
	}
	peak := func(rows int) uint64 {
		db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "records.db"), sqlitestore.Schema()...)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		var store record.Store = sqlitestore.New(db)
		s := newImporting(t, store)
		s.create(0)
		var file strings.Builder
		file.WriteString("treatment,weightKg\n")
		for i := range rows {
			fmt.Fprintf(&file, "landfill,%d\n", i+1)
		}
		s.send("", file.String()).want(http.StatusAccepted)
		file.Reset()
		runtime.GC()
		var before runtime.MemStats
		runtime.ReadMemStats(&before)
		done, highest := make(chan error, 1), uint64(0)
		begun := time.Now()
		go func() { done <- s.sweep(store) }()
		ticker := time.NewTicker(50 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
				if s.total() != fmt.Sprint(rows) {
					t.Fatalf("%s records", s.total())
				}
				t.Logf("%d rows in %v, %d KiB", rows, time.Since(begun).Round(time.Millisecond), highest>>10)
				return highest
			case <-ticker.C:
				runtime.GC() // what is left is in use
				var now runtime.MemStats
				runtime.ReadMemStats(&now)
				if now.HeapAlloc > before.HeapAlloc {
					highest = max(highest, now.HeapAlloc-before.HeapAlloc)
				}
			}
		}
	}
	small, large := peak(few), peak(10*few)
	// What the database caches grows with its file, and a small file is looked at two or three times only; ten thousand
	// rows held would take more than that.
	if large > small+16<<20 {
		t.Errorf("%d KiB for %d rows, %d KiB for %d", large>>10, 10*few, small>>10, few)
	}
}
