package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/services/auth/account"
)

type originDoc struct {
	Address   string `bson:"address"`
	UserAgent string `bson:"userAgent"`
}

// sessionDoc is a session as stored.
type sessionDoc struct {
	ID         string        `bson:"_id"`
	User       string        `bson:"user"`
	Org        string        `bson:"org"`
	SecretHash string        `bson:"secretHash"`
	Epoch      int64         `bson:"epoch"`
	CreatedAt  bson.DateTime `bson:"createdAt"`
	Expires    bson.DateTime `bson:"expires"`
	LastUsedAt bson.DateTime `bson:"lastUsedAt"`
	Created    originDoc     `bson:"created"`
	Last       originDoc     `bson:"last"`
	EndedAt    bson.DateTime `bson:"endedAt"`
	EndReason  string        `bson:"endReason"`
	Rev        int64         `bson:"rev"`
	Mark       string        `bson:"mark"`

	Member      string `bson:"member,omitempty"`
	MemberOrg   string `bson:"memberOrg,omitempty"`
	MemberEpoch int64  `bson:"memberEpoch,omitempty"`

	CreatedNet string `bson:"createdNet,omitempty"`
	LastNet    string `bson:"lastNet,omitempty"`
}

func sessionOf(d sessionDoc) account.Session {
	return account.Session{
		ID: d.ID, User: d.User, Org: d.Org, SecretHash: d.SecretHash, Epoch: d.Epoch,
		CreatedAt: instant(d.CreatedAt), Expires: instant(d.Expires), LastUsedAt: instant(d.LastUsedAt),
		Created: account.Origin(d.Created), Last: account.Origin(d.Last),
		EndedAt: instant(d.EndedAt), EndReason: d.EndReason, Rev: d.Rev, Mark: d.Mark,
		Member: d.Member, MemberOrg: d.MemberOrg, MemberEpoch: d.MemberEpoch,
	}
}

// InsertSession implements account.Sessions.
func (s *Store) InsertSession(ctx context.Context, v account.Session) error {
	return wrap("insert session", inserted(ctx, s.sessions, sessionDoc{
		ID: v.ID, User: v.User, Org: v.Org, SecretHash: v.SecretHash, Epoch: v.Epoch,
		CreatedAt: date(v.CreatedAt), Expires: date(v.Expires), LastUsedAt: date(v.LastUsedAt),
		Created: originDoc(v.Created), Last: originDoc(v.Last),
		EndedAt: date(v.EndedAt), EndReason: v.EndReason, Rev: v.Rev, Mark: v.Mark,
		Member: v.Member, MemberOrg: v.MemberOrg, MemberEpoch: v.MemberEpoch,
		CreatedNet: v.Created.Network(), LastNet: v.Last.Network(),
	}))
}

// Session implements account.Sessions.
func (s *Store) Session(ctx context.Context, id string) (account.Session, error) {
	var d sessionDoc
	if err := s.sessions.FindOne(ctx, bson.D{{Key: "_id", Value: id}}).Decode(&d); err != nil {
		return account.Session{}, wrap("read session", err)
	}
	return sessionOf(d), nil
}

// TouchSession implements account.Sessions.
func (s *Store) TouchSession(ctx context.Context, org, id string, at time.Time, from account.Origin) error {
	live := bson.D{
		{Key: "_id", Value: id}, {Key: "org", Value: org},
		{Key: "endedAt", Value: bson.DateTime(0)}, {Key: "expires", Value: bson.D{{Key: "$gt", Value: date(at)}}},
	}
	notLater := append(bson.D{}, live...)
	notLater = append(notLater, bson.E{Key: "lastUsedAt", Value: bson.D{{Key: "$lte", Value: date(at)}}})
	touched, err := mongox.Update(ctx, s.sessions, notLater, bson.D{{Key: "lastUsedAt", Value: date(at)}, {Key: "last", Value: originDoc(from)}, {Key: "lastNet", Value: from.Network()}})
	if err != nil || touched {
		return wrap("touch session", err)
	}
	// It has ended, or a later use is already recorded.
	n, err := s.sessions.CountDocuments(ctx, live)
	if err == nil && n == 0 {
		return account.ErrEnded
	}
	return wrap("touch session", err)
}

// EndSession implements account.Sessions.
func (s *Store) EndSession(ctx context.Context, org, user, id string, at time.Time, reason, mark string) error {
	owned := bson.D{{Key: "_id", Value: id}, {Key: "org", Value: org}, {Key: "user", Value: user}}
	live := append(bson.D{}, owned...)
	live = append(live, bson.E{Key: "endedAt", Value: bson.DateTime(0)})
	ending := bson.D{{Key: "endedAt", Value: date(at)}, {Key: "endReason", Value: reason}}
	ended, err := mongox.Change(ctx, s.sessions, live, bson.D{
		{Key: "$set", Value: append(bson.D{{Key: "mark", Value: mark}}, ending...)},
		{Key: "$inc", Value: bson.D{{Key: "rev", Value: int64(1)}}},
	}, ending)
	if err != nil || ended {
		return wrap("end session", err)
	}
	n, err := s.sessions.CountDocuments(ctx, owned)
	if err == nil && n == 0 {
		return account.ErrNotFound
	}
	return wrap("end session", err)
}

