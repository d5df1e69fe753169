package sqlitestore_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// TestRowsAreFoundByKeyInAnOlderFile opens a file of version 3 with version 4: the stored data is in tables of rows,
// and version 3 still works with it.
func TestRowsAreFoundByKeyInAnOlderFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ecf.db")
	newest := sqlitestore.Schema()
	before := slices.Clone(newest)
	before[0].Steps = before[0].Steps[:3]
	open := func(components []sqlitex.Component) (*sqlitestore.Store, *sqlitex.DB) {
		t.Helper()
		db, err := sqlitex.Open(t.Context(), path, components...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return sqlitestore.New(db), db
	}
	segment := func(index, version int64) resulttree.Node {
		n := resulttree.Node{Org: "org", Event: "event", NodeID: resulttree.NodeID{Type: "waste", Index: index}, Version: version,
			Contribution: json.RawMessage(`{"engine":"1.2.0"}`), Hash: fmt.Sprint("hash", version)}
		for i := range 300 { // longer than a page
			n.Detail.Children = append(n.Detail.Children, resulttree.Child{Key: fmt.Sprintf("r%03d-%d", i, index), Hash: "0011223344556677", Value: fmt.Sprint(version)})
		}
		return n
	}
	put := func(s *sqlitestore.Store, n resulttree.Node) {
		t.Helper()
		n.Facts = fmt.Appendf(nil, "facts of %d", n.Version)
		if err := s.PutNode(t.Context(), n, n.Version-1); err != nil {
			t.Fatal(err)
		}
	}
	want := func(s *sqlitestore.Store, nodes ...resulttree.Node) {
		t.Helper()
		listed, err := s.Nodes(t.Context(), "org", "event", "waste", 0, 0, 100)
		if err != nil || len(listed) != len(nodes) {
			t.Fatalf("%d nodes are listed, want %d: %v", len(listed), len(nodes), err)
		}
		facts, err := s.Facts(t.Context(), "org", "event", "waste", 0, 100)
		if err != nil || len(facts) != len(nodes) {
			t.Fatalf("facts of %d nodes, want %d: %v", len(facts), len(nodes), err)
		}
		for i, n := range nodes {
			got, err := s.Node(t.Context(), "org", "event", n.NodeID)
			if err != nil || !reflect.DeepEqual(got, n) || listed[i].Hash != n.Hash || string(facts[i].Facts) != fmt.Sprint("facts of ", n.Version) {
				t.Fatalf("node %d: %v, %v, %s", i, err, listed[i], facts[i].Facts)
			}
		}
	}
	result := resulttree.Result{Org: "org", Event: "event", Version: 1, Revision: 7, InputsHash: "root"}
	var nodes []resulttree.Node

	old, oldFile := open(before)
	for i := range int64(40) {
		nodes = append(nodes, segment(i, 1))
		put(old, nodes[i])
	}
	if err := old.PutResult(t.Context(), result, 0); err != nil {
		t.Fatal(err)
	}
	if err := oldFile.Close(); err != nil {
		t.Fatal(err)
	}
	s, file := open(newest)
	want(s, nodes...)
	if r, err := s.Result(t.Context(), "org", "event"); err != nil || r.InputsHash != "root" || r.Revision != 7 {
		t.Fatalf("result %v, %v", r, err)
	}
	for _, table := range []string{"result_nodes", "result_node_details", "result_facts", "results"} {
		var layout string
		if err := file.QueryRowContext(t.Context(), `SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?`, table).Scan(&layout); err != nil {
			t.Fatal(table, err)
		}
		if strings.Contains(layout, "ROWID") {
			t.Errorf("%s is searched by its rows: %s", table, layout)
		}
	}
	// The previous version, concurrently with this one.
	old, _ = open(before)
	want(old, nodes...)
	nodes[3], nodes[4] = segment(3, 2), segment(4, 2)
	put(old, nodes[3])
	put(s, nodes[4])
	want(s, nodes...)
	want(old, nodes...)
}
