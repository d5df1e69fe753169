package mongox_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func TestTransientErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err       error
		transient bool
	}{
		"none":              {nil, false},
		"write conflict":    {mongo.CommandError{Code: 112}, true},
		"in a batch":        {mongo.BulkWriteException{WriteErrors: []mongo.BulkWriteError{{WriteError: mongo.WriteError{Code: 112}}}}, true},
		"labelled":          {fmt.Errorf("insert: %w", mongo.CommandError{Code: 9999, Labels: []string{"RetryableWriteError"}}), true},
		"deadlock":          {mongo.CommandError{Code: 1, Message: "deadlock detected"}, true},
		"stepped down":      {mongo.CommandError{Code: 189}, true},
		"duplicate":         {mongo.WriteException{WriteErrors: []mongo.WriteError{{Code: 11000}}}, false},
		"unauthorized":      {mongo.CommandError{Code: 13}, false},
		"took too long":     {mongo.CommandError{Code: 50}, false},
		"given up":          {context.Canceled, false},
		"no error of its":   {errors.New("broken"), false},
		"out of time":       {context.DeadlineExceeded, false},
		"no rights, though": {mongo.CommandError{Code: 13, Labels: []string{}}, false},
	} {
		if got := mongox.IsTransient(c.err); got != c.transient {
			t.Errorf("%s: %v is transient: %t, want %t", name, c.err, got, c.transient)
		}
	}
}

