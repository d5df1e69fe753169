package mongostore

import (
	"context"
	"encoding/json"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
)

// policyStateDoc is a record.PolicyEntry. No query uses its body.
type policyStateDoc struct {
	Org  string `bson:"org"`
	Rev  int64  `bson:"rev"`
	Body string `bson:"body"`
}

func policyStateFromDoc(d policyStateDoc) (e record.PolicyEntry, err error) {
	err = json.Unmarshal([]byte(d.Body), &e)
	return e, err
}

// InsertPolicies implements record.Policies.
func (s *Store) InsertPolicies(ctx context.Context, org record.OrgID, states []record.PolicyEntry) error {
	for _, e := range states {
		body, err := json.Marshal(e)
		if err != nil {
			return mongox.Wrap("insert policies", err)
		}
		// A duplicate is the same state.
		if _, err := insert(ctx, s.policies, policyStateDoc{Org: string(org), Rev: e.Rev, Body: string(body)}); err != nil {
			return mongox.Wrap("insert policies", err)
		}
	}
	return nil
}

// PoliciesAfter implements record.Policies.
func (s *Store) PoliciesAfter(ctx context.Context, org record.OrgID, after int64, limit int) ([]record.PolicyEntry, error) {
	if limit <= 0 { // to the server, 0 is no limit
		return nil, ctx.Err()
	}
	return list(ctx, s.policies, "read policies", bson.D{eq("org", org), above("rev", after)}, policyStateFromDoc,
		options.Find().SetSort(bson.D{eq("rev", 1)}).SetLimit(int64(limit)))
}
