package mongostore

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// userDoc is a user as stored. A deleted user keeps its document, so that histories can
// name it, and releases its email: emailKey is then its id, which is never an address.
type userDoc struct {
	ID           string        `bson:"_id"`
	Org          string        `bson:"org"`
	Email        string        `bson:"email"`
	EmailKey     string        `bson:"emailKey"`
	Name         string        `bson:"name"`
	Role         string        `bson:"role"`
	Service      bool          `bson:"service"`
	Disabled     bool          `bson:"disabled"`
	Deleted      bool          `bson:"deleted"`
	PasswordHash string        `bson:"passwordHash"`
	SetupHash    string        `bson:"setupHash"`
	SetupUntil   bson.DateTime `bson:"setupUntil"`
	Epoch        int64         `bson:"epoch"`
	Kept         string        `bson:"kept"`
	Rev          int64         `bson:"rev"`
	Mark         string        `bson:"mark"`
	CreatedAt    bson.DateTime `bson:"createdAt"`
	UpdatedAt    bson.DateTime `bson:"updatedAt"`
	Person       string        `bson:"person,omitempty"`
	Left         bool          `bson:"left,omitempty"`
	MemberEpoch  int64         `bson:"memberEpoch,omitempty"`
	DefaultOrg   string        `bson:"defaultOrg,omitempty"`
	Invited      bool          `bson:"invited,omitempty"`
	InviteHash   string        `bson:"inviteHash,omitempty"`
	InvitedUntil bson.DateTime `bson:"invitedUntil,omitempty"`
	Former       string        `bson:"former,omitempty"`
	InviteKey    string        `bson:"inviteKey,omitempty"`
	SetupKey     string        `bson:"setupKey,omitempty"`
}

func docOf(u account.User) userDoc {
	return userDoc{
		ID: u.ID, Org: u.Org, Email: u.Email, EmailKey: u.StoredEmailKey(), Name: u.Name, Role: u.Role.String(), Service: u.Service, Disabled: u.Disabled, Deleted: u.Deleted,
		PasswordHash: u.PasswordHash, SetupHash: u.SetupHash, SetupUntil: date(u.SetupUntil), Epoch: u.Epoch, Kept: u.Kept,
		Rev: u.Rev, Mark: u.Mark, CreatedAt: date(u.CreatedAt), UpdatedAt: date(u.UpdatedAt),
		Person: u.Person, Left: u.Left, MemberEpoch: u.MemberEpoch, DefaultOrg: u.DefaultOrg,
		Invited: u.Invited, InviteHash: u.InviteHash, InvitedUntil: date(u.InvitedUntil), Former: u.Former, InviteKey: u.InviteKey, SetupKey: u.SetupKey,
	}
}

func userOf(d userDoc) account.User {
	role, _ := identity.ParseRole(d.Role) // a role that this version does not know has no rights
	return account.User{
		ID: d.ID, Org: d.Org, Email: d.Email, EmailKey: d.EmailKey, Name: d.Name, Role: role, Service: d.Service, Disabled: d.Disabled, Deleted: d.Deleted,
		PasswordHash: d.PasswordHash, SetupHash: d.SetupHash, SetupUntil: instant(d.SetupUntil), Epoch: d.Epoch, Kept: d.Kept,
		Rev: d.Rev, Mark: d.Mark, CreatedAt: instant(d.CreatedAt), UpdatedAt: instant(d.UpdatedAt),
		Person: d.Person, Left: d.Left, MemberEpoch: d.MemberEpoch, DefaultOrg: d.DefaultOrg,
		Invited: d.Invited, InviteHash: d.InviteHash, InvitedUntil: instant(d.InvitedUntil), Former: d.Former, InviteKey: d.InviteKey, SetupKey: d.SetupKey,
	}
}

// InsertUser implements account.Users.
func (s *Store) InsertUser(ctx context.Context, u account.User) error {
	if err := inserted(ctx, s.users, docOf(u)); err != nil {
		return wrap("insert user", err)
	}
	if u.CountsAsAdmin() {
		// The user is stored whatever the outcome: an admin that is missing in the
		// guard is found when it matters.
		_ = s.guardAdd(ctx, u.Org, map[string]int64{u.ID: u.Rev})
	}
	return nil
}

// UserByEmail implements account.Users.
func (s *Store) UserByEmail(ctx context.Context, key string) (account.User, error) {
	return s.oneUser(ctx, bson.D{{Key: "emailKey", Value: key}, {Key: "deleted", Value: false}})
}

