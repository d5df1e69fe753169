package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

func (b *bundle) loginTo(email, org string) answer {
	b.t.Helper()
	return b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(email)+`,"password":`+quoted(goodPass)+`,"organization":`+quoted(org)+`}`)
}

func (b *bundle) refreshTo(token, org string) answer {
	b.t.Helper()
	return b.do("POST", "/api/v2/auth/refresh", "", `{"refreshToken":`+quoted(token)+`,"organization":`+quoted(org)+`}`)
}

func (b *bundle) join(email, org string, role identity.Role) account.User {
	b.t.Helper()
	m, err := b.service.Join(b.t.Context(), email, org, "Ada of "+org, role)
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

// lets reports whether an access token is admitted by auth, which reads the store, and
// verifies that a gateway agrees within a second.
func (b *bundle) lets(token string) bool {
	b.t.Helper()
	in := b.do("GET", "/api/v2/auth/me", token, "").status == http.StatusOK
	if b.admits(token) != in {
		b.t.Errorf("auth admits a token: %t, but a gateway does not agree a second later", in)
	}
	return in
}

// wantMember verifies the membership of a token.
func (b *bundle) wantMember(a answer, m account.User) string {
	b.t.Helper()
	b.want(a, http.StatusOK, "")
	token := a.text("accessToken")
	claims := claimsOf(b.t, token)
	if claims["sub"] != m.ID || claims["org"] != m.Org || claims["role"] != m.Role.String() {
		b.t.Errorf("the token is of %v in %v as %v, want %s in %s as %s", claims["sub"], claims["org"], claims["role"], m.ID, m.Org, m.Role)
	}
	p, err := b.service.Verify(b.t.Context(), token)
	if err != nil || p.UserID != m.ID || p.Org != m.Org {
		b.t.Errorf("%+v, %v", p, err)
	}
	if err := identity.Admit(identity.WithToken(b.t.Context(), token), b.checker, p); err != nil {
		b.t.Errorf("a gateway refuses it: %v", err)
	}
	return token
}

// TestOnePersonInTwoOrganizations logs in to each, switches by a refresh, and changes
// the default.
func TestOnePersonInTwoOrganizations(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		there := b.join("ada@example.com", "o2", identity.Admin)
		if there.ID == b.ada.ID {
			t.Error("both memberships have one id")
		}
		first := b.login("ada@example.com", goodPass)
		b.wantMember(first, b.ada)
		second := b.loginTo("ada@example.com", "o2")
		token := b.wantMember(second, there)
		b.wantMember(b.loginTo("ada@example.com", "o1"), b.ada)
		for _, of := range []string{first.text("refreshToken"), second.text("refreshToken")} {
			b.wantMember(b.refreshTo(of, "o2"), there)
			b.wantMember(b.refreshTo(of, "o1"), b.ada)
		}
		// Switching changed neither session.
		b.wantMember(b.refresh(first.text("refreshToken")), b.ada)
		b.wantMember(b.refresh(second.text("refreshToken")), there)
		b.wantMember(b.login("ada@example.com", goodPass), b.ada)

		me := b.do("GET", "/api/v2/auth/me", token, "")
		for _, part := range []string{`"_id":"` + there.ID + `"`, `"organization":"o2","defaultOrganization":"o1"`, `"name":"Ada of o2"`,
			`{"_id":"` + b.ada.ID + `","organization":"o1","role":"manager","state":"active"}`, `{"_id":"` + there.ID + `","organization":"o2","role":"admin","state":"active"}`} {
			if !strings.Contains(me.body, part) {
				t.Errorf("me lacks %s: %s", part, me.body)
			}
		}
		// Names and roles are for every member; a viewer is none of them.
		list := b.do("GET", "/api/v2/organization/members", token, "")
		b.want(list, http.StatusOK, "")
		if !strings.Contains(list.body, `{"_id":"`+there.ID+`","name":"Ada of o2","role":"admin","state":"active"}`) || strings.Contains(list.body, "@") || strings.Contains(list.body, b.ada.ID) {
			t.Errorf("members %s", list.body)
		}
		if own, err := b.service.Own(t.Context(), "o2", there.ID); err != nil || len(own) != 2 || own[0].ID != b.ada.ID || own[1].Organization != "o2" {
			t.Errorf("own memberships %v, %v", own, err)
		}
		// Unknown and foreign organizations get the same bytes, and only with the right
		// password.
		b.user("o3", "else@example.net", "Else", identity.Admin)
		foreign, unknown := b.loginTo("ada@example.com", "o3"), b.loginTo("ada@example.com", "o9")
		b.want(foreign, http.StatusNotFound, "NOT_FOUND")
		wrong := b.do("POST", "/api/v2/auth/login", "", `{"email":"ada@example.com","password":"wrong","organization":"o3"}`)
		b.want(wrong, http.StatusUnauthorized, "UNAUTHENTICATED")
		for what, pair := range map[string][2]answer{
			"login": {foreign, unknown}, "refresh": {b.refreshTo(first.text("refreshToken"), "o3"), b.refreshTo(first.text("refreshToken"), "o9")},
			"default": {b.do("PATCH", "/api/v2/auth/me", token, `{"defaultOrganization":"o3"}`), b.do("PATCH", "/api/v2/auth/me", token, `{"defaultOrganization":"o9"}`)},
		} {
			if bare(pair[0]) != bare(pair[1]) || pair[0].status != http.StatusNotFound {
				t.Errorf("%s: %d %s and %d %s", what, pair[0].status, pair[0].body, pair[1].status, pair[1].body)
			}
		}
		if no := b.do("PATCH", "/api/v2/auth/me", token, `{"defaultOrganization":"o3"}`); !strings.Contains(no.body, `"field":"defaultOrganization","code":"UNKNOWN_ORGANIZATION"`) {
			t.Errorf("no organization of hers: %s", no.body)
		}
		dry := b.do("PATCH", "/api/v2/auth/me", token, `{"defaultOrganization":"o2"}`, "X-Dry-Run", "true")
		if b.want(dry, http.StatusOK, ""); dry.text("defaultOrganization") != "o2" {
			t.Errorf("the default would be %s", dry.text("defaultOrganization"))
		}
		b.wantMember(b.login("ada@example.com", goodPass), b.ada)
		b.want(b.do("PATCH", "/api/v2/auth/me", token, `{"defaultOrganization":"o2"}`), http.StatusOK, "")
		b.wantMember(b.login("ada@example.com", goodPass), there)
		b.wantMember(b.refresh(first.text("refreshToken")), b.ada)

		// Passwords and sessions belong to the person: changed in one organization,
		// ended in all but one.
		b.want(b.do("POST", "/api/v2/auth/password", token, `{"currentPassword":`+quoted(goodPass)+`,"newPassword":`+quoted(newPass)+`}`), http.StatusOK, "")
		if !b.lets(token) {
			t.Error("the session in which the password was changed has ended")
		}
		b.want(b.refresh(first.text("refreshToken")), http.StatusUnauthorized, "UNAUTHENTICATED")
		if total := b.do("GET", "/api/v2/auth/sessions", token, "").body; !strings.Contains(total, `"total":1`) || !strings.Contains(total, `"current":true`) {
			t.Errorf("sessions: %s", total)
		}
		// Logging out with a switched token ends the session everywhere.
		b.want(b.do("POST", "/api/v2/auth/logout", token, ""), http.StatusOK, "")
		b.want(b.refresh(second.text("refreshToken")), http.StatusUnauthorized, "UNAUTHENTICATED")
		if b.lets(token) {
			t.Error("a switched token outlives its session")
		}
		// No organization learns of the other.
		for org, other := range map[string]string{"o1": there.ID, "o2": b.ada.ID} {
			entries, _, err := b.store.AuditPage(t.Context(), org, 0, 100)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.Actor == other || e.Subject == other {
					t.Errorf("the audit log of %s names the membership elsewhere: %+v", org, e)
				}
			}
		}
	})
}

