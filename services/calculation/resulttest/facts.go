package resulttest

import (
	"context"
	"testing"

	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// facts verifies that facts are stored with a segment or for one version of it, remain
// until they are replaced, and are read separately.
func facts(t *testing.T, s resulttree.Store) {
	t.Parallel()
	ctx := context.Background()
	put := func(n resulttree.Node, prev int64, facts string) {
		t.Helper()
		if facts != "" {
			n.Facts = []byte(facts)
		}
		must(t, s.PutNode(ctx, n, prev))
	}
	want := func(typ string, from, to int64, want ...resulttree.NodeFacts) {
		t.Helper()
		got, err := s.Facts(ctx, org, event, typ, from, to)
		must(t, err)
		if len(got) != len(want) {
			t.Fatalf("facts of %q from %d to %d: %v, want %v", typ, from, to, got, want)
		}
		for i := range got {
			if got[i].NodeID != want[i].NodeID || string(got[i].Facts) != string(want[i].Facts) {
				t.Fatalf("facts of %q from %d to %d: %v, want %v", typ, from, to, got, want)
			}
		}
	}
	of := func(n resulttree.Node, facts string) resulttree.NodeFacts {
		return resulttree.NodeFacts{NodeID: n.NodeID, Facts: []byte(facts)}
	}
	first, last, waste, above := node(0, 1), node(10, 1), node(1, 1), node(0, 1)
	waste.Type, above.Level = "waste", 1
	put(last, 0, "last\x00\xff")
	put(first, 0, "")
	put(waste, 0, "waste")
	put(above, 0, "")
	want("", 0, 1<<60, of(last, "last\x00\xff"), of(waste, "waste"))
	want("flights", 0, 9)
	must(t, s.KeepFacts(ctx, org, event, of(first, "first"), 1))
	want("flights", 0, 9, of(first, "first"))
	// Another version, another organization, and a node that does not exist.
	must(t, s.KeepFacts(ctx, org, event, of(first, "late"), 2))
	must(t, s.KeepFacts(ctx, other, event, of(first, "other"), 1))
	must(t, s.KeepFacts(ctx, org, event, of(node(3, 1), "absent"), 1))
	want("", 0, 1<<60, of(first, "first"), of(last, "last\x00\xff"), of(waste, "waste"))
	if all, err := s.Facts(ctx, other, event, "", 0, 1<<60); err != nil || len(all) != 0 {
		t.Fatalf("facts of another organization: %v %v", all, err)
	}
	next := node(10, 2)
	put(next, 1, "next")
	wantConflict(t, s.PutNode(ctx, next, 1))
	want("flights", 10, 10, of(last, "next"))
	// Those that were derived from the version before.
	must(t, s.KeepFacts(ctx, org, event, of(last, "older"), 1))
	want("flights", 10, 10, of(last, "next"))
	must(t, s.KeepFacts(ctx, org, event, of(last, "kept"), 2))
	want("flights", 10, 10, of(last, "kept"))
	for _, n := range []resulttree.Node{first, next} {
		got, err := s.Node(ctx, org, event, n.NodeID)
		must(t, err)
		if got.Facts != nil || got.Version != n.Version {
			t.Fatalf("node %v of version %d was read with its facts %q", n.NodeID, got.Version, got.Facts)
		}
	}
	listed, err := s.Nodes(ctx, org, event, "", 0, 0, 1<<60)
	must(t, err)
	for _, n := range listed {
		if n.Facts != nil {
			t.Fatalf("node %v was listed with its facts", n.NodeID)
		}
	}
}
