package records

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sheet"
	"github.com/eventcarbon/ecf/libs/workbook"
)

// endless is a store of as many records as are asked for, which sees how much of the
// heap is in use while they are read.
type endless struct {
	record.Pages
	most  uint64
	reads atomic.Int64
}

func (s *endless) RecordRange(ctx context.Context, _ record.OrgID, sub record.Sub, from, to int64) ([]record.Record, error) {
	if s.reads.Add(1)%4 == 0 {
		runtime.GC()
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		s.most = max(s.most, now.HeapAlloc)
	}
	at := time.UnixMilli(0)
	var all []record.Record
	for n := to; n >= from; n-- {
		all = append(all, record.Record{ID: record.ID(fmt.Sprintf("r%08d", n)), Event: sub.Event, Type: sub.Type, Seq: n, Rev: 1, Status: record.Approved,
			CreatedAt: at, UpdatedAt: at, Preview: json.RawMessage(`{"kgCO2e":1.5,"low":1,"high":2}`),
			Fields: json.RawMessage(`{"description":"` + string(slices.Repeat([]byte("x"), 300)) + `","treatment":"landfill","weightKg":120}`)})
	}
	return all, ctx.Err()
}

// encodings are the forms of an export.
var encodings = map[string]func(*exporter) error{
	"table":    func(e *exporter) error { e.encodeTable(); return nil },
	"JSON":     func(e *exporter) error { return e.encodeJSON(record.EventView{}) },
	"workbook": (*exporter).encodeWorkbook,
}

func exported(t testing.TB, store record.Pages, records int64, form string) *exporter {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	turn := func(context.Context) (func(), error) { return func() {}, nil }
	e := &exporter{ctx: ctx, cancel: cancel, still: func(context.Context) error { return nil }, release: func() {}, turn: turn, ahead: turn, store: store, org: "o", event: record.Event{ID: "e"}, types: []string{"waste"}, highest: map[string]int64{"waste": records}, sheetRows: workbook.MaxRows}
	e.columns = slices.Concat(sheet.All(e.types), sheet.ServerColumns())
	if err := encodings[form](e); err != nil {
		t.Fatal(err)
	}
	return e
}

// TestExportsTakeTheSameMemoryAtAnySize: an export of ten times as many records uses the same memory. It does not run
// in parallel, since the heap of other tests would count; what an earlier one leaves may be freed in the middle of a
// measurement, which is then repeated.
func TestExportsTakeTheSameMemoryAtAnySize(t *testing.T) {
	for form := range encodings {
		for attempt := 1; ; attempt++ {
			few, many := heapOfExport(t, form, 4_000), heapOfExport(t, form, 40_000)
			t.Logf("%s: %d and %d kB", form, few>>10, many>>10)
			if many <= 2*few+1<<20 {
				break
			}
			if attempt == 3 {
				t.Errorf("%s: %d bytes of heap for 4,000 records, %d for 40,000", form, few, many)
				break
			}
		}
	}
}

// heapOfExport returns how much the heap grows by at most during an export, in bytes.
func heapOfExport(t *testing.T, form string, records int64) uint64 {
	t.Helper()
	store := &endless{}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	e := exported(t, store, records, form)
	sent, err := io.Copy(io.Discard, struct{ io.Reader }{e})
	if err := errors.Join(err, e.Close()); err != nil || sent < records {
		t.Fatalf("%d bytes: %v", sent, err)
	}
	return store.most - min(store.most, before.HeapAlloc)
}

// TestAnExportThatIsLeftReadsNoMore: if the client disconnects, reading stops, and Close returns afterwards.
func TestAnExportThatIsLeftReadsNoMore(t *testing.T) {
	t.Parallel()
	store := &endless{}
	e := exported(t, store, 1_000_000, "table")
	released := false
	e.release = func() { released = true }
	if _, err := io.ReadFull(e, make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil || !released {
		t.Fatalf("released: %v, %v", released, err)
	}
	if reads := store.reads.Load(); reads > 3 {
		t.Errorf("%d steps were read", reads)
	}
	if _, err := e.step(); !errors.Is(err, context.Canceled) {
		t.Errorf("a file that was broken off ends with %v", err)
	}
}

// turned is a store that must be read while holding a slot.
type turned struct {
	endless
	turns, reads atomic.Int64
	outside      atomic.Bool
}

func (s *turned) RecordRange(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Record, error) {
	s.reads.Add(1)
	if s.turns.Load() != 1 {
		s.outside.Store(true)
	}
	return s.endless.RecordRange(ctx, org, sub, from, to)
}

// TestExportsReadInTurns: reading ahead in an export is scheduled like the rest of it, and never waits for a slot
// while holding one.
func TestExportsReadInTurns(t *testing.T) {
	t.Parallel()
	store := &turned{}
	e := exported(t, store, 4_000, "table")
	e.ahead = func(context.Context) (func(), error) {
		store.turns.Add(1)
		return func() { store.turns.Add(-1) }, nil
	}
	writing := false
	e.turn = func(context.Context) (func(), error) {
		if writing {
			t.Error("two turns to write at a time")
		}
		writing = true
		return func() { writing = false }, nil
	}
	sent, err := io.Copy(io.Discard, struct{ io.Reader }{e})
	if err := errors.Join(err, e.Close()); err != nil || sent < 4_000 {
		t.Fatalf("%d bytes: %v", sent, err)
	}
	if store.outside.Load() || store.reads.Load() != 4_000/exportStep {
		t.Errorf("%d reads, outside of turns: %v", store.reads.Load(), store.outside.Load())
	}
}
