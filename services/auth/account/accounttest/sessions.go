package accounttest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth/account"
)

func sessionsRoundTrip(t *testing.T, s account.Store) {
	v := session(user("o1", "ada@example.com", identity.User))
	v.Mark = "m"
	must(t, s.InsertSession(t.Context(), v))
	if got, err := s.Session(t.Context(), v.ID); err != nil || got != v {
		t.Errorf("%+v, %v, want %+v", got, err, v)
	}
	_, err := s.Session(t.Context(), "none")
	want(t, "an unknown session", err, account.ErrNotFound)
}

func touch(t *testing.T, s account.Store) {
	ctx := t.Context()
	v := session(user("o1", "ada@example.com", identity.User))
	must(t, s.InsertSession(ctx, v))
	later := account.Origin{Address: "2001:db8::1", UserAgent: "new"}
	must(t, s.TouchSession(ctx, "o1", v.ID, at.Add(time.Minute), later))
	// A use that arrives late neither fails nor replaces a later one.
	must(t, s.TouchSession(ctx, "o1", v.ID, at.Add(time.Second), account.Origin{Address: "192.0.2.9"}))
	got, err := s.Session(ctx, v.ID)
	v.LastUsedAt, v.Last = at.Add(time.Minute), later
	if err != nil || got != v {
		t.Errorf("%+v, %v, want %+v", got, err, v)
	}
	must(t, s.TouchSession(ctx, "o1", v.ID, v.Expires.Add(-time.Millisecond), later))
	want(t, "touch at the expiry", s.TouchSession(ctx, "o1", v.ID, v.Expires, later), account.ErrEnded)
	want(t, "touch of nothing", s.TouchSession(ctx, "o1", "none", at, later), account.ErrEnded)
}

func endSession(t *testing.T, s account.Store) {
	ctx := t.Context()
	v := session(user("o1", "ada@example.com", identity.User))
	must(t, s.InsertSession(ctx, v))
	must(t, s.EndSession(ctx, "o1", v.User, v.ID, at.Add(time.Minute), "logout", "m1"))
	must(t, s.EndSession(ctx, "o1", v.User, v.ID, at.Add(time.Hour), "admin", "m2"))
	v.EndedAt, v.EndReason, v.Mark, v.Rev = at.Add(time.Minute), "logout", "m1", 2
	if got, err := s.Session(ctx, v.ID); err != nil || got != v {
		t.Errorf("%+v, %v, want %+v", got, err, v)
	}
	want(t, "touch after the end", s.TouchSession(ctx, "o1", v.ID, at, account.Origin{}), account.ErrEnded)
	want(t, "end of nothing", s.EndSession(ctx, "o1", v.User, "none", at, "x", "m"), account.ErrNotFound)
}

