package auth_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/services/auth"
)

// TestFailedLoginsOfOneAccount verifies that guessing one account's password from many
// addresses is stopped after thirty attempts, costs nothing beyond them, and does not
// affect the owner's session (statement 3).
func TestFailedLoginsOfOneAccount(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	in := b.signIn("ada@example.com")
	guess := func(i int, email string) answer {
		return b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(email)+`,"password":"wrong"}`, "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", i))
	}
	for _, email := range []string{"ada@example.com", "nobody@example.com"} {
		// Successes do not count.
		for range 5 {
			b.signIn("ada@example.com")
		}
		before := b.hasher.Made()
		statuses := map[int]int{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				a := guess(i, email)
				mu.Lock()
				defer mu.Unlock()
				statuses[a.status]++
				if a.status == http.StatusTooManyRequests && (a.code != "RATE_LIMITED" || a.header.Get("Retry-After") == "") {
					t.Errorf("%s %v", a.body, a.header)
				}
			})
		}
		wg.Wait()
		if statuses[401] != 30 || statuses[429] != 10 || b.hasher.Made()-before != 30 {
			t.Errorf("%s: statuses %v, %d hashes", email, statuses, b.hasher.Made()-before)
		}
		if email == "nobody@example.com" {
			break
		}
		b.clock.Advance(2 * time.Second) // Redis is used again, in case it was slow
		b.want(guess(99, " ADA@example.com "), http.StatusTooManyRequests, "RATE_LIMITED")
		b.want(b.refresh(in.refresh), http.StatusOK, "")
		b.want(b.do("GET", "/api/v2/auth/me", in.access, ""), http.StatusOK, "")
		b.signIn("bob@example.com")
		b.signIn("ada@example.com") // the owner, from an address of an earlier login
		b.clock.Advance(15*time.Minute + time.Second)
	}
}

// TestAddressesOfTheOwnerCountApart verifies that each address from which the owner has
// logged in has a separate count: guessing from one of them, behind the owner's proxy,
// locks the owner out of that one only (statement 3).
func TestAddressesOfTheOwnerCountApart(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	from := func(address, password string) answer {
		a := b.do("POST", "/api/v2/auth/login", "", `{"email":"ada@example.com","password":`+quoted(password)+`}`, "X-Forwarded-For", address)
		if a.status == http.StatusOK {
			b.secrets = append(b.secrets, a.text("accessToken"), a.text("idToken"), a.text("refreshToken"))
		}
		return a
	}
	for _, address := range []string{"198.51.100.1", "198.51.100.2"} {
		b.want(from(address, goodPass), http.StatusOK, "")
	}
	for range auth.LeastAccountLimit().Limit {
		b.want(from("198.51.100.1", "wrong"), http.StatusUnauthorized, "UNAUTHENTICATED")
	}
	b.want(from("198.51.100.1", goodPass), http.StatusTooManyRequests, "RATE_LIMITED")
	b.want(from("198.51.100.2", goodPass), http.StatusOK, "")
}

