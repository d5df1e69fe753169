package sqlitestore_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// counting counts how many contributions are added up at most.
type counting struct {
	resulttree.Arithmetic
	most int
}

func (c *counting) Sum(parts []json.RawMessage) (json.RawMessage, error) {
	c.most = max(c.most, len(parts))
	return c.Arithmetic.Sum(parts)
}

// TestApprovalsAreAddedToTheSum: an approval adds one contribution to the sum that there
// is, and the sum is, byte by byte, that of all records added up anew, whatever was
// approved, withdrawn and changed before.
func TestApprovalsAreAddedToTheSum(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(testkit.Seed(t), 0)) //nolint:gosec // which records are moved
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), slices.Concat(recordsqlite.Schema(), sqlitestore.Schema())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	records, results := recordsqlite.New(db), sqlitestore.New(db)
	const size = 200
	fill(t.Context(), t, records, size)
	recalculator := resulttree.NewRecalculator(records, results, time.Now)
	recalculator.Fanout = 32 // several segments below one node
	seen := &counting{Arithmetic: recalculator.Arithmetic}
	recalculator.Arithmetic = seen
	event, err := records.EventContext(t.Context(), "org", "event")
	if err != nil {
		t.Fatal(err)
	}
	put := func(n int, change func(*record.Record)) {
		t.Helper()
		r, err := records.Record(t.Context(), "org", record.Key{Event: "event", Type: "waste", ID: record.ID(fmt.Sprint("r", n))})
		if err != nil {
			t.Fatal(err)
		}
		r.Rev, r.Mark = r.Rev+1, record.NewMark(time.Now())
		change(&r)
		if err := records.ReplaceRecord(t.Context(), "org", r, r.Rev-1); err != nil {
			t.Fatal(err)
		}
	}
	to := func(status record.Status) func(*record.Record) {
		return func(r *record.Record) { r.Status = status }
	}
	check := func() {
		t.Helper()
		if err := recalculator.Recalculate(t.Context(), "org", "event"); err != nil {
			t.Fatal(err)
		}
		counted, err := records.Approved(t.Context(), "org", record.Sub{Event: "event", Type: "waste"}, 1, size)
		if err != nil {
			t.Fatal(err)
		}
		parts := make([]json.RawMessage, len(counted))
		for i, c := range counted {
			parts[i] = c.Contribution
		}
		want, err := seen.Arithmetic.Sum(parts)
		if err != nil {
			t.Fatal(err)
		}
		node, err := results.Node(t.Context(), "org", "event", resulttree.NodeID{Type: "waste", Level: 1})
		if err != nil || string(node.Contribution) != string(want) {
			t.Fatalf("the sum is\n%s\nwant\n%s %v", node.Contribution, want, err)
		}
		result, err := results.Result(t.Context(), "org", "event")
		if err != nil || string(result.Contribution) != string(want) {
			t.Fatalf("the result is\n%s\nwant\n%s %v", result.Contribution, want, err)
		}
	}
	for n := 1; n <= size; n += int(recalculator.Fanout) { // each segment has one that is marked
		put(n, to(record.Approved))
	}
	check()
	for range 60 {
		n := 1 + random.IntN(size)
		put(n, to(record.ChangesRequested))
		if random.IntN(2) == 0 {
			check()
		}
		if random.IntN(3) == 0 {
			put(n, func(r *record.Record) {
				r.Fields = json.RawMessage(fmt.Sprintf(`{"treatment":"landfill","material":"mixed","weightKg":%d,"country":"GB"}`, 1+random.IntN(500)))
				preview, contribution, err := record.Evaluate("waste", r.Fields, nil, event.Context())
				if err != nil {
					t.Fatal(err)
				}
				r.Preview, r.Contribution = preview, contribution
			})
		}
		put(n, to(record.Approved))
		check()
	}
	put(7, to(record.ChangesRequested))
	check()
	put(7, to(record.Approved))
	seen.most = 0
	check()
	if seen.most > 2 {
		t.Errorf("an approval added up %d contributions, want the sum there was and its own", seen.most)
	}
}
