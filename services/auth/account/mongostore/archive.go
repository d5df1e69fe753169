package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// UsersAfter implements account.Archive.
func (s *Store) UsersAfter(ctx context.Context, org, after string, limit int) ([]account.User, error) {
	users, err := following(ctx, s.users, org, after, limit, userOf)
	return users, wrap("read all users", err)
}

// OrgAfter implements account.Archive.
func (s *Store) OrgAfter(ctx context.Context, after string) (string, error) {
	var next struct {
		Org string `bson:"org"`
	}
	err := s.users.FindOne(ctx, bson.D{{Key: "org", Value: bson.D{{Key: "$gt", Value: after}}}},
		options.FindOne().SetSort(bson.D{{Key: "org", Value: 1}}).SetProjection(bson.D{{Key: "org", Value: 1}})).Decode(&next)
	if mongox.IsNoDocument(err) {
		return "", nil
	}
	return next.Org, wrap("list organizations of users", err)
}

// SessionsAfter implements account.Archive.
func (s *Store) SessionsAfter(ctx context.Context, org, after string, limit int) ([]account.Session, error) {
	sessions, err := following(ctx, s.sessions, org, after, limit, sessionOf)
	return sessions, wrap("read all sessions", err)
}

// following reads the documents of an organization with ids greater than a given one.
func following[D, T any](ctx context.Context, c *mongo.Collection, org, after string, limit int, convert func(D) T) ([]T, error) {
	if limit <= 0 { // 0 means no limit to the server
		return nil, ctx.Err()
	}
	return list(ctx, c, bson.D{{Key: "org", Value: org}, {Key: "_id", Value: bson.D{{Key: "$gt", Value: after}}}}, convert,
		options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}).SetLimit(int64(limit)))
}
