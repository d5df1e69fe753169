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

// guardDoc keeps an organization from losing its last admin, though admins are
// documents of their own and no write spans two. Whoever is in Admins is an
// admin: one is put in after the write that makes the user an admin, and taken
// out before the write that ends it. An admin may be missing (a crash in
// between); then guardRemove looks for it before it refuses.
//
// Gone keeps what was put in late from breaking the rule: it holds for each
// user the revision of the last write that was to end it, and nobody is put in
// for an earlier revision.
type guardDoc struct {
	Org    string           `bson:"_id"`
	Rev    int64            `bson:"rev"`
	Admins []string         `bson:"admins"`
	Gone   map[string]int64 `bson:"gone"`
	// Invited is when the last invitations were counted, see TakeInvitation.
	Invited []bson.DateTime `bson:"invited,omitempty"`
}

// guardAttempts bounds the retries of a write to the guard. Each time one of
// the competitors succeeds.
const guardAttempts = 64

var errGuardBusy = errors.New("the admins of the organization are being changed by too many at once")

// guardAdd puts users in, each as of a revision in which it is an admin.
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

// guardRemove takes a user out before its write of revision rev, which makes it
// an admin no longer. ErrLastAdmin if no other admin remains.
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

// otherAdmins returns the admins beside one user, each with a revision in which
// it is an admin and for which the guard takes it: an admin that a write was to
// end, and did not (a crash, a conflict), gets a revision above that write's, so
// that the write, should it still come, finds that the revision has moved.
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

// guard changes the guard of an organization where it is still what was read.
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
