package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/editions"
)

// partDoc is a part of an edition. Its data is compressed and far below the maximum size of a document.
type partDoc struct {
	ID    string         `bson:"_id"`
	Org   record.OrgID   `bson:"org"`
	Event record.EventID `bson:"event"`
	Name  string         `bson:"name"`
	At    time.Time      `bson:"at"`
	Data  []byte         `bson:"data"`
}

func partID(org record.OrgID, event record.EventID, name string) string {
	return string(org) + "/" + string(event) + "/" + name
}

// PutPart implements editions.Parts.
func (s *Store) PutPart(ctx context.Context, org record.OrgID, event record.EventID, name string, data []byte, at time.Time) error {
	id := partID(org, event, name)
	taken, err := mongox.Insert(ctx, s.parts, partDoc{ID: id, Org: org, Event: event, Name: name, At: at, Data: data})
	if !taken {
		return mongox.Wrap("store part", err)
	}
	var found bool
	_, err = mongox.Repeat(ctx, func() error {
		done, err := s.parts.UpdateOne(ctx, bson.D{{Key: "_id", Value: id}, {Key: "org", Value: org}, {Key: "event", Value: event}},
			bson.D{{Key: "$max", Value: bson.D{{Key: "at", Value: at}}}})
		found = err == nil && done.MatchedCount == 1
		return err
	})
	if err == nil && !found {
		// Swept in between.
		return s.PutPart(ctx, org, event, name, data, at)
	}
	return mongox.Wrap("store part", err)
}

// Part implements editions.Parts.
func (s *Store) Part(ctx context.Context, org record.OrgID, event record.EventID, name string) ([]byte, error) {
	var d partDoc
	err := s.parts.FindOne(ctx, bson.D{{Key: "_id", Value: partID(org, event, name)}, {Key: "org", Value: org}, {Key: "event", Value: event}}).Decode(&d)
	if mongox.IsNoDocument(err) {
		return nil, editions.ErrNotFound
	}
	return d.Data, mongox.Wrap("read part", err)
}

// PartsBefore implements editions.Parts.
func (s *Store) PartsBefore(ctx context.Context, org record.OrgID, event record.EventID, before time.Time) ([]string, error) {
	cursor, err := s.parts.Find(ctx,
		bson.D{{Key: "org", Value: org}, {Key: "event", Value: event}, {Key: "at", Value: bson.D{{Key: "$lt", Value: before}}}},
		options.Find().SetSort(bson.D{{Key: "name", Value: 1}}).SetProjection(bson.D{{Key: "name", Value: 1}}))
	if err != nil {
		return nil, mongox.Wrap("list parts", err)
	}
	var docs []partDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, mongox.Wrap("list parts", err)
	}
	var names []string
	for _, d := range docs {
		names = append(names, d.Name)
	}
	return names, nil
}

// DeletePart implements editions.Parts.
func (s *Store) DeletePart(ctx context.Context, org record.OrgID, event record.EventID, name string, before time.Time) error {
	_, err := mongox.Repeat(ctx, func() error {
		_, err := s.parts.DeleteOne(ctx, bson.D{{Key: "_id", Value: partID(org, event, name)}, {Key: "org", Value: org}, {Key: "event", Value: event},
			{Key: "at", Value: bson.D{{Key: "$lt", Value: before}}}})
		return err
	})
	return mongox.Wrap("delete part", err)
}
