package sqlitestore_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
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

// counting counts the contributions added or subtracted.
type counting struct {
	resulttree.Arithmetic
	most int
}

// reading counts the records that are read for a recalculation.
type reading struct {
	resulttree.Records
	approved, inputs int
}

func (r *reading) Approved(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Counted, error) {
	counted, err := r.Records.Approved(ctx, org, sub, from, to)
	r.approved += len(counted)
	return counted, err
}

func (r *reading) Inputs(ctx context.Context, org record.OrgID, sub record.Sub, from, to int64) ([]record.Input, error) {
	inputs, err := r.Records.Inputs(ctx, org, sub, from, to)
	r.inputs += len(inputs)
	return inputs, err
}

func (c *counting) Sum(parts []json.RawMessage) (json.RawMessage, error) {
	c.most = max(c.most, len(parts))
	return c.Arithmetic.Sum(parts)
}

func (c *counting) Moved(sum json.RawMessage, more, gone []json.RawMessage) (json.RawMessage, bool, error) {
	c.most = max(c.most, 1+len(more)+len(gone))
	return c.Arithmetic.Moved(sum, more, gone)
}

// TestApprovalsAreAddedToTheSum: an approval adds one contribution to the existing sum, a withdrawal subtracts one,
// and sum and hash equal those recalculated from all records, byte by byte, after any approvals, withdrawals and
// changes by either of two processes.
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
	seen, read := &counting{}, &reading{Records: records}
	processes := make([]resulttree.Recalculator, 2)
	for i := range processes {
		processes[i] = resulttree.NewRecalculator(records, results, time.Now)
		processes[i].Fanout = 32 // several segments below one node
		seen.Arithmetic = processes[i].Arithmetic
		processes[i].Arithmetic, processes[i].Records = seen, read
	}
	recalculator := processes[0]
	event, err := records.EventContext(t.Context(), "org", "event")
	if err != nil {
		t.Fatal(err)
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
		hashes := map[int64]hash.Hash{}
		for i, c := range counted {
			parts[i] = c.Contribution
			segment := (c.Seq - 1) / recalculator.Fanout
			if hashes[segment] == nil {
				hashes[segment] = sha256.New()
			}
			resulttree.HashRecord(hashes[segment], c)
		}
		for segment, h := range hashes {
			node, err := results.Node(t.Context(), "org", "event", resulttree.NodeID{Type: "waste", Index: segment})
			if want := hex.EncodeToString(h.Sum(nil)); err != nil || node.Hash != want {
				t.Fatalf("the hash of segment %d is %s, want %s %v", segment, node.Hash, want, err)
			}
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
	for n := int64(1); n <= size; n += recalculator.Fanout { // each segment has one that is marked
		move(t, records, record.Approved, n)
	}
	check()
	for range 60 {
		recalculator = processes[random.IntN(len(processes))]
		n := int64(1 + random.IntN(size))
		move(t, records, record.ChangesRequested, n)
		if random.IntN(2) == 0 {
			check()
		}
		if random.IntN(3) == 0 {
			put(t, records, n, func(r *record.Record) {
				r.Fields = json.RawMessage(fmt.Sprintf(`{"treatment":"landfill","material":"mixed","weightKg":%d,"country":"GB"}`, 1+random.IntN(500)))
				preview, contribution, err := record.Evaluate("waste", r.Fields, nil, event.Context())
				if err != nil {
					t.Fatal(err)
				}
				r.Preview, r.Contribution = preview, contribution
			})
		}
		move(t, records, record.Approved, n)
		check()
	}
}

// TestWhatHasChangedIsRead: a decision adds or subtracts only its own contribution, and reads no other record. For
// many at once all are read.
func TestWhatHasChangedIsRead(t *testing.T) {
	t.Parallel()
	_, records, recalculator := openFilled(t, 700)
	seen, read := &counting{Arithmetic: recalculator.Arithmetic}, &reading{Records: records}
	recalculator.Arithmetic, recalculator.Records = seen, read
	for _, c := range []struct {
		what             string
		to               record.Status
		numbers          []int64
		approved, inputs int
	}{
		{"a withdrawal", record.ChangesRequested, []int64{7}, 0, 511},
		{"an approval", record.Approved, []int64{7}, 0, 512},
		{"an approval and a withdrawal in two segments", record.ChangesRequested, []int64{8, 600}, 0, 511 + 187},
		{"many withdrawals", record.ChangesRequested, []int64{11, 12, 13, 14, 15, 16, 17, 18, 19}, 502, 0},
	} {
		move(t, records, c.to, c.numbers...)
		*read, seen.most = reading{Records: records}, 0
		if err := recalculator.Recalculate(t.Context(), "org", "event"); err != nil {
			t.Fatal(err)
		}
		if read.approved != c.approved || read.inputs != c.inputs {
			t.Errorf("%s: %d records were read and the inputs of %d, want %d and %d", c.what, read.approved, read.inputs, c.approved, c.inputs)
		}
		if most := 1 + len(c.numbers); c.approved == 0 && seen.most > most {
			t.Errorf("%s added up %d contributions, want %d, the sum there was among them", c.what, seen.most, most)
		}
	}
}
