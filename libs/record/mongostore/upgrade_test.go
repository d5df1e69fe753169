package mongostore_test

import (
	"fmt"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestAFilledDatabaseIsUpgraded reverts a filled database to version 2, without counts and headlines, and opens it:
// the counts are correct at once, and events with approved records are marked, so that their headlines are stored.
func TestAFilledDatabaseIsUpgraded(t *testing.T) {
	t.Parallel()
	const org record.OrgID = "org"
	uri, database := testkit.MongoDB(t)
	db := connect(t, uri, nil).Database(database)
	store := open(t, db)
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	boss := record.Actor{ID: "u1", Name: "Bob", Role: identity.Manager}
	must(store.InsertOrganization(ctx, record.Organization{ID: org, Plan: "team", Rev: 1}))
	workflow := record.Workflow{Store: store, Now: time.Now, NewMark: func() string { return record.NewMark(time.Now()) }}
	want := map[record.EventID]record.Counts{"gala": {Approved: 700, Submitted: 1, Unsubmitted: 2}, "fair": {Submitted: 2}, "empty": {}}
	for id, counts := range want {
		_, err := store.InsertEvent(ctx, org, record.NewEvent(org, id, record.Event{Title: string(id), Method: record.DefaultMethod}, boss, time.Now()), record.Unlimited)
		must(err)
		n := 0
		add := func(many int64, moves ...record.Move) {
			for range many {
				n++
				r, err := workflow.Insert(ctx, org, record.Record{ID: record.ID(fmt.Sprint(id, n)), Event: id, Type: "waste", Fields: []byte(`{}`)}, boss)
				must(err)
				for _, m := range moves {
					r, err = workflow.Apply(ctx, record.Request{Org: org, Key: r.Key(), Move: m, By: boss})
					must(err)
				}
			}
		}
		if !testkit.Long(t) {
			counts.Approved = min(counts.Approved, 20)
			want[id] = counts
		}
		add(counts.Approved, record.Submit, record.Approve)
		add(counts.Submitted, record.Submit)
		add(counts.Unsubmitted)
		marked, err := store.MarkedRecords(ctx, org, id, 1000)
		must(err)
		must(store.ClearRecordMarks(ctx, org, id, marked))
	}

	must(db.Collection("records").Indexes().DropOne(ctx, "untallied_only"))
	_, err := db.Collection("records").UpdateMany(ctx, bson.D{}, bson.D{{Key: "$unset", Value: bson.D{{Key: "untallied", Value: ""}}}})
	must(err)
	_, err = db.Collection("events").UpdateMany(ctx, bson.D{}, bson.D{{Key: "$unset", Value: bson.D{{Key: "headline", Value: ""}}}})
	must(err)
	must(db.Collection("record_counts").Drop(ctx))
	_, err = db.Collection("schema_versions").UpdateOne(ctx, bson.D{{Key: "_id", Value: "records"}}, bson.D{{Key: "$set", Value: bson.D{{Key: "version", Value: 2}, {Key: "minReader", Value: 2}}}})
	must(err)

	store = open(t, db)
	all, err := store.Summaries(ctx, org, []record.EventID{"gala", "fair", "empty"})
	must(err)
	for id, counts := range want {
		if s := all[id]; s.Counts != counts || s.Due != (counts.Approved > 0) {
			t.Errorf("%s: %+v, want %+v, due where there are approved ones", id, s, counts)
		}
	}
}
