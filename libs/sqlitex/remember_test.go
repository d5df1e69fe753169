package sqlitex

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

// TestANumberIsRememberedInOneTransaction: not after its end, and not after a write that is undone.
func TestANumberIsRememberedInOneTransaction(t *testing.T) {
	t.Parallel()
	db := openNew(t)
	failure := errors.New("refused")
	const n, failing = 10, 6
	for round, fails := range []bool{false, true, true, false} {
		seen := map[int]int64{} // by the last run of each write
		for i, err := range atOnce(t, db, n, func(i int) func(context.Context, Tx) error {
			return func(ctx context.Context, tx Tx) error {
				seen[i], _ = Remembered(tx, "key")
				if err := put(fmt.Sprint(round, "-", i))(ctx, tx); err != nil {
					return err
				}
				Remember(tx, "key", int64(i)+1)
				if fails && i == failing {
					return failure
				}
				return nil
			}
		}) {
			if failed := fails && i == failing; failed != errors.Is(err, failure) || !failed && err != nil {
				t.Errorf("round %d, write %d: %v", round, i, err)
			}
		}
		last := int64(0) // of the writes that are not undone
		for i := range n {
			if seen[i] != last {
				t.Errorf("round %d, write %d: %d is remembered, want %d", round, i, seen[i], last)
			}
			if last = int64(i) + 1; fails && i == failing {
				last = 0
			}
		}
	}
}
