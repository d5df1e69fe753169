package auth_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth/password"
)

// TestChangesOfPasswordsWaitBehindSignIns verifies that a user who changes the password
// repeatedly, or the holder of a setup token, prevents no login: a change that came
// first is hashed after the logins that have come since.
func TestChangesOfPasswordsWaitBehindSignIns(t *testing.T) {
	t.Parallel()
	t.Run("change", func(t *testing.T) {
		waitBehindSignIns(t, func(b *bundle) func() {
			ada := b.signIn("ada@example.com")
			return func() {
				// One hash, as at a login: the password is not the present one.
				b.do("POST", "/api/v2/auth/password", ada.access, `{"currentPassword":"wrong","newPassword":`+quoted(newPass)+`}`)
			}
		})
	})
	t.Run("setup", func(t *testing.T) {
		waitBehindSignIns(t, func(b *bundle) func() {
			_, token := b.invite(b.signIn("root@example.com").access, "new@example.org", "user")
			return func() {
				if a := b.setUp(token); a.status != http.StatusOK {
					t.Errorf("setup: %d %s", a.status, a.body)
				}
			}
		})
	})
}

// waitBehindSignIns hashes once through the function that prepare returns, with logins
// that arrive after it.
func waitBehindSignIns(t *testing.T, prepare func(*bundle) (change func())) {
	t.Helper()
	const signIns = 6
	hasher, err := password.New(password.Options{Params: password.Params{MemoryKiB: 8 << 10, Time: 2, Threads: 1}, Slots: 1, Queue: 100, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	b := setupWith(t, openSQLite(t), hasher)
	change := prepare(b)

	// One hash of 64 MiB that takes some seconds occupies the only slot meanwhile.
	verify := func(passes int) time.Duration {
		began := time.Now()
		if _, _, err := hasher.Verify(t.Context(), fmt.Sprintf("$argon2id$v=19$m=65536,t=%d,p=1$%s$%s", passes, strings.Repeat("A", 22), strings.Repeat("A", 43)), "x"); err != nil {
			t.Error(err)
		}
		return time.Since(began)
	}
	passes := min(64, max(1, int(2*2*time.Second/verify(2)))) // 64 passes is the limit
	go verify(passes)
	waiting := func(n int) {
		t.Helper()
		testkit.Eventually(t, 30*time.Second, func() error {
			if hasher.Taken() != 1 || hasher.Waiting() != n {
				return fmt.Errorf("%d are made and %d wait, want %d", hasher.Taken(), hasher.Waiting(), n)
			}
			return nil
		})
	}
	waiting(0)
	made := hasher.Made()
	answered := make(chan string, signIns+1)
	go func() {
		change()
		answered <- "change"
	}()
	waiting(1)
	for range signIns {
		go func() {
			if a := b.do("POST", "/api/v2/auth/login", "", `{"email":"bob@example.com","password":`+quoted(goodPass)+`}`); a.status != http.StatusOK {
				t.Errorf("sign-in: %d %s", a.status, a.body)
			}
			answered <- "sign-in"
		}()
	}
	waiting(1 + signIns)
	others := 0
	for <-answered != "change" {
		others++
	}
	// Responses may arrive in any order, so the number of hashes at that time is
	// checked.
	if n := hasher.Made() - made; n != signIns+1 {
		t.Errorf("%d hashes were made when the change was answered, want those of all %d sign-ins and its own", n, signIns)
	}
	for range signIns - others {
		<-answered
	}
}
