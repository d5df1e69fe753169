package sqlitex

import "testing"

// TestTraffic: queries, transactions that read, and writes are each counted as such.
func TestTraffic(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	before := db.Traffic()
	if err := db.Write(t.Context(), put("a")); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM t WHERE id = ?`, "a").Scan(&n); err != nil || n != 1 {
		t.Fatal(n, err)
	}
	for range 2 {
		tx, err := db.Snapshot(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := tx.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM t WHERE id = ?`, "a").Scan(&n); err != nil || n != 1 {
				t.Fatal(n, err)
			}
		}
		if _, err := tx.ExecContext(t.Context(), `DELETE FROM t`); err == nil {
			t.Error("a snapshot writes")
		}
		if err := tx.Rollback(); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := db.Traffic().Since(before), (Traffic{Reads: 1, Transactions: 2, Writes: 1, Statements: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
