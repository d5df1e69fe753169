package identity

import (
	"context"
	"strings"
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

// Tokens verifies access tokens; Verifier is one.
type Tokens interface {
	Verify(ctx context.Context, token string) (Principal, error)
}

// ActiveTokens verifies access tokens, and that the session of each still admits
// it. Every service has one: what a session's end takes back is taken back
// wherever a request arrives.
type ActiveTokens struct {
	Tokens   Tokens
	Sessions Sessions
}

// Verify returns the caller that an access token names. The errors are those of
// the verifier and of Admit.
func (a ActiveTokens) Verify(ctx context.Context, token string) (Principal, error) {
	p, err := a.Tokens.Verify(ctx, token)
	if err != nil {
		return Principal{}, err
	}
	if known, ok := a.Sessions.(interface {
		Recent(sid string) (State, bool)
	}); ok {
		// Most requests are of a session that was asked about a moment ago.
		if state, ok := known.Recent(p.Session); ok && state.Admits(p) {
			return p, nil
		}
	}
	if err := Admit(WithToken(ctx, strings.Clone(token)), a.Sessions, p); err != nil {
		return Principal{}, err
	}
	return p, nil
}

// Readmit checks the session of a caller that Verify has returned, while the answer to the
// request is on its way: the errors are those of Admit. The token may have expired since.
func (a ActiveTokens) Readmit(ctx context.Context, token string, p Principal) error {
	return Admit(WithToken(ctx, token), a.Sessions, p)
}

type tokenKey struct{}

// tokenContext is context.WithValue without a second allocation for the value: every
// request makes one, and few ask for the token.
type tokenContext struct {
	context.Context
	token string
}

// Value implements context.Context.
func (c *tokenContext) Value(key any) any {
	if key == (tokenKey{}) {
		return c.token
	}
	return c.Context.Value(key)
}

// WithToken returns a context in which the session of an access token is checked.
func WithToken(ctx context.Context, token string) context.Context {
	return &tokenContext{ctx, token}
}

// TokenOf returns the access token whose session is being checked: who asks auth
// about a session shows that a token of it was presented. It is empty where nothing is
// asked in the name of a caller.
func TokenOf(ctx context.Context) string {
	token, _ := ctx.Value(tokenKey{}).(string)
	return token
}

// NotAdmitted is the answer to a token whose session no longer admits it.
func NotAdmitted() error {
	return apperr.New(apperr.Unauthenticated, "The session has ended or has changed. Refresh the access token or log in again.")
}
