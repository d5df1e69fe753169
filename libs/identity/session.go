package identity

import (
	"context"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// State is what is known of a session, and of its user, now: what a token said
// when it was issued may have changed since.
type State struct {
	Active  bool // neither ended nor expired, and its user is not disabled
	UserID  string
	Org     string
	Role    Role // the user's role now
	Expires time.Time
}

// Admits reports whether a token that names p still holds: its session is
// active, and it says of the user what is true now. A token with a former role
// is refused, so that the client refreshes it and gets one with the role of
// today; no service ever acts on a former role.
func (s State) Admits(p Principal) bool {
	return s.Active && s.UserID == p.UserID && s.Org == p.Org && s.Role == p.Role
}

// Sessions reports the state of sessions, at most one second old. An error means
// that it cannot be told; an id that names no session is a State that is not
// Active.
type Sessions interface {
	Check(ctx context.Context, sid string) (State, error)
}

// Admit checks the session of a verified principal: nil when the request may
// go on, UNAUTHENTICATED when its session no longer admits it, UNAVAILABLE when
// that cannot be told.
func Admit(ctx context.Context, sessions Sessions, p Principal) error {
	state, err := sessions.Check(ctx, p.Session)
	if err != nil {
		return apperr.New(apperr.Unavailable, "The session cannot be checked right now.").Because(err)
	}
	if !state.Admits(p) {
		return NotAdmitted()
	}
	return nil
}

// NotAdmitted is the answer to a token whose session no longer admits it.
func NotAdmitted() error {
	return apperr.New(apperr.Unauthenticated, "The session has ended or has changed. Refresh the access token or log in again.")
}
