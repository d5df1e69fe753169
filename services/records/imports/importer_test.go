package imports

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/fairshare"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// watchedImports notes which organization stored progress, and can act at that.
type watchedImports struct {
	record.Store
	mu       sync.Mutex
	progress []record.OrgID
	behind   map[record.OrgID]int // how many of its steps were written behind others' writes
	ended    map[record.OrgID]int // by the number of steps of all that were before
	onStep   func(i record.Import)
	writes   []int // how many rows each had
}

func (w *watchedImports) InsertRecords(ctx context.Context, org record.OrgID, sub record.Sub, records []record.Record) ([]record.Record, []error, error) {
	w.mu.Lock()
	w.writes = append(w.writes, len(records))
	w.mu.Unlock()
	return w.Store.InsertRecords(ctx, org, sub, records)
}

func (w *watchedImports) ReplaceImport(ctx context.Context, org record.OrgID, i record.Import, prev int64) error {
	err := w.Store.ReplaceImport(ctx, org, i, prev)
	w.mu.Lock()
	w.progress = append(w.progress, org)
	if fairshare.IsLowPriority(ctx) {
		w.behind[org]++
	}
	if i.Finished() && w.ended[org] == 0 {
		w.ended[org] = len(w.progress)
	}
	w.mu.Unlock()
	if w.onStep != nil {
		w.onStep(i)
	}
	return err
}

func openWatched(t *testing.T) *watchedImports {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return &watchedImports{Store: sqlitestore.New(db), ended: map[record.OrgID]int{}, behind: map[record.OrgID]int{}}
}

// addImport stores a file with some rows of waste, ready to be processed.
func (w *watchedImports) addImport(t *testing.T, org record.OrgID, id string, rows int) record.Import {
	t.Helper()
	ctx := t.Context()
	event := record.EventID("event-" + string(org))
	if _, err := w.Event(ctx, org, event); errors.Is(err, record.ErrNotFound) {
		if _, err := w.InsertEvent(ctx, org, record.Event{
			ID: event, Org: org, Title: "E", Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", Rev: 1, ContextRev: 1,
		}, record.Unlimited); err != nil {
			t.Fatal(err)
		}
	}
	i := record.Import{ID: id, Org: org, Event: event, Type: "waste", Status: record.Validating, Rev: 1, HasFile: true, Seed: id}
	file := "treatment,weightKg\n" + strings.Repeat("landfill,1000\n", rows)
	if err := errors.Join(w.InsertImport(ctx, org, i), w.PutImportPart(ctx, org, id, 0, []byte(file))); err != nil {
		t.Fatal(err)
	}
	return i
}

func (w *watchedImports) importer() *Importer {
	return New(w, slog.New(slog.DiscardHandler), time.Now)
}

