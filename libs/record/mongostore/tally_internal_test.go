package mongostore

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/record"
)

// TestCountsAreStoredInOneOrder: a server may compare an update value by value, and then considers {submitted: 4,
// approved: 0} and {approved: 4, submitted: 0} equal.
func TestCountsAreStoredInOneOrder(t *testing.T) {
	t.Parallel()
	for range 50 {
		for _, counts := range []tallyCounts{{}, {record.Approved: 4}, {record.Submitted: 4, record.Approved: 0}} {
			text, err := bson.Marshal(bson.D{eq("counts", counts)})
			if err != nil {
				t.Fatal(err)
			}
			elements, err := bson.Raw(text).Lookup("counts").Document().Elements()
			if err != nil || len(elements) != len(record.Statuses()) {
				t.Fatalf("%d states are stored: %v", len(elements), err)
			}
			for i, status := range record.Statuses() {
				if elements[i].Key() != string(status) || elements[i].Value().AsInt64() != counts[status] {
					t.Fatalf("%v is stored as %s", counts, bson.Raw(text))
				}
			}
			var back tallyDoc
			if err := bson.Unmarshal(text, &back); err != nil || back.Counts[record.Submitted] != counts[record.Submitted] {
				t.Fatalf("%v came back as %v: %v", counts, back.Counts, err)
			}
		}
	}
}
