package calculation_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation"
)

// weighed is a store that weighs the heap when records of a segment were read.
type weighed struct {
	calculation.RecordStore
	most atomic.Uint64
}

func (w *weighed) Approved(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Counted, error) {
	counted, err := w.RecordStore.Approved(ctx, org, sub, from, to)
	w.weigh()
	return counted, err
}

func (w *weighed) EntriesAfter(ctx context.Context, org record.OrgID, ids []record.ID, after record.EntryPlace, limit int) ([]record.StoredEntry, error) {
	entries, err := w.RecordStore.EntriesAfter(ctx, org, ids, after, limit)
	w.weigh()
	return entries, err
}

// weigh records the maximum heap. What is in pools does not count: the first collection
// leaves it there, the second one does not.
func (w *weighed) weigh() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.most.Store(max(w.most.Load(), m.HeapAlloc))
	return m.HeapAlloc
}

// TestAllocationsOfReports: five times as many records need hardly more memory: some of a segment's sums, and nothing
// per record. It does not run in parallel, since the heap of other tests would count.
func TestAllocationsOfReports(t *testing.T) {
	testkit.WithoutRace(t)
	const few, many = 1_000, 5_000
	most := map[string][2]uint64{}
	variants := slices.DeleteFunc(slices.Clone(variants), func(v variant) bool { return v.names != "" && v.accept != "application/json" })
	for i, n := range []int{few, many} {
		s := start(t)
		s.fill(n)
		store := &weighed{RecordStore: s.deps.Records}
		s.deps.Records, s.deps.Spool = store, calculation.NewSpool()
		s.restart()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() { _ = s.app.Listener(listener) }()
		for _, v := range variants {
			form := v.accept + v.query
			s.download(listener.Addr().String(), v.query, v.accept, store) // the store's cache of segments is filled
			store.most.Store(0)
			before := store.weigh()
			size := s.download(listener.Addr().String(), v.query, v.accept, store)
			if size < int64(400*n) && v.accept != "text/html" {
				t.Fatalf("%s of %d records has %d bytes", form, n, size)
			}
			both := most[form]
			both[i] = store.most.Load() - before
			most[form] = both
		}
		if err := errors.Join(s.app.Shutdown(), s.deps.Spool.Remove()); err != nil {
			t.Error(err)
		}
	}
	for _, v := range variants {
		form := v.accept + v.query
		each := (int64(most[form][1]) - int64(most[form][0])) / (many - few)
		t.Logf("%s: %d and %d kB, %d bytes for each record", form, most[form][0]>>10, most[form][1]>>10, each)
		if each > 120 {
			t.Errorf("%s: each record more takes %d bytes of heap", form, each)
		}
	}
}

// download reads a report to its end, and measures the heap on the way.
func (s *service) download(address, query, form string, store *weighed) (size int64) {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, "http://"+address+"/api/v2/events/e1/results/report"+query, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer org1.user")
	request.Header.Set("Accept", form)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	if response.StatusCode != http.StatusOK {
		s.t.Fatalf("status %d", response.StatusCode)
	}
	for {
		store.weigh()
		n, err := io.CopyN(io.Discard, response.Body, 1<<20)
		if size += n; errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			s.t.Fatal(err)
		}
	}
	if size != response.ContentLength {
		s.t.Errorf("%d of %d bytes came", size, response.ContentLength)
	}
	return size
}

// interrupted is a store that does something once, when records of a segment were read.
type interrupted struct {
	calculation.RecordStore
	then func()
}

func (i *interrupted) Approved(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Counted, error) {
	counted, err := i.RecordStore.Approved(ctx, org, sub, from, to)
	if then := i.then; then != nil {
		i.then = nil
		then()
	}
	return counted, err
}

// TestAReportIsOfOneResult: where a record changes while they are read, the report is of
// the result before if its segment had been read, and else of the one after.
func TestAReportIsOfOneResult(t *testing.T) {
	t.Parallel()
	for changed, read := range map[int]bool{0: true, 7: false} {
		s := start(t)
		all := conference(s)
		store := &interrupted{RecordStore: s.deps.Records}
		s.deps.Records = store
		s.restart()
		want, records := s.of("").want(http.StatusOK).data("inputsHash"), len(all)
		store.then = func() {
			s.move(all[changed], record.Reopen)
			s.settle()
		}
		a := s.of("/report").want(http.StatusOK)
		if store.then != nil {
			t.Fatal("nothing was changed")
		}
		if !read {
			want, records = s.of("").want(http.StatusOK).data("inputsHash"), len(all)-1
		}
		v, err := bundle.Verify(a.body)
		if err != nil || len(v.Differences) > 0 || v.Records != records || v.SignedBy == "" || a.text("result", "inputsHash") != want {
			t.Errorf("record %d: %v %+v, want the result %s", changed, err, v, want)
		}
	}
}
