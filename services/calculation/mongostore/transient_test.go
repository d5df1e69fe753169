package mongostore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// TestEveryWriteSurvivesATransientError lets each command of each writing method fail once, before and after its
// execution by the server: the method succeeds, and its write exists once.
func TestEveryWriteSurvivesATransientError(t *testing.T) {
	t.Parallel()
	uri, database := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	client, err := mongox.Connect(testkit.LongLimits(through), mongox.Options{AppName: "test"})
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	store, err := mongostore.New(t.Context(), client.Database(database))
	must(t, err)
	ctx, now := t.Context(), time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)
	n := int64(0)
	node := func() resulttree.Node {
		n++
		return resulttree.Node{Org: "org", Event: "event", NodeID: resulttree.NodeID{Type: "waste", Index: n}, Version: 1, Contribution: json.RawMessage(`{}`)}
	}
	result := func() resulttree.Result {
		n++
		return resulttree.Result{Org: "org", Event: "event", Version: 1, Revision: n, Contribution: json.RawMessage(`{}`), CalculatedAt: now}
	}
	for name, prepare := range map[string]func() (write, check func() error){
		"PutNode that is new": func() (write, check func() error) {
			v := node()
			return func() error { return store.PutNode(ctx, v, 0) }, nodeHas(ctx, store, v.NodeID, 1)
		},
		"PutNode": func() (write, check func() error) {
			v := node()
			must(t, store.PutNode(ctx, v, 0))
			v.Version = 2
			return func() error { return store.PutNode(ctx, v, 1) }, nodeHas(ctx, store, v.NodeID, 2)
		},
		"PutNode that writes what changes": func() (write, check func() error) {
			deltas := mongostore.Attach(client.Database(database))
			deltas.WriteDeltas(true)
			v := node()
			child := resulttree.Child{Key: "r1", Value: "1"}
			v.Detail = resulttree.Detail{Children: []resulttree.Child{child}, Changed: []resulttree.Change{{After: child}}}
			must(t, deltas.PutNode(ctx, v, 0))
			v.Version = 2
			v.Detail.Children = []resulttree.Child{{Key: "r1", Value: "2"}}
			v.Detail.Changed = []resulttree.Change{{Before: child, After: v.Detail.Children[0]}}
			return func() error { return deltas.PutNode(ctx, v, 1) }, nodeHas(ctx, store, v.NodeID, 2)
		},
		"InsertChanges": func() (write, check func() error) {
			v := node()
			return func() error {
					return store.InsertChanges(ctx, resulttree.NodeChanges{Org: "org", Event: "event", NodeID: v.NodeID, Version: 1})
				}, func() error {
					all, err := store.Changes(ctx, "org", "event", v.NodeID, 0, 9)
					return wantOne(len(all), err)
				}
		},
		"PutResult": func() (write, check func() error) {
			v := result()
			v.Event += "r"
			stored, err := store.Result(ctx, v.Org, v.Event)
			if err == nil {
				v.Version = stored.Version + 1
			}
			return func() error { return store.PutResult(ctx, v, v.Version-1) }, func() error {
				got, err := store.Result(ctx, v.Org, v.Event)
				if err == nil && got.Version != v.Version {
					err = fmt.Errorf("version %d, want %d", got.Version, v.Version)
				}
				return err
			}
		},
		"InsertRevision": func() (write, check func() error) {
			v := result()
			return func() error { return store.InsertRevision(ctx, v) }, func() error {
				all, err := store.Revisions(ctx, v.Org, v.Event, v.Revision, v.Revision)
				return wantOne(len(all), err)
			}
		},
		"PutRetention": func() (write, check func() error) {
			stored, err := store.Retention(ctx, "org", "event")
			must(t, err)
			v := resulttree.Retention{Org: "org", Event: "event", Version: stored.Version + 1, Floor: 2}
			return func() error { return store.PutRetention(ctx, v, stored.Version) }, func() error {
				got, err := store.Retention(ctx, "org", "event")
				return wantOne(int(got.Version-stored.Version), err)
			}
		},
		"ReplaceRevision": func() (write, check func() error) {
			v := result()
			must(t, store.InsertRevision(ctx, v))
			v.Since = 1
			return func() error { return store.ReplaceRevision(ctx, v, 0) }, func() error {
				all, err := store.Revisions(ctx, v.Org, v.Event, v.Revision, v.Revision)
				if err != nil || len(all) != 1 {
					return wantOne(len(all), err)
				}
				return wantOne(int(all[0].Since), nil)
			}
		},
		"DeleteRevisions": func() (write, check func() error) {
			v := result()
			must(t, store.InsertRevision(ctx, v))
			return func() error { return store.DeleteRevisions(ctx, v.Org, v.Event, v.Revision, v.Revision) }, func() error {
				all, err := store.Revisions(ctx, v.Org, v.Event, v.Revision, v.Revision)
				return wantOne(len(all)+1, err)
			}
		},
		"ReplaceChanges and DeleteChanges": func() (write, check func() error) {
			v := resulttree.NodeChanges{Org: "org", Event: "event", NodeID: node().NodeID, Version: 1}
			must(t, store.InsertChanges(ctx, v))
			v.Version = 2
			must(t, store.InsertChanges(ctx, v))
			v.Since = 1
			return func() error {
					return errors.Join(store.ReplaceChanges(ctx, v), store.DeleteChanges(ctx, v.Org, v.Event, v.NodeID, 0, 1))
				}, func() error {
					all, err := store.Changes(ctx, v.Org, v.Event, v.NodeID, 0, 9)
					if err != nil || len(all) != 1 {
						return wantOne(len(all), err)
					}
					return wantOne(int(all[0].Since), nil)
				}
		},
		"PutPart": func() (write, check func() error) {
			name := fmt.Sprint("part", node().Index)
			return func() error { return store.PutPart(ctx, "org", "event", name, []byte("x"), now) }, func() error {
				data, err := store.Part(ctx, "org", "event", name)
				return wantOne(len(data), err)
			}
		},
		"PutPart that is there": func() (write, check func() error) {
			must(t, store.PutPart(ctx, "org", "event", "again", []byte("x"), now))
			return func() error { return store.PutPart(ctx, "org", "event", "again", []byte("x"), now.Add(time.Hour)) }, func() error {
				names, err := store.PartsBefore(ctx, "org", "event", now.Add(time.Minute))
				if len(names) > 0 && names[0] == "again" {
					return fmt.Errorf("it is as old as before: %v", names)
				}
				return err
			}
		},
		"DeletePart": func() (write, check func() error) {
			must(t, store.PutPart(ctx, "org", "event", "gone", []byte("x"), now))
			return func() error { return store.DeletePart(ctx, "org", "event", "gone", now.Add(time.Hour)) }, func() error {
				if _, err := store.Part(ctx, "org", "event", "gone"); err == nil {
					return fmt.Errorf("it is still there")
				}
				return nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			testkit.EachWriteFails(t, between, prepare)
		})
	}
}

func nodeHas(ctx context.Context, store *mongostore.Store, id resulttree.NodeID, version int64) func() error {
	return func() error {
		got, err := store.Node(ctx, "org", "event", id)
		if err == nil && got.Version != version {
			err = fmt.Errorf("version %d, want %d", got.Version, version)
		}
		return err
	}
}

func wantOne(n int, err error) error {
	if err == nil && n != 1 {
		err = fmt.Errorf("%d, want 1", n)
	}
	return err
}