// endRace runs refreshes concurrently with a logout: a refresh that began after the
// logout was acknowledged must be refused.
func endRace(t *testing.T, s account.Store) {
	ctx := t.Context()
	v := session(user("o1", "ada@example.com", identity.User))
	must(t, s.InsertSession(ctx, v))
	ended := make(chan struct{})
	errs := race(6, func(i int) error {
		if i == 0 {
			defer close(ended)
			return s.EndSession(ctx, "o1", v.User, v.ID, at, "logout", "m")
		}
		for n := range 20 {
			over := false
			select {
			case <-ended:
				over = true
			default:
			}
			err := s.TouchSession(ctx, "o1", v.ID, at.Add(time.Duration(n)*time.Millisecond), account.Origin{})
			if err == nil && over {
				return fmt.Errorf("touch %d of writer %d succeeded after the end", n, i)
			}
			if err != nil && !errors.Is(err, account.ErrEnded) {
				return err
			}
			if err != nil {
				return nil
			}
		}
		return nil
	})
	must(t, errors.Join(errs...))
	if got, err := s.Session(ctx, v.ID); err != nil || got.EndedAt.IsZero() || got.Rev != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

func sessionsPage(t *testing.T, s account.Store) {
	ctx := t.Context()
	u := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	u.Epoch, u.Kept = 3, "kept"
	add := func(id string, change func(*account.Session)) {
		v := session(u)
		v.ID = id
		change(&v)
		must(t, s.InsertSession(ctx, v))
	}
	add("first", func(*account.Session) {})
	add("second", func(v *account.Session) { v.CreatedAt = at.Add(time.Minute) })
	add("kept", func(v *account.Session) { v.Epoch, v.CreatedAt = 2, at.Add(2*time.Minute) })
	add("former epoch", func(v *account.Session) { v.Epoch = 2 })
	add("expired", func(v *account.Session) { v.Expires = at })
	add("ended", func(v *account.Session) { v.EndedAt = at })
	add("another's", func(v *account.Session) { v.User = "u2" })
	got, total, err := s.SessionsPage(ctx, u, at, 0, 10)
	var ids []string
	for _, v := range got {
		ids = append(ids, v.ID)
	}
	if err != nil || total != 3 || fmt.Sprint(ids) != "[kept second first]" {
		t.Errorf("%v of %d, %v", ids, total, err)
	}
	newest, err := s.NewestSessions(ctx, u, at, 2)
	if err != nil || len(newest) != 2 || newest[0] != got[0] || newest[1] != got[1] {
		t.Errorf("the newest: %+v, %v", newest, err)
	}
	got, total, err = s.SessionsPage(ctx, u, at, 1, 1)
	if err != nil || total != 3 || len(got) != 1 || got[0].ID != "second" {
		t.Errorf("the second: %+v of %d, %v", got, total, err)
	}
}

func networks(t *testing.T, s account.Store) {
	ctx := t.Context()
	u := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	add := func(id, from string, change func(*account.Session)) {
		v := session(u)
		v.ID, v.Created.Address, v.Last.Address = id, from, from
		change(&v)
		must(t, s.InsertSession(ctx, v))
	}
	add("live", "192.0.2.1", func(*account.Session) {})
	add("six", "2001:db8:1:2::7", func(*account.Session) {})
	add("ended", "192.0.2.2", func(v *account.Session) { v.EndedAt = at })
	add("expired", "192.0.2.3", func(v *account.Session) { v.Expires = at.Add(-time.Minute) })
	add("former epoch", "192.0.2.4", func(v *account.Session) { v.Epoch = u.Epoch - 1 })
	add("another's", "192.0.2.5", func(v *account.Session) { v.User = "u2" })
	add("of another organization", "192.0.2.6", func(v *account.Session) { v.Org = "o2" })
	add("from nowhere", "", func(*account.Session) {})
	must(t, s.TouchSession(ctx, u.Org, "live", at, account.Origin{Address: "192.0.2.7"}))
	for n := range 150 {
		add(fmt.Sprint("elsewhere", n), fmt.Sprint("198.51.100.", n), func(v *account.Session) { v.CreatedAt = at.Add(time.Duration(n) * time.Minute) })
	}
	for address, want := range map[string]bool{
		"192.0.2.1": true, "192.0.2.2": true, "192.0.2.3": true, "192.0.2.4": true, "192.0.2.7": true, "2001:db8:1:2::8": true,
		"192.0.2.5": false, "192.0.2.6": false, "192.0.2.8": false, "2001:db8:1:3::7": false, "": false,
	} {
		if known, err := s.KnownNetwork(ctx, u, account.Origin{Address: address}.Network()); known != want || err != nil {
			t.Errorf("%q is known: %v, %v", address, known, err)
		}
	}
	if n, err := s.PurgeSessions(ctx, at); n != 1 || err != nil {
		t.Fatalf("%d purged, %v", n, err)
	}
	if known, err := s.KnownNetwork(ctx, u, account.Origin{Address: "192.0.2.3"}.Network()); known || err != nil {
		t.Errorf("the network of a session that is gone is known: %v", err)
	}
}

func surplus(t *testing.T, s account.Store) {
	u := user("o1", "ada@example.com", identity.User)
	for i, change := range []func(*account.Session){
		func(v *account.Session) { v.LastUsedAt = at.Add(2 * time.Minute) },
		func(v *account.Session) { v.LastUsedAt = at.Add(time.Minute) },
		func(v *account.Session) { v.LastUsedAt, v.CreatedAt = at, at.Add(time.Minute) },
		func(v *account.Session) { v.LastUsedAt, v.Epoch = at.Add(-time.Minute), u.Epoch-1 },
		func(v *account.Session) { v.LastUsedAt, v.Expires = at.Add(-2*time.Minute), at },
		func(v *account.Session) { v.EndedAt = at },
		func(v *account.Session) { v.User = "u2" },
		func(v *account.Session) { v.Org = "o2" },
	} {
		v := session(u)
		v.ID = fmt.Sprint(i)
		change(&v)
		must(t, s.InsertSession(t.Context(), v))
	}
	later := at.Add(time.Hour)
	for _, c := range []struct {
		since       time.Time
		keep, limit int64
		want        string
	}{
		{later, 0, 10, "[4 3 2 1 0]"}, {later, 2, 10, "[4 3 2]"}, {later, 2, 1, "[4]"}, {later, 4, 10, "[4]"}, {later, 5, 10, "[]"}, {later, 6, 10, "[]"},
		{at, 0, 10, "[4 3]"}, {at, 4, 10, "[4]"}, {at.Add(-time.Hour), 0, 10, "[]"},
	} {
		ids := []string{}
		got, err := s.SurplusSessions(t.Context(), u.Org, u.ID, c.since, c.keep, c.limit)
		for _, v := range got {
			ids = append(ids, v.ID)
		}
		if err != nil || fmt.Sprint(ids) != c.want {
			t.Errorf("all but %d, at most %d: %v, %v; want %s", c.keep, c.limit, ids, err, c.want)
		}
	}
}

func purge(t *testing.T, s account.Store) {
	ctx := t.Context()
	u := user("o1", "ada@example.com", identity.User)
	old, live := session(u), session(u)
	old.Expires = at.Add(-time.Millisecond)
	live.Expires = at
	must(t, s.InsertSession(ctx, old))
	must(t, s.InsertSession(ctx, live))
	if n, err := s.PurgeSessions(ctx, at); n != 1 || err != nil {
		t.Errorf("purged %d, %v", n, err)
	}
	_, err := s.Session(ctx, old.ID)
	want(t, "an expired session", err, account.ErrNotFound)
	_, err = s.Session(ctx, live.ID)
	want(t, "a live session", err, nil)
}

func marks(t *testing.T, s account.Store) {
	ctx := t.Context()
	if users, err := s.MarkedUsers(ctx, 10); len(users) != 0 || err != nil {
		t.Errorf("an empty store has %d marks, %v", len(users), err)
	}
	insertUser(t, s, user("o1", "bob@example.com", identity.User))
	u := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	u = next(u, func(u *account.User) { u.Mark = "m2" })
	must(t, s.ReplaceUser(ctx, "o1", u, 1))
	must(t, s.ClearUserMark(ctx, "o1", u.ID, "m1")) // an earlier mark: no effect
	if users, err := s.MarkedUsers(ctx, 10); err != nil || len(users) != 1 || users[0] != u {
		t.Errorf("marked users %+v, %v", users, err)
	}
	must(t, s.ClearUserMark(ctx, "o1", u.ID, "m2"))
	u.Mark = ""
	if got, err := s.User(ctx, "o1", u.ID); err != nil || got != u {
		t.Errorf("after clearing: %+v, %v, want %+v", got, err, u)
	}
	v := session(u)
	must(t, s.InsertSession(ctx, v))
	must(t, s.InsertSession(ctx, session(u)))
	must(t, s.EndSession(ctx, "o1", u.ID, v.ID, at, "logout", "m3"))
	must(t, s.ClearSessionMark(ctx, "o1", v.ID, "m1"))
	if marked, err := s.MarkedSessions(ctx, 10); err != nil || len(marked) != 1 || marked[0].ID != v.ID || marked[0].EndedAt.IsZero() {
		t.Errorf("marked sessions %+v, %v", marked, err)
	}
	must(t, s.ClearSessionMark(ctx, "o1", v.ID, "m3"))
	if marked, err := s.MarkedSessions(ctx, 10); len(marked) != 0 || err != nil {
		t.Errorf("after clearing: %+v, %v", marked, err)
	}
	for i := range 3 {
		extra := user("o1", fmt.Sprintf("x%d@example.com", i), identity.User)
		extra.Mark = "m"
		insertUser(t, s, extra)
	}
	if users, err := s.MarkedUsers(ctx, 2); len(users) != 2 || err != nil {
		t.Errorf("%d marked users, want the limit of 2, %v", len(users), err)
	}
}

func lastAdmin(t *testing.T, s account.Store) {
	ctx := t.Context()
	a := insertUser(t, s, user("o1", "a@example.com", identity.Admin))
	insertUser(t, s, user("o1", "m@example.com", identity.Manager))
	insertUser(t, s, user("o2", "other@example.com", identity.Admin))
	disabledAdmin := user("o1", "d@example.com", identity.Admin)
	disabledAdmin.Disabled = true
	d := insertUser(t, s, disabledAdmin)
	for what, change := range map[string]func(*account.User){
		"demote":  func(u *account.User) { u.Role = identity.Manager },
		"disable": func(u *account.User) { u.Disabled = true },
		"delete":  func(u *account.User) { u.Deleted = true },
	} {
		want(t, what+" the last admin", s.ReplaceUser(ctx, "o1", next(a, change), 1), account.ErrLastAdmin)
	}
	if got, err := s.User(ctx, "o1", a.ID); err != nil || got != a {
		t.Errorf("the last admin is %+v, %v", got, err)
	}
	// The rule does not prevent other changes of the last admin.
	a = next(a, func(u *account.User) { u.Name = "Anna" })
	must(t, s.ReplaceUser(ctx, "o1", a, 1))
	// With a second admin the first may be disabled, and then the second may not.
	d = next(d, func(u *account.User) { u.Disabled = false })
	must(t, s.ReplaceUser(ctx, "o1", d, 1))
	a = next(a, func(u *account.User) { u.Role = identity.User })
	must(t, s.ReplaceUser(ctx, "o1", a, 2))
	want(t, "disable the one that is left", s.ReplaceUser(ctx, "o1", next(d, func(u *account.User) { u.Disabled = true }), 2), account.ErrLastAdmin)
	// And the other way round.
	d, err := s.User(ctx, "o1", d.ID)
	must(t, err)
	a = next(a, func(u *account.User) { u.Role = identity.Admin })
	must(t, s.ReplaceUser(ctx, "o1", a, 3))
	must(t, s.ReplaceUser(ctx, "o1", next(d, func(u *account.User) { u.Deleted = true }), d.Rev))
	// A write that lost its race must not remove its admin from the guard.
	e := insertUser(t, s, user("o1", "e@example.com", identity.Admin))
	want(t, "demote at a former revision", s.ReplaceUser(ctx, "o1", next(e, func(u *account.User) { u.Role = identity.User }), 9), account.ErrConflict)
	must(t, s.ReplaceUser(ctx, "o1", next(a, func(u *account.User) { u.Role = identity.User }), 4))
}

func lastAdminRace(t *testing.T, s account.Store) {
	ctx := t.Context()
	const n = 4
	admins := make([]account.User, n)
	for i := range n {
		admins[i] = insertUser(t, s, user("o1", fmt.Sprintf("a%d@example.com", i), identity.Admin))
	}
	errs := race(2*n, func(i int) error {
		u := admins[i%n]
		for {
			err := s.ReplaceUser(ctx, "o1", next(u, func(u *account.User) { u.Role = identity.User }), u.Rev)
			if !errors.Is(err, account.ErrConflict) {
				return err
			}
			// A concurrent write was faster, or its revision was raised to keep it in
			// the guard.
			if u, err = s.User(ctx, "o1", u.ID); err != nil {
				return err
			}
			if !u.CountsAsAdmin() {
				return account.ErrConflict
			}
		}
	})
	if won := winners(t, errs, account.ErrLastAdmin, account.ErrConflict); won != n-1 {
		t.Errorf("%d of %d admins removed each other", won, n)
	}
	left := 0
	for _, a := range admins {
		u, err := s.User(ctx, "o1", a.ID)
		must(t, err)
		if u.CountsAsAdmin() {
			left++
		}
	}
	if left != 1 {
		t.Errorf("%d admins are left, want 1", left)
	}
}
