package mongostore

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// guardDoc keeps an organization from losing its last admin, although admins are
// separate documents and no write spans two. Every user in Admins is an admin: a user
// is added after the write that makes the user an admin, and removed before the write
// that ends it. An admin may be missing after a crash in between; guardRemove then
// searches for one before it refuses.
//
// Gone keeps a late addition from breaking the rule: it has for each user the revision
// of the last write that was to end it, and no user is added for an earlier revision.
type guardDoc struct {
	Org    string           `bson:"_id"`
	Rev    int64            `bson:"rev"`
	Admins []string         `bson:"admins"`
	Gone   map[string]int64 `bson:"gone"`
	// Invited is when the last invitations were counted, see TakeInvitation.
	Invited []bson.DateTime `bson:"invited,omitempty"`
}

// guardAttempts limits the retries of a write to the guard. In each round one of the
// competing writes succeeds.
const guardAttempts = 64

var errGuardBusy = errors.New("the admins of the organization are being changed by too many at once")

// guardAdd adds users, each with a revision in which it is an admin.
func (s *Store) guardAdd(ctx context.Context, org string, revs map[string]int64) error {
	return s.guard(ctx, org, func(g *guardDoc) (bool, error) {
		changed := false
		for id, rev := range revs {
			if gone, ok := g.Gone[id]; (ok && gone >= rev) || slices.Contains(g.Admins, id) {
				continue
			}
			g.Admins, changed = append(g.Admins, id), true
		}
		return changed, nil
	})
}

// guardRemove removes a user before the write of revision rev, after which it is no
// longer an admin. It returns ErrLastAdmin if no other admin remains.
func (s *Store) guardRemove(ctx context.Context, org, id string, rev int64) error {
	remove := func(g *guardDoc) (bool, error) {
		rest := slices.DeleteFunc(slices.Clone(g.Admins), func(a string) bool { return a == id })
		if len(rest) == 0 {
			return false, account.ErrLastAdmin
		}
		g.Admins = rest
		if g.Gone == nil {
			g.Gone = map[string]int64{}
		}
		g.Gone[id] = max(g.Gone[id], rev)
		return true, nil
	}
	err := s.guard(ctx, org, remove)
	if !errors.Is(err, account.ErrLastAdmin) {
		return err
	}
	others, err := s.otherAdmins(ctx, org, id)
	if err != nil {
		return err
	}
	if err := s.guardAdd(ctx, org, others); err != nil {
		return err
	}
	return s.guard(ctx, org, remove)
}

// otherAdmins returns the other admins, each with a revision in which it is an admin
// and which the guard accepts. An admin that a write was to end but did not (a crash, a
// conflict) gets a revision above that write's, so that the write, should it still
// arrive, conflicts.
func (s *Store) otherAdmins(ctx context.Context, org, id string) (map[string]int64, error) {
	admins, err := list(ctx, s.users, bson.D{{Key: "org", Value: org}, {Key: "role", Value: identity.Admin.String()},
		{Key: "disabled", Value: false}, {Key: "deleted", Value: false}, notLeft}, userOf)
	if err != nil {
		return nil, err
	}
	var g guardDoc
	if err := s.admins.FindOne(ctx, bson.D{{Key: "_id", Value: org}}).Decode(&g); err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		return nil, err
	}
	revs := map[string]int64{}
	for _, u := range admins {
		if u.ID == id {
			continue
		}
		gone, ok := g.Gone[u.ID]
		if !ok || gone < u.Rev {
			revs[u.ID] = u.Rev
			continue
		}
		raised, err := mongox.Update(ctx, s.users, bson.D{{Key: "_id", Value: u.ID}, {Key: "org", Value: org}, {Key: "rev", Value: u.Rev}},
			bson.D{{Key: "rev", Value: gone + 1}})
		if err != nil {
			return nil, err
		}
		if raised {
			revs[u.ID] = gone + 1
		}
	}
	return revs, nil
}

// guard changes the guard of an organization, unless it has changed since it was read.
func (s *Store) guard(ctx context.Context, org string, change func(*guardDoc) (bool, error)) error {
	for range guardAttempts {
		var g guardDoc
		err := s.admins.FindOne(ctx, bson.D{{Key: "_id", Value: org}}).Decode(&g)
		if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
			return err
		}
		fresh := err != nil
		g.Org = org
		if changed, err := change(&g); err != nil || !changed {
			return err
		}
		before := g.Rev
		g.Rev++
		if fresh {
			if taken, err := mongox.Insert(ctx, s.admins, g); err != nil || !taken {
				return err
			}
			continue
		}
		changed, err := mongox.Update(ctx, s.admins, bson.D{{Key: "_id", Value: org}, {Key: "rev", Value: before}},
			bson.D{{Key: "rev", Value: g.Rev}, {Key: "admins", Value: g.Admins}, {Key: "gone", Value: g.Gone}, {Key: "invited", Value: g.Invited}})
		if err != nil || changed {
			return err
		}
	}
	return errGuardBusy
}
