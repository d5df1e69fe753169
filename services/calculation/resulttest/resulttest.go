// Package resulttest is the conformance suite of resulttree.Store: both
// engines must pass it.
package resulttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/editions"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

const (
	org   record.OrgID   = "org-a"
	other record.OrgID   = "org-b"
	event record.EventID = "event-1"
)

func id(index int64) resulttree.NodeID { return resulttree.NodeID{Type: "flights", Index: index} }

func node(index, version int64) resulttree.Node {
	return resulttree.Node{
		Org: org, Event: event, NodeID: id(index), Version: version, ContextRev: 1<<53 + 1,
		Contribution: json.RawMessage(`{"a.b":"170141183460469231731687303715884105727","$where":"é😀\u2028"}`),
		Failed:       []record.ID{"r1", "r2"}, FailedCount: 1<<53 + 1, Hash: fmt.Sprintf("hash-%d", version),
		Detail: resulttree.Detail{
			Children: []resulttree.Child{{Key: "r1", Hash: "h", Value: "170141183460469231731687303715884105727"}, {Key: "r3", Value: fmt.Sprint(version)}},
			Changed:  []resulttree.Change{{Before: resulttree.Child{Key: "r2", Hash: "x", Value: "-1"}}, {After: resulttree.Child{Key: "r3", Value: fmt.Sprint(version)}}},
			Causes:   causes(),
		},
	}
}

func causes() []resulttree.Cause {
	return []resulttree.Cause{{Action: "approve", By: record.Actor{ID: "u", Name: "é😀", Role: identity.Manager}, At: time.Date(2026, 6, 1, 12, 0, 0, 123e6, time.UTC),
		Comment: "as agreed", Fields: []string{"attendees"}, Records: 1<<53 + 1, RecordIDs: []record.ID{"r1", "r2"}}}
}

func result(version, revision int64) resulttree.Result {
	return resulttree.Result{
		Org: org, Event: event, Version: version, Revision: revision, ContextRev: 3,
		Context:      footprint.EventContext{Country: "GB", Attendees: 1<<53 + 1, RadiativeForcing: true, GWP: "published", FactorSet: "f"},
		Contribution: json.RawMessage(`{"n":1}`), Failed: []record.ID{"r"}, FailedCount: 7, EngineVersion: "1", InputsHash: "h",
		CalculatedAt: time.Date(2026, 6, 1, 12, 0, 0, 123e6, time.UTC), Causes: causes(), Children: []resulttree.Child{{Key: "flights/0", Value: "7"}, {Key: "waste/2", Value: "1"}},
	}
}

