package sqlitex

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// What "PRAGMA synchronous" answers.
const (
	onCheckpoints = 1 // NORMAL
	onCommits     = 2 // FULL
)

// TestOnlyWhatMayBeLostIsNotSynced: a write that nobody says that of is committed to the disk,
// whatever was committed before it and together with it.
func TestOnlyWhatMayBeLostIsNotSynced(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	var level int
	ask := func(ctx context.Context, tx Tx) error {
		return tx.QueryRowContext(ctx, "PRAGMA synchronous").Scan(&level)
	}
	for i, unsynced := range []bool{false, true, true, false, false, true, false} {
		ctx, want := t.Context(), onCommits
		if unsynced {
			ctx, want = Unsynced(ctx), onCheckpoints
		}
		if err := db.Write(ctx, ask); err != nil {
			t.Fatal(err)
		}
		if level != want {
			t.Errorf("write %d, unsynced %t: the level is %d, want %d", i, unsynced, level, want)
		}
	}

	// One commit for two.
	release := gate(t, db)
	defer release()
	var wg sync.WaitGroup
	for n, ctx := range []context.Context{Unsynced(t.Context()), t.Context()} {
		wg.Go(func() {
			if err := db.Write(ctx, ask); err != nil {
				t.Error(err)
			}
		})
		testkit.Eventually(t, 10*time.Second, func() error {
			if len(db.queue) != n+1 {
				return fmt.Errorf("%d are queued, not %d", len(db.queue), n+1)
			}
			return nil
		})
	}
	level = 0
	release()
	wg.Wait()
	if level != onCommits {
		t.Errorf("one that may be lost with one that may not: the level is %d, want %d", level, onCommits)
	}
}

// TestWhatIsNotSyncedIsThere: who reads after such a write finds it, and so does who opens the
// file again.
func TestWhatIsNotSyncedIsThere(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/test.db"
	db := openAt(t, path, `CREATE TABLE lost (n INTEGER)`)
	for n := range 3 {
		if err := db.Write(Unsynced(t.Context()), func(ctx context.Context, tx Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO lost (n) VALUES (?)`, n)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	count := func(db *DB) (n int) {
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM lost`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := count(db); n != 3 {
		t.Errorf("%d rows, want 3", n)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if n := count(openAt(t, path, `CREATE TABLE lost (n INTEGER)`)); n != 3 {
		t.Errorf("%d rows in the file that was opened again, want 3", n)
	}
}
