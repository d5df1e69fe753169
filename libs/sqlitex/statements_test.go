package sqlitex_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestARowIsWaitedForNoLongerThanItsContext: a query for one row is not interrupted once it
// has begun, but it does not begin after its context ended, nor waits for a connection
// beyond that.
func TestARowIsWaitedForNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "row.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	one := func(ctx context.Context) error {
		var n int
		return db.QueryRowContext(ctx, "SELECT 1").Scan(&n)
	}
	ended, end := context.WithCancel(t.Context())
	if err := one(ended); err != nil {
		t.Fatal(err)
	}
	end()
	if err := one(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after its context ended: %v", err)
	}
	var taken []*sql.Conn
	for range db.Read().Stats().MaxOpenConnections {
		conn, err := db.Read().Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, conn)
	}
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := one(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while all connections are taken: %v", err)
	}
	for _, conn := range taken {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := one(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAllocationsOfARow: a context that may end costs a query for one row no goroutine.
func TestAllocationsOfARow(t *testing.T) {
	testkit.WithoutRace(t)
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "row.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	of := func(ctx context.Context) float64 {
		return testing.AllocsPerRun(100, func() {
			var n int
			if err := db.QueryRowContext(ctx, "SELECT 1").Scan(&n); err != nil {
				t.Error(err)
			}
		})
	}
	never, may := of(context.Background()), of(t.Context())
	if may > never+2 {
		t.Errorf("%v allocations with a context that may end, %v with one that never does", may, never)
	}
}
