package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/audit"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/keyring"
)

// fullStore is a deafStore that fails to count invitations on demand.
type fullStore struct {
	*deafStore
	full atomic.Bool
}

func (s *fullStore) TakeInvitation(ctx context.Context, org string, now, since time.Time, limit int) (bool, error) {
	if s.full.Load() {
		return false, nil
	}
	return s.deafStore.TakeInvitation(ctx, org, now, since, limit)
}

// TestEveryActionWaitsForItsAuditEntry verifies that a security-relevant action fails
// if its entry could not be stored, refusals included (statement 35): otherwise it
// would be done, or tried, unrecorded.
func TestEveryActionWaitsForItsAuditEntry(t *testing.T) {
	t.Parallel()
	store := &fullStore{deafStore: &deafStore{Store: openSQLite(t)}}
	b := setup(t, store)
	root, bob := b.signIn("root@example.com"), b.signIn("bob@example.com")
	_, toSetUp := b.invite(root.access, "first@example.net", "user")
	_, toRehearse := b.invite(root.access, "second@example.net", "user")
	_, toAccept := b.invite(root.access, "eve@example.org", "user")
	_, taken := b.invite(root.access, "squatter@example.net", "user")
	if _, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: "o2", Email: "squatter@example.net", Role: identity.User, Password: goodPass}); err != nil {
		t.Fatal(err)
	}
	eve := b.signIn("eve@example.org")
	reset, err := b.service.ResetPassword(t.Context(), "o1", b.ada.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.secrets = append(b.secrets, reset)
	keys, err := keyring.Open(keyring.Options{Dir: b.keysDir, TokenLife: time.Hour, Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	again := b.do("POST", "/api/v2/users", root.access, `{"email":"keyed@example.net","role":"user"}`, "Idempotency-Key", "one")
	b.want(again, http.StatusCreated, "")
	b.secrets = append(b.secrets, again.text("setupToken"))
	other := b.signIn("bob@example.com")
	session, _ := claimsOf(t, b.signIn("bob@example.com").access)["sid"].(string)
	ctx := t.Context()
	b.user("o1", "carol@example.com", "Carol", identity.User)
	carol, left := b.signIn("carol@example.com"), b.join("carol@example.com", "o2", identity.User)
	b.user("o1", "dora@example.com", "Dora", identity.User)
	dora, doras := b.signIn("dora@example.com"), b.join("dora@example.com", "o2", identity.User)
	elsewhere := b.loginTo("dora@example.com", "o2")
	b.want(elsewhere, http.StatusOK, "")
	b.secrets = append(b.secrets, elsewhere.text("accessToken"), elsewhere.text("idToken"), elsewhere.text("refreshToken"))
	if err := b.service.DeleteUser(ctx, "o2", doras.ID); err != nil {
		t.Fatal(err)
	}
	ended := b.signIn("dora@example.com")
	b.want(b.do("POST", "/api/v2/auth/logout", ended.access, ""), http.StatusOK, "")
	for _, email := range []string{"crowded@example.com", "root@example.com"} {
		for b.login(email, "wrong").status != http.StatusTooManyRequests {
		}
	}
	change := func(access, current string) answer {
		return b.do("POST", "/api/v2/auth/password", access, `{"currentPassword":`+quoted(current)+`,"newPassword":`+quoted(newPass)+`}`)
	}

	store.deaf.Store(true)
	users := "/api/v2/users"
	for name, ask := range map[string]func() answer{
		"an invitation": func() answer { return b.do("POST", users, root.access, `{"email":"new@example.net","role":"user"}`) },
		"a repeated invitation": func() answer {
			return b.do("POST", users, root.access, `{"email":"keyed@example.net","role":"user"}`, "Idempotency-Key", "one")
		},
		"a setup of an invitation":     func() answer { return b.setUp(toSetUp) },
		"a setup of a taken address":   func() answer { return b.setUp(taken) },
		"a rehearsed setup":            func() answer { return b.setUpWith(toRehearse, "", "X-Dry-Run", "true") },
		"a setup after a reset":        func() answer { return b.setUp(reset) },
		"an acceptance":                func() answer { return b.accept(eve.access, toAccept) },
		"a link to set a password":     func() answer { return b.do("POST", users+"/"+b.bob.ID+"/setup-link", root.access, "") },
		"another default organization": func() answer { return b.do("PATCH", "/api/v2/auth/me", bob.access, `{"defaultOrganization":"o1"}`) },
		"a wrong current password":     func() answer { return change(bob.access, "wrong") },
		"one too many of them":         func() answer { return change(root.access, "wrong") },
		"a change of the password":     func() answer { return change(carol.access, goodPass) },
		"a link for a member elsewhere": func() answer {
			return b.do("POST", users+"/"+claimsOf(t, carol.access)["sub"].(string)+"/setup-link", root.access, "")
		},
		"one sign-in too many":         func() answer { return b.login("crowded@example.com", "wrong") },
		"a renewal of what has ended":  func() answer { return b.refresh(ended.refresh) },
		"a renewal for who has left":   func() answer { return b.refresh(elsewhere.text("refreshToken")) },
		"a sign-in to no organization": func() answer { return b.loginTo("eve@example.org", "nowhere") },
		"a renewal for none":           func() answer { return b.refreshTo(eve.refresh, "nowhere") },
		"a renewal by no token":        func() answer { return b.refresh(eve.refresh[:30] + root.refresh[30:]) },
		"the end of a session":         func() answer { return b.do("DELETE", "/api/v2/auth/sessions/"+session, bob.access, "") },
		"a logout":                     func() answer { return b.do("POST", "/api/v2/auth/logout", other.access, "") },
	} {
		if a := ask(); a.status != http.StatusServiceUnavailable || a.code != "UNAVAILABLE" {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	// In this order, because a disabled or deleted user can do nothing more.
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"a new account", func() error {
			_, _, err := b.service.CreateUser(ctx, auth.NewUser{Org: "o1", Email: "made@example.net", Role: identity.User})
			return err
		}},
		{"a report", func() error {
			return b.service.Record(ctx, dora.access, audit.Report{Note: audit.Note{Action: audit.Forbidden, Refused: "FORBIDDEN"}})
		}},
		{"one invitation too many", func() error {
			store.full.Store(true)
			defer store.full.Store(false)
			return status(b.do("POST", users, root.access, `{"email":"more@example.net","role":"user"}`))
		}},
		{"a membership that ends", func() error { return b.service.DeleteUser(ctx, "o2", left.ID) }},
		{"a membership", func() error { _, err := b.service.Join(ctx, "bob@example.com", "o2", "", identity.User); return err }},
		{"a password that is set", func() error { return b.service.SetPassword(ctx, "o1", b.bob.ID, newPass) }},
		{"a password that is reset", func() error { _, err := b.service.ResetPassword(ctx, "o1", b.bob.ID); return err }},
		{"an address that is freed", func() error { return b.service.FreeAddress(ctx, "squatter@example.net", "") }},
		{"a key", func() error { _, _, err := b.service.RotateKeys(ctx, keys); return err }},
		{"a key of reports", func() error { return b.service.ReportKeyAdded(ctx, "kid") }},
		{"factors", func() error { return b.service.FactorPackAdded(ctx, "id", "sum", "") }},
		{"another role", func() error { return status(b.do("PATCH", users+"/"+b.bob.ID, root.access, `{"role":"manager"}`)) }},
		{"an account that is disabled", func() error { return status(b.do("PATCH", users+"/"+b.bob.ID, root.access, `{"disabled":true}`)) }},
		{"an account that is removed", func() error { return status(b.do("DELETE", users+"/"+b.bob.ID, root.access, "")) }},
	} {
		if err := c.do(); apperr.CodeOf(err) != apperr.Unavailable {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// fadingStore is a store whose audit log can be written only so many more times.
type fadingStore struct {
	account.Store
	left atomic.Int64
}

func (s *fadingStore) AppendAudit(ctx context.Context, e account.AuditEntry) (account.AuditEntry, error) {
	if s.left.Add(-1) < 0 {
		return account.AuditEntry{}, errors.New("poison")
	}
	return s.Store.AppendAudit(ctx, e)
}

// TestAChangeThatIsNotEnteredIsSaidToBeMade: of what is answered 503 for lack of the audit log, a change that was made is told
// from one that was not.
func TestAChangeThatIsNotEnteredIsSaidToBeMade(t *testing.T) {
	t.Parallel()
	store := &fadingStore{Store: openSQLite(t)}
	store.left.Store(1000)
	b := setup(t, store)
	root, bob := b.signIn("root@example.com"), b.signIn("bob@example.com")
	user := "/api/v2/users/" + b.bob.ID
	for _, c := range []struct {
		name string
		left int64
		ask  func() answer
		made bool
	}{
		{"a session ends", 0, func() answer { return b.do("POST", "/api/v2/auth/logout", bob.access, "") }, true},
		// Before the change what the user owes is entered.
		{"another role", 1, func() answer { return b.do("PATCH", user, root.access, `{"role":"viewer"}`) }, true},
		{"another name", 0, func() answer { return b.do("PATCH", user, root.access, `{"name":"Bobby"}`) }, false},
		{"a sign-in", 0, func() answer { return b.login("root@example.com", goodPass) }, false},
	} {
		store.left.Store(c.left)
		a := c.ask()
		b.want(a, http.StatusServiceUnavailable, "UNAVAILABLE")
		if made := strings.Contains(a.body, "The change was made"); made != c.made {
			t.Errorf("%s: said to be made %t: %s", c.name, made, a.body)
		}
	}
	store.left.Store(1000)
	b.want(b.do("GET", "/api/v2/auth/me", bob.access, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
	if a := b.do("GET", user, root.access, ""); a.text("role") != "viewer" || a.text("name") == "Bobby" {
		t.Errorf("the user: %s", a.body)
	}
}

// status returns the error of a response.
func status(a answer) error {
	if a.status < http.StatusBadRequest {
		return errors.New(fmt.Sprint("answered ", a.status))
	}
	return apperr.New(apperr.Code(a.code), "%s", a.body)
}