// A retry that finds another process's write has the result of a first attempt: it does not mistake it for its own.
func TestARepetitionKnowsItsOwnWrite(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	client, err := mongox.Connect(testkit.LongLimits(through), mongox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	things := client.Database(name).Collection("things")
	thing := func(id string, rev int, by string) bson.D {
		return bson.D{{Key: "_id", Value: id}, {Key: "org", Value: "o"}, {Key: "rev", Value: rev}, {Key: "by", Value: by}}
	}
	at := func(id string, rev int) bson.D {
		return bson.D{{Key: "_id", Value: id}, {Key: "org", Value: "o"}, {Key: "rev", Value: rev}}
	}
	if taken, err := mongox.Insert(t.Context(), things, thing("a", 2, "them")); taken || err != nil {
		t.Fatal(taken, err)
	}
	for _, fault := range []testkit.Fault{{Code: 112}, {Code: 112, Done: true}} {
		between.Fail("insert", 1, fault)
		if taken, err := mongox.Insert(t.Context(), things, thing("a", 2, "us")); !taken || err != nil {
			t.Errorf("insert, %+v: taken %t, %v", fault, taken, err)
		}
		between.Fail("update", 1, fault)
		if matched, err := mongox.Update(t.Context(), things, at("a", 1), bson.D{{Key: "rev", Value: 2}, {Key: "by", Value: "us"}}); matched || err != nil {
			t.Errorf("update, %+v: matched %t, %v", fault, matched, err)
		}
		between.Fail("update", 1, fault)
		if matched, err := mongox.Replace(t.Context(), things, at("a", 1), thing("a", 2, "us")); matched || err != nil {
			t.Errorf("replace, %+v: matched %t, %v", fault, matched, err)
		}
	}
	// Failing twice is failing.
	between.Fail("insert", 1, testkit.Fault{Code: 13})
	if _, err := mongox.Insert(t.Context(), things, thing("b", 1, "us")); !mongox.IsPermanent(err) {
		t.Errorf("a permanent error became %v", err)
	}
}

// A write that no majority acknowledged is not reported as done, and what it found in its way is not reported as
// stored: a failover may roll back both.
func TestAnUnacknowledgedWriteIsAnOutage(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	client, err := mongox.Connect(testkit.LongLimits(through), mongox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	things := client.Database(name).Collection("things")
	thing := func(id, by string) bson.D { return bson.D{{Key: "_id", Value: id}, {Key: "by", Value: by}} }
	silent := testkit.Fault{Code: 64, Unacknowledged: true} // WriteConcernTimeout
	between.Fail("insert", 1, silent)
	if taken, err := mongox.Insert(t.Context(), things, thing("a", "us")); taken || !mongox.IsOutage(err) {
		t.Errorf("a new document: taken %t, %v", taken, err)
	}
	between.Fail("insert", 1, silent)
	if taken, err := mongox.Insert(t.Context(), things, thing("a", "them")); taken || !mongox.IsOutage(err) {
		t.Errorf("one whose id is taken: taken %t, %v", taken, err)
	}
	between.Fail("update", 1, silent)
	if matched, err := mongox.Update(t.Context(), things, bson.D{{Key: "_id", Value: "a"}}, bson.D{{Key: "by", Value: "me"}}); matched || !mongox.IsOutage(err) {
		t.Errorf("an update: matched %t, %v", matched, err)
	}
	// The primary steps down after the write; the next one has it.
	stepped := testkit.Fault{Code: 189, Label: "RetryableWriteError", Unacknowledged: true}
	between.Fail("insert", 1, stepped)
	if taken, err := mongox.Insert(t.Context(), things, thing("b", "us")); taken || err != nil {
		t.Errorf("after an election: taken %t, %v", taken, err)
	}
	between.Fail("insert", 1, stepped)
	if taken, err := mongox.Insert(t.Context(), things, thing("b", "them")); !taken || err != nil {
		t.Errorf("after an election, with an id that is taken: taken %t, %v", taken, err)
	}
}

// A purge goes on where the reply to one of its commands was lost: the retry removes nothing.
func TestAPurgeGoesOnAfterALostReply(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	through, between := testkit.NewMongoFaults(t, uri)
	client, err := mongox.Connect(testkit.LongLimits(through), mongox.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	things := client.Database(name).Collection("things")
	var many []any
	for i := range 1200 {
		many = append(many, bson.D{{Key: "_id", Value: i}, {Key: "due", Value: i > 0}})
	}
	if _, err := things.InsertMany(t.Context(), many); err != nil {
		t.Fatal(err)
	}
	due := bson.D{{Key: "due", Value: true}}
	between.Fail("delete", 1, testkit.Fault{Code: 112, Done: true})
	if _, err := mongox.Purge(t.Context(), things, due); err != nil {
		t.Fatal(err)
	}
	if left, err := things.CountDocuments(t.Context(), bson.D{}); err != nil || left != 1 {
		t.Errorf("%d documents are left, %v; want the one that is not due", left, err)
	}
}

// TestBatchesHaveABoundOfTheirOwn looks at the time that commands may take.
func TestBatchesHaveABoundOfTheirOwn(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	var mu sync.Mutex
	limits := map[string][]int64{}
	client, err := mongox.Connect(uri, mongox.Options{Monitor: &event.CommandMonitor{Started: func(_ context.Context, e *event.CommandStartedEvent) {
		mu.Lock()
		defer mu.Unlock()
		ms, _ := e.Command.Lookup("maxTimeMS").AsInt64OK()
		limits[e.CommandName] = append(limits[e.CommandName], ms)
	}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	things := client.Database(name).Collection("things")
	var many []any
	for i := range 2500 {
		many = append(many, bson.D{{Key: "_id", Value: i}, {Key: "due", Value: i%5 > 0}})
	}
	ctx, cancel := mongox.Batch(t.Context())
	_, err = things.InsertMany(ctx, many)
	cancel()
	if err != nil {
		t.Fatal(err)
	}
	removed, err := mongox.Purge(t.Context(), things, bson.D{{Key: "due", Value: true}})
	if err != nil || removed != 2000 {
		t.Errorf("removed %d, %v; want 2000", removed, err)
	}
	mu.Lock()
	defer mu.Unlock()
	const single = 4000
	for _, command := range []string{"insert", "delete"} {
		if len(limits[command]) == 0 || slices.Min(limits[command]) <= single {
			t.Errorf("%s may take %v ms, want more than a single write", command, limits[command])
		}
	}
	if len(limits["delete"]) != 2 {
		t.Errorf("%d commands removed 2000 documents, want slices of 1000", len(limits["delete"]))
	}
}