// TestWrongCurrentPasswordsCountAsFailedLogins verifies that a stolen session cannot be
// used to guess the password where it is changed: wrong ones count as failed logins of
// the account, in dry runs too; and that strangers who guess at the login do not keep
// the owner from changing it (statement 3).
func TestWrongCurrentPasswordsCountAsFailedLogins(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	ada, bob := b.signIn("ada@example.com"), b.signIn("bob@example.com")
	change := func(access, current, next, from, rehearsal string) answer {
		return b.do("POST", "/api/v2/auth/password", access, `{"currentPassword":`+quoted(current)+`,"newPassword":`+quoted(next)+`}`,
			"X-Forwarded-For", from, "X-Dry-Run", rehearsal)
	}
	const thief, owner = "198.51.100.66", "127.0.0.1" // ada has logged in from owner
	// A request that does not check the password does not count.
	for range 5 {
		b.want(change(ada.access, "wrong", "short", thief, "false"), http.StatusBadRequest, "VALIDATION_ERROR")
	}
	before := b.hasher.Made()
	for i := range 40 {
		a := change(ada.access, fmt.Sprint("wrong ", i), newPass, thief, fmt.Sprint(i%2 == 0))
		if i < 30 {
			b.want(a, http.StatusBadRequest, "VALIDATION_ERROR")
			continue
		}
		b.want(a, http.StatusTooManyRequests, "RATE_LIMITED")
		if a.header.Get("Retry-After") != "60" {
			t.Errorf("Retry-After %s", a.header.Get("Retry-After"))
		}
	}
	if made := b.hasher.Made() - before; made != 30 {
		t.Errorf("%d hashes", made)
	}
	if _, entries, err := b.store.AuditPage(t.Context(), "o1", 0, 1); err != nil || entries != 3+2+40 { // three accounts, two logins
		t.Errorf("%d entries in the audit log, %v", entries, err)
	}
	// Not even with the right password, and not at login; the owner is not locked out.
	b.want(change(ada.access, goodPass, newPass, thief, "false"), http.StatusTooManyRequests, "RATE_LIMITED")
	b.want(b.do("POST", "/api/v2/auth/login", "", `{"email":"ada@example.com","password":"wrong"}`, "X-Forwarded-For", thief), http.StatusTooManyRequests, "RATE_LIMITED")
	b.want(change(ada.access, goodPass, newPass, owner, "false"), http.StatusOK, "")
	b.signInWith("ada@example.com", newPass)

	for i := range 31 { // strangers, who need no session for it
		b.do("POST", "/api/v2/auth/login", "", `{"email":"bob@example.com","password":"wrong"}`, "X-Forwarded-For", fmt.Sprintf("203.0.113.%d", i))
	}
	b.want(change(bob.access, goodPass, newPass, owner, "false"), http.StatusOK, "")
	b.clock.Advance(15*time.Minute + time.Second)
	b.want(change(ada.access, "wrong", goodPass, thief, "false"), http.StatusBadRequest, "VALIDATION_ERROR")
}

// TestDelayAfterFailuresGrows verifies that the delay grows with each failure, ends,
// and is the same for an email without an account (statement 3).
func TestDelayAfterFailuresGrows(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	for _, email := range []string{"ada@example.com", "nobody@example.com"} {
		from, n := b.clock.Now(), 0
		guess := func() answer {
			n++
			return b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(email)+`,"password":"wrong"}`, "X-Forwarded-For", fmt.Sprintf("198.51.100.%d", n))
		}
		for range 30 {
			b.want(guess(), http.StatusUnauthorized, "UNAUTHENTICATED")
		}
		for _, wait := range []time.Duration{1, 1, 2, 4, 7} {
			for range 3 { // repeating does not extend it
				refused := guess()
				b.want(refused, http.StatusTooManyRequests, "RATE_LIMITED")
				if got := refused.header.Get("Retry-After"); got != fmt.Sprint(int(60*wait)) {
					t.Errorf("%s, after %v: Retry-After %s, want %d minutes", email, b.clock.Now().Sub(from), got, wait)
				}
			}
			b.clock.Advance(wait * time.Minute)
			b.want(guess(), http.StatusUnauthorized, "UNAUTHENTICATED")
		}
		// After a window all attempts are possible again.
		b.clock.Advance(15 * time.Minute)
		for range 30 {
			b.want(guess(), http.StatusUnauthorized, "UNAUTHENTICATED")
		}
		b.clock.Advance(15 * time.Minute)
	}
}

// TestFailedLoginsWithoutRedis verifies that without Redis the limit applies per
// process (statement 32).
func TestFailedLoginsWithoutRedis(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	for i := range 31 {
		if i == 12 { // earlier counts remain
			b.server.Kill()
		}
		a := b.login("nobody@example.com", "wrong")
		if want := map[bool]int{true: 429, false: 401}[i == 30]; a.status != want {
			t.Fatalf("try %d: %d %s", i+1, a.status, a.body)
		}
	}
	b.signIn("ada@example.com")
}
