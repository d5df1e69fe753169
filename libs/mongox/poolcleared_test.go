package mongox_test

import (
	"context"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestCommandsWithoutAConnectionMeetAnOutage breaks a connection, after which the driver closes all of them, while
// another command waits for one, and when it is about to. Neither was sent, and both may be repeated.
func TestCommandsWithoutAConnectionMeetAnOutage(t *testing.T) {
	t.Parallel()
	for name, connections := range map[string]uint64{"the only one is in use": 1, "there might be another": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			uri, database := testkit.MongoDB(t)
			through, between := testkit.NewMongoFaults(t, uri)
			cut, waits, cleared := make(chan struct{}), make(chan struct{}), make(chan struct{})
			var second bool
			var clearing sync.Once
			pool := &event.PoolMonitor{Event: func(e *event.PoolEvent) {
				switch {
				case e.Type == event.ConnectionPoolCleared:
					clearing.Do(func() { close(cleared) })
				case e.Type == event.ConnectionCheckOutStarted && second:
					second = false
					close(waits)
					if connections > 1 {
						<-cleared // it has chosen the server, and finds the pool paused
					}
				}
			}}
			client, err := mongo.Connect(options.Client().ApplyURI(testkit.LongLimits(through)).SetMaxPoolSize(connections).SetPoolMonitor(pool))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
			things := client.Database(database).Collection("things")
			if _, err := things.InsertOne(t.Context(), bson.D{{Key: "_id", Value: "a"}}); err != nil {
				t.Fatal(err)
			}
			sent := between.Fail("find", 1, testkit.Fault{Cut: cut})
			broken := make(chan error, 1)
			go func() { broken <- things.FindOne(t.Context(), bson.D{}).Err() }()
			<-sent
			second = true
			unsent := make(chan error, 1)
			go func() {
				_, err := things.UpdateOne(t.Context(), bson.D{{Key: "_id", Value: "a"}}, bson.D{{Key: "$set", Value: bson.D{{Key: "n", Value: 1}}}})
				unsent <- err
			}()
			<-waits
			between.Refuse() // otherwise the driver might have another connection by then
			close(cut)
			for what, err := range map[string]error{"the broken one": <-broken, "the one that was not sent": <-unsent} {
				if err == nil {
					t.Errorf("%s did not fail", what)
				}
				if code := apperr.CodeOf(mongox.Wrap("do", err)); code != apperr.Unavailable {
					t.Errorf("%s is %s, want %s: %v", what, code, apperr.Unavailable, err)
				}
				if !mongox.IsTransient(err) {
					t.Errorf("%s would not be repeated: %v", what, err)
				}
			}
		})
	}
}
