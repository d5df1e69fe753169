package auth_test

import (
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

const (
	shownMail   = "zoe@bücher.example"
	encodedMail = "zoe@xn--bcher-kva.example"
)

// TestAMailboxHasOneAccount: both spellings of an internationalized domain are one address, on
// both engines, while the address stays as it was written.
func TestAMailboxHasOneAccount(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, open(t))
			u, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: b.root.Org, Email: encodedMail, Name: "Zoe", Role: identity.User, Password: goodPass})
			if err != nil || u.Email != encodedMail {
				t.Fatalf("%+v, %v", u, err)
			}
			for _, org := range []string{b.root.Org, b.eve.Org} {
				_, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: org, Email: shownMail, Name: "Zoe", Role: identity.User, Password: goodPass})
				if apperr.CodeOf(err) != apperr.EmailTaken {
					t.Errorf("a second account: %v", err)
				}
			}
			root := b.signIn("root@example.com").access
			b.want(b.do("POST", "/api/v2/users", root, `{"email":"`+shownMail+`","role":"user"}`), http.StatusConflict, "EMAIL_TAKEN")
			for _, email := range []string{shownMail, encodedMail, "ZOE@BÜCHER.example"} {
				b.want(b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(email)+`,"password":`+quoted(goodPass)+`}`), http.StatusOK, "")
				if found, err := b.service.UserByEmail(t.Context(), email); err != nil || found.ID != u.ID {
					t.Errorf("%s is of %q, %v", email, found.ID, err)
				}
			}
			if err := b.service.DeleteUser(t.Context(), u.Org, u.ID); err != nil {
				t.Fatal(err)
			}
			again, err := b.service.Invite(t.Context(), auth.NewUser{Org: u.Org, Email: shownMail, Role: identity.User})
			if err != nil || again.User.ID != u.ID {
				t.Errorf("invited again as %q, %v; was %s", again.User.ID, err, u.ID)
			}
		})
	}
}

// TestAccountsOfOneMailboxFromBefore: whom release 2.0 gave two accounts still signs in to both, and
// gets no third one, even where one of them is deleted.
func TestAccountsOfOneMailboxFromBefore(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, open(t))
			made := map[string]account.User{}
			for email, pass := range map[string]string{shownMail: goodPass, encodedMail: newPass} {
				hash, err := b.hasher.Hash(t.Context(), pass)
				if err != nil {
					t.Fatal(err)
				}
				u := account.User{ID: account.NewID(), Org: b.root.Org, Email: email, EmailKey: email, Name: "Zoe", Role: identity.User, PasswordHash: hash, Epoch: 1, Rev: 1, CreatedAt: b.clock.Now(), UpdatedAt: b.clock.Now()}
				if err := b.store.InsertUser(t.Context(), u); err != nil {
					t.Fatal(err)
				}
				made[email] = u
			}
			for email, pass := range map[string]string{shownMail: goodPass, encodedMail: newPass} {
				a := b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(email)+`,"password":`+quoted(pass)+`}`)
				b.wantMember(a, made[email])
				if found, err := b.service.UserByEmail(t.Context(), email); err != nil || found.ID != made[email].ID {
					t.Errorf("%s is of %q, %v", email, found.ID, err)
				}
			}
			if err := b.service.DeleteUser(t.Context(), b.root.Org, made[shownMail].ID); err != nil {
				t.Fatal(err)
			}
			_, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: b.eve.Org, Email: shownMail, Role: identity.User, Password: goodPass})
			if apperr.CodeOf(err) != apperr.EmailTaken {
				t.Errorf("an account beside the other spelling: %v", err)
			}
			root := b.signIn("root@example.com").access
			b.want(b.do("POST", "/api/v2/users", root, `{"email":"`+shownMail+`","role":"user"}`), http.StatusConflict, "EMAIL_TAKEN")
		})
	}
}