// bare returns an answer without what differs from request to request.
func bare(a answer) string {
	head, rest, _ := strings.Cut(a.body, `"requestId":"`)
	_, tail, _ := strings.Cut(rest, `"`)
	return head + tail
}

// TestRevocationInOneOrganization verifies that disabling, a change of role and removal
// end exactly what they concern, immediately as far as auth is asked.
func TestRevocationInOneOrganization(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		there := b.join("ada@example.com", "o2", identity.Manager)
		ctx := t.Context()
		first, second := b.login("ada@example.com", goodPass), b.loginTo("ada@example.com", "o2")
		here, away := first.text("accessToken"), second.text("accessToken")
		switched := b.refreshTo(first.text("refreshToken"), "o2").text("accessToken")

		viewer := identity.Viewer
		changed, err := b.service.UpdateUser(ctx, "o2", there.ID, auth.Change{Role: &viewer})
		if err != nil || b.lets(away) || b.lets(switched) || !b.lets(here) {
			t.Fatalf("after a change of the role there: %v, %t, %t, here %t", err, b.lets(away), b.lets(switched), b.lets(here))
		}
		away = b.wantMember(b.refresh(second.text("refreshToken")), changed)

		if err := b.service.DisableUser(ctx, "o2", there.ID); err != nil || b.lets(away) || !b.lets(here) {
			t.Errorf("disabled there: %v, %t, here %t", err, b.lets(away), b.lets(here))
		}
		b.want(b.refresh(second.text("refreshToken")), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(b.refreshTo(first.text("refreshToken"), "o2"), http.StatusNotFound, "NOT_FOUND")
		if err := b.service.EnableUser(ctx, "o2", there.ID); err != nil || b.lets(away) {
			t.Errorf("enabled again: %v; the token from before is valid: %t", err, b.lets(away))
		}
		b.want(b.refresh(second.text("refreshToken")), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.wantMember(b.refreshTo(second.text("refreshToken"), "o1"), b.ada)
		away = b.wantMember(b.loginTo("ada@example.com", "o2"), changed)

		// The first membership ends, and the person remains.
		if err := b.service.DeleteUser(ctx, "o1", b.ada.ID); err != nil || b.lets(here) || !b.lets(away) {
			t.Fatalf("removed here: %v, %t, there %t", err, b.lets(here), b.lets(away))
		}
		if _, err := b.service.User(ctx, "o1", b.ada.ID); apperr.CodeOf(err) != apperr.UserNotFound {
			t.Errorf("who was removed is found: %v", err)
		}
		b.want(b.login("ada@example.com", goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.wantMember(b.loginTo("ada@example.com", "o2"), changed)
		// Revived under the same id.
		if again := b.join("ada@example.com", "o1", identity.User); again.ID != b.ada.ID || again.Role != identity.User || b.lets(here) {
			t.Errorf("revived as %s, %s, was %s; the token from before is valid: %t", again.ID, again.Role, b.ada.ID, b.lets(here))
		}
		if err := b.service.DeleteUser(ctx, "o2", there.ID); err != nil || b.lets(away) {
			t.Errorf("removed there: %v", err)
		}
		if again := b.join("ada@example.com", "o2", identity.User); again.ID != there.ID || again.Role != identity.User || b.lets(away) {
			t.Errorf("revived as %s, %s, was %s", again.ID, again.Role, there.ID)
		}
		if _, err := b.service.Join(ctx, "ada@example.com", "o2", "", identity.User); apperr.CodeOf(err) != apperr.EmailTaken {
			t.Errorf("joined twice: %v", err)
		}
		// With the last membership the address is free.
		for _, err := range []error{b.service.DeleteUser(ctx, "o1", b.ada.ID), b.service.DeleteUser(ctx, "o2", there.ID)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if p, err := b.store.Person(ctx, b.ada.ID); err != nil || !p.Deleted || p.Email != "" || p.PasswordHash != "" {
			t.Errorf("kept of who is nowhere a member: %+v, %v", p, err)
		}
		if kept, err := b.store.SessionsAfter(ctx, "o1", "", 10); err != nil || len(kept) > 0 {
			t.Errorf("sessions kept, with addresses and browsers: %+v, %v", kept, err)
		}
		b.user("o3", "ada@example.com", "", identity.User)
	})
}

// TestTheOperatorDisablesAPersonEverywhere verifies that an operator disables all
// memberships by address.
func TestTheOperatorDisablesAPersonEverywhere(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	b.join("ada@example.com", "o2", identity.User)
	here, away := b.login("ada@example.com", goodPass), b.loginTo("ada@example.com", "o2")
	if err := b.service.DisablePerson(t.Context(), "ada@example.com"); err != nil {
		t.Fatal(err)
	}
	for _, a := range []answer{here, away} {
		if b.lets(a.text("accessToken")) {
			t.Error("a token is still valid")
		}
		b.want(b.refresh(a.text("refreshToken")), http.StatusUnauthorized, "UNAUTHENTICATED")
	}
	b.want(b.loginTo("ada@example.com", "o2"), http.StatusNotFound, "NOT_FOUND")
	// A session from before does not come back, neither where the person works again nor in another organization.
	if err := b.service.EnableUser(t.Context(), "o1", b.ada.ID); err != nil {
		t.Fatal(err)
	}
	b.join("ada@example.com", "o3", identity.User)
	for _, a := range []answer{here, away} {
		for _, org := range []string{"o1", "o2", "o3"} {
			if again := b.refreshTo(a.text("refreshToken"), org); again.status < http.StatusBadRequest {
				t.Errorf("a session of a disabled person is good for %s", org)
			}
		}
	}
	if _, err := b.service.Join(t.Context(), "nobody@example.com", "o2", "", identity.User); apperr.CodeOf(err) != apperr.UserNotFound {
		t.Errorf("no membership was created: %v", err)
	}
}

// TestAnErasedAccountLeavesNoSession: with the last membership of a person their sessions are removed, which have addresses and
// browsers, and they do not come back with a new invitation of the same address, which has the same id.
func TestAnErasedAccountLeavesNoSession(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root, before := b.signIn("root@example.com").access, b.signIn("bob@example.com")
		b.want(b.do("DELETE", "/api/v2/users/"+b.bob.ID, root, ""), http.StatusOK, "")
		all, err := b.store.SessionsAfter(t.Context(), b.bob.Org, "", 100)
		if err != nil || len(all) == 0 {
			t.Fatalf("%d sessions, %v", len(all), err)
		}
		for _, s := range all {
			if s.User == b.bob.ID {
				t.Errorf("a session is left: %+v", s)
			}
		}
		again, token := b.invite(root, "bob@example.com", "manager")
		if again.text("_id") != b.bob.ID {
			t.Errorf("the former user has another id: %s", again.body)
		}
		b.want(b.setUp(token), http.StatusOK, "")
		if b.lets(before.access) {
			t.Error("a token from before is admitted")
		}
		b.want(b.refresh(before.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
	})
}
