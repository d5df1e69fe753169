package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

// Facts implements resulttree.Store. They are a field of their node, and go with it.
func (s *Store) Facts(ctx context.Context, org record.OrgID, event record.EventID, typ string, from, to int64) ([]resulttree.NodeFacts, error) {
	filter := bson.D{{Key: "org", Value: org}, {Key: "event", Value: event}, {Key: "level", Value: 0}}
	if typ != "" {
		filter = append(filter, bson.E{Key: "type", Value: typ})
	}
	filter = append(filter, bson.E{Key: "index", Value: bson.D{{Key: "$gte", Value: from}, {Key: "$lte", Value: to}}},
		bson.E{Key: "facts", Value: bson.D{{Key: "$exists", Value: true}}})
	cursor, err := s.nodes.Find(ctx, filter, options.Find().SetSort(bson.D{{Key: "type", Value: 1}, {Key: "index", Value: 1}}).
		SetBatchSize(nodesAtOnce).SetProjection(bson.D{{Key: "_id", Value: 0}, {Key: "type", Value: 1}, {Key: "index", Value: 1}, {Key: "facts", Value: 1}}))
	if err != nil {
		return nil, mongox.Wrap("read facts", err)
	}
	var docs []nodeDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, mongox.Wrap("read facts", err)
	}
	all := make([]resulttree.NodeFacts, len(docs))
	for i, d := range docs {
		all[i] = resulttree.NodeFacts{NodeID: resulttree.NodeID{Type: d.Type, Index: d.Index}, Facts: d.Facts}
	}
	return all, nil
}

// KeepFacts implements resulttree.Store.
func (s *Store) KeepFacts(ctx context.Context, org record.OrgID, event record.EventID, f resulttree.NodeFacts, version int64) error {
	kept := bson.D{{Key: "facts", Value: f.Facts}}
	of := append(keyOf(nodeID(org, event, f.NodeID), org, event), bson.E{Key: "version", Value: version})
	_, err := mongox.Change(ctx, s.nodes, of, bson.D{{Key: "$set", Value: kept}}, kept)
	return mongox.Wrap("keep facts", err)
}
