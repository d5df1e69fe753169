package mongostore_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/schema"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/mongostore"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// before is the schema as known to the release before children became fields.
func before() mongox.Component {
	c := mongostore.Schema()[0]
	return mongox.Component{Name: c.Name, Steps: c.Steps[:2]}
}

func connect(t *testing.T) *mongo.Database {
	t.Helper()
	uri, database := testkit.MongoDB(t)
	client, err := mongox.Connect(testkit.LongLimits(uri), mongox.Options{AppName: "test"})
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	return client.Database(database)
}

// nextOf returns a version of a node with two records, of which one changed.
func nextOf(version int64) resulttree.Node {
	still := resulttree.Child{Key: "r0", Hash: "h", Value: "1"}
	child := func(v int64) resulttree.Child {
		if v == 0 {
			return resulttree.Child{}
		}
		return resulttree.Child{Key: "r1", Hash: fmt.Sprint("h", v), Value: fmt.Sprint(v)}
	}
	n := resulttree.Node{Org: "org", Event: "event", NodeID: resulttree.NodeID{Type: "waste"}, Version: version, ContextRev: 1,
		Contribution: json.RawMessage(fmt.Sprintf(`{"n":%d}`, version)), Hash: fmt.Sprint("hash", version)}
	n.Detail = resulttree.Detail{Children: []resulttree.Child{still, child(version)}, Causes: []resulttree.Cause{{Action: "approve", Records: 1}},
		Changed: []resulttree.Change{{Before: child(version - 1), After: child(version)}}}
	if version == 1 {
		n.Detail.Changed = append([]resulttree.Change{{After: still}}, n.Detail.Changed...)
	}
	return n
}

// readByTheReleaseBefore reads the node as the previous release does, whose detail is a text.
func readByTheReleaseBefore(t *testing.T, db *mongo.Database) (resulttree.Detail, error) {
	t.Helper()
	var stored struct {
		Detail string `bson:"detail"`
	}
	if err := db.Collection("result_nodes").FindOne(t.Context(), bson.D{}).Decode(&stored); err != nil {
		return resulttree.Detail{}, err
	}
	var d resulttree.Detail
	return d, json.Unmarshal([]byte(stored.Detail), &d)
}

// isWhole reports whether the node is in the form that every release reads.
func isWhole(t *testing.T, db *mongo.Database) bool {
	t.Helper()
	var stored bson.M
	must(t, db.Collection("result_nodes").FindOne(t.Context(), bson.D{}).Decode(&stored))
	_, separate := stored["children"]
	return !separate
}

func put(t *testing.T, s *mongostore.Store, version int64) {
	t.Helper()
	want := nextOf(version)
	must(t, s.PutNode(t.Context(), want, version-1))
	got, err := s.Node(t.Context(), "org", "event", want.NodeID)
	must(t, err)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("version %d is read as\n%+v\nand was\n%+v", version, got, want)
	}
}

// TestANewDatabaseHasSmallWrites without anybody asking for them.
func TestANewDatabaseHasSmallWrites(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(context.Context, *mongo.Database) (*mongostore.Store, error){
		"a program that makes it": mongostore.New,
		"a service": func(ctx context.Context, db *mongo.Database) (*mongostore.Store, error) {
			s, _, err := mongostore.Serve(ctx, db)
			return s, err
		},
	} {
		db := connect(t)
		s, err := open(t.Context(), db)
		must(t, err)
		put(t, s, 1)
		if isWhole(t, db) {
			t.Errorf("%s writes nodes whole into a new database", name)
		}
		if err := mongox.Up(t.Context(), db, before()); !errors.Is(err, schema.ErrNewer) {
			t.Errorf("%s: the release before is not refused: %v", name, err)
		}
	}
}

// TestSmallWritesAfterARollingUpgrade: while two releases run concurrently nodes are written whole. After the
// contract step deltas are written, also by running processes; the previous release then does not start, and if it
// still runs, it fails at such a node instead of reading it as empty.
func TestSmallWritesAfterARollingUpgrade(t *testing.T) {
	t.Parallel()
	db := connect(t)
	must(t, mongox.Up(t.Context(), db, before()))
	must(t, mongox.Up(t.Context(), db, mongostore.Schema()...))
	s, slow, err := mongostore.Serve(t.Context(), db)
	must(t, err)
	if len(slow) > 0 {
		t.Errorf("the service misses indexes: %v", slow)
	}
	for version := int64(1); version <= 2; version++ {
		put(t, s, version)
		if d, err := readByTheReleaseBefore(t, db); err != nil || !reflect.DeepEqual(d, nextOf(version).Detail) {
			t.Fatalf("the release before reads version %d as %+v, %v", version, d, err)
		}
		if _, err := mongox.Serve(t.Context(), db, []mongox.Component{before()}, mongostore.Indexes()); err != nil {
			t.Fatalf("the release before does not start while the new one is rolled out: %v", err)
		}
	}

	must(t, mongox.Contract(t.Context(), db, mongostore.Schema()...))
	put(t, s, 3)
	if !isWhole(t, db) {
		t.Error("the process asked before its time")
	}
	s.AskAgain()
	for version := int64(4); version <= 6; version++ { // whole, and deltas
		put(t, s, version)
		if isWhole(t, db) {
			t.Errorf("version %d is written whole after the contract", version)
		}
		if d, err := readByTheReleaseBefore(t, db); err == nil {
			t.Errorf("the release before reads version %d, as %+v", version, d)
		}
	}
	if _, err := mongox.Serve(t.Context(), db, []mongox.Component{before()}, mongostore.Indexes()); !errors.Is(err, schema.ErrNewer) {
		t.Errorf("the release before starts: %v", err)
	}
}

// TestNodesOfTheSwitchAreRead: nodes with children as fields but without the mark, as written before the schema had
// it.
func TestNodesOfTheSwitchAreRead(t *testing.T) {
	t.Parallel()
	db := connect(t)
	s, err := mongostore.New(t.Context(), db)
	must(t, err)
	put(t, s, 1)
	_, err = db.Collection("result_nodes").UpdateMany(t.Context(), bson.D{}, bson.D{{Key: "$unset", Value: bson.D{{Key: "detail", Value: ""}}}})
	must(t, err)
	got, err := s.Node(t.Context(), "org", "event", nextOf(1).NodeID)
	must(t, err)
	if !reflect.DeepEqual(got, nextOf(1)) {
		t.Errorf("it is read as %+v", got)
	}
	put(t, s, 2)
	if _, err := readByTheReleaseBefore(t, db); err == nil {
		t.Error("the release before reads it after the next write")
	}
}
