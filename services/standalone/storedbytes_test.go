package standalone_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	resultsqlite "github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// storedTable is the stored table, which tests/capacity uses.
const storedTable = "docs/benchmarks/stored.tsv"

// filled are bytes per record: of rows or documents, of their index keys, and of all pages of both, if the engine
// reports them.
type filled struct {
	rows, data, indexes, pages float64
}

// livedInputs are the inputs of records, in rotation; those of tests/scale.
var livedInputs = []struct{ typ, body string }{
	{"waste", `{"description":"Catering waste","treatment":"landfill","weightKg":120}`},
	{"flights", `{"description":"Speaker","from":"LHR","to":"JFK","passengers":2}`},
	{"waste", `{"description":"Stand walls","treatment":"landfill","weightKg":815}`},
	{"flights", `{"description":"Team","from":"FRA","to":"LHR","passengers":9}`},
}

// kindsOfStored are the parts of a record's stored data by table or collection. Tables that are not listed belong to
// the sums of the event.
var kindsOfStored = map[string]string{"records": "records", "history": "history", "result_revisions": "revisions", "result_changes": "changes"}

func kindOfStored(table string) string {
	if kind, ok := kindsOfStored[table]; ok {
		return kind
	}
	return "sums"
}

// store is an engine whose stored bytes can be queried by kind.
type store struct {
	records record.Store
	results resulttree.Store
	bytes   func() map[string]filled
}

// live takes records from creation to the result: each created, submitted and approved separately, and counted in
// bursts.
func (s store) live(t *testing.T, ev record.Event, n, burst int) {
	t.Helper()
	ctx := t.Context()
	by := record.Actor{ID: strings.Repeat("i", 26), Name: "Ada Lovelace", Role: identity.User}
	reviewer := record.Actor{ID: strings.Repeat("j", 26), Name: "Grace Hopper", Role: identity.Manager}
	flow := record.Workflow{Store: s.records, Now: time.Now, NewMark: func() string { return record.NewMark(time.Now()) }}
	worker := resulttree.NewRecalculator(s.records, s.results, time.Now)
	for i := range n {
		input := livedInputs[i%len(livedInputs)]
		decoded, err := footprint.Decode(input.typ, json.RawMessage(input.body), ev.Context())
		must(t, err)
		r := record.Record{ID: record.ID(record.NewID()), Event: ev.ID, Type: input.typ, Fields: decoded.Fields, ContextRev: ev.ContextRev}
		r.Preview, r.Contribution, err = record.Evaluate(input.typ, decoded.Fields, nil, ev.Context())
		must(t, err)
		r, err = flow.Insert(ctx, ev.Org, r, by)
		must(t, err)
		_, err = flow.Apply(ctx, record.Request{Org: ev.Org, Key: r.Key(), Move: record.Submit, By: by})
		must(t, err)
		_, err = flow.Apply(ctx, record.Request{Org: ev.Org, Key: r.Key(), Move: record.Approve, By: reviewer})
		must(t, err)
		if (i+1)%burst == 0 {
			must(t, worker.Recalculate(ctx, ev.Org, ev.ID))
		}
	}
}

// drop drops the revisions that retention may drop.
func (s store) drop(t *testing.T, ev record.Event) (dropped int64) {
	t.Helper()
	dropped, err := resulttree.Pruner{Results: s.results}.Prune(t.Context(), ev, time.Now().Add(time.Hour))
	must(t, err)
	return dropped
}

// event creates the organization of a burst and its event.
func (s store) event(t *testing.T, burst int) record.Event {
	t.Helper()
	org := record.OrgID(fmt.Sprintf("%026d", burst))
	must(t, s.records.InsertOrganization(t.Context(), record.Organization{ID: org, Name: "Org", Plan: "team", Rev: 1, CreatedAt: time.Now()}))
	ev, err := s.records.InsertEvent(t.Context(), org, record.NewEvent(org, record.EventID(record.NewID()), record.Event{Title: "Annual Conference", Country: "GB",
		StartDate: "2026-06-01", Method: record.DefaultMethod, FactorSet: "desnz-2026"}, record.Actor{ID: strings.Repeat("j", 26), Name: "Grace Hopper", Role: identity.Manager}, time.Now()), record.Unlimited)
	must(t, err)
	return ev
}

// inFile is the embedded engine.
func inFile(t *testing.T) store {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), slices.Concat(recordsqlite.Schema(), resultsqlite.Schema())...)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return store{records: recordsqlite.New(db), results: resultsqlite.New(db), bytes: func() map[string]filled {
		// A table WITHOUT ROWID is a tree with its own name.
		rows, err := db.QueryContext(t.Context(), `SELECT m.tbl_name, m.type, sum(s.payload), sum(s.pgsize),
				sum(CASE WHEN s.pagetype = 'leaf' OR m.sql LIKE '%WITHOUT ROWID%' AND s.pagetype = 'internal' THEN s.ncell ELSE 0 END)
			FROM dbstat s JOIN sqlite_master m ON m.name = s.name GROUP BY m.tbl_name, m.type`)
		must(t, err)
		defer func() { _ = rows.Close() }()
		all := map[string]filled{}
		for rows.Next() {
			var table, typ string
			var payload, pages, cells float64
			must(t, rows.Scan(&table, &typ, &payload, &pages, &cells))
			f := all[kindOfStored(table)]
			f.pages += pages
			if typ == "index" {
				f.indexes += payload
			} else {
				f.data, f.rows = f.data+payload, f.rows+cells
			}
			all[kindOfStored(table)] = f
		}
		must(t, rows.Err())
		return all
	}}
}

