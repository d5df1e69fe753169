package mongostore_test

import (
	"errors"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/mongostore"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestEventsFromBeforeReferences: a database of schema version 3 has events without a refKey. Each gets one before
// the index is created, and they are read as events without a reference.
func TestEventsFromBeforeReferences(t *testing.T) {
	t.Parallel()
	uri, name := testkit.MongoDB(t)
	db := connect(t, uri, nil).Database(name)
	earlier := mongostore.Schema()
	earlier[0].Steps = earlier[0].Steps[:3]
	if err := mongox.Up(t.Context(), db, earlier...); err != nil {
		t.Fatal(err)
	}
	store := mongostore.Attach(db)
	now := time.Now().UTC().Truncate(time.Millisecond)
	if err := store.InsertOrganization(t.Context(), record.Organization{ID: "org", Name: "Org", Plan: "free", Rev: 1}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []record.EventID{"a", "b"} {
		e := record.NewEvent("org", id, record.Event{Title: "Gala", Method: record.DefaultMethod}, record.Actor{ID: "u"}, now)
		if _, err := store.InsertEvent(t.Context(), "org", e, record.Unlimited); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Collection("events").UpdateMany(t.Context(), bson.D{{Key: "org", Value: "org"}},
		bson.D{{Key: "$unset", Value: bson.D{{Key: "refKey", Value: ""}, {Key: "reference", Value: ""}, {Key: "metadata", Value: ""}}}}); err != nil {
		t.Fatal(err)
	}

	store = open(t, db)
	for _, id := range []record.EventID{"a", "b"} {
		e, err := store.Event(t.Context(), "org", id)
		if err != nil || e.Reference != "" || e.Metadata != nil || !e.Last.Describes(e) {
			t.Errorf("event %s from before references: %+v, %v", id, e, err)
		}
	}
	e := record.NewEvent("org", "c", record.Event{Title: "Fair", Reference: "r", Method: record.DefaultMethod}, record.Actor{ID: "u"}, now)
	if _, err := store.InsertEvent(t.Context(), "org", e, record.Unlimited); err != nil {
		t.Fatal(err)
	}
	e.ID = "d"
	if _, err := store.InsertEvent(t.Context(), "org", e, record.Unlimited); !errors.Is(err, record.ErrDuplicateReference) {
		t.Errorf("a second event with the reference: %v", err)
	}
}