// User implements account.Users.
func (s *Store) User(ctx context.Context, org, id string) (account.User, error) {
	return s.oneUser(ctx, bson.D{{Key: "_id", Value: id}, {Key: "org", Value: org}})
}

// Person implements account.Users.
func (s *Store) Person(ctx context.Context, id string) (account.User, error) {
	u, err := s.oneUser(ctx, bson.D{{Key: "_id", Value: id}})
	if err == nil && u.Person != "" {
		return account.User{}, account.ErrNotFound
	}
	return u, err
}

// Former implements account.Users.
func (s *Store) Former(ctx context.Context, org, former string) (account.User, error) {
	if former == "" {
		return account.User{}, account.ErrNotFound
	}
	return s.oneUser(ctx, bson.D{{Key: "org", Value: org}, {Key: "former", Value: former}, {Key: "deleted", Value: true}})
}

// TakeInvitation implements account.Users. The count is in the organization's guard.
func (s *Store) TakeInvitation(ctx context.Context, org string, now, since time.Time, limit int) (taken bool, err error) {
	err = s.guard(ctx, org, func(g *guardDoc) (bool, error) {
		g.Invited = slices.DeleteFunc(slices.Clone(g.Invited), func(at bson.DateTime) bool { return at <= date(since) })
		if taken = len(g.Invited) < limit; taken {
			g.Invited = append(g.Invited, date(now))
		}
		return taken, nil
	})
	return taken && err == nil, wrap("count invitation", err)
}

// Memberships implements account.Users.
func (s *Store) Memberships(ctx context.Context, person string) ([]account.User, error) {
	if person == "" {
		return nil, ctx.Err()
	}
	all, err := list(ctx, s.users, bson.D{{Key: "person", Value: person}}, userOf,
		options.Find().SetSort(bson.D{{Key: "createdAt", Value: 1}, {Key: "_id", Value: 1}}))
	return all, wrap("read memberships", err)
}

func (s *Store) oneUser(ctx context.Context, filter bson.D) (account.User, error) {
	var d userDoc
	if err := s.users.FindOne(ctx, filter).Decode(&d); err != nil {
		return account.User{}, wrap("read user", err)
	}
	return userOf(d), nil
}

// ReplaceUser implements account.Users.
func (s *Store) ReplaceUser(ctx context.Context, org string, u account.User, prevRev int64) error {
	before, err := s.User(ctx, org, u.ID)
	if err != nil {
		return conflictIfNone(err)
	}
	if before.Rev != prevRev {
		return account.ErrConflict
	}
	if before.CountsAsAdmin() && !u.CountsAsAdmin() {
		if err := s.guardRemove(ctx, org, u.ID, u.Rev); err != nil {
			return wrap("replace user", err)
		}
	}
	u.Org = org
	if err := s.replaceUser(ctx, before, u); err != nil {
		return wrap("replace user", err)
	}
	if u.CountsAsAdmin() && !before.CountsAsAdmin() {
		_ = s.guardAdd(ctx, org, map[string]int64{u.ID: u.Rev})
	}
	return nil
}

// Dismiss implements account.Users. The guard of the organization is not changed: it is
// removed with the organization. The sessions are moved first: those of a user that is
// found elsewhere are of nobody.
func (s *Store) Dismiss(ctx context.Context, org string, u account.User, prevRev int64) error {
	before, err := s.User(ctx, org, u.ID)
	if err != nil {
		return conflictIfNone(err)
	}
	if before.Rev != prevRev {
		return account.ErrConflict
	}
	if u.Org != org {
		if err := s.moveSessions(ctx, org, u.ID, u.Org); err != nil {
			return wrap("dismiss user", err)
		}
	}
	return wrap("dismiss user", s.replaceUser(ctx, before, u))
}

