package auth_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// unmarked waits until the changes of all accounts have been followed.
func unmarked(t *testing.T, store account.Store) {
	t.Helper()
	testkit.Eventually(t, 10*time.Second, func() error {
		marked, err := store.MarkedUsers(t.Context(), 1)
		if err == nil && len(marked) > 0 {
			err = errors.New("a change has not been followed")
		}
		return err
	})
}

// TestWhatAKilledProcessOwesIsEntered: a process that ends between the write of an account and the
// entry in the audit log, which a log that takes no entries stands for, leaves the entry in the
// account. The next change of the account by any process enters it, before its own, and so does a
// server; each once.
func TestWhatAKilledProcessOwesIsEntered(t *testing.T) {
	t.Parallel()
	changes := map[string]struct {
		action string
		do     func(ctx context.Context, a *auth.Accounts, u account.User) error
	}{
		"a new role": {"user.role", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			role := identity.Manager
			_, err := a.UpdateUser(ctx, u.Org, u.ID, auth.Change{Role: &role})
			return err
		}},
		"a disabled account": {"user.disable", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			return a.DisableUser(ctx, u.Org, u.ID)
		}},
		"a disabled person": {"user.disable", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			return a.DisablePerson(ctx, u.Email)
		}},
		"a password": {"user.password", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			return a.SetPassword(ctx, u.Org, u.ID, newPass)
		}},
		"a reset": {"user.reset", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			_, err := a.ResetPassword(ctx, u.Org, u.ID)
			return err
		}},
		"another address": {"user.address", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			return a.FreeAddress(ctx, u.Email, "other-"+u.Email)
		}},
		"a deletion": {"user.delete", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			return a.DeleteUser(ctx, u.Org, u.ID)
		}},
		"a membership": {"user.create", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			_, err := a.Join(ctx, u.Email, "o2", "", identity.User)
			return err
		}},
		"an account": {"user.create", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			_, _, err := a.CreateUser(ctx, auth.NewUser{Org: "o2", Email: "new-" + u.Email, Role: identity.User})
			return err
		}},
		"an invitation": {"user.create", func(ctx context.Context, a *auth.Accounts, u account.User) error {
			_, err := a.Invite(ctx, auth.NewUser{Org: "o2", Email: "invited-" + u.Email, Role: identity.User})
			return err
		}},
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, store := t.Context(), openSQLite(t)
			begin := func(s account.Store) *auth.Accounts {
				a, err := auth.NewAccounts(auth.AccountsDeps{Store: s, Hasher: testHasher(t)})
				if err != nil {
					t.Fatal(err)
				}
				return a
			}
			next := begin(store)
			u, _, err := next.CreateUser(ctx, auth.NewUser{Org: "o1", Email: "ann@example.com", Role: identity.User, Password: goodPass})
			if err != nil {
				t.Fatal(err)
			}
			if err := store.ClearUserMark(ctx, u.Org, u.ID, u.Mark); err != nil {
				t.Fatal(err)
			}
			dying := &deafStore{Store: store}
			dying.deaf.Store(true)
			if err := c.do(ctx, begin(dying), u); err == nil {
				t.Fatal("it succeeded without its entry")
			}
			marked, err := store.MarkedUsers(ctx, 9)
			if err != nil || len(marked) != 1 || len(marked[0].Owed()) != 1 {
				t.Fatalf("%d accounts owe an entry, %v", len(marked), err)
			}
			owing := marked[0]
			owed := owing.Owed()[0]
			if owed.Action != c.action || owed.Subject != owing.ID || owed.Actor != "operator" {
				t.Errorf("owed is %+v", owed)
			}
			name := "Ann"
			if _, err := next.UpdateUser(ctx, owing.Org, owing.ID, auth.Change{Name: &name}); err != nil && !owing.Deleted {
				t.Fatal(err)
			}
			if owing.Deleted { // no change follows, but a server does
				b := setup(t, store)
				b.follow()
				unmarked(t, store)
			}
			entries, err := store.AuditAfter(ctx, owed.Org, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			entries = slices.DeleteFunc(entries, func(e account.AuditEntry) bool { return e.ID != owed.ID })
			if len(entries) != 1 || entries[0].Action != c.action || entries[0].After != owed.After || !entries[0].At.Equal(owed.At) {
				t.Errorf("the audit log has %+v, want %+v", entries, owed)
			}
		})
	}
}

// TestAServerEntersWhatIsOwed: a server enters what a killed command owes as soon as it runs, and
// before that no further change of the account is made without it.
func TestAServerEntersWhatIsOwed(t *testing.T) {
	t.Parallel()
	store := &deafStore{Store: openSQLite(t)}
	b := setup(t, store)
	root := b.signIn("root@example.com")
	b.follow()
	unmarked(t, store)
	before := len(b.entries(root.access))
	store.deaf.Store(true)
	if _, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: "o1", Email: "owed@example.com", Role: identity.User}); err == nil {
		t.Error("an account was made without an entry")
	}
	u, err := b.service.UserByEmail(t.Context(), "owed@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.service.DisableUser(t.Context(), "o1", u.ID); err == nil {
		t.Error("it was changed before it was entered that it was made")
	}
	if now, err := b.service.User(t.Context(), "o1", u.ID); err != nil || now.Disabled || now.Rev != u.Rev {
		t.Errorf("%+v %v", now, err)
	}
	store.deaf.Store(false)
	unmarked(t, store)
	if n := len(b.entries(root.access)) - before; n != 1 {
		t.Errorf("%d entries came late, want 1", n)
	}
	wholeChains(t, b, "o1", "o2")
}
