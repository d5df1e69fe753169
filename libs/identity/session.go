package identity

import (
	"context"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// State is the current state of a session and its user, which may have changed since the token
// was issued.
type State struct {
	Active bool // neither ended nor expired, and its user is not disabled
	UserID string
	Org    string
	Role   Role // the user's current role
}

// Admits reports whether a token that names p is still valid: its session is active, and its
// claims about the user are still true. A token with a former role is rejected, so that the
// client refreshes it; no service ever acts on a former role.
func (s State) Admits(p Principal) bool {
	return s.Active && s.UserID == p.UserID && s.Org == p.Org && s.Role == p.Role
}

// Sessions returns the state of sessions, at most one second old. An error means that it cannot
// be determined; an unknown id has a State that is not Active.
type Sessions interface {
	Check(ctx context.Context, sid string) (State, error)
}

// Admit checks the session of a verified principal: nil if the request may continue,
// UNAUTHENTICATED if its session no longer admits it, UNAVAILABLE if that cannot be determined.
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

// ActiveTokens verifies access tokens, and that their sessions admit them. Every service has
// one, so that the end of a session takes effect everywhere.
type ActiveTokens struct {
	Tokens   Tokens
	Sessions Sessions
}

// Verify returns the caller named by an access token. Its errors are those of the verifier and
// of Admit.
func (a ActiveTokens) Verify(ctx context.Context, token string) (Principal, error) {
	p, err := a.Tokens.Verify(ctx, token)
	if err != nil {
		return Principal{}, err
	}
	if known, ok := a.Sessions.(interface {
		Recent(sid string) (State, bool)
	}); ok {
		// Fast path: the state of the session is usually cached.
		if state, ok := known.Recent(p.Session); ok && state.Admits(p) {
			return p, nil
		}
	}
	if err := Admit(WithToken(ctx, strings.Clone(token)), a.Sessions, p); err != nil {
		return Principal{}, err
	}
	return p, nil
}

// Readmit checks the session of a caller that Verify has returned, while the response is being
// sent. Its errors are those of Admit. The token may have expired since.
func (a ActiveTokens) Readmit(ctx context.Context, token string, p Principal) error {
	return Admit(WithToken(ctx, token), a.Sessions, p)
}

type tokenKey struct{}

// tokenContext is context.WithValue without a second allocation for the value: every request
// creates one, and few read the token.
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

// WithToken returns a context that carries the access token whose session is checked.
func WithToken(ctx context.Context, token string) context.Context {
	return &tokenContext{ctx, token}
}

// TokenOf returns the access token whose session is being checked, which a query to auth about
// the session has to present. It is empty if the query is not made on behalf of a caller.
func TokenOf(ctx context.Context) string {
	token, _ := ctx.Value(tokenKey{}).(string)
	return token
}

// NotAdmitted returns the error for a token whose session no longer admits it.
func NotAdmitted() error {
	return apperr.New(apperr.Unauthenticated, "The session has ended or has changed. Refresh the access token or log in again.")
}