// TestImportsOfOrganizationsTakeTurns: while as many large files as run concurrently are processed, another
// organization's file with one row is done after a few slices, not after one of the files.
func TestImportsOfOrganizationsTakeTurns(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	large := map[record.OrgID]string{}
	for n := range importSlots {
		org := record.OrgID(fmt.Sprint("a", n))
		large[org] = w.addImport(t, org, string(org)+"-large", 1500).ID
	}
	m := w.importer()
	var mu sync.Mutex
	begun := map[string]bool{}
	w.onStep = func(i record.Import) {
		mu.Lock()
		defer mu.Unlock()
		if i.Status != record.Validating || i.Rows == 0 || begun["z-small"] {
			return
		}
		if begun[i.ID] = true; len(begun) == importSlots {
			begun["z-small"] = true
			w.addImport(t, "b", "z-small", 1)
			m.Kick()
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	testkit.Eventually(t, 60*time.Second, func() error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.ended) != importSlots+1 {
			return fmt.Errorf("ended: %v", w.ended)
		}
		return nil
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for org, id := range large {
		if w.ended["b"] > w.ended[org] {
			t.Errorf("the file of one row ended after the one of 1,500 of %s: %v", org, w.progress)
		}
		w.imported(t, org, id, 1500)
	}
	w.imported(t, "b", "z-small", 1)
}

// TestImportsShareTheProcess: while other organizations are active, an import uses a slot of expensive work of its
// organization; otherwise it runs in addition.
func TestImportsShareTheProcess(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	id := w.addImport(t, "a", "a", 600).ID
	m := w.importer()
	m.Work = fairshare.New(fairshare.Options{Slots: 2, Share: 1, AloneAfter: time.Hour, Least: time.Nanosecond})
	report, err := m.Work.Acquire(t.Context(), "a", 1)
	if err != nil {
		t.Fatal(err)
	}
	m.Work.Seen("b")
	ended := make(chan error, 1)
	go func() { ended <- m.Sweep(t.Context()) }()
	testkit.Eventually(t, 20*time.Second, func() error {
		if n := m.Work.Waiting("a"); n != 1 {
			return fmt.Errorf("%d wait for the report, want the import", n)
		}
		return nil
	})
	other, err := m.Work.Acquire(t.Context(), "b", 1)
	if err != nil {
		t.Fatal(err)
	}
	other()
	report()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	w.imported(t, "a", id, 600)
	// Sixteen at a time had delayed record creation of others (ADR 0094).
	if most := slices.Max(w.writes); most > 4 {
		t.Errorf("%d rows became records in one write, which others wait for, want 4 at most", most)
	}
	// Each update of the progress is also a commit, which others wait for.
	if told, least := len(w.progress), 600/importBatch; told < least || told > len(w.writes)/2 {
		t.Errorf("the progress was stored %d times beside %d writes of rows, want %d times at least", told, len(w.writes), least)
	}
	w.writes = nil

	id = w.addImport(t, "c", "c", 600).ID
	m.Work = fairshare.New(fairshare.Options{Slots: 2, Share: 1, AloneAfter: time.Hour, Least: time.Nanosecond})
	if _, err := m.Work.Acquire(t.Context(), "c", 1); err != nil {
		t.Fatal(err)
	}
	if err := m.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.imported(t, "c", id, 600)
	if most := slices.Max(w.writes); most != importBatch {
		t.Errorf("%d rows became records in one write, want %d", most, importBatch)
	}
}

// TestLongImportsAreWrittenBehind: a long file has low-priority writes, a short one, which somebody waits for, does
// not.
func TestLongImportsAreWrittenBehind(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	w.addImport(t, "long", "long", 4*importBatch)
	w.addImport(t, "short", "short", importBatch)
	if err := w.importer().Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	// The start of the long one has normal priority, until it is known to be long.
	if n := w.behind["long"]; n < 4 {
		t.Errorf("%d steps of a long import are written behind other writes, want those of its rows", n)
	}
	if n := w.behind["short"]; n != 0 {
		t.Errorf("%d steps of a short import are written behind other writes", n)
	}
}

// TestImportsPause: while others are active, a long import pauses its storage access for twice as long as it took, at
// most a tenth of a second; a short one, or one alone, does not pause.
func TestImportsPause(t *testing.T) {
	t.Parallel()
	m := openWatched(t).importer()
	m.Work = fairshare.New(fairshare.Options{Slots: 2, Share: 1, AloneAfter: time.Hour, Least: time.Nanosecond})
	slice := func(ctx context.Context, took, least time.Duration) {
		t.Helper()
		ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		began := time.Now()
		end, err := m.slice(ctx, "a", took)
		if err != nil {
			t.Fatalf("after %v: %v", took, err)
		}
		end()
		if paused := time.Since(began); paused < least {
			t.Errorf("a pause of %v after %v, want %v", paused, took, least)
		}
	}
	long := fairshare.LowPriority(t.Context())
	slice(long, time.Hour, 0)
	m.Work.Seen("b")
	slice(long, 20*time.Millisecond, 40*time.Millisecond)
	slice(long, time.Hour, longestPause)
	if pause := pauseAfter(t.Context(), time.Hour); pause != 0 {
		t.Errorf("a short import pauses for %v", pause)
	}
	ctx, cancel := context.WithCancel(long)
	cancel()
	if _, err := m.slice(ctx, "a", time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("a pause goes on: %v", err)
	}
}

// imported verifies the outcome of an import.
func (w *watchedImports) imported(t *testing.T, org record.OrgID, id string, rows int64) {
	t.Helper()
	i, err := w.Import(t.Context(), org, record.EventID("event-"+string(org)), id)
	if err != nil || i.Status != record.Completed || i.Imported != rows {
		t.Errorf("%s: %+v, %v", org, i, err)
	}
}

// TestOneImportOfAnOrganizationAtATime: several files of one organization do not delay others, and one sweep
// processes all.
func TestOneImportOfAnOrganizationAtATime(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	for n := range 6 {
		w.addImport(t, "a", fmt.Sprint("a", n), 2)
	}
	w.addImport(t, "b", "z", 2)
	working, most := map[string]bool{}, 0
	var mu sync.Mutex
	w.onStep = func(i record.Import) {
		mu.Lock()
		defer mu.Unlock()
		if i.Org != "a" {
			return
		}
		if working[i.ID] = !i.Finished(); i.Finished() {
			delete(working, i.ID)
		}
		most = max(most, len(working))
	}
	if err := w.importer().Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if open, err := w.OpenImports(t.Context(), "", 10); err != nil || len(open) > 0 {
		t.Errorf("still open: %v, %v", open, err)
	}
	if most != 1 {
		t.Errorf("%d imports of one organization at once", most)
	}
}

// TestTooManyRowsAreRefused: no row of such a file is imported.
func TestTooManyRowsAreRefused(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	i := record.Import{Type: "waste"}
	file := "treatment,weightKg\n" + strings.Repeat("landfill,1\n", 101)
	event := record.Event{ID: "e", Org: "a", Country: "GB", Method: record.DefaultMethod, FactorSet: "desnz-2026", Rev: 1, ContextRev: 1}
	good, err := (&validation{store: w, event: event, decoding: record.DecodeOptions(t.Context(), w, event.Org, false), maxRows: 100, now: time.Now, keep: func(*record.Import) error { return nil }, turn: func() error { return nil }}).run(t.Context(), &i, strings.NewReader(file))
	if err != nil || good || len(i.Errors) != 1 || i.Errors[0].Code != "TOO_MANY_ROWS" {
		t.Errorf("%t, %v, %+v", good, err, i.Errors)
	}
}

// awayStore is a store whose imports cannot be read.
type awayStore struct {
	record.Store
	looks int
	look  func(nth int)
}

func (a *awayStore) OpenImports(context.Context, string, int) ([]record.OpenImport, error) {
	a.looks++
	a.look(a.looks)
	return nil, errors.New("the database is away")
}

// The importer logs an outage of the database once, not at each poll.
func TestImporterTellsOfAnOutageOnce(t *testing.T) {
	t.Parallel()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	store := &awayStore{}
	var log strings.Builder
	m := New(store, slog.New(slog.NewTextHandler(&log, nil)), time.Now)
	store.look = func(nth int) {
		m.Kick()
		if nth == 50 {
			end()
		}
	}
	if err := m.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "the database is away") {
		t.Errorf("%d lines of 50 looks that failed:\n%s", n, log.String())
	}
}
