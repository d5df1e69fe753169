package auth_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/sessions"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

func TestLogoutEndsTheSession(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		one, two := b.signIn("ada@example.com"), b.signIn("ada@example.com")
		if !b.admits(one.access) {
			t.Fatal("a fresh session is not admitted")
		}
		a := b.do("POST", "/api/v2/auth/logout", one.access, "")
		b.want(a, http.StatusOK, "")
		if a.body != `{"success":true,"data":{}}` {
			t.Errorf("logout: %s", a.body)
		}
		if b.admits(one.access) {
			t.Error("a gateway admits the access token a second after logout")
		}
		b.want(b.refresh(one.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.do("GET", "/api/v2/auth/me", one.access, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
		if !b.admits(two.access) {
			t.Error("another session of the user has ended as well")
		}
		b.want(b.refresh(two.refresh), http.StatusOK, "")
	})
}

// Statements 15 and 20: what an administrator changes counts within a second,
// for access tokens and refresh tokens.
func TestChangesOfUsersCountAtOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		manager, off, on := identity.Manager, true, false
		in := b.signIn("bob@example.com")
		change := func(c auth.Change) {
			t.Helper()
			if _, err := b.service.UpdateUser(t.Context(), "o1", b.bob.ID, c); err != nil {
				t.Fatal(err)
			}
		}
		if !b.admits(in.access) {
			t.Fatal("a fresh session is not admitted")
		}
		// A new role: the former token is refused, a refreshed one has the role.
		change(auth.Change{Role: &manager})
		if b.admits(in.access) {
			t.Error("a token with the former role is admitted")
		}
		b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
		r := b.refresh(in.refresh)
		b.want(r, http.StatusOK, "")
		if !b.admits(r.text("accessToken")) || claimsOf(t, r.text("accessToken"))["role"] != "manager" {
			t.Error("the refreshed token does not have the new role")
		}
		// Disabled: every session ends, and remains ended when the user is enabled
		// again.
		change(auth.Change{Disabled: &off})
		if b.admits(r.text("accessToken")) {
			t.Error("a disabled user's token is admitted")
		}
		b.want(b.refresh(in.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.login("bob@example.com", goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
		change(auth.Change{Disabled: &on})
		if b.admits(r.text("accessToken")) {
			t.Error("a session lives again")
		}
		b.want(b.refresh(in.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
		in = b.signIn("bob@example.com")
		if !b.admits(in.access) {
			t.Error("a new session of an enabled user is not admitted")
		}
		if err := b.service.DeleteUser(t.Context(), "o1", b.bob.ID); err != nil {
			t.Fatal(err)
		}
		if b.admits(in.access) {
			t.Error("a deleted user's token is admitted")
		}
		b.want(b.refresh(in.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.login("bob@example.com", goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
	})
}

// Statement 15: a password change ends all sessions but the one it is made in.
func TestPasswordChangeEndsTheOtherSessions(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		mine, other := b.signIn("ada@example.com"), b.signIn("ada@example.com")
		change := func(token, current, fresh string) answer {
			return b.do("POST", "/api/v2/auth/password", token, `{"currentPassword":`+quoted(current)+`,"newPassword":`+quoted(fresh)+`}`)
		}
		for what, a := range map[string]answer{
			"currentPassword": change(mine.access, "wrong", newPass),
			"newPassword":     change(mine.access, goodPass, "short"),
		} {
			if a.status != http.StatusBadRequest || len(a.fields) != 1 || a.fields[0] != what {
				t.Errorf("%s: %d %s", what, a.status, a.body)
			}
		}
		for _, bad := range []string{"passwordpassword", "ada@example.com 123", strings.Repeat("long words ", 20)} {
			b.want(change(mine.access, goodPass, bad), http.StatusBadRequest, "VALIDATION_ERROR")
		}
		b.want(b.refresh(other.refresh), http.StatusOK, "")
		b.want(change(mine.access, goodPass, newPass), http.StatusOK, "")
		if b.admits(other.access) {
			t.Error("the other session is admitted")
		}
		if !b.admits(mine.access) {
			t.Error("the session of the change has ended")
		}
		b.want(b.refresh(other.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.refresh(mine.refresh), http.StatusOK, "")
		b.want(b.login("ada@example.com", goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.signInWith("ada@example.com", newPass)
		// By an operator: every session ends.
		if err := b.service.SetPassword(t.Context(), "o1", b.ada.ID, goodPass); err != nil {
			t.Fatal(err)
		}
		b.want(b.refresh(mine.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.signIn("ada@example.com")
	})
}

// Logins and password changes that meet: no session begun with the former
// password outlives the change.
func TestLoginMeetsPasswordChange(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	for range 5 {
		var got []answer
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				a := b.login("bob@example.com", goodPass)
				mu.Lock()
				defer mu.Unlock()
				got = append(got, a)
			})
		}
		if err := b.service.SetPassword(t.Context(), "o1", b.bob.ID, newPass); err != nil {
			t.Fatal(err)
		}
		wg.Wait()
		for _, a := range got {
			if a.status == http.StatusOK && b.refresh(a.text("refreshToken")).status == http.StatusOK {
				t.Error("a session begun with the former password lives")
			}
		}
		if err := b.service.SetPassword(t.Context(), "o1", b.bob.ID, goodPass); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOwnSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	one := b.do("POST", "/api/v2/auth/login", "", `{"email":"ada@example.com","password":"`+goodPass+`"}`, "X-Forwarded-For", "203.0.113.7", "User-Agent", "browser")
	b.want(one, http.StatusOK, "")
	b.clock.Advance(time.Second)
	two := b.signIn("ada@example.com")
	stranger := b.signIn("eve@example.org")
	list := b.do("GET", "/api/v2/auth/sessions", two.access, "")
	b.want(list, http.StatusOK, "")
	items := list.data["items"].([]any)
	if len(items) != 2 {
		t.Fatalf("%s", list.body)
	}
	newest, oldest := items[0].(map[string]any), items[1].(map[string]any)
	if newest["current"] != true || oldest["current"] != false || oldest["address"] != "203.0.113.7" || oldest["userAgent"] != "browser" ||
		fmt.Sprint(list.data["pagination"]) != "map[limit:25 page:1 total:2 totalPages:1]" {
		t.Errorf("%s", list.body)
	}
	path := "/api/v2/auth/sessions/" + oldest["_id"].(string)
	b.want(b.do("DELETE", path, stranger.access, ""), http.StatusNotFound, "NOT_FOUND")
	b.want(b.do("DELETE", "/api/v2/auth/sessions/nothing", two.access, ""), http.StatusNotFound, "NOT_FOUND")
	b.want(b.refresh(one.text("refreshToken")), http.StatusOK, "")
	b.want(b.do("DELETE", path, two.access, ""), http.StatusOK, "")
	b.want(b.refresh(one.text("refreshToken")), http.StatusUnauthorized, "UNAUTHENTICATED")
	if a := b.do("GET", "/api/v2/auth/sessions", two.access, ""); len(a.data["items"].([]any)) != 1 {
		t.Errorf("%s", a.body)
	}
}

// Statement 32: Redis is a copy: flushing it loses nothing, and without it the store is asked.
func TestRedisFlushedAndGone(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		ended, live := b.signIn("ada@example.com"), b.signIn("ada@example.com")
		b.want(b.do("POST", "/api/v2/auth/logout", ended.access, ""), http.StatusOK, "")
		if b.admits(ended.access) || !b.admits(live.access) {
			t.Fatal("wrong from the start")
		}
		b.server.Flush()
		if b.admits(ended.access) || !b.admits(live.access) {
			t.Error("after a flush")
		}
		b.server.Kill()
		if b.admits(ended.access) || !b.admits(live.access) {
			t.Error("with Redis gone")
		}
		b.want(b.refresh(live.refresh), http.StatusOK, "")
		b.want(b.do("POST", "/api/v2/auth/logout", live.access, ""), http.StatusOK, "")
		if b.admits(live.access) {
			t.Error("a session that ended while Redis was gone")
		}
		in := b.signIn("ada@example.com")
		if !b.admits(in.access) {
			t.Error("a session that began while Redis was gone")
		}
	})
}

// A copy that was written before Redis could not be reached must not outlive
// what happened meanwhile: the mark stays until it is told.
func TestRedisComesBackWithAnOldCopy(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	in := b.signIn("ada@example.com")
	if !b.admits(in.access) {
		t.Fatal("not admitted")
	}
	// The change is made by a process without Redis, such as a command next to a server
	// with an embedded one; the server publishes it.
	beside, err := auth.NewAccounts(auth.AccountsDeps{Store: b.store, Hasher: b.hasher, Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := beside.DisableUser(t.Context(), "o1", b.ada.ID); err != nil {
		t.Fatal(err)
	}
	if !b.admits(in.access) {
		t.Fatal("the copy should not have the change yet: no process follows changes")
	}
	b.follow()
	testkit.Eventually(t, 30*time.Second, func() error {
		if b.admits(in.access) {
			return errors.New("the disabled user is admitted")
		}
		return nil
	})
	testkit.Eventually(t, 30*time.Second, func() error {
		users, err := b.store.MarkedUsers(t.Context(), 10)
		if err == nil && len(users) > 0 {
			err = fmt.Errorf("%d marks are left", len(users))
		}
		return err
	})
}

// TestSessionsAreToldToWhoHasATokenOfThem: security statement 34.
func TestSessionsAreToldToWhoHasATokenOfThem(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	in, other := b.signIn("ada@example.com"), b.signIn("ada@example.com")
	sid, _, _ := account.SplitToken(in.refresh)
	a := b.do("GET", sessions.Path+sid, in.access, "")
	if a.status != http.StatusOK || strings.Contains(a.body, "Hash") || strings.Contains(a.body, "@") {
		t.Errorf("%d %s", a.status, a.body)
	}
	for name, refused := range map[string]struct {
		sid, token string
		status     int
	}{
		"no token":                   {sid, "", http.StatusUnauthorized},
		"not a token":                {sid, "x.y.z", http.StatusUnauthorized},
		"a token of another session": {sid, other.access, http.StatusForbidden},
		"an unknown session":         {"nothing", in.access, http.StatusForbidden},
		"the refresh token":          {sid, in.refresh, http.StatusUnauthorized},
	} {
		if a := b.do("GET", sessions.Path+refused.sid, refused.token, ""); a.status != refused.status || strings.Contains(a.body, "epoch") {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	// A session that has ended is still reported: a service needs that answer.
	verify := identity.ActiveTokens{
		Tokens:   identity.NewVerifier(identity.VerifierOptions{Issuer: issuer, Keys: b.service.Keys(), Now: b.clock.Now}),
		Sessions: sessions.NewChecker(sessions.Options{Authority: sessions.NewRemote(b.base, nil), Now: b.clock.Now}),
	}
	if _, err := verify.Verify(t.Context(), in.access); err != nil {
		t.Error(err)
	}
	if a := b.do("POST", "/api/v2/auth/logout", in.access, ""); a.status != http.StatusOK {
		t.Fatalf("logout: %d %s", a.status, a.body)
	}
	b.clock.Advance(time.Second)
	if _, err := verify.Verify(t.Context(), in.access); apperr.CodeOf(err) != apperr.Unauthenticated {
		t.Errorf("after the logout: %v", err)
	}
}

// TestAPersonHasSoManySessions verifies that a program that logs in for each of its
// runs and never logs out ends the least recently used sessions, and not one that is in
// use.
func TestAPersonHasSoManySessions(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		const most = 1000
		working := b.signIn("ada@example.com")
		u, err := b.store.UserByEmail(t.Context(), "ada@example.com")
		if err != nil {
			t.Fatal(err)
		}
		begun, err := b.store.NewestSessions(t.Context(), u, b.clock.Now(), most)
		if err != nil || len(begun) != 1 {
			t.Fatalf("%d sessions, %v", len(begun), err)
		}
		for n := range most {
			v := begun[0]
			v.ID, v.SecretHash = account.NewID(), ""
			v.LastUsedAt = v.LastUsedAt.Add(time.Duration(n+1) * time.Millisecond)
			v.CreatedAt = v.LastUsedAt
			if err := b.store.InsertSession(t.Context(), v); err != nil {
				t.Fatal(err)
			}
		}
		// While the tokens of all of them are valid, none is unused.
		early := b.signIn("ada@example.com")
		if !b.admits(working.access) || !b.admits(early.access) {
			t.Error("a session whose token is valid has ended")
		}
		b.clock.Advance(time.Hour)
		again := b.refresh(working.refresh)
		b.want(again, http.StatusOK, "")
		// With the new one there are three too many, of which the least recently used
		// end.
		next := b.signIn("ada@example.com")
		_, open, err := b.store.SessionsPage(t.Context(), u, b.clock.Now(), 0, 1)
		if err != nil || open != most {
			t.Errorf("%d sessions are open, %v; want %d", open, err, most)
		}
		if !b.admits(again.text("accessToken")) || !b.admits(next.access) {
			t.Error("a session in use has ended")
		}
		ended := 0
		for _, e := range b.entries(b.signIn("root@example.com").access) {
			if e["action"] == "session.end" {
				ended++
			}
		}
		if ended != 3 {
			t.Errorf("the audit log has the end of %d sessions, want 3", ended)
		}
	})
}

// TestProgramsOfSessionsMisleadNobody: a session is listed with what its program says of itself.
func TestProgramsOfSessionsMisleadNobody(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	in := b.do("POST", "/api/v2/auth/login", "", `{"email":"bob@example.com","password":`+quoted(goodPass)+`}`, "User-Agent", "br\u202eowser")
	b.want(in, http.StatusOK, "")
	if a := b.do("GET", "/api/v2/auth/sessions", in.text("accessToken"), ""); a.status != http.StatusOK || !strings.Contains(a.body, "br\ufffdowser") {
		t.Errorf("%d %+q", a.status, a.body)
	}
}

// TestARefreshFromAnotherNetworkIsRecorded: the entry of a refresh has both addresses if a session has moved to another
// network, as a stolen token would have; a provider gives out new addresses of the same one every day.
func TestARefreshFromAnotherNetworkIsRecorded(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		in := b.do("POST", "/api/v2/auth/login", "", `{"email":"bob@example.com","password":`+quoted(goodPass)+`}`, "X-Forwarded-For", "192.0.2.9")
		b.want(in, http.StatusOK, "")
		for _, c := range []struct{ from, before, after string }{
			{"192.0.2.77", "", ""},
			{"198.51.100.7", "192.0.2.77", "198.51.100.7"},
			{"2001:db8::1", "198.51.100.7", "2001:db8::1"},
			{"2001:db8::2", "", ""},
			{"2001:db8:0:1::2", "2001:db8::2", "2001:db8:0:1::2"},
		} {
			b.want(b.do("POST", "/api/v2/auth/refresh", "", `{"refreshToken":`+quoted(in.text("refreshToken"))+`}`, "X-Forwarded-For", c.from), http.StatusOK, "")
			e := b.entries(root)[0]
			before, _ := e["before"].(string)
			after, _ := e["after"].(string)
			if e["action"] != "refresh" || e["actor"] != b.bob.ID || e["subject"] != b.bob.ID || before != c.before || after != c.after {
				t.Errorf("a refresh from %s: %v", c.from, e)
			}
		}
	})
}
