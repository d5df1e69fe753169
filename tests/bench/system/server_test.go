package system

import (
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// TestCompatibleServersAreNamed has the versions as MongoDB and both major versions of
// FerretDB report them.
func TestCompatibleServersAreNamed(t *testing.T) {
	raw := func(d bson.D) bson.Raw {
		if d == nil {
			return nil
		}
		b, err := bson.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for want, replies := range map[string]struct{ info, status bson.D }{
		"MongoDB 7.0.14": {
			bson.D{{Key: "version", Value: "7.0.14"}},
			bson.D{{Key: "version", Value: "7.0.14"}},
		},
		"MongoDB 8.0.1": {
			bson.D{{Key: "version", Value: "8.0.1"}},
			nil,
		},
		"FerretDB v1.24.2, as MongoDB 7.0.42": {
			bson.D{{Key: "version", Value: "7.0.42"}, {Key: "ferretdbVersion", Value: "v1.24.2"}},
			bson.D{{Key: "version", Value: "7.0.42"}},
		},
		"FerretDB v2.7.0, as MongoDB 7.0.77": {
			bson.D{{Key: "version", Value: "7.0.77"}},
			bson.D{{Key: "ferretdb", Value: bson.D{{Key: "version", Value: "v2.7.0"}}}},
		},
	} {
		if got := serverName(raw(replies.info), raw(replies.status)); got != want {
			t.Errorf("named %q, want %q", got, want)
		}
	}
}