// openSessions returns the filter for the sessions of a user that have not been ended.
func openSessions(org, user string) bson.D {
	return bson.D{{Key: "org", Value: org}, {Key: "user", Value: user}, {Key: "endedAt", Value: bson.DateTime(0)}}
}

// liveSessions returns the filter for those of them that are not invalid for another
// reason.
func liveSessions(u account.User, now time.Time) bson.D {
	return append(openSessions(u.Org, u.ID),
		bson.E{Key: "expires", Value: bson.D{{Key: "$gt", Value: date(now)}}},
		bson.E{Key: "$or", Value: bson.A{
			bson.D{{Key: "epoch", Value: bson.D{{Key: "$gte", Value: u.Epoch}}}},
			bson.D{{Key: "_id", Value: u.Kept}},
		}})
}

// SessionsPage implements account.Sessions.
func (s *Store) SessionsPage(ctx context.Context, u account.User, now time.Time, skip, limit int64) ([]account.Session, int64, error) {
	items, total, err := page(ctx, s.sessions, liveSessions(u, now), sessionOf, skip, limit)
	return items, total, wrap("list sessions", err)
}

// NewestSessions implements account.Sessions.
func (s *Store) NewestSessions(ctx context.Context, u account.User, now time.Time, limit int64) ([]account.Session, error) {
	newest, err := list(ctx, s.sessions, liveSessions(u, now), sessionOf, options.Find().SetSort(newestFirst).SetLimit(limit))
	return newest, wrap("read newest sessions", err)
}

// KnownNetwork implements account.Sessions.
func (s *Store) KnownNetwork(ctx context.Context, u account.User, network string) (bool, error) {
	if network == "" {
		return false, ctx.Err()
	}
	n, err := s.sessions.CountDocuments(ctx, bson.D{{Key: "org", Value: u.Org}, {Key: "user", Value: u.ID}, {Key: "$or", Value: bson.A{
		bson.D{{Key: "createdNet", Value: network}}, bson.D{{Key: "lastNet", Value: network}},
	}}}, options.Count().SetLimit(1))
	return n > 0, wrap("look for a network", err)
}

// SurplusSessions implements account.Sessions. Most users have few sessions, which the
// index counts; only those of others are put in the order of their use.
func (s *Store) SurplusSessions(ctx context.Context, org, user string, since time.Time, keep, limit int64) ([]account.Session, error) {
	open := openSessions(org, user)
	n, err := s.sessions.CountDocuments(ctx, open, options.Count().SetLimit(keep+limit))
	if err != nil || n <= keep {
		return nil, wrap("count sessions", err)
	}
	unused := append(bson.D{}, open...)
	unused = append(unused, bson.E{Key: "lastUsedAt", Value: bson.D{{Key: "$lt", Value: date(since)}}})
	longestFirst := bson.D{{Key: "lastUsedAt", Value: 1}, {Key: "_id", Value: 1}}
	surplus, err := list(ctx, s.sessions, unused, sessionOf, options.Find().SetSort(longestFirst).SetLimit(n-keep))
	return surplus, wrap("read surplus sessions", err)
}

// moveSessions moves the sessions of a user to another organization.
func (s *Store) moveSessions(ctx context.Context, org, user, to string) error {
	ctx, cancel := mongox.Batch(ctx)
	defer cancel()
	_, err := mongox.Repeat(ctx, func() error {
		_, err := s.sessions.UpdateMany(ctx, bson.D{{Key: "org", Value: org}, {Key: "user", Value: user}},
			bson.D{{Key: "$set", Value: bson.D{{Key: "org", Value: to}}}})
		return err
	})
	return err
}

// DropSessions implements account.Sessions.
func (s *Store) DropSessions(ctx context.Context, org, user, member string) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, wrap("drop sessions", err)
	}
	filter := bson.D{{Key: "org", Value: org}, {Key: "user", Value: user}}
	if member != "" {
		filter = append(filter, bson.E{Key: "member", Value: member})
	}
	n, err := mongox.Purge(ctx, s.sessions, filter)
	return n, wrap("drop sessions", err)
}

// PurgeSessions implements account.Sessions.
func (s *Store) PurgeSessions(ctx context.Context, before time.Time) (int64, error) {
	if err := ctx.Err(); err != nil {
		return 0, wrap("purge sessions", err)
	}
	n, err := mongox.Purge(ctx, s.sessions, bson.D{{Key: "expires", Value: bson.D{{Key: "$lt", Value: date(before)}}}})
	return n, wrap("purge sessions", err)
}

// MarkedSessions implements account.Changes.
func (s *Store) MarkedSessions(ctx context.Context, limit int) ([]account.Session, error) {
	sessions, err := list(ctx, s.sessions, marked, sessionOf, options.Find().SetLimit(int64(limit)))
	return sessions, wrap("read marked sessions", err)
}

// ClearSessionMark implements account.Changes.
func (s *Store) ClearSessionMark(ctx context.Context, org, id, mark string) error {
	_, err := mongox.Update(ctx, s.sessions, isMarked(org, id, mark), noMark)
	return wrap("clear session mark", err)
}
