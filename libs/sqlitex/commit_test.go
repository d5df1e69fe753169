package sqlitex

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// gate blocks the writer with a write until it is opened, so that further writes are queued.
func gate(t *testing.T, db *DB) (open func()) {
	t.Helper()
	closed, entered := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := db.Write(context.WithoutCancel(t.Context()), func(context.Context, Tx) error {
			close(entered)
			<-closed
			return nil
		})
		if err != nil {
			t.Errorf("gate: %v", err)
		}
	})
	<-entered
	return sync.OnceFunc(func() {
		close(closed)
		wg.Wait()
	})
}

// waitQueued waits until n writes are in the queue.
func waitQueued(t *testing.T, db *DB, n int) {
	t.Helper()
	testkit.Eventually(t, 10*time.Second, func() error {
		if got := len(db.queue); got != n {
			return fmt.Errorf("%d writes are queued, not %d", got, n)
		}
		return nil
	})
}

// atOnce queues n writes behind a gate, in order, and returns their errors once
// all were answered.
func atOnce(t *testing.T, db *DB, n int, fn func(i int) func(context.Context, Tx) error) []error {
	t.Helper()
	open := gate(t, db)
	defer open()
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = db.Write(t.Context(), fn(i)) })
		waitQueued(t, db, i+1)
	}
	open()
	wg.Wait()
	return errs
}

// commits counts the transactions in the write-ahead log at path.
func commits(t *testing.T, path string) int {
	t.Helper()
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	const header, frameHeader = 32, 24
	page := int(binary.BigEndian.Uint32(log[8:]))
	salt := log[16:24]
	n := 0
	for at := header; at+frameHeader+page <= len(log); at += frameHeader + page {
		// The last frame of a transaction tells the size of the database; frames
		// of an earlier round of the log have another salt.
		if bytes.Equal(log[at+8:at+16], salt) && binary.BigEndian.Uint32(log[at+4:]) != 0 {
			n++
		}
	}
	return n
}

func TestWritesThatWaitShareACommit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db := openAt(t, path)
	before := commits(t, path)
	const n = 100
	for i, err := range atOnce(t, db, n, func(i int) func(context.Context, Tx) error { return put(fmt.Sprint(i)) }) {
		if err != nil {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if got := rows(t, db); got != n {
		t.Errorf("%d rows, want %d", got, n)
	}
	// The gate wrote nothing, so the hundred are the only commit.
	if got := commits(t, path) - before; got != 1 {
		t.Errorf("%d commits for %d writes, want 1", got, n)
	}
}

func TestManyWritersNeedFewCommits(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db := openAt(t, path, `PRAGMA wal_autocheckpoint = 0`)
	before := commits(t, path)
	const writers, each = 64, 20
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				if err := db.Write(t.Context(), put(fmt.Sprint(w, "-", i))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := rows(t, db); got != writers*each {
		t.Errorf("%d rows, want %d", got, writers*each)
	}
	got := commits(t, path) - before
	t.Logf("%d commits for %d writes", got, writers*each)
	if got > writers*each/4 {
		t.Errorf("%d commits for %d writes", got, writers*each)
	}
}

func TestAnErrorUndoesItsOwnWriteOnly(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	failure := errors.New("refused")
	errs := atOnce(t, db, 30, func(i int) func(context.Context, Tx) error {
		return func(ctx context.Context, tx Tx) error {
			if err := put(fmt.Sprint(i))(ctx, tx); err != nil {
				return err
			}
			switch i % 3 {
			case 1:
				return failure
			case 2:
				panic("oops")
			}
			return nil
		}
	})
	for i, err := range errs {
		switch {
		case i%3 == 0 && err != nil, i%3 == 1 && !errors.Is(err, failure), i%3 == 2 && err == nil:
			t.Errorf("write %d: got error %v", i, err)
		}
	}
	if got := rows(t, db); got != 10 {
		t.Errorf("%d rows, want 10", got)
	}
	var others int
	err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM t WHERE CAST(id AS INTEGER) % 3 <> 0`).Scan(&others)
	if err != nil || others != 0 {
		t.Errorf("%d rows of refused writes are there (%v)", others, err)
	}
}

func TestAWriteSeesTheOnesBefore(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	seen := make([]int, 40)
	errs := atOnce(t, db, len(seen), func(i int) func(context.Context, Tx) error {
		return func(ctx context.Context, tx Tx) error {
			if err := tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(n), 0) + 1 FROM t`).Scan(&seen[i]); err != nil {
				return err
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO t (id, n) VALUES (?, ?)`, fmt.Sprint(i), seen[i])
			return err
		}
	})
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	for i, n := range seen {
		if n != i+1 {
			t.Fatalf("write %d got the number %d", i, n)
		}
	}
}

func TestAWriteWhoseContextEndedIsNotRun(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	never := func(context.Context, Tx) error { t.Error("the write was run"); return nil }
	for range 50 { // queue and context are chosen between at random
		if err := db.Write(ended, never); !errors.Is(err, context.Canceled) {
			t.Fatalf("got error %v", err)
		}
	}

	open := gate(t, db)
	defer open()
	waiting, cancel := context.WithCancel(t.Context())
	result := make(chan error)
	go func() { result <- db.Write(waiting, never) }()
	waitQueued(t, db, 1)
	cancel()
	open()
	if err := <-result; !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v", err)
	}
	if got := rows(t, db); got != 0 {
		t.Errorf("%d rows, want none", got)
	}
}

func TestAWriteThatHasBegunIsNotInterrupted(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.Write(ctx, func(ctx context.Context, tx Tx) error {
		cancel()
		return errors.Join(put("a")(ctx, tx), ctx.Err())
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := rows(t, db); got != 1 {
		t.Errorf("%d rows, want 1", got)
	}
}

func TestCloseWaitsForWhatIsQueued(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := Open(t.Context(), path, testTable)
	if err != nil {
		t.Fatal(err)
	}
	open := gate(t, db)
	defer open()
	const n = 60
	errs := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { errs[i] = db.Write(t.Context(), put(fmt.Sprint(i))) })
	}
	waitQueued(t, db, n)
	closed := make(chan error)
	go func() { closed <- db.Close() }()
	<-db.closing
	if err := db.Write(t.Context(), put("late")); !errors.Is(err, ErrClosed) {
		t.Errorf("got error %v, want ErrClosed", err)
	}
	open()
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("closing again: %v", err)
	}
	if got := rows(t, openAt(t, path)); got != n {
		t.Errorf("%d rows, want %d", got, n)
	}
}

func TestCloseBesideWriters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db, err := Open(t.Context(), path, testTable)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	acknowledged := 0
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				err := db.Write(t.Context(), put(fmt.Sprint(w, "-", i)))
				if errors.Is(err, ErrClosed) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				acknowledged++
				mu.Unlock()
			}
		})
	}
	testkit.Eventually(t, 10*time.Second, func() error {
		mu.Lock()
		defer mu.Unlock()
		if acknowledged < 50 {
			return fmt.Errorf("only %d writes", acknowledged)
		}
		return nil
	})
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if got := rows(t, openAt(t, path)); got != acknowledged {
		t.Errorf("%d rows, but %d writes were acknowledged", got, acknowledged)
	}
}
