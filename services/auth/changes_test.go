package auth_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/services/auth/account"
)

// TestRehearsedChangesHashNothingNew verifies that a dry run checks the present
// password but hashes no new one, and counts against the budget.
func TestRehearsedChangesHashNothingNew(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	ada := b.signIn("ada@example.com")
	change := func(from string) answer {
		return b.do("POST", "/api/v2/auth/password", ada.access, `{"currentPassword":`+quoted(goodPass)+`,"newPassword":`+quoted(newPass)+`}`,
			"X-Forwarded-For", from, "X-Dry-Run", "true")
	}
	const changesPerWindow, changesWindow = 40, 15 * time.Minute
	before := b.hasher.Made()
	for range changesPerWindow {
		b.want(change("198.51.100.1"), http.StatusOK, "")
	}
	if made := b.hasher.Made() - before; made != changesPerWindow {
		t.Errorf("%d hashes for %d rehearsals", made, changesPerWindow)
	}
	b.want(change("198.51.100.1"), http.StatusTooManyRequests, "RATE_LIMITED")
	b.want(change("203.0.113.1"), http.StatusOK, "") // from elsewhere it is counted separately
	b.clock.Advance(changesWindow + time.Second)
	b.want(change("198.51.100.1"), http.StatusOK, "")
}

// TestChangesHashOneAtATime verifies that concurrent password changes use at most one
// slot, so that logins find the others.
func TestChangesHashOneAtATime(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	ada := b.signIn("ada@example.com")
	statuses := map[int]int{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() {
			a := b.do("POST", "/api/v2/auth/password", ada.access, `{"currentPassword":`+quoted(goodPass)+`,"newPassword":`+quoted(newPass)+`}`,
				"X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i), "X-Dry-Run", "true")
			mu.Lock()
			defer mu.Unlock()
			statuses[a.status]++
		})
	}
	all.Wait()
	if peak := b.hasher.Peak(); peak > 1 {
		t.Errorf("%d hashes at once", peak)
	}
	if statuses[http.StatusOK] == 0 || statuses[http.StatusOK]+statuses[http.StatusTooManyRequests] != 24 {
		t.Errorf("statuses %v", statuses)
	}
}

// TestOwnerSignsInAfterRedisIsEmptied verifies that after a loss of Redis the owner
// still logs in while strangers are limited: the owner's networks come from the
// sessions (statement 3).
func TestOwnerSignsInAfterRedisIsEmptied(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	login := func(secret, from string) answer {
		return b.do("POST", "/api/v2/auth/login", "", `{"email":"ada@example.com","password":`+quoted(secret)+`}`, "X-Forwarded-For", from)
	}
	const owner = "192.0.2.9"
	b.want(login(goodPass, owner), http.StatusOK, "")
	for _, lost := range []bool{false, true} {
		if lost {
			if err := b.redis.FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
			b.clock.Advance(16 * time.Minute)
		}
		for i := range 36 {
			login("wrong", fmt.Sprintf("198.51.100.%d", 1+i%2))
		}
		b.want(login(goodPass, "198.51.100.1"), http.StatusTooManyRequests, "RATE_LIMITED")
		b.want(login(goodPass, owner), http.StatusOK, "")
	}
}

// TestOwnersNetworksOutliveTheirSessions verifies that the owner's networks are those
// of all stored sessions: of one that was logged out, of one that many have followed,
// and of one that continued elsewhere (statement 3).
func TestOwnersNetworksOutliveTheirSessions(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	login := func(secret, from string) answer {
		return b.do("POST", "/api/v2/auth/login", "", `{"email":"ada@example.com","password":`+quoted(secret)+`}`, "X-Forwarded-For", from)
	}
	const left, office, train = "192.0.2.9", "192.0.2.10", "192.0.2.11"
	out := login(goodPass, left)
	b.want(out, http.StatusOK, "")
	b.want(b.do("POST", "/api/v2/auth/logout", out.text("accessToken"), ""), http.StatusOK, "")
	in := login(goodPass, office)
	b.want(in, http.StatusOK, "")
	b.want(b.do("POST", "/api/v2/auth/refresh", "", `{"refreshToken":`+quoted(in.text("refreshToken"))+`}`, "X-Forwarded-For", train), http.StatusOK, "")
	u, err := b.store.UserByEmail(t.Context(), "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 1200 { // a program that logs in for each of its runs
		at := b.clock.Now().Add(time.Duration(n) * time.Second)
		v := account.Session{ID: account.NewID(), User: u.ID, Org: u.Org, Epoch: u.Epoch, CreatedAt: at, LastUsedAt: at, Expires: at.Add(24 * time.Hour), Rev: 1,
			Created: account.Origin{Address: fmt.Sprintf("203.0.113.%d", n%250)}}
		if err := b.store.InsertSession(t.Context(), v); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.redis.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	for i := range 36 {
		login("wrong", fmt.Sprintf("198.51.100.%d", 1+i%2))
	}
	b.want(login(goodPass, "198.51.100.1"), http.StatusTooManyRequests, "RATE_LIMITED")
	for _, own := range []string{left, office, train} {
		b.want(login(goodPass, own), http.StatusOK, "")
	}
}
