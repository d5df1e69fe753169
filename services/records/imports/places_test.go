package imports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// addLongImport is addImport for a long file, with rows of some hundred bytes.
func (w *watchedImports) addLongImport(t *testing.T, org string, rows int) record.Import {
	t.Helper()
	i := w.addImport(t, record.OrgID(org), org, 1)
	note := strings.Repeat("n", 2*shortImport/rows)
	file := "treatment,weightKg,notes\n" + strings.Repeat("landfill,1000,"+note+"\n", rows)
	if err := errors.Join(w.DropImportParts(t.Context(), i.Org, i.ID), w.PutImportPart(t.Context(), i.Org, i.ID, 0, []byte(file))); err != nil {
		t.Fatal(err)
	}
	return i
}

// TestImportsAtOnceAreBounded: one process handles a bounded number of long files concurrently, and one sweep
// processes all in the order of arrival.
func TestImportsAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	const places, organizations = 3, 8
	for n := range organizations {
		w.addLongImport(t, fmt.Sprint("o", n), 150)
	}
	working, most := map[string]bool{}, 0
	var order []string
	var mu sync.Mutex
	w.onStep = func(i record.Import) {
		mu.Lock()
		defer mu.Unlock()
		if !working[i.ID] && !i.Finished() {
			order = append(order, i.ID)
		}
		if working[i.ID] = true; i.Finished() {
			delete(working, i.ID)
		}
		most = max(most, len(working))
	}
	m := w.importer()
	m.places = newImportPlaces(places)
	if err := m.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if open, err := w.OpenImports(t.Context(), "", organizations); err != nil || len(open) > 0 {
		t.Errorf("still open: %v, %v", open, err)
	}
	if most < 2 || most > places {
		t.Errorf("%d imports at once, want at most %d", most, places)
	}
	for n, id := range order { // each started in its round, those of one round in any order
		if at := int(id[1] - '0'); at/places != n/places {
			t.Errorf("begun in the order %v", order)
			break
		}
	}
}

// TestShortImportsDoNotWaitForLongOnes: while long files occupy all places and are blocked, one with one row is
// imported.
func TestShortImportsDoNotWaitForLongOnes(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	for n := range importsAtOnce + 2 {
		w.addLongImport(t, fmt.Sprint("a", 10+n), 1)
	}
	w.addImport(t, "z", "z", 1)
	done := make(chan struct{})
	finish := sync.OnceFunc(func() { close(done) })
	t.Cleanup(finish)
	w.onStep = func(i record.Import) {
		switch {
		case i.Org != "z":
			<-done
		case i.Finished():
			finish()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- w.importer().Run(ctx) }()
	testkit.Eventually(t, 30*time.Second, func() error {
		select {
		case <-done:
			return nil
		default:
			return errors.New("the file of one row waits")
		}
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	w.imported(t, "z", "z", 1)
}

// TestLongImportsGiveWay: a long import yields its place to another organization after some time, resumes later, and
// creates each record once.
func TestLongImportsGiveWay(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	const rows = 3*importBatch + 1
	organizations := []string{"a", "b", "c", "d"}
	for _, org := range organizations {
		w.addLongImport(t, org, rows)
	}
	var clock atomic.Int64
	m := New(w, slog.New(slog.DiscardHandler), func() time.Time { return time.Unix(1_800_000_000+clock.Add(2), 0) })
	m.places = newImportPlaces(2)
	if err := m.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := map[record.OrgID]int{}
	for n, org := range w.progress {
		if first[org] == 0 {
			first[org] = n + 1
		}
	}
	for _, org := range organizations {
		w.imported(t, record.OrgID(org), org, rows)
		for _, other := range organizations {
			if first[record.OrgID(org)] > w.ended[record.OrgID(other)] {
				t.Errorf("the import of %s began when that of %s had ended: %v", org, other, w.progress)
			}
		}
		counts, err := w.CountByStatus(t.Context(), record.OrgID(org), record.EventID("event-"+org))
		if err != nil || counts[record.Unsubmitted] != rows {
			t.Errorf("%s has %v records, want %d; %v", org, counts, rows, err)
		}
	}
}

// crowdOfImports is a store with open imports of many organizations, and some of "late" after them.
type crowdOfImports struct {
	record.Store
	many, late int
}

func (s crowdOfImports) OpenImports(ctx context.Context, after string, limit int) (page []record.OpenImport, err error) {
	for n := range s.many + s.late {
		id, org := fmt.Sprintf("i%06d", n), record.OrgID(fmt.Sprint("o", n/10))
		if n >= s.many {
			org = "late"
		}
		if id > after && len(page) < limit {
			page = append(page, record.OpenImport{Org: org, ID: id})
		}
	}
	return page, ctx.Err()
}

// TestOpenImportsAreCountedInACrowd: however many those of others are.
func TestOpenImportsAreCountedInACrowd(t *testing.T) {
	t.Parallel()
	for _, many := range []int{0, openImports - 1, openImports, 3*openImports + 7} {
		for _, late := range []int{1, MaxOpen} {
			own, err := OpenOf(t.Context(), crowdOfImports{many: many, late: late}, "late")
			if full := apperr.CodeOf(err) == apperr.RateLimited; own != int64(late) || full != (late == MaxOpen) {
				t.Errorf("beside %d: %d, %v; want %d", many, own, err, late)
			}
		}
	}
}
