package sqlitex_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// TestVersion: every commit is seen, that of another process too, and nothing
// else is.
func TestVersion(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a.db")
	open := func() *sqlitex.DB {
		db, err := sqlitex.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	one, other := open(), open()
	version := func() sqlitex.Version {
		t.Helper()
		v, err := one.Version(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	write := func(db *sqlitex.DB, statement string) {
		t.Helper()
		if err := db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	write(one, "CREATE TABLE a (b INTEGER)")
	last := version()
	for i, by := range []*sqlitex.DB{one, other, one} {
		if again := version(); again != last {
			t.Errorf("%d: nothing was written: %v, then %v", i, last, again)
		}
		write(by, "INSERT INTO a VALUES (1)")
		now := version()
		if now == last {
			t.Errorf("%d: a commit does not change the version %v", i, now)
		}
		last = now
	}
	// A caller that has left takes nothing with it.
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := one.Version(gone); err == nil && v != last || version() != last {
		t.Errorf("after a caller that left: %v, %v", v, err)
	}
}

func BenchmarkVersion(b *testing.B) {
	db, err := sqlitex.Open(b.Context(), filepath.Join(b.TempDir(), "a.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a benchmark
	b.ReportAllocs()
	for b.Loop() {
		if _, err := db.Version(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