// replaceUser replaces a user as it was read.
func (s *Store) replaceUser(ctx context.Context, before, u account.User) error {
	d := docOf(u)
	set := bson.D{
		{Key: "email", Value: d.Email}, {Key: "name", Value: d.Name}, {Key: "role", Value: d.Role},
		{Key: "disabled", Value: d.Disabled}, {Key: "deleted", Value: d.Deleted},
		{Key: "passwordHash", Value: d.PasswordHash}, {Key: "setupHash", Value: d.SetupHash}, {Key: "setupUntil", Value: d.SetupUntil},
		{Key: "epoch", Value: d.Epoch}, {Key: "kept", Value: d.Kept}, {Key: "rev", Value: d.Rev}, {Key: "mark", Value: d.Mark},
		{Key: "updatedAt", Value: d.UpdatedAt},
		{Key: "left", Value: d.Left}, {Key: "memberEpoch", Value: d.MemberEpoch}, {Key: "defaultOrg", Value: d.DefaultOrg},
		{Key: "invited", Value: d.Invited}, {Key: "inviteHash", Value: d.InviteHash}, {Key: "invitedUntil", Value: d.InvitedUntil}, {Key: "former", Value: d.Former}, {Key: "inviteKey", Value: d.InviteKey},
		{Key: "setupKey", Value: d.SetupKey},
	}
	if u.Deleted || u.Person != "" || d.EmailKey != before.EmailKey { // a release older than memberships frees the key of a further one
		set = append(set, bson.E{Key: "emailKey", Value: d.EmailKey})
	}
	if u.Person != before.Person {
		set = append(set, bson.E{Key: "person", Value: d.Person})
	}
	if u.Org != before.Org {
		set = append(set, bson.E{Key: "org", Value: d.Org})
	}
	replaced, err := mongox.Update(ctx, s.users,
		bson.D{{Key: "_id", Value: u.ID}, {Key: "org", Value: before.Org}, {Key: "rev", Value: before.Rev}}, set, "mark")
	if err != nil {
		return unique(err)
	}
	if !replaced {
		return account.ErrConflict
	}
	return nil
}

func conflictIfNone(err error) error {
	if errors.Is(err, account.ErrNotFound) {
		return account.ErrConflict
	}
	return err
}

// UsersPage implements account.Users.
func (s *Store) UsersPage(ctx context.Context, org string, skip, limit int64) ([]account.User, int64, error) {
	users, total, err := page(ctx, s.users, bson.D{{Key: "org", Value: org}, {Key: "deleted", Value: false}, listed}, userOf, skip, limit)
	return users, total, wrap("list users", err)
}

// MarkedUsers implements account.Changes.
func (s *Store) MarkedUsers(ctx context.Context, limit int) ([]account.User, error) {
	users, err := list(ctx, s.users, marked, userOf, options.Find().SetLimit(int64(limit)))
	return users, wrap("read marked users", err)
}

// ClearUserMark implements account.Changes.
func (s *Store) ClearUserMark(ctx context.Context, org, id, mark string) error {
	_, err := mongox.Update(ctx, s.users, isMarked(org, id, mark), noMark)
	return wrap("clear user mark", err)
}

// oneMailbox gives the addresses with an encoded domain the key of the displayed one. Of two
// accounts with one mailbox the second keeps the key it has, see account.EmailKeys.
func oneMailbox(ctx context.Context, db *mongo.Database) error {
	users := db.Collection("users")
	all, err := list(ctx, users, bson.D{{Key: "email", Value: bson.Regex{Pattern: "xn--", Options: "i"}}, {Key: "deleted", Value: false}}, userOf,
		options.Find().SetComment(mongox.SchemaComment).SetSort(bson.D{{Key: "createdAt", Value: 1}, {Key: "_id", Value: 1}}))
	if err != nil {
		return mongox.Wrap("read encoded addresses", err)
	}
	for _, u := range all {
		now, changed := u.Rekeyed()
		if !changed {
			continue
		}
		_, err := mongox.Update(ctx, users, bson.D{{Key: "_id", Value: u.ID}, {Key: "org", Value: u.Org}, {Key: "emailKey", Value: u.EmailKey}},
			bson.D{{Key: "emailKey", Value: now.EmailKey}})
		if err != nil && !mongox.IsDuplicate(err) {
			return mongox.Wrap("replace key of address", err)
		}
	}
	return nil
}

// listed is the filter that corresponds to account.User.Listed, for users that are not
// deleted.
var listed = bson.E{Key: "$or", Value: bson.A{bson.D{notLeft}, bson.D{{Key: "invited", Value: true}}}}

// notLeft also matches documents older than the field.
var notLeft = bson.E{Key: "left", Value: bson.D{{Key: "$ne", Value: true}}}

var (
	marked = bson.D{{Key: "mark", Value: bson.D{{Key: "$gt", Value: ""}}}}
	noMark = bson.D{{Key: "mark", Value: ""}}
)

func isMarked(org, id, mark string) bson.D {
	return bson.D{{Key: "_id", Value: id}, {Key: "org", Value: org}, {Key: "mark", Value: mark}}
}
