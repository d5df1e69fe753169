package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// entries returns the audit log as an administrator reads it, newest first.
func (b *bundle) entries(token string) []map[string]any {
	b.t.Helper()
	a := b.do("GET", "/api/v2/organization/audit?limit=100", token, "")
	b.want(a, http.StatusOK, "")
	var all []map[string]any
	for _, item := range a.data["items"].([]any) {
		all = append(all, item.(map[string]any))
	}
	return all
}

// TestAuditLog verifies that each security event has an entry with actor, subject,
// action, values before and after, and request, and that the chain of entries is intact
// (statement 35).
func TestAuditLog(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com")
		bob := b.signIn("bob@example.com")
		b.want(b.login("bob@example.com", "wrong"), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.refresh(bob.refresh), http.StatusOK, "")
		b.want(b.do("POST", "/api/v2/auth/logout", bob.access, ""), http.StatusOK, "")
		b.want(b.refresh(bob.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
		one := "/api/v2/users/" + b.bob.ID
		b.want(b.do("PATCH", one, root.access, `{"role":"manager"}`, "X-Request-Id", "req-7", "X-Forwarded-For", "198.51.100.7"), http.StatusOK, "")
		b.want(b.do("PATCH", one, root.access, `{"disabled":true}`, "X-Dry-Run", "true"), http.StatusOK, "")
		b.want(b.do("PATCH", one, root.access, `{"disabled":true}`), http.StatusOK, "")
		b.want(b.login("bob@example.com", goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.do("PATCH", one, root.access, `{"disabled":false}`), http.StatusOK, "")
		token, err := b.service.ResetPassword(t.Context(), "o1", b.bob.ID)
		if err != nil {
			t.Fatal(err)
		}
		b.secrets = append(b.secrets, token)
		b.want(b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(newPass)+`}`), http.StatusOK, "")
		again := b.signInWith("bob@example.com", newPass)
		b.want(b.do("POST", "/api/v2/auth/password", again.access, `{"currentPassword":"wrong","newPassword":`+quoted(goodPass)+`}`), http.StatusBadRequest, "VALIDATION_ERROR")
		b.want(b.do("POST", "/api/v2/auth/password", again.access, `{"currentPassword":`+quoted(newPass)+`,"newPassword":`+quoted(goodPass)+`}`), http.StatusOK, "")
		b.want(b.do("DELETE", "/api/v2/auth/sessions/"+claimsOf(t, again.access)["sid"].(string), again.access, ""), http.StatusOK, "")
		if err := b.service.SetPassword(t.Context(), "o1", b.bob.ID, newPass); err != nil {
			t.Fatal(err)
		}
		b.want(b.do("DELETE", one, root.access, ""), http.StatusOK, "")

		all := b.entries(root.access)
		var seen []string
		for i, e := range all {
			seen = append([]string{e["action"].(string) + " " + e["outcome"].(string)}, seen...)
			if e["sequence"] != float64(len(all)-i) || !strings.HasSuffix(e["at"].(string), "Z") || e["hash"] == "" {
				t.Errorf("%v", e)
			}
			if i > 0 && all[i-1]["previousHash"] != e["hash"] {
				t.Errorf("the chain breaks after %v", e)
			}
			if e["action"] == "user.role" {
				for name, want := range map[string]string{
					"actor": b.root.ID, "subject": b.bob.ID, "before": "user", "after": "manager", "requestId": "req-7", "address": "198.51.100.7",
				} {
					if e[name] != want {
						t.Errorf("%s is %v, want %s, in %v", name, e[name], want, e)
					}
				}
			}
			if e["action"] == "user.reset" && e["actor"] != "operator" {
				t.Errorf("%v", e)
			}
			for _, forbidden := range append(b.secrets, "@", goodPass, newPass) {
				if text := fmt.Sprint(e); strings.Contains(text, forbidden) {
					t.Errorf("%q is in %s", forbidden, text)
				}
			}
		}
		want := []string{
			"user.create done", "user.create done", "user.create done", "login done", "login done", "login refused", "refresh done",
			"logout done", "refresh refused", "user.role done", "user.disable done", "login refused", "user.enable done", "user.reset done",
			"user.setup done", "login done", "password.change refused", "password.change done", "session.end done", "user.password done", "user.delete done",
		}
		if strings.Join(seen, "\n") != strings.Join(want, "\n") {
			t.Errorf("entries\n%s\nwant\n%s", strings.Join(seen, "\n"), strings.Join(want, "\n"))
		}
		// Administrators read the log of their own organization only.
		ada := b.signIn("ada@example.com")
		b.want(b.do("GET", "/api/v2/organization/audit", ada.access, ""), http.StatusForbidden, "FORBIDDEN")
		if eve := b.entries(b.signIn("eve@example.org").access); len(eve) != 2 {
			t.Errorf("another organization's administrator reads %v", eve)
		}
		// A login with an unknown address belongs to no organization.
		b.want(b.login("nobody@example.com", "wrong"), http.StatusUnauthorized, "UNAUTHENTICATED")
		wholeChains(t, b, account.SystemOrg, "o1", "o2")
	})
}

