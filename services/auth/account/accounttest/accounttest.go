// Package accounttest is the conformance suite of account.Store that every engine must
// pass, including under concurrency.
package accounttest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// Run tests an engine. open returns an empty store for one test.
func Run(t *testing.T, open func(t *testing.T) account.Store) {
	for name, test := range map[string]func(*testing.T, account.Store){
		"users come back as they were stored":        usersRoundTrip,
		"an email belongs to one account":            emailIsUnique,
		"one of many inserts of an email wins":       emailRace,
		"a deleted user gives the email free":        deletedUser,
		"a user is replaced at its revision only":    replaceAtRevision,
		"a person has one membership for a tenant":   furtherMemberships,
		"one of many memberships of a person wins":   membershipRace,
		"who has left is no member and stays found":  leftPerson,
		"one of many replacements wins":              replaceRace,
		"who is dismissed may be the last, and move": dismissals,
		"users are listed newest first":              usersPage,
		"the last admin stays":                       lastAdmin,
		"admins who remove each other leave one":     lastAdminRace,
		"sessions come back as they were stored":     sessionsRoundTrip,
		"a session is touched while it lives":        touch,
		"a session ends once":                        endSession,
		"no touch succeeds after the end":            endRace,
		"live sessions are listed newest first":      sessionsPage,
		"sessions that were used least are surplus":  surplus,
		"networks that sessions were used in":        networks,
		"expired sessions are purged":                purge,
		"marks stay until they are cleared":          marks,
		"nothing is shared between organizations":    tenants,
		"a context that has ended writes nothing":    ended,
		"the engine answers":                         ping,
		"no value is taken for an operator or cut":   hostileValues,
		"two sessions or users never share their id": duplicateIDs,
		"audit entries come back in one chain":       auditRoundTrip,
		"audit entries at once make one chain":       auditRace,
		"the audit log is listed newest first":       auditPage,
		"all of an organization is read by id":       archive,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// at is a time with the precision that is stored.
var at = time.Date(2026, 11, 20, 12, 0, 0, 123_000_000, time.UTC)

func user(org, email string, role identity.Role) account.User {
	return account.User{ //nolint:gosec // no credentials, only texts in their place
		ID: account.NewID(), Org: org, Email: email, EmailKey: account.EmailKey(email), Name: "Ada Lovelace", Role: role,
		PasswordHash: "$argon2id$hash", SetupHash: "setup", SetupUntil: at.Add(time.Hour), SetupKey: "key", Epoch: 1, Kept: "kept", Rev: 1,
		CreatedAt: at, UpdatedAt: at.Add(time.Minute),
	}
}

func session(u account.User) account.Session {
	return account.Session{
		ID: account.NewID(), User: u.ID, Org: u.Org, SecretHash: "hash", Epoch: u.Epoch, CreatedAt: at, Expires: at.Add(time.Hour), LastUsedAt: at,
		Created: account.Origin{Address: "192.0.2.1", UserAgent: "curl"}, Last: account.Origin{Address: "192.0.2.2", UserAgent: "ecf"}, Rev: 1,
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) || (want == nil && got != nil) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func insertUser(t *testing.T, s account.Store, u account.User) account.User {
	t.Helper()
	must(t, s.InsertUser(t.Context(), u))
	return u
}

// next returns u with a change, at its next revision.
func next(u account.User, change func(*account.User)) account.User {
	u.Rev++
	change(&u)
	return u
}

// race calls fn n times concurrently and returns the errors.
func race(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// winners counts the nil errors; all others must be one of lost.
func winners(t *testing.T, errs []error, lost ...error) int {
	t.Helper()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
			continue
		}
		known := false
		for _, l := range lost {
			known = known || errors.Is(err, l)
		}
		if !known {
			t.Errorf("a loser got %v, want one of %v", err, lost)
		}
	}
	return won
}

func usersRoundTrip(t *testing.T, s account.Store) {
	u := user("o1", "Ada@Example.com", identity.Manager)
	u.Disabled, u.Mark, u.Service = true, "m1", true
	insertUser(t, s, u)
	for what, read := range map[string]func() (account.User, error){
		"by id":    func() (account.User, error) { return s.User(t.Context(), "o1", u.ID) },
		"by email": func() (account.User, error) { return s.UserByEmail(t.Context(), account.EmailKey("ada@example.COM")) },
	} {
		if got, err := read(); err != nil || got != u {
			t.Errorf("%s: %+v, %v, want %+v", what, got, err, u)
		}
	}
	bare := account.User{ID: "bare", Org: "o1", EmailKey: "bare@x", Rev: 1, CreatedAt: at}
	insertUser(t, s, bare)
	if got, err := s.User(t.Context(), "o1", "bare"); err != nil || got != bare {
		t.Errorf("a user of zero values: %+v, %v", got, err)
	}
	_, err := s.UserByEmail(t.Context(), "nobody@example.com")
	want(t, "an unknown email", err, account.ErrNotFound)
	_, err = s.User(t.Context(), "o1", "nobody")
	want(t, "an unknown id", err, account.ErrNotFound)
}

func emailIsUnique(t *testing.T, s account.Store) {
	insertUser(t, s, user("o1", "ada@example.com", identity.User))
	want(t, "the same email in another organization", s.InsertUser(t.Context(), user("o2", "ADA@example.com", identity.User)), account.ErrEmailTaken)
	_, n, err := s.UsersPage(t.Context(), "o2", 0, 10)
	if err != nil || n != 0 {
		t.Errorf("the loser left %d users, %v", n, err)
	}
}

func emailRace(t *testing.T, s account.Store) {
	errs := race(8, func(i int) error {
		return s.InsertUser(t.Context(), user(fmt.Sprintf("o%d", i%2), "ada@example.com", identity.Admin))
	})
	if won := winners(t, errs, account.ErrEmailTaken); won != 1 {
		t.Errorf("%d inserts of one email succeeded", won)
	}
}

func duplicateIDs(t *testing.T, s account.Store) {
	u := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	other := user("o1", "bob@example.com", identity.User)
	other.ID = u.ID
	want(t, "a second user of one id", s.InsertUser(t.Context(), other), account.ErrDuplicate)
	v := session(u)
	must(t, s.InsertSession(t.Context(), v))
	want(t, "a second session of one id", s.InsertSession(t.Context(), v), account.ErrDuplicate)
}

func deletedUser(t *testing.T, s account.Store) {
	u := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	gone := next(u, func(u *account.User) { u.Deleted, u.Email, u.PasswordHash = true, "", "" })
	must(t, s.ReplaceUser(t.Context(), "o1", gone, 1))
	_, err := s.UserByEmail(t.Context(), u.EmailKey)
	want(t, "by the email of a deleted user", err, account.ErrNotFound)
	got, err := s.User(t.Context(), "o1", u.ID)
	if err != nil || !got.Deleted || got.Email != "" {
		t.Errorf("a deleted user by id: %+v, %v", got, err)
	}
	if _, n, err := s.UsersPage(t.Context(), "o1", 0, 10); err != nil || n != 0 {
		t.Errorf("%d users are listed, %v", n, err)
	}
	must(t, s.InsertUser(t.Context(), user("o2", "ada@example.com", identity.User)))
	second := insertUser(t, s, user("o1", "bob@example.com", identity.User))
	must(t, s.ReplaceUser(t.Context(), "o1", next(second, func(u *account.User) { u.Deleted = true }), 1))
}

func replaceAtRevision(t *testing.T, s account.Store) {
	u := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	changed := next(u, func(u *account.User) {
		u.Name, u.Role, u.Disabled, u.PasswordHash, u.SetupHash, u.SetupUntil, u.SetupKey = "Ada King", identity.Manager, true, "other", "", time.Time{}, "another"
		u.Epoch, u.Kept, u.Mark, u.UpdatedAt = 2, "", "m2", at.Add(time.Hour)
	})
	must(t, s.ReplaceUser(t.Context(), "o1", changed, 1))
	if got, err := s.User(t.Context(), "o1", u.ID); err != nil || got != changed {
		t.Errorf("%+v, %v, want %+v", got, err, changed)
	}
	want(t, "at the former revision", s.ReplaceUser(t.Context(), "o1", changed, 1), account.ErrConflict)
	want(t, "at a later revision", s.ReplaceUser(t.Context(), "o1", changed, 7), account.ErrConflict)
	unknown := user("o1", "bob@example.com", identity.User)
	want(t, "of nobody", s.ReplaceUser(t.Context(), "o1", unknown, 1), account.ErrConflict)
}

func replaceRace(t *testing.T, s account.Store) {
	u := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	errs := race(8, func(i int) error {
		return s.ReplaceUser(t.Context(), "o1", next(u, func(u *account.User) { u.Name = fmt.Sprint(i) }), 1)
	})
	if won := winners(t, errs, account.ErrConflict); won != 1 {
		t.Errorf("%d replacements of one revision succeeded", won)
	}
	got, err := s.User(t.Context(), "o1", u.ID)
	must(t, err)
	for i, err := range errs {
		if err == nil && got.Name != fmt.Sprint(i) {
			t.Errorf("writer %d won and the name is %q", i, got.Name)
		}
	}
}

func usersPage(t *testing.T, s account.Store) {
	var ids []string
	for i := range 5 {
		u := user("o1", fmt.Sprintf("u%d@example.com", i), identity.User)
		u.CreatedAt = at.Add(time.Duration(i/2) * time.Millisecond) // some with the same time
		u.ID = fmt.Sprintf("id%d", i)
		insertUser(t, s, u)
		ids = append([]string{u.ID}, ids...)
	}
	for _, c := range []struct{ skip, limit, n int64 }{{0, 10, 5}, {0, 2, 2}, {2, 2, 2}, {4, 2, 1}, {5, 2, 0}, {1 << 62, 100, 0}} {
		got, total, err := s.UsersPage(t.Context(), "o1", c.skip, c.limit)
		if err != nil || total != 5 || int64(len(got)) != c.n {
			t.Fatalf("skip %d limit %d: %d of %d users, %v", c.skip, c.limit, len(got), total, err)
		}
		for i, u := range got {
			if u.ID != ids[int(c.skip)+i] {
				t.Errorf("skip %d: place %d is %s, want %s", c.skip, i, u.ID, ids[int(c.skip)+i])
			}
		}
	}
}

func tenants(t *testing.T, s account.Store) {
	ctx := t.Context()
	u := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	u.Mark = "m"
	u.Rev = 2
	must(t, s.ReplaceUser(ctx, "o1", u, 1))
	v := session(u)
	must(t, s.InsertSession(ctx, v))
	_, err := s.User(ctx, "o2", u.ID)
	want(t, "read another's user", err, account.ErrNotFound)
	want(t, "replace another's user", s.ReplaceUser(ctx, "o2", next(u, func(u *account.User) { u.Role = identity.Admin }), 2), account.ErrConflict)
	want(t, "touch another's session", s.TouchSession(ctx, "o2", v.ID, at, account.Origin{}), account.ErrEnded)
	want(t, "end another organization's session", s.EndSession(ctx, "o2", u.ID, v.ID, at, "x", "m"), account.ErrNotFound)
	want(t, "end another user's session", s.EndSession(ctx, "o1", "u2", v.ID, at, "x", "m"), account.ErrNotFound)
	must(t, s.ClearUserMark(ctx, "o2", u.ID, "m"))
	if items, n, err := s.UsersPage(ctx, "o2", 0, 10); n != 0 || len(items) > 0 || err != nil {
		t.Errorf("%d of another's users, %+v, %v", n, items, err)
	}
	foreign := u
	foreign.Org = "o2"
	if items, n, err := s.SessionsPage(ctx, foreign, at, 0, 10); n != 0 || len(items) > 0 || err != nil {
		t.Errorf("%d of another's sessions, %+v, %v", n, items, err)
	}
	if items, err := s.NewestSessions(ctx, foreign, at, 10); len(items) > 0 || err != nil {
		t.Errorf("another's newest sessions: %+v, %v", items, err)
	}
	got, err := s.User(ctx, "o1", u.ID)
	if err != nil || got != u {
		t.Errorf("after all that: %+v, %v, want %+v", got, err, u)
	}
	if kept, err := s.Session(ctx, v.ID); err != nil || kept != v {
		t.Errorf("after all that: %+v, %v, want %+v", kept, err, v)
	}
}

func ended(t *testing.T, s account.Store) {
	u := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	v := session(u)
	must(t, s.InsertSession(t.Context(), v))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for what, write := range map[string]func() error{
		"insert user":    func() error { return s.InsertUser(ctx, user("o1", "bob@example.com", identity.User)) },
		"replace user":   func() error { return s.ReplaceUser(ctx, "o1", next(u, func(u *account.User) { u.Name = "X" }), 1) },
		"insert session": func() error { return s.InsertSession(ctx, session(u)) },
		"touch session":  func() error { return s.TouchSession(ctx, "o1", v.ID, at.Add(time.Second), account.Origin{}) },
		"end session":    func() error { return s.EndSession(ctx, "o1", u.ID, v.ID, at, "x", "m") },
		"purge":          func() error { _, err := s.PurgeSessions(ctx, at.Add(24*time.Hour)); return err },
	} {
		want(t, what, write(), context.Canceled)
	}
	if got, n, err := s.UsersPage(t.Context(), "o1", 0, 10); err != nil || n != 1 || got[0] != u {
		t.Errorf("users %+v, %v", got, err)
	}
	if got, n, err := s.SessionsPage(t.Context(), u, at, 0, 10); err != nil || n != 1 || got[0] != v {
		t.Errorf("sessions %+v, %v", got, err)
	}
}

func ping(t *testing.T, s account.Store) { must(t, s.Ping(t.Context())) }

func hostileValues(t *testing.T, s account.Store) {
	for i, text := range []string{"$ne", `{"$gt":""}`, "' OR 1=1 --", "a.b.$[]", "\u0001\u2028", "ünïcödé 🦆", fmt.Sprintf("%0500d", 1)} {
		u := user("o1", fmt.Sprintf("u%d@example.com", i), identity.User)
		u.Name, u.PasswordHash, u.Email = text, text, text+"@example.com"
		insertUser(t, s, u)
		if got, err := s.User(t.Context(), "o1", u.ID); err != nil || got != u {
			t.Errorf("%q came back as %+v, %v", text, got, err)
		}
		_, err := s.User(t.Context(), "o1", text)
		want(t, "user by the id "+text, err, account.ErrNotFound)
		_, err = s.UserByEmail(t.Context(), text)
		want(t, "user by the email "+text, err, account.ErrNotFound)
		_, err = s.Session(t.Context(), text)
		want(t, "session by the id "+text, err, account.ErrNotFound)
	}
}
