package mongostore_test

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/recordtest"
	"github.com/eventcarbon/ecf/libs/testkit"
)

func TestHistoriesAreVerified(t *testing.T) {
	recordtest.RunAudit(t, func(t *testing.T) (record.Store, recordtest.Vandal) {
		uri, database := testkit.MongoDB(t)
		db := connect(t, uri, nil).Database(database)
		return open(t, db), vandal{db}
	})
}

type vandal struct{ db *mongo.Database }

func (v vandal) set(t *testing.T, id record.ID, rev int64, field string, value any) {
	t.Helper()
	v.setIn(t, "history", bson.D{{Key: "record", Value: id}, {Key: "rev", Value: rev}}, field, value)
}

func (v vandal) setIn(t *testing.T, collection string, filter bson.D, field string, value any) {
	t.Helper()
	result, err := v.db.Collection(collection).UpdateOne(t.Context(), filter, bson.D{{Key: "$set", Value: bson.D{{Key: field, Value: value}}}})
	if err != nil || result.ModifiedCount != 1 {
		t.Fatalf("%v, %+v", err, result)
	}
}

func (v vandal) SetComment(t *testing.T, id record.ID, rev int64, comment string) {
	v.set(t, id, rev, "comment", comment)
}

func (v vandal) MoveEntry(t *testing.T, id record.ID, rev, to int64) { v.set(t, id, rev, "rev", to) }

func (v vandal) Garble(t *testing.T, id record.ID, rev int64) { v.set(t, id, rev, "by", "garbled") }

func (v vandal) GarbleRecord(t *testing.T, id record.ID) {
	v.setIn(t, "records", bson.D{{Key: "_id", Value: id}}, "createdBy", "garbled")
}

func (v vandal) GarbleSupplierFactor(t *testing.T, id string) {
	v.setIn(t, "supplier_factors", bson.D{{Key: "_id", Value: id}}, "body", "garbled")
}

func (v vandal) SetReference(t *testing.T, id record.ID, reference string) {
	v.setIn(t, "records", bson.D{{Key: "_id", Value: id}}, "reference", reference)
}

func (v vandal) DropEntry(t *testing.T, id record.ID, rev int64) {
	v.drop(t, "history", bson.D{{Key: "record", Value: id}, {Key: "rev", Value: rev}})
}

func (v vandal) DropRecord(t *testing.T, id record.ID) {
	v.drop(t, "records", bson.D{{Key: "_id", Value: id}})
}

func (v vandal) drop(t *testing.T, collection string, filter bson.D) {
	t.Helper()
	result, err := v.db.Collection(collection).DeleteOne(t.Context(), filter)
	if err != nil || result.DeletedCount != 1 {
		t.Fatalf("%v, %+v", err, result)
	}
}