func wholeChains(t *testing.T, b *bundle, orgs ...string) {
	t.Helper()
	chains, err := b.service.VerifyAudit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, c := range chains {
		found[c.Org] = true
		if c.Fault != nil || c.Entries == 0 || c.Last == "" {
			t.Errorf("%+v", c)
		}
	}
	for _, org := range orgs {
		if !found[org] || len(found) != len(orgs) {
			t.Errorf("chains of %v, want %v", found, orgs)
		}
	}
}

// TestAuditLogOfManySignInsAtOnce verifies that the concurrent events of two processes
// on one store form one chain (statement 35).
func TestAuditLogOfManySignInsAtOnce(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		other, err := auth.NewAccounts(auth.AccountsDeps{Store: b.store, Hasher: b.hasher, Now: b.clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for i := range 20 {
			wg.Go(func() { b.signInQuietly("ada@example.com") })
			wg.Go(func() {
				n := auth.NewUser{Org: "o1", Email: fmt.Sprintf("u%d@example.com", i), Role: identity.User}
				if _, _, err := other.CreateUser(t.Context(), n); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		wholeChains(t, b, "o1", "o2")
		if n := len(b.entries(b.signIn("root@example.com").access)); n != 3+20+20+1 {
			t.Errorf("%d entries", n)
		}
	})
}

// signInQuietly logs in from a goroutine of a test.
func (b *bundle) signInQuietly(email string) {
	if a := b.login(email, goodPass); a.status != http.StatusOK {
		b.t.Errorf("%d %s", a.status, a.body)
	}
}

// deafStore fails to store audit entries on demand.
type deafStore struct {
	account.Store
	deaf atomic.Bool
}

func (s *deafStore) AppendAudit(ctx context.Context, e account.AuditEntry) (account.AuditEntry, error) {
	if s.deaf.Load() {
		return account.AuditEntry{}, errors.New("poison")
	}
	return s.Store.AppendAudit(ctx, e)
}

// TestNothingIsDoneWithoutItsAuditEntry verifies that no request succeeds before its
// entry is stored, and that an entry that could not be stored is stored later, once
// (statement 35).
func TestNothingIsDoneWithoutItsAuditEntry(t *testing.T) {
	t.Parallel()
	store := &deafStore{Store: openSQLite(t)}
	b := setup(t, store)
	root := b.signIn("root@example.com")
	before := len(b.entries(root.access))
	b.follow()
	unmarked(t, store)
	store.deaf.Store(true)
	for _, a := range []answer{
		b.login("ada@example.com", goodPass), b.login("ada@example.com", "wrong"), b.login("nobody@example.com", "wrong"), b.refresh(root.refresh),
		b.do("PATCH", "/api/v2/users/"+b.bob.ID, root.access, `{"role":"manager"}`),
	} {
		if a.status != http.StatusServiceUnavailable || a.code != "UNAVAILABLE" || a.text("accessToken") != "" || strings.Contains(a.body, "poison") {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
	// The session of the login that failed does not exist.
	ada, err := b.service.User(t.Context(), "o1", b.ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, n, err := store.SessionsPage(t.Context(), ada, b.clock.Now(), 0, 10); err != nil || n != 0 {
		t.Errorf("%d sessions, %v", n, err)
	}
	store.deaf.Store(false)
	testkit.Eventually(t, 10*time.Second, func() error {
		if n := len(b.entries(root.access)) - before; n != 4 { // the fifth belongs to no organization
			return fmt.Errorf("%d entries came late", n)
		}
		return nil
	})
	wholeChains(t, b, account.SystemOrg, "o1", "o2")
}
