// Package mongostore stores accounts in MongoDB. It implements account.Store and
// is the only package with their BSON. One document is the unit of atomicity;
// no transactions are used.
package mongostore

import (
	"context"
	"errors"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// Store is an account.Store on MongoDB.
type Store struct {
	db                      *mongo.Database
	users, sessions, admins *mongo.Collection
	audit, auditHeads       *mongo.Collection

	// turns serialize the appends of one process per organization, so that they do not
	// compete for the next number; the index detects those of other processes.
	turns [auditTurns]chan struct{}
}

var _ account.Store = (*Store)(nil)

// New makes the store of a database, of which it owns the collections users,
// sessions, admins, audit and audit_heads. It contacts no server: call Prepare before use.
func New(db *mongo.Database) *Store {
	s := &Store{
		db: db, users: db.Collection("users"), sessions: db.Collection("sessions"), admins: db.Collection("admins"),
		audit: db.Collection("audit"), auditHeads: db.Collection("audit_heads"),
	}
	for i := range s.turns {
		s.turns[i] = make(chan struct{}, 1)
	}
	return s
}

// Schema returns the versions of what this package stores, for mongox.Up.
func Schema() []mongox.Component {
	return []mongox.Component{{Name: "accounts", Steps: []mongox.Step{
		mongox.CreateIndexes(1, Indexes()[:6]...),
		// Version 2: people in several organizations. No data is moved; see the
		// embedded engine's schema of the same version.
		mongox.CreateIndexes(1, Indexes()[6:7]...),
		// Version 3: invitations.
		mongox.CreateIndexes(1, Indexes()[7:8]...),
		// Version 4: the index puts the open sessions of a user before the ended ones.
		mongox.ReplaceIndexes(1, Indexes()[8:9], "sessions.org_1_user_1_createdAt_1__id_1"),
		// Version 5: sessions are found by the networks that they were used in.
		mongox.CreateIndexes(1, Indexes()[9:]...),
		// Version 6: both spellings of an internationalized domain have one key.
		{MinReader: 1, Apply: oneMailbox},
	}}}
}

// Indexes returns the indexes of the newest version.
func Indexes() []mongox.Index {
	index := func(collection string, unique bool, keys ...string) mongox.Index {
		return mongox.Index{Collection: collection, Unique: unique, Keys: mongox.Ascending(keys...)}
	}
	return []mongox.Index{
		index("users", true, "emailKey"),
		index("users", false, "org", "deleted", "createdAt", "_id"),
		index("users", false, "mark"),
		index("sessions", false, "expires"),
		index("sessions", false, "mark"),
		index("audit", true, "org", "seq"),
		index("users", false, "person", "createdAt", "_id"),
		index("users", false, "org", "former"),
		index("sessions", false, "org", "user", "endedAt", "createdAt", "_id"),
		index("sessions", false, "org", "user", "createdNet"),
		index("sessions", false, "org", "user", "lastNet"),
	}
}

// Serve prepares the database for a service, and returns the names of the indexes
// that it misses, see mongox.Serve.
func (s *Store) Serve(ctx context.Context) (slow []string, err error) {
	return mongox.Serve(ctx, s.db, Schema(), Indexes())
}

// Prepare brings the schema up to date. It may be called again, and by several
// processes at once.
func (s *Store) Prepare(ctx context.Context) error { return mongox.Up(ctx, s.db, Schema()...) }

// Ping implements account.Store.
func (s *Store) Ping(ctx context.Context) error { return mongox.Ping(ctx, s.db.Client()) }

// wrap returns the sentinel errors of package account unchanged, and adds the operation
// to a failure of the engine.
func wrap(verb string, err error) error {
	if sentinel := account.Sentinel(err); sentinel != nil {
		return sentinel
	}
	if errors.Is(err, mongo.ErrNoDocuments) {
		return account.ErrNotFound
	}
	return mongox.Wrap(verb, err)
}

// unique returns which unique index was violated: that of the id or the email.
func unique(err error) error {
	switch {
	case !mongox.IsDuplicate(err):
		return err
	case strings.Contains(err.Error(), "emailKey"):
		return account.ErrEmailTaken
	}
	return account.ErrDuplicate
}

// inserted stores a document, see unique.
func inserted(ctx context.Context, in *mongo.Collection, document any) error {
	return unique(mongox.InsertUnique(ctx, in, document, "mark"))
}

// list reads all documents of a query.
func list[D, T any](ctx context.Context, c *mongo.Collection, filter any, convert func(D) T, o ...options.Lister[options.FindOptions]) ([]T, error) {
	cursor, err := c.Find(ctx, filter, o...)
	if err != nil {
		return nil, err
	}
	var docs []D
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, err
	}
	all := make([]T, len(docs))
	for i, d := range docs {
		all[i] = convert(d)
	}
	return all, nil
}

// page reads a part of a query, newest first, and counts all of it.
func page[D, T any](ctx context.Context, c *mongo.Collection, filter any, convert func(D) T, skip, limit int64) ([]T, int64, error) {
	total, err := c.CountDocuments(ctx, filter)
	if err != nil || skip >= total {
		return nil, total, err
	}
	items, err := list(ctx, c, filter, convert,
		options.Find().SetSort(newestFirst).SetSkip(skip).SetLimit(limit))
	return items, total, err
}

var newestFirst = bson.D{{Key: "createdAt", Value: -1}, {Key: "_id", Value: -1}}

// date and instant store times as dates, the zero time as the Unix epoch.
func date(t time.Time) bson.DateTime {
	if t.IsZero() {
		return 0
	}
	return bson.NewDateTimeFromTime(t)
}

func instant(d bson.DateTime) time.Time {
	if d == 0 {
		return time.Time{}
	}
	return d.Time().UTC()
}
