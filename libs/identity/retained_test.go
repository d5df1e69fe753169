package identity_test

import (
	"context"
	"testing"
	"time"
	"unsafe"

	"github.com/eventcarbon/ecf/libs/identity"
)

// asked retains its arguments, like a query to another process after its caller has
// disconnected.
type asked struct {
	state identity.State
	with  context.Context
}

func (a *asked) Check(ctx context.Context, _ string) (identity.State, error) {
	a.with = ctx
	return a.state, nil
}

// remembers is asked with a cached session.
type remembers struct {
	asked
	known bool
}

func (r *remembers) Recent(string) (identity.State, bool) { return r.state, r.known }

// TestNothingIsKeptOfABorrowedToken verifies that the principal and the token of a query do not
// change when the buffer of the request is reused.
func TestNothingIsKeptOfABorrowedToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.sign(b.header(), b.claims())
	want, err := b.verifier.Verify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	fresh := identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: b.keys, Now: func() time.Time { return b.now }})
	sessions := &asked{state: identity.State{Active: true, UserID: want.UserID, Org: want.Org, Role: want.Role}}
	active := identity.ActiveTokens{Tokens: fresh, Sessions: sessions}
	room := []byte(token)
	got, err := active.Verify(t.Context(), unsafe.String(unsafe.SliceData(room), len(room)))
	if err != nil {
		t.Fatal(err)
	}
	for i := range room {
		room[i] = 'x'
	}
	if got != want {
		t.Errorf("the principal is %+v, want %+v", got, want)
	}
	if kept := identity.TokenOf(sessions.with); kept != token {
		t.Errorf("the session is asked about with %.40q", kept)
	}
	if again, err := fresh.Verify(t.Context(), token); err != nil || again != want {
		t.Errorf("what is remembered is %+v, %v", again, err)
	}
	if _, err := fresh.Verify(t.Context(), string(room)); err == nil {
		t.Error("the bytes that took the token's place are taken for one")
	}
}

// TestARecentSessionIsNotAskedAbout verifies that a session is queried unless a cached state
// admits the token.
func TestARecentSessionIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.sign(b.header(), b.claims())
	p, err := b.verifier.Verify(t.Context(), token)
	if err != nil {
		t.Fatal(err)
	}
	good := identity.State{Active: true, UserID: p.UserID, Org: p.Org, Role: p.Role}
	for name, c := range map[string]struct {
		known, admits, asks bool
	}{
		"remembered": {known: true, admits: true},
		"unknown":    {admits: true, asks: true},
		"ended":      {known: true, asks: true},
	} {
		sessions := &remembers{known: c.known}
		if c.admits {
			sessions.state = good
		}
		_, err := identity.ActiveTokens{Tokens: b.verifier, Sessions: sessions}.Verify(t.Context(), token)
		if (err == nil) != c.admits || (sessions.with != nil) != c.asks {
			t.Errorf("%s: %v, asked: %v", name, err, sessions.with != nil)
		}
	}
}
