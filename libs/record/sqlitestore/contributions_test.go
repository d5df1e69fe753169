package sqlitestore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestContributionsOfASegmentAreBehind: concurrent writes do not wait for the contributions of a whole segment, and
// in the end all are stored.
func TestContributionsOfASegmentAreBehind(t *testing.T) {
	t.Parallel()
	db, store := open(t, filepath.Join(t.TempDir(), "test.db"))
	const records = 100
	all := make([]record.Recalculated, records)
	for i := range all {
		r := sample(sub, record.ID(fmt.Sprint("r", i)))
		r.ContextRev = 1
		if _, err := store.InsertRecord(t.Context(), org, r); err != nil {
			t.Fatal(err)
		}
		all[i] = record.Recalculated{ID: r.ID, Rev: r.Rev, ContextRev: 2, Preview: r.Preview, Contribution: json.RawMessage(`{}`)}
	}
	before := db.Traffic().Writes
	// A write blocks the file; the contributions are queued, and another write after them.
	holding, release := make(chan struct{}), make(chan struct{})
	held, stored, other := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() {
		held <- db.Write(t.Context(), func(context.Context, sqlitex.Tx) error {
			close(holding)
			<-release
			return nil
		})
	}()
	<-holding
	waits := func(writes int64) {
		t.Helper()
		testkit.Eventually(t, 10*time.Second, func() error {
			if n := db.Traffic().Writes - before; n != writes {
				return fmt.Errorf("%d writes have come, want %d", n, writes)
			}
			return nil
		})
	}
	go func() { stored <- store.StoreContributions(t.Context(), org, all) }()
	waits(2)
	kept := -1
	go func() {
		other <- db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
			return tx.QueryRowContext(ctx, "SELECT COUNT(*) FROM records WHERE context_rev = 2").Scan(&kept)
		})
	}()
	waits(3)
	close(release)
	for what, done := range map[string]chan error{"the first write": held, "the contributions": stored, "the other write": other} {
		if err := <-done; err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if kept > records/3 {
		t.Errorf("the other write came after %d of %d contributions", kept, records)
	}
	var n int
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM records WHERE context_rev = 2 AND contribution = '{}'").Scan(&n); err != nil || n != records {
		t.Errorf("%d of %d are stored (%v)", n, records, err)
	}
}

// TestContributionsOfAnotherContextForgetNothing: a cached segment remains valid while another event is recalculated
// in a new context, and is read again after contributions were stored without a change of a record's state.
func TestContributionsOfAnotherContextForgetNothing(t *testing.T) {
	t.Parallel()
	db, store := open(t, filepath.Join(t.TempDir(), "test.db"))
	other := record.Sub{Event: "other", Type: "flights"}
	for _, sub := range []record.Sub{sub, other} {
		r := sample(sub, record.ID("of "+sub.Event))
		r.Status, r.ContextRev = record.Approved, 1
		if _, err := store.InsertRecord(t.Context(), org, r); err != nil {
			t.Fatal(err)
		}
	}
	approved := func(what string, reads int64) {
		t.Helper()
		before := db.Traffic().Reads
		counted, err := store.Approved(t.Context(), org, sub, 1, 512)
		if err != nil || len(counted) != 1 {
			t.Fatalf("%s: %d records, %v", what, len(counted), err)
		}
		if n := db.Traffic().Reads - before; n != reads {
			t.Errorf("%s: %d reads, want %d", what, n, reads)
		}
	}
	calculated := func(contextRev int64, contribution string) {
		t.Helper()
		err := store.StoreContributions(t.Context(), org, []record.Recalculated{{ID: "of other", Rev: 1, ContextRev: contextRev, Contribution: json.RawMessage(contribution)}})
		if err != nil {
			t.Fatal(err)
		}
	}
	approved("the first time", 1)
	approved("the second time", 2) // the states, and the records
	approved("the third time", 1)  // the states
	calculated(2, `{}`)
	approved("after another context of another event", 1)
	calculated(2, `{}`)
	approved("after the same once more", 1)
	calculated(2, `{"lines":[]}`)
	approved("after another engine", 2)
}
