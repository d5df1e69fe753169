//go:build linux || darwin

package sqlitex

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

func majorVersion(t *testing.T, db *DB) Version {
	t.Helper()
	v, err := db.MajorVersion(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestMinorWritesLeaveTheMajorVersion: of all commits only those of this handle's minor writes do.
func TestMinorWritesLeaveTheMajorVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db, other := openAt(t, path), openAt(t, path)
	number := 0
	write := func(db *DB, ctx context.Context) {
		t.Helper()
		number++
		if err := db.Write(ctx, put(fmt.Sprint(number))); err != nil {
			t.Fatal(err)
		}
	}
	for i, step := range []struct {
		by   *DB
		ctx  context.Context
		same bool
	}{
		{db, t.Context(), false},
		{db, Minor(t.Context()), true},
		{db, Unsynced(Minor(t.Context())), true},
		{other, Minor(t.Context()), false},
		{db, Minor(t.Context()), true},
		{other, t.Context(), false},
		{db, t.Context(), false},
	} {
		before, state := majorVersion(t, db), version(t, db)
		write(step.by, step.ctx)
		if after := majorVersion(t, db); (after == before) != step.same {
			t.Errorf("step %d: %v, then %v; want the same: %t", i, before, after, step.same)
		}
		if version(t, db) == state {
			t.Errorf("step %d: a commit does not change the version", i)
		}
	}

	// What nobody has seen is not made minor by a minor write after it.
	before := majorVersion(t, db)
	write(other, t.Context())
	write(db, Minor(t.Context()))
	if majorVersion(t, db) == before {
		t.Error("a minor write hides the commit of another before it")
	}

	// One commit of a minor write and another one.
	before = majorVersion(t, db)
	open := gate(t, db)
	defer open()
	var wg sync.WaitGroup
	for i, ctx := range []context.Context{Minor(t.Context()), t.Context()} {
		wg.Go(func() {
			if err := db.Write(ctx, put(fmt.Sprint("together ", i))); err != nil {
				t.Error(err)
			}
		})
		waitQueued(t, db, i+1)
	}
	open()
	wg.Wait()
	if majorVersion(t, db) == before {
		t.Error("a minor write hides the one that it was committed with")
	}
}

func version(t *testing.T, db *DB) Version {
	t.Helper()
	v, err := db.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestOneMajorVersionHasOneContent reads a row beside two handles that write, one of them minor writes and others,
// which alone change the row. What is read between two readings of the same major version is of that version.
func TestOneMajorVersionHasOneContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	db, other := openAt(t, path), openAt(t, path)
	mustWrite(t, db, put("row"))
	var done atomic.Bool
	var wg sync.WaitGroup
	defer func() {
		done.Store(true)
		wg.Wait()
	}()
	change := func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE t SET body = COALESCE(body, '') || '.' WHERE id = 'row'`)
		return err
	}
	seeds := testkit.Rand(t)
	for i, by := range []*DB{db, db, other} {
		r := rand.New(rand.NewPCG(seeds.Uint64(), 0))
		wg.Go(func() {
			for n := 0; !done.Load(); n++ {
				var err error
				if r.IntN(12) == 0 {
					err = by.Write(t.Context(), change)
				} else {
					err = by.Write(Minor(t.Context()), put(fmt.Sprint(i, ".", n)))
				}
				if err != nil && !done.Load() {
					t.Error(err)
					return
				}
			}
		})
	}
	const versions = 20
	contents, met := map[Version]int{}, 0
	for late := time.Now().Add(30 * time.Second); len(contents) < versions && time.Now().Before(late); {
		before := majorVersion(t, db)
		var n int
		if err := db.QueryRowContext(t.Context(), `SELECT COALESCE(LENGTH(body), 0) FROM t WHERE id = 'row'`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		if majorVersion(t, db) != before {
			continue
		}
		if first, ok := contents[before]; ok && first != n {
			t.Fatalf("version %v is of %d changes, and of %d", before, first, n)
		}
		contents[before] = n
		met++
	}
	if met < 2*versions || len(contents) < versions {
		t.Errorf("%d readings were of one version each, of %d versions: too few to tell anything", met, len(contents))
	}
}
