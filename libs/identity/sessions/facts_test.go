package sessions_test

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
)

// TestState: each single fact that ends a session ends it.
func TestState(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		change func(s *sessions.Session, u *sessions.User)
		active bool
	}{
		"nothing":                        {func(*sessions.Session, *sessions.User) {}, true},
		"ended":                          {func(s *sessions.Session, _ *sessions.User) { s.Ended = true }, false},
		"expired":                        {func(s *sessions.Session, _ *sessions.User) { s.Expires = now.Add(-1) }, false},
		"expires now":                    {func(s *sessions.Session, _ *sessions.User) { s.Expires = now }, false},
		"expires in a moment":            {func(s *sessions.Session, _ *sessions.User) { s.Expires = now.Add(1) }, true},
		"of another user":                {func(_ *sessions.Session, u *sessions.User) { u.ID = "u2" }, false},
		"in another organization":        {func(_ *sessions.Session, u *sessions.User) { u.Org = "o2" }, false},
		"disabled":                       {func(_ *sessions.Session, u *sessions.User) { u.Disabled = true }, false},
		"all sessions ended":             {func(_ *sessions.Session, u *sessions.User) { u.Epoch = 3 }, false},
		"all but this one":               {func(_ *sessions.Session, u *sessions.User) { u.Epoch, u.Kept = 3, "s1" }, true},
		"all but another one":            {func(_ *sessions.Session, u *sessions.User) { u.Epoch, u.Kept = 3, "s2" }, false},
		"begun since":                    {func(s *sessions.Session, _ *sessions.User) { s.Epoch = 3 }, true},
		"the membership ended":           {func(_ *sessions.Session, u *sessions.User) { u.MemberEpoch = 3 }, false},
		"the membership ended, all kept": {func(_ *sessions.Session, u *sessions.User) { u.MemberEpoch, u.Kept = 3, "s1" }, false},
		"member again since":             {func(s *sessions.Session, _ *sessions.User) { s.MemberEpoch = 3 }, true},
	} {
		f := sessions.Facts{
			Session: sessions.Session{ID: "s1", User: "u1", Org: "o1", Epoch: 2, MemberEpoch: 2, Expires: now.Add(time.Hour)},
			User:    sessions.User{ID: "u1", Org: "o1", Role: identity.Manager, Epoch: 2, MemberEpoch: 2},
		}
		c.change(&f.Session, &f.User)
		if got, want := f.State(now), (identity.State{Active: c.active, UserID: "u1", Org: "o1", Role: identity.Manager}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if s := sessions.Unknown("s1").State(now); s.Active {
		t.Error("an unknown session is active")
	}
}
