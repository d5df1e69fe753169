package account

import (
	"context"
	"errors"
	"time"
)

// Errors of a Store whose operation was refused. Any other error is a failure of the
// engine.
var (
	// ErrNotFound: no such user or session in this organization.
	ErrNotFound = errors.New("account: not found")
	// ErrEmailTaken: another account, in whichever organization, has the email.
	ErrEmailTaken = errors.New("account: email is taken")
	// ErrDuplicate: the id is taken.
	ErrDuplicate = errors.New("account: duplicate id")
	// ErrConflict: what was to be replaced is no longer at the revision given.
	ErrConflict = errors.New("account: revision has moved")
	// ErrLastAdmin: the write would leave the organization without an admin.
	ErrLastAdmin = errors.New("account: the last admin")
	// ErrEnded: the session has ended or expired.
	ErrEnded = errors.New("account: session has ended")
)

// Sentinel returns which of these errors err is; nil for none.
func Sentinel(err error) error {
	for _, sentinel := range []error{ErrNotFound, ErrEmailTaken, ErrDuplicate, ErrConflict, ErrLastAdmin, ErrEnded} {
		if errors.Is(err, sentinel) {
			return sentinel
		}
	}
	return nil
}

// Store is the interface of storage engines for the auth service. Every write is
// atomic and durable when it returns nil; reads see every previously acknowledged
// write. The suite in accounttest verifies this contract for every engine.
//
// Four reads have no tenant, because they determine a caller's tenant: by
// email at login, by session id at refresh, and the person and the memberships of
// an authenticated caller. A call whose context has
// ended before it began writes nothing.
//
// Times are kept to the millisecond, in UTC.
type Store interface {
	Users
	Sessions
	Changes
	Audit
	Archive
	// Ping reports whether the engine answers.
	Ping(ctx context.Context) error
}

// Users are the accounts.
type Users interface {
	// InsertUser stores a new user. ErrEmailTaken if its StoredEmailKey is taken: of
	// several inserts of one email at once exactly one succeeds. ErrDuplicate if
	// its id is taken.
	InsertUser(ctx context.Context, u User) error
	// UserByEmail reads a user by EmailKey; ErrNotFound. Deleted users have no
	// email.
	UserByEmail(ctx context.Context, key string) (User, error)
	// User reads a user, deleted or not; ErrNotFound.
	User(ctx context.Context, org, id string) (User, error)
	// Person reads a person by the ID of its document, in whichever organization its
	// first membership is, deleted or not; ErrNotFound, also for a further membership.
	Person(ctx context.Context, id string) (User, error)
	// Memberships reads the further memberships of a person, deleted ones included,
	// oldest first (CreatedAt, then ID). There is at most one for an organization.
	Memberships(ctx context.Context, person string) ([]User, error)
	// Former reads an erased user of an organization by its Former; ErrNotFound.
	Former(ctx context.Context, org, former string) (User, error)
	// TakeInvitation counts an invitation of an organization at now, unless limit of
	// them were counted after since: then it returns false. It is exact however many
	// are counted at once.
	TakeInvitation(ctx context.Context, org string, now, since time.Time, limit int) (bool, error)
	// ReplaceUser stores u where the stored Rev is prevRev, else ErrConflict
	// (also when there is none). u.Rev must be prevRev + 1. The id,
	// CreatedAt and Service never change; ErrEmailTaken if its StoredEmailKey does and
	// another user has it, as when an invitation becomes a person.
	//
	// If the stored user counts as an admin and u does not, another admin of
	// the organization must remain: ErrLastAdmin otherwise, however many such
	// writes run at once.
	ReplaceUser(ctx context.Context, org string, u User, prevRev int64) error
	// Dismiss is ReplaceUser for a user of an organization that is being deleted: no admin
	// has to remain. A u.Org other than org moves the user there, with its sessions.
	Dismiss(ctx context.Context, org string, u User, prevRev int64) error
	// UsersPage reads the users that are Listed, newest first (CreatedAt,
	// then ID, descending), skipping skip and at most limit, and counts all.
	UsersPage(ctx context.Context, org string, skip, limit int64) ([]User, int64, error)
}

// Sessions are what logins began.
type Sessions interface {
	// InsertSession stores a new session; ErrDuplicate.
	InsertSession(ctx context.Context, s Session) error
	// Session reads a session in any state; ErrNotFound.
	Session(ctx context.Context, id string) (Session, error)
	// TouchSession records a use of a session that has neither ended nor expired
	// at the time at; ErrEnded otherwise. After EndSession has returned, no
	// TouchSession succeeds. An earlier use never replaces a later one.
	TouchSession(ctx context.Context, org, id string, at time.Time, from Origin) error
	// EndSession ends a session of a user with a mark; that it has ended
	// already is success and changes nothing. ErrNotFound.
	EndSession(ctx context.Context, org, user, id string, at time.Time, reason, mark string) error
	// SessionsPage reads the sessions of a user that have neither ended nor
	// expired at the time now and that the user's epoch has not ended, newest
	// first, skipping skip and at most limit, and counts all.
	SessionsPage(ctx context.Context, u User, now time.Time, skip, limit int64) ([]Session, int64, error)
	// NewestSessions is the first page of SessionsPage, without the count.
	NewestSessions(ctx context.Context, u User, now time.Time, limit int64) ([]Session, error)
	// KnownNetwork reports whether a session of a user, in any state until it is purged, was
	// begun in a network or last refreshed in it. Those stored by a release that did not know
	// of networks are not found.
	KnownNetwork(ctx context.Context, u User, network string) (bool, error)
	// SurplusSessions reads as many of the sessions of a user that have not been ended,
	// whether they have expired or not, as there are beyond keep, and at most limit: those
	// used least, longest ago first. Those used at the time since, or later, are left out.
	SurplusSessions(ctx context.Context, org, user string, since time.Time, keep, limit int64) ([]Session, error)
	// DropSessions removes the sessions of a user, in any state, and gives how many: those that began
	// in a further membership, or all if member is empty.
	DropSessions(ctx context.Context, org, user, member string) (int64, error)
	// PurgeSessions removes sessions that expired before the given time, and
	// gives how many.
	PurgeSessions(ctx context.Context, before time.Time) (int64, error)
}

// Changes informs the serving processes of changes by other processes. A
// mark remains until a process has written the change into the copy, and what it
// owes to the audit log, and cleared it, so that no crash in between loses one.
type Changes interface {
	// MarkedUsers reads up to limit users with a mark, deleted ones included.
	MarkedUsers(ctx context.Context, limit int) ([]User, error)
	// ClearUserMark clears the mark of a user where it is still the given one.
	// It changes nothing else, Rev included.
	ClearUserMark(ctx context.Context, org, id, mark string) error
	// MarkedSessions and ClearSessionMark do the same for sessions.
	MarkedSessions(ctx context.Context, limit int) ([]Session, error)
	ClearSessionMark(ctx context.Context, org, id, mark string) error
}

// Archive reads all that is stored of an organization, so that it can be copied
// into another store.
type Archive interface {
	// UsersAfter reads up to limit users with ids above after, ascending, deleted
	// ones included.
	UsersAfter(ctx context.Context, org, after string, limit int) ([]User, error)
	// OrgAfter returns the lowest organization above after that a user is of; empty where
	// there is none.
	OrgAfter(ctx context.Context, after string) (string, error)
	// SessionsAfter reads up to limit sessions with ids above after, ascending,
	// in any state.
	SessionsAfter(ctx context.Context, org, after string, limit int) ([]Session, error)
}