// Run verifies that the stores that open returns, a new one for each test, implement
// the interface.
func Run(t *testing.T, open func(t *testing.T) resulttree.Store) {
	ctx := context.Background()
	t.Run("node round trip and guard", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		if _, err := s.Node(ctx, org, event, id(0)); !errors.Is(err, resulttree.ErrNotFound) {
			t.Fatalf("absent node: %v", err)
		}
		must(t, s.PutNode(ctx, node(0, 1), 0))
		wantConflict(t, s.PutNode(ctx, node(0, 1), 0))
		must(t, s.PutNode(ctx, node(0, 2), 1))
		wantConflict(t, s.PutNode(ctx, node(0, 2), 1))
		wantConflict(t, s.PutNode(ctx, node(7, 3), 2)) // replaces a version that does not exist
		got, err := s.Node(ctx, org, event, id(0))
		must(t, err)
		if !reflect.DeepEqual(got, node(0, 2)) {
			t.Fatalf("got %+v", got)
		}
		must(t, s.PutNode(ctx, node(10, 1), 0))
		must(t, s.PutNode(ctx, node(2, 1), 0))
		waste, above := node(1, 1), node(0, 1)
		waste.Type, above.Level = "waste", 1
		must(t, s.PutNode(ctx, waste, 0))
		must(t, s.PutNode(ctx, above, 0))
		for _, c := range []struct {
			typ      string
			level    int
			from, to int64
			want     []resulttree.NodeID
		}{
			{"", 0, 0, 1 << 60, []resulttree.NodeID{id(0), id(2), id(10), waste.NodeID}},
			{"flights", 0, 1, 10, []resulttree.NodeID{id(2), id(10)}},
			{"waste", 0, 0, 511, []resulttree.NodeID{waste.NodeID}},
			{"", 1, 0, 1 << 60, []resulttree.NodeID{above.NodeID}},
			{"flights", 0, 3, 9, nil},
		} {
			nodes, err := s.Nodes(ctx, org, event, c.typ, c.level, c.from, c.to)
			must(t, err)
			var got []resulttree.NodeID
			for _, n := range nodes {
				if got = append(got, n.NodeID); len(n.Detail.Children)+len(n.Detail.Changed) > 0 {
					t.Fatalf("node %v was listed with its detail", n.NodeID)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Fatalf("nodes of %q on level %d from %d to %d: %v, want %v", c.typ, c.level, c.from, c.to, got, c.want)
			}
		}
	})
	t.Run("facts", func(t *testing.T) { facts(t, open(t)) })
	t.Run("result round trip and guard", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		if _, err := s.Result(ctx, org, event); !errors.Is(err, resulttree.ErrNotFound) {
			t.Fatalf("absent result: %v", err)
		}
		must(t, s.PutResult(ctx, result(1, 1), 0))
		wantConflict(t, s.PutResult(ctx, result(1, 1), 0))
		must(t, s.PutResult(ctx, result(2, 1), 1))
		wantConflict(t, s.PutResult(ctx, result(3, 1), 1))
		got, err := s.Result(ctx, org, event)
		must(t, err)
		if !reflect.DeepEqual(got, result(2, 1)) {
			t.Fatalf("got %+v", got)
		}
	})
	t.Run("changes", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		change := func(index, version int64, owner record.OrgID) resulttree.NodeChanges {
			n := node(index, version)
			return resulttree.NodeChanges{Org: owner, Event: event, NodeID: n.NodeID, Version: version, ContextRev: n.ContextRev, Changed: n.Detail.Changed}
		}
		for _, version := range []int64{12, 3, 9, 10} {
			must(t, s.InsertChanges(ctx, change(0, version, org)))
		}
		must(t, s.InsertChanges(ctx, change(1, 10, org)))
		twice := change(0, 9, org)
		twice.ContextRev = 1
		must(t, s.InsertChanges(ctx, twice)) // a repetition keeps the first
		above := change(0, 9, org)
		above.Level = 1
		must(t, s.InsertChanges(ctx, above))
		kept, err := s.Changes(ctx, org, event, id(0), 3, 10)
		must(t, err)
		if want := []resulttree.NodeChanges{change(0, 9, org), change(0, 10, org)}; !reflect.DeepEqual(kept, want) {
			t.Fatalf("got  %+v\nwant %+v", kept, want)
		}
		kept, err = s.Changes(ctx, org, event, id(0), 12, 1<<60)
		must(t, err)
		theirs, err := s.Changes(ctx, other, event, id(0), 0, 1<<60)
		must(t, err)
		if len(kept) != 0 || len(theirs) != 0 {
			t.Fatalf("got %+v and for another organization %+v", kept, theirs)
		}
	})
	t.Run("revisions", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		for revision := range int64(5) {
			must(t, s.InsertRevision(ctx, result(10*revision+1, revision+1)))
		}
		twice := result(99, 3)
		must(t, s.InsertRevision(ctx, twice)) // a repetition keeps the first
		kept, err := s.Revisions(ctx, org, event, 2, 4)
		must(t, err)
		if len(kept) != 3 || kept[0].Revision != 4 || kept[1].Version != 21 || kept[2].Revision != 2 {
			t.Fatalf("got %+v", kept)
		}
	})
	retention(t, open)
	t.Run("together", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		must(t, s.Together(ctx, func(ctx context.Context) error {
			return errors.Join(s.PutNode(ctx, node(0, 1), 0), s.InsertChanges(ctx, resulttree.NodeChanges{Org: org, Event: event, NodeID: id(0), Version: 1}),
				s.InsertRevision(ctx, result(1, 1)), s.PutResult(ctx, result(1, 1), 0))
		}))
		n, err := s.Node(ctx, org, event, id(0))
		must(t, err)
		r, err := s.Result(ctx, org, event)
		must(t, err)
		changes, err := s.Changes(ctx, org, event, id(0), 0, 1<<60)
		must(t, err)
		revisions, err := s.Revisions(ctx, org, event, 0, 10)
		must(t, err)
		if n.Version != 1 || r.Version != 1 || len(changes) != 1 || len(revisions) != 1 {
			t.Fatalf("node %d, result %d, %d changes, %d revisions", n.Version, r.Version, len(changes), len(revisions))
		}
		// The second write of a node replaces the first; writes after a conflict are
		// not made.
		wantConflict(t, s.Together(ctx, func(ctx context.Context) error {
			for _, write := range []func() error{
				func() error { return s.PutNode(ctx, node(0, 2), 1) },
				func() error { return s.PutNode(ctx, node(0, 3), 2) },
				func() error { return s.PutNode(ctx, node(1, 9), 8) },
				func() error { return s.PutResult(ctx, result(2, 2), 1) },
			} {
				if err := write(); err != nil {
					return err
				}
			}
			return nil
		}))
		r, err = s.Result(ctx, org, event)
		must(t, err)
		if r.Version != 1 {
			t.Fatalf("after a conflict the result has version %d", r.Version)
		}
	})
	t.Run("tenants are apart", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		must(t, s.PutNode(ctx, node(0, 1), 0))
		must(t, s.PutResult(ctx, result(1, 1), 0))
		must(t, s.InsertRevision(ctx, result(1, 1)))
		if _, err := s.Node(ctx, other, event, id(0)); !errors.Is(err, resulttree.ErrNotFound) {
			t.Fatalf("node of another organization: %v", err)
		}
		if _, err := s.Result(ctx, other, event); !errors.Is(err, resulttree.ErrNotFound) {
			t.Fatalf("result of another organization: %v", err)
		}
		nodes, err := s.Nodes(ctx, other, event, "", 0, 0, 1<<60)
		must(t, err)
		kept, err := s.Revisions(ctx, other, event, 0, 10)
		must(t, err)
		if len(nodes) != 0 || len(kept) != 0 {
			t.Fatal("results of another organization are visible")
		}
		theirs := node(0, 2)
		theirs.Org = other
		wantConflict(t, s.PutNode(ctx, theirs, 1))
	})
	t.Run("parts", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		at := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
		if _, err := s.Part(ctx, org, event, "a"); !errors.Is(err, editions.ErrNotFound) {
			t.Fatalf("absent part: %v", err)
		}
		data := bytes.Repeat([]byte{0, 255, 10}, 700_000)
		must(t, s.PutPart(ctx, org, event, "b", data, at))
		must(t, s.PutPart(ctx, org, event, "a", []byte("a"), at))
		must(t, s.PutPart(ctx, org, event, "a", []byte("never stored"), at.Add(time.Hour)))
		must(t, s.PutPart(ctx, org, event, "a", []byte("never stored"), at)) // an earlier time does not move it back
		must(t, s.PutPart(ctx, other, event, "a", []byte("theirs"), at))
		must(t, s.PutPart(ctx, org, "event-2", "c", []byte("c"), at))
		for _, c := range []struct {
			org   record.OrgID
			event record.EventID
			name  string
			want  []byte
		}{{org, event, "a", []byte("a")}, {org, event, "b", data}, {other, event, "a", []byte("theirs")}, {org, "event-2", "c", []byte("c")}} {
			if got, err := s.Part(ctx, c.org, c.event, c.name); err != nil || !bytes.Equal(got, c.want) {
				t.Errorf("part %s of %s/%s: %d bytes, %v; want %d", c.name, c.org, c.event, len(got), err, len(c.want))
			}
		}
		if _, err := s.Part(ctx, other, event, "b"); !errors.Is(err, editions.ErrNotFound) {
			t.Errorf("another tenant's part: %v", err)
		}
		for before, want := range map[time.Time][]string{at: nil, at.Add(time.Minute): {"b"}, at.Add(2 * time.Hour): {"a", "b"}} {
			if got, err := s.PartsBefore(ctx, org, event, before); err != nil || !slices.Equal(got, want) {
				t.Errorf("parts before %s: %v, %v; want %v", before, got, err, want)
			}
		}
		must(t, s.DeletePart(ctx, org, event, "a", at.Add(time.Minute))) // the part is younger
		must(t, s.DeletePart(ctx, org, event, "b", at.Add(time.Minute)))
		if got, err := s.PartsBefore(ctx, org, event, at.Add(2*time.Hour)); err != nil || !slices.Equal(got, []string{"a"}) {
			t.Errorf("after deletions: %v, %v", got, err)
		}
	})
	t.Run("one winner of a race", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		for round := range int64(5) {
			var won atomic.Int64
			var group sync.WaitGroup
			for range 8 {
				group.Go(func() {
					err := s.PutResult(ctx, result(round+1, round+1), round)
					switch {
					case err == nil:
						won.Add(1)
					case !errors.Is(err, resulttree.ErrConflict):
						t.Errorf("concurrent writes: %v", err)
					}
				})
			}
			group.Wait()
			if won.Load() != 1 {
				t.Fatalf("round %d: %d winners", round, won.Load())
			}
		}
	})
	t.Run("a cancelled context writes nothing", func(t *testing.T) {
		t.Parallel()
		s := open(t)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if s.PutResult(gone, result(1, 1), 0) == nil || s.PutNode(gone, node(0, 1), 0) == nil || s.InsertRevision(gone, result(1, 1)) == nil ||
			s.InsertChanges(gone, resulttree.NodeChanges{Org: org, Event: event, NodeID: id(0), Version: 1}) == nil {
			t.Fatal("a write with a cancelled context succeeded")
		}
		if _, err := s.Result(ctx, org, event); !errors.Is(err, resulttree.ErrNotFound) {
			t.Fatalf("result after a cancelled write: %v", err)
		}
		if nodes, err := s.Nodes(ctx, org, event, "", 0, 0, 1<<60); err != nil || len(nodes) != 0 {
			t.Fatalf("nodes after a cancelled write: %v %v", nodes, err)
		}
	})
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantConflict(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, resulttree.ErrConflict) {
		t.Fatalf("got %v, want a conflict", err)
	}
}
