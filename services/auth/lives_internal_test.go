package auth

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/services/auth/account"
)

// TestLives: each single fact that ends a session ends it.
func TestLives(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	a := &Accounts{now: func() time.Time { return now }}
	for name, c := range map[string]struct {
		change func(v *account.Session, p *account.User)
		lives  bool
	}{
		"nothing":             {func(*account.Session, *account.User) {}, true},
		"of another person":   {func(v *account.Session, _ *account.User) { v.User = "p2" }, false},
		"the person erased":   {func(_ *account.Session, p *account.User) { p.Deleted = true }, false},
		"ended":               {func(v *account.Session, _ *account.User) { v.EndedAt = now.Add(-time.Hour) }, false},
		"expires now":         {func(v *account.Session, _ *account.User) { v.Expires = now }, false},
		"expires in a moment": {func(v *account.Session, _ *account.User) { v.Expires = now.Add(1) }, true},
		"all sessions ended":  {func(_ *account.Session, p *account.User) { p.Epoch = 3 }, false},
		"all but this one":    {func(_ *account.Session, p *account.User) { p.Epoch, p.Kept = 3, "s1" }, true},
		"all but another one": {func(_ *account.Session, p *account.User) { p.Epoch, p.Kept = 3, "s2" }, false},
		"begun since":         {func(v *account.Session, _ *account.User) { v.Epoch = 3 }, true},
	} {
		v := account.Session{ID: "s1", User: "p1", Epoch: 2, Expires: now.Add(time.Hour)}
		p := account.User{ID: "p1", Epoch: 2}
		if c.change(&v, &p); a.lives(v, p) != c.lives {
			t.Errorf("%s: lives %t", name, !c.lives)
		}
	}
}

// TestOpensSetup: a link sets a password only of an account that may have one, in time, and with its own secret.
func TestOpensSetup(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 9, 0, 0, 0, time.UTC)
	a := &Accounts{now: func() time.Time { return now }}
	secret, hash := account.NewSecret()
	other, _ := account.NewSecret()
	for name, c := range map[string]struct {
		change func(u *account.User)
		secret string
		opens  bool
	}{
		"an operator's link":          {func(*account.User) {}, secret, true},
		"an organization's link":      {func(u *account.User) { u.SetupHash = memberSetup + "o1:" + hash }, secret, true},
		"another secret":              {func(*account.User) {}, other, false},
		"no secret":                   {func(*account.User) {}, "", false},
		"no link":                     {func(u *account.User) { u.SetupHash = "" }, secret, false},
		"no link, no secret":          {func(u *account.User) { u.SetupHash = "" }, "", false},
		"it expires now":              {func(u *account.User) { u.SetupUntil = now }, secret, false},
		"it expires in a moment":      {func(u *account.User) { u.SetupUntil = now.Add(1) }, secret, true},
		"the account is disabled":     {func(u *account.User) { u.Disabled = true }, secret, false},
		"the first membership ended":  {func(u *account.User) { u.Disabled, u.Left = true, true }, secret, true},
		"the account is deleted":      {func(u *account.User) { u.Deleted = true }, secret, false},
		"a membership, not a person":  {func(u *account.User) { u.Person = "p2" }, secret, false},
		"an invitation, not accepted": {func(u *account.User) { u.Invited, u.Disabled = true, true }, secret, false},
	} {
		u := account.User{ID: "p1", Org: "o1", Email: "jo@example.com", EmailKey: "jo@example.com", SetupHash: hash, SetupUntil: now.Add(time.Hour)}
		if c.change(&u); a.opensSetup(u, c.secret) != c.opens {
			t.Errorf("%s: opens %t", name, !c.opens)
		}
	}
}
