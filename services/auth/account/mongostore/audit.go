package mongostore

import (
	"context"
	"errors"
	"hash/fnv"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const (
	// auditTurns is how many organizations of one process append concurrently.
	auditTurns = 64
	// auditAttempts limits how often an append is retried after conflicts with other
	// processes.
	auditAttempts = 256
)

var errAuditBusy = errors.New("too many processes append to the audit log at once")

// auditDoc is a stored entry. The unique index over org and seq keeps numbers unique,
// that over the id keeps events unique.
type auditDoc struct {
	ID        string        `bson:"_id"`
	Org       string        `bson:"org"`
	Seq       int64         `bson:"seq"`
	At        bson.DateTime `bson:"at"`
	Action    string        `bson:"action"`
	Outcome   string        `bson:"outcome"`
	Reason    string        `bson:"reason"`
	Actor     string        `bson:"actor"`
	Subject   string        `bson:"subject"`
	Session   string        `bson:"session"`
	Before    string        `bson:"before"`
	After     string        `bson:"after"`
	Address   string        `bson:"address"`
	RequestID string        `bson:"requestId"`
	Prev      string        `bson:"prev"`
	Hash      string        `bson:"hash"`
}

func auditDocOf(e account.AuditEntry) auditDoc {
	return auditDoc{
		ID: e.ID, Org: e.Org, Seq: e.Seq, At: date(e.At), Action: e.Action, Outcome: e.Outcome, Reason: e.Reason, Actor: e.Actor,
		Subject: e.Subject, Session: e.Session, Before: e.Before, After: e.After, Address: e.Address, RequestID: e.RequestID,
		Prev: e.Prev, Hash: e.Hash,
	}
}

func auditOf(d auditDoc) account.AuditEntry {
	return account.AuditEntry{
		ID: d.ID, Org: d.Org, Seq: d.Seq, At: instant(d.At), Action: d.Action, Outcome: d.Outcome, Reason: d.Reason, Actor: d.Actor,
		Subject: d.Subject, Session: d.Session, Before: d.Before, After: d.After, Address: d.Address, RequestID: d.RequestID,
		Prev: d.Prev, Hash: d.Hash,
	}
}

// AppendAudit implements account.Audit: each attempt takes the number after the
// last, and of several that take the same one, one is stored.
func (s *Store) AppendAudit(ctx context.Context, e account.AuditEntry) (account.AuditEntry, error) {
	const verb = "append to the audit log"
	leave, err := s.auditTurn(ctx, e.Org)
	if err != nil {
		return account.AuditEntry{}, wrap(verb, err)
	}
	defer leave()
	for range auditAttempts {
		last, err := s.lastAudit(ctx, e.Org)
		if err != nil {
			return account.AuditEntry{}, wrap(verb, err)
		}
		sealed := e.Seal(last)
		taken, err := mongox.Insert(ctx, s.audit, auditDocOf(sealed))
		if err != nil {
			return account.AuditEntry{}, wrap(verb, err)
		}
		if !taken {
			return sealed, wrap(verb, s.moveHead(ctx, sealed))
		}
		var there auditDoc
		err = s.audit.FindOne(ctx, bson.D{{Key: "_id", Value: e.ID}}).Decode(&there)
		if err == nil {
			return auditOf(there), wrap(verb, s.moveHead(ctx, auditOf(there)))
		}
		if !errors.Is(err, mongo.ErrNoDocuments) {
			return account.AuditEntry{}, wrap(verb, err)
		}
	}
	return account.AuditEntry{}, wrap(verb, errAuditBusy)
}

// auditTurn waits until no other append of this process is in progress for the
// organization.
func (s *Store) auditTurn(ctx context.Context, org string) (leave func(), err error) {
	h := fnv.New32a()
	_, _ = h.Write([]byte(org)) // never fails
	turn := s.turns[h.Sum32()%auditTurns]
	select {
	case <-ctx.Done(): // first, because select chooses at random if both are ready
		return nil, ctx.Err()
	default:
	}
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *Store) lastAudit(ctx context.Context, org string) (account.AuditEntry, error) {
	var d auditDoc
	err := s.audit.FindOne(ctx, bson.D{{Key: "org", Value: org}}, options.FindOne().SetSort(bson.D{{Key: "seq", Value: -1}})).Decode(&d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return account.AuditEntry{}, nil
	}
	return auditOf(d), err
}

// moveHead moves the head of a chain forward to an entry, never back.
func (s *Store) moveHead(ctx context.Context, e account.AuditEntry) error {
	forward := func() (matched bool, err error) {
		_, err = mongox.Repeat(ctx, func() error {
			result, err := s.auditHeads.UpdateOne(ctx,
				bson.D{{Key: "_id", Value: e.Org}, {Key: "seq", Value: bson.D{{Key: "$lt", Value: e.Seq}}}},
				bson.D{{Key: "$set", Value: bson.D{{Key: "seq", Value: e.Seq}, {Key: "hash", Value: e.Hash}}}})
			matched = err == nil && result.MatchedCount == 1
			return err
		})
		return matched, err
	}
	if matched, err := forward(); err != nil || matched {
		return err
	}
	// There is no head yet, or it is at this entry or a later one. Not an upsert: the server does not repeat one that was
	// slower than another process with an earlier entry, which is then in its way.
	taken, err := mongox.Insert(ctx, s.auditHeads, headDoc{Org: e.Org, Seq: e.Seq, Hash: e.Hash})
	if err != nil || !taken {
		return err
	}
	_, err = forward()
	return err
}

// AuditPage implements account.Audit. Entries are numbered without gaps and never
// removed, so the page is a range below the last number.
func (s *Store) AuditPage(ctx context.Context, org string, skip, limit int64) ([]account.AuditEntry, int64, error) {
	const verb = "list the audit log"
	last, err := s.lastAudit(ctx, org)
	if err != nil || skip >= last.Seq {
		return nil, last.Seq, wrap(verb, err)
	}
	high := last.Seq - skip
	entries, err := list(ctx, s.audit, bson.D{{Key: "org", Value: org},
		{Key: "seq", Value: bson.D{{Key: "$gt", Value: high - limit}, {Key: "$lte", Value: high}}}}, auditOf,
		options.Find().SetSort(bson.D{{Key: "seq", Value: -1}}).SetLimit(limit))
	return entries, last.Seq, wrap(verb, err)
}

// AuditAfter implements account.Audit.
func (s *Store) AuditAfter(ctx context.Context, org string, after, limit int64) ([]account.AuditEntry, error) {
	entries, err := list(ctx, s.audit, bson.D{{Key: "org", Value: org}, {Key: "seq", Value: bson.D{{Key: "$gt", Value: after}}}}, auditOf,
		options.Find().SetSort(bson.D{{Key: "seq", Value: 1}}).SetLimit(limit))
	return entries, wrap("read the audit log", err)
}

type headDoc struct {
	Org  string `bson:"_id"`
	Seq  int64  `bson:"seq"`
	Hash string `bson:"hash"`
}

// AuditHeads implements account.Audit.
func (s *Store) AuditHeads(ctx context.Context) ([]account.AuditHead, error) {
	const verb = "read the heads of the audit log"
	heads, err := list(ctx, s.auditHeads, bson.D{}, func(d headDoc) account.AuditHead { return account.AuditHead(d) },
		options.Find().SetSort(bson.D{{Key: "_id", Value: 1}}))
	if err != nil {
		return nil, wrap(verb, err)
	}
	orgs, err := mongox.Distinct[string](ctx, s.audit, "org", bson.D{})
	if err != nil {
		return nil, wrap(verb, err)
	}
	for _, org := range orgs {
		if !slices.ContainsFunc(heads, func(h account.AuditHead) bool { return h.Org == org }) {
			heads = append(heads, account.AuditHead{Org: org})
		}
	}
	return heads, nil
}
