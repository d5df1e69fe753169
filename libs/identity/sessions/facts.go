// Package sessions determines, for each request, whether its session is still valid. The
// authoritative data is in the store of the auth service; Redis holds a copy, and each process
// caches states briefly. If the copy is absent, auth is queried, which reads the store and
// writes the copy again.
package sessions

import (
	"context"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
)

// Session is the copied state of a session.
type Session struct {
	ID    string `json:"id"`
	User  string `json:"user"`
	Org   string `json:"org"`
	Epoch int64  `json:"epoch"` // the user's epoch when the session began
	// MemberEpoch is the membership's when the session began.
	MemberEpoch int64     `json:"memberEpoch,omitempty"`
	Ended       bool      `json:"ended"`
	Expires     time.Time `json:"expires"`
	Rev         int64     `json:"rev"`
}

// User is the copied state of a user.
type User struct {
	ID       string        `json:"id"`
	Org      string        `json:"org"`
	Role     identity.Role `json:"role,omitzero"`
	Disabled bool          `json:"disabled"`
	// Epoch is raised to end all sessions of the user at once: sessions with a lower epoch have
	// ended, except the session Kept (the one in which the user changed the password).
	Epoch int64  `json:"epoch"`
	Kept  string `json:"kept,omitempty"`
	// MemberEpoch is raised to end only the sessions in this organization.
	MemberEpoch int64 `json:"memberEpoch,omitempty"`
	Rev         int64 `json:"rev"`
}

// Facts are a session and its user. They are separate in the copy, so that a change of a user
// is one write however many sessions the user has.
type Facts struct {
	Session Session `json:"session"`
	User    User    `json:"user"`
}

// Unknown returns the facts of an id that names no session: it has ended.
func Unknown(sid string) Facts { return Facts{Session: Session{ID: sid, Ended: true}} }

// State returns the state at now.
func (f Facts) State(now time.Time) identity.State {
	s, u := f.Session, f.User
	return identity.State{
		Active: !s.Ended && now.Before(s.Expires) && s.User == u.ID && s.Org == u.Org &&
			!u.Disabled && s.MemberEpoch >= u.MemberEpoch && (s.Epoch >= u.Epoch || u.Kept == s.ID),
		UserID: s.User,
		Org:    s.Org,
		Role:   u.Role,
	}
}

// Authority reads the authoritative facts of sessions.
type Authority interface {
	// Facts reads the facts of a session from the store and writes the copy; it returns Unknown
	// for an unknown id.
	Facts(ctx context.Context, sid string) (Facts, error)
}