// inMongoDB is the other one. The bytes of keys are worked out as those of the runbook;
// pages are the server's matter.
func inMongoDB(t *testing.T) store {
	t.Helper()
	g := newGrowing(t)
	return store{records: g.records, results: g.results, bytes: func() map[string]filled {
		names, err := g.db.ListCollectionNames(t.Context(), bson.D{})
		must(t, err)
		all := map[string]filled{}
		for _, name := range names {
			cursor, err := g.db.Collection(name).Find(t.Context(), bson.D{})
			must(t, err)
			var documents []bson.Raw
			must(t, cursor.All(t.Context(), &documents))
			f := all[kindOfStored(name)]
			for _, d := range documents {
				f.data += float64(len(d))
			}
			f.rows += float64(len(documents))
			if _, ok := kindsOfStored[name]; ok && len(documents) > 0 {
				var one bson.M
				must(t, bson.Unmarshal(documents[len(documents)-1], &one))
				size, _ := indexBytes(t, name, one)
				f.indexes += float64(size * len(documents))
			}
			all[kindOfStored(name)] = f
		}
		return all
	}}
}

// TestStoredBytes measures what a record leaves in the store on its way from its creation
// into the result, by engine, by how many approvals are counted together, and with all
// revisions kept or those dropped that retention may drop (ADR 0050). ECF_SCALE=curve plays
// it with many records and writes the table to ECF_STORED_OUT. In short it compares with
// the kept table, of which no number of rows and no row may be more than a quarter off.
func TestStoredBytes(t *testing.T) {
	full := os.Getenv("ECF_SCALE") == "curve"
	first, inFiles, inDatabases, bursts := 4, 40, 4, []int{1}
	if full {
		first, inFiles, inDatabases, bursts = 40, 2000, 100, []int{1, 10}
	} else {
		t.Parallel()
	}
	var table strings.Builder
	table.WriteString("engine\tburst\trevisions\tkind\trows\tdata\tindexes\tpages\n")
	for _, engine := range []struct {
		name  string
		open  func(*testing.T) store
		lives int
	}{{"sqlite", inFile, inFiles}, {"mongodb", inMongoDB, inDatabases}} {
		for _, burst := range bursts {
			s, n := engine.open(t), engine.lives
			ev := s.event(t, burst)
			// Data stored once per event exists by then, including the revisions that are always kept.
			s.live(t, ev, first, burst)
			s.drop(t, ev)
			before := s.bytes()
			s.live(t, ev, n, burst)
			all := s.bytes()
			line := func(state, kind string, f filled) string {
				key := fmt.Sprintf("%s\t%d\t%s\t%s", engine.name, burst, state, kind)
				fmt.Fprintf(&table, "%s\t%.3f\t%.0f\t%.0f\t%.0f\n", key, f.rows, f.data, f.indexes, f.pages)
				return key
			}
			for _, kind := range []string{"records", "history", "revisions", "changes", "sums"} {
				f := all[kind].each(before[kind], n)
				key := line("all", kind, f)
				// Sums grow by segments; the short form has one of each type.
				if !full && kind != "sums" {
					f.compare(t, key)
				}
			}
			if dropped := s.drop(t, ev); dropped == 0 {
				t.Error("no revision was dropped")
			}
			left := s.bytes()
			for _, kind := range []string{"revisions", "changes"} {
				line("dropped", kind, left[kind].each(before[kind], n))
			}
		}
	}
	t.Logf("\n%s", table.String())
	if out := os.Getenv("ECF_STORED_OUT"); full && out != "" {
		must(t, os.WriteFile(out, []byte(testkit.Provenance(t)+table.String()), 0o644)) //nolint:gosec // a table for everybody
	}
}

// each returns the growth since before, for each of n records.
func (f filled) each(before filled, n int) filled {
	return filled{(f.rows - before.rows) / float64(n), (f.data - before.data) / float64(n), (f.indexes - before.indexes) / float64(n), (f.pages - before.pages) / float64(n)}
}

// compare compares rows, and the bytes of one, with the stored table.
func (f filled) compare(t *testing.T, key string) {
	t.Helper()
	kept := keptBytes(t, key)
	for what, n := range map[string][2]float64{"rows": {f.rows, kept.rows}, "bytes of a row": {f.data / f.rows, kept.data / kept.rows}} {
		if is, want := n[0], n[1]; is > 1.25*want || is < 0.8*want {
			t.Errorf("%s: %.2f %s, and %.2f in %s", key, is, what, want, storedTable)
		}
	}
}

// keptBytes returns a row of the stored table.
func keptBytes(t *testing.T, key string) (kept filled) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(testkit.Root(t), storedTable))
	must(t, err)
	for line := range strings.Lines(string(text)) {
		numbers, ok := strings.CutPrefix(line, key+"\t")
		if !ok {
			continue
		}
		if _, err := fmt.Sscan(numbers, &kept.rows, &kept.data, &kept.indexes, &kept.pages); err != nil {
			t.Fatalf("%s: %q: %v", storedTable, line, err)
		}
		return kept
	}
	t.Fatalf("%s has no %q", storedTable, key)
	return filled{}
}
