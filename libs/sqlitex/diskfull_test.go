package sqlitex

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// limitPages makes the file as good as a full disk at n pages.
func limitPages(n int) string { return fmt.Sprintf(`PRAGMA max_page_count = %d`, n) }

// pair returns a write of two rows of the given size.
func pair(id string, size int) func(context.Context, Tx) error {
	return func(ctx context.Context, tx Tx) error {
		for _, half := range []string{"-1", "-2"} {
			if _, err := tx.ExecContext(ctx, `INSERT INTO t (id, body) VALUES (?, ?)`, id+half, strings.Repeat("x", size)); err != nil {
				return err
			}
		}
		return nil
	}
}

func TestAFullDiskIsToldAndWritesNothingByHalves(t *testing.T) {
	t.Parallel()
	db := openNew(t, limitPages(40))
	written := 0
	for ; ; written++ {
		err := db.Write(t.Context(), pair(fmt.Sprint(written), 3000))
		if err == nil {
			continue
		}
		if !IsFull(err) {
			t.Fatalf("got error %v, which does not say that the disk is full", err)
		}
		if apperr.CodeOf(err) != apperr.Unavailable {
			t.Errorf("a client would be told %s, want that it may try again", apperr.CodeOf(err))
		}
		break
	}
	if written == 0 {
		t.Fatal("not even the first write found room")
	}
	if got := rows(t, db); got != 2*written {
		t.Errorf("%d rows after %d writes of two", got, written)
	}
	// Reading and making room go on, and then so does writing.
	mustWrite(t, db, func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM t WHERE id LIKE '0-%'`)
		return err
	})
	mustWrite(t, db, pair("again", 3000))
	if got := rows(t, db); got != 2*written {
		t.Errorf("%d rows, want %d", got, 2*written)
	}
	var verdict string
	if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity check: %s, %v", verdict, err)
	}
}

// TestAWriteThatFindsTheDiskFullUndoesNoOther lets one large write share a
// transaction with small ones: the engine gives the transaction up, the small
// ones are written all the same.
func TestAWriteThatFindsTheDiskFullUndoesNoOther(t *testing.T) {
	t.Parallel()
	db := openNew(t, limitPages(40))
	const n, large = 20, 7
	runs := make([]int, n)
	errs := atOnce(t, db, n, func(i int) func(context.Context, Tx) error {
		size := 10
		if i == large {
			size = 100_000
		}
		return func(ctx context.Context, tx Tx) error {
			runs[i]++
			return pair(fmt.Sprint(i), size)(ctx, tx)
		}
	})
	for i, err := range errs {
		if i == large && !IsFull(err) || i != large && err != nil {
			t.Errorf("write %d: got error %v", i, err)
		}
	}
	if got := rows(t, db); got != 2*(n-1) {
		t.Errorf("%d rows, want %d", got, 2*(n-1))
	}
	if runs[0] != 2 {
		t.Errorf("the first write was run %d times; the test has missed its case", runs[0])
	}
	mustWrite(t, db, pair("after", 10))
}
