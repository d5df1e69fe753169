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
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/password"
)

func TestUsersOfAnOrganization(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		a := b.do("POST", "/api/v2/users", root, `{"email":"Cy@Example.com","name":"Cy","role":"user","org":"o2","_id":"x","disabled":true,"password":"ignored"}`)
		b.want(a, http.StatusCreated, "")
		cy, token := a.text("_id"), a.text("setupToken")
		b.secrets = append(b.secrets, token)
		if a.header.Get("Location") != "/api/v2/users/"+cy || a.text("role") != "user" || a.data["disabled"] != false || token == "" {
			t.Errorf("%s", a.body)
		}
		got := b.do("GET", "/api/v2/users/"+cy, root, "")
		b.want(got, http.StatusOK, "")
		if got.text("email") != "Cy@Example.com" || strings.Contains(got.body, "etup") || strings.Contains(got.body, "assword") || !strings.HasSuffix(got.text("createdAt"), "Z") {
			t.Errorf("%s", got.body)
		}
		list := b.do("GET", "/api/v2/users?limit=2", root, "")
		b.want(list, http.StatusOK, "")
		items := list.data["items"].([]any)
		if len(items) != 2 || items[0].(map[string]any)["_id"] == nil || fmt.Sprint(list.data["pagination"]) != "map[limit:2 page:1 total:4 totalPages:2]" {
			t.Errorf("%s", list.body)
		}
		// The setup token sets a password, once.
		set := func(token, pass string) answer {
			return b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(pass)+`}`)
		}
		b.want(set(token, "short"), http.StatusBadRequest, "VALIDATION_ERROR")
		b.want(set(token[:len(token)-2]+"xx", goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(set("o2"+token[2:], goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
		b.want(set(token, goodPass), http.StatusOK, "")
		b.want(set(token, newPass), http.StatusUnauthorized, "UNAUTHENTICATED")
		cyIn := b.signIn("cy@example.com")
		// A new role and name; every other field sent is ignored.
		p := b.do("PATCH", "/api/v2/users/"+cy, root, `{"name":"Cyril","role":"manager","email":"other@example.com","org":"o2"}`)
		b.want(p, http.StatusOK, "")
		if p.text("name") != "Cyril" || p.text("role") != "manager" || p.text("email") != "Cy@Example.com" {
			t.Errorf("%s", p.body)
		}
		b.want(b.do("PATCH", "/api/v2/users/"+cy, root, `{}`), http.StatusOK, "")
		b.want(b.do("PATCH", "/api/v2/users/"+cy, root, `{"role":"root","disabled":"yes","name":7}`), http.StatusBadRequest, "VALIDATION_ERROR")
		d := b.do("DELETE", "/api/v2/users/"+cy, root, "")
		b.want(d, http.StatusOK, "")
		if d.text("_id") != cy || d.data["deleted"] != true {
			t.Errorf("%s", d.body)
		}
		b.want(b.do("GET", "/api/v2/users/"+cy, root, ""), http.StatusNotFound, "USER_NOT_FOUND")
		b.want(b.do("DELETE", "/api/v2/users/"+cy, root, ""), http.StatusNotFound, "USER_NOT_FOUND")
		b.want(b.refresh(cyIn.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
		// The email is free again.
		b.want(b.do("POST", "/api/v2/users", root, `{"email":"cy@example.com","role":"user"}`), http.StatusCreated, "")
		b.want(b.do("POST", "/api/v2/users", root, `{"email":"BOB@example.com","role":"user"}`), http.StatusConflict, "EMAIL_TAKEN")
		bad := b.do("POST", "/api/v2/users", root, `{"email":"no address","role":"king","name":"`+strings.Repeat("x", 200)+`"}`)
		if bad.status != http.StatusBadRequest || len(bad.fields) < 2 {
			t.Errorf("%s", bad.body)
		}
	})
}

// TestUsersRoutesByRoleAndOrganization verifies the permissions of roles and the
// isolation of organizations (statements 17 and 20).
func TestUsersRoutesByRoleAndOrganization(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	one := "/api/v2/users/" + b.bob.ID
	for _, who := range []string{"bob@example.com", "ada@example.com"} {
		token := b.signIn(who).access
		for _, c := range [][3]string{{"GET", "/api/v2/users"}, {"POST", "/api/v2/users", `{"email":"x@y","role":"admin"}`}, {"GET", one}, {"PATCH", one, `{"role":"admin"}`}, {"DELETE", one}} {
			if a := b.do(c[0], c[1], token, c[2]); a.status != http.StatusForbidden || a.code != "FORBIDDEN" {
				t.Errorf("%s %s by %s: %d %s", c[0], c[1], who, a.status, a.body)
			}
		}
	}
	eve := b.signIn("eve@example.org").access
	for _, c := range [][3]string{{"GET"}, {"PATCH", "", `{"disabled":true}`}, {"DELETE"}} {
		foreign := b.do(c[0], one, eve, c[2], "X-Request-Id", "same")
		unknown := b.do(c[0], "/api/v2/users/nobody", eve, c[2], "X-Request-Id", "same")
		if foreign.status != http.StatusNotFound || foreign.code != "USER_NOT_FOUND" || foreign.body != unknown.body {
			t.Errorf("%s: %s and %s", c[0], foreign.body, unknown.body)
		}
	}
	if list := b.do("GET", "/api/v2/users", eve, ""); list.data["pagination"].(map[string]any)["total"] != 1.0 {
		t.Errorf("%s", list.body)
	}
	if u, err := b.service.User(t.Context(), "o1", b.bob.ID); err != nil || u.Disabled || u.Role != identity.User {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestTheLastAdminStays(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		self := "/api/v2/users/" + b.root.ID
		for _, c := range [][2]string{{"PATCH", `{"role":"user"}`}, {"PATCH", `{"disabled":true}`}, {"DELETE", ""}} {
			a := b.do(c[0], self, root, c[1])
			b.want(a, http.StatusConflict, "INVALID_TRANSITION")
		}
		b.want(b.do("PATCH", "/api/v2/users/"+b.ada.ID, root, `{"role":"admin"}`), http.StatusOK, "")
		b.want(b.do("DELETE", self, root, ""), http.StatusOK, "")
		b.want(b.do("GET", "/api/v2/users", root, ""), http.StatusUnauthorized, "UNAUTHENTICATED")
	})
}

func TestSetupTokens(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	ctx := t.Context()
	in := b.signIn("bob@example.com")
	token, err := b.service.ResetPassword(ctx, "o1", b.bob.ID)
	if err != nil {
		t.Fatal(err)
	}
	b.secrets = append(b.secrets, token)
	b.want(b.login("bob@example.com", goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
	b.want(b.refresh(in.refresh), http.StatusUnauthorized, "UNAUTHENTICATED")
	// Of many concurrent uses, one succeeds.
	var wg sync.WaitGroup
	outcomes := make(chan error, 8)
	for range 8 {
		wg.Go(func() { outcomes <- b.service.CompleteSetup(ctx, auth.Setup{Token: token, Password: goodPass}) })
	}
	wg.Wait()
	close(outcomes)
	won := 0
	for err := range outcomes {
		switch {
		case err == nil:
			won++
		case apperr.CodeOf(err) != apperr.Unauthenticated && apperr.CodeOf(err) != apperr.Unavailable:
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("one token was used %d times", won)
	}
	b.signIn("bob@example.com")
	// Expired; and disabled.
	if token, err = b.service.ResetPassword(ctx, "o1", b.bob.ID); err != nil {
		t.Fatal(err)
	}
	b.secrets = append(b.secrets, token)
	if err := b.service.DisableUser(ctx, "o1", b.bob.ID); err != nil {
		t.Fatal(err)
	}
	if err := b.service.CompleteSetup(ctx, auth.Setup{Token: token, Password: goodPass}); apperr.CodeOf(err) != apperr.Unauthenticated {
		t.Errorf("of a disabled user: %v", err)
	}
	if err := b.service.EnableUser(ctx, "o1", b.bob.ID); err != nil {
		t.Fatal(err)
	}
	b.clock.Advance(73 * time.Hour)
	if err := b.service.CompleteSetup(ctx, auth.Setup{Token: token, Password: goodPass}); apperr.CodeOf(err) != apperr.Unauthenticated {
		t.Errorf("three days later: %v", err)
	}
}

func TestCreateUserListsEveryFault(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	_, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: "o1", Email: "x", Name: "a\nb", Role: 9, Password: "short"})
	var e *apperr.Error
	if !errors.As(err, &e) || e.Code != apperr.ValidationError || len(e.Details) != 4 {
		t.Errorf("%v", err)
	}
	if _, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Email: "x@y", Role: identity.User}); err == nil {
		t.Error("a user of no organization was created")
	}
	u, err := b.service.UserByEmail(t.Context(), "ADA@example.com")
	if err != nil || u.ID != b.ada.ID {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := b.service.UserByEmail(t.Context(), "nobody@example.com"); apperr.CodeOf(err) != apperr.UserNotFound {
		t.Error(err)
	}
}

// TestNamesLeaveTheTextAroundThem: a name stands beside figures and other names, and is not to turn
// them around. Names in any script are names.
func TestNamesLeaveTheTextAroundThem(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	root := b.signIn("root@example.com").access
	id := ""
	for n, name := range []string{"Zoë O'Neil", "\u05d3\u05d5\u05d3 \u05db\u05d4\u05df", "\u0641\u0627\u0637\u0645\u0629\u200f", "\u0410\u043d\u043d\u0430 Smith"} {
		a := b.do("POST", "/api/v2/users", root, fmt.Sprintf(`{"email":"n%d@example.com","role":"user","name":%q}`, n, name))
		b.want(a, http.StatusCreated, "")
		id = a.text("_id")
	}
	for _, c := range []rune{0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069} {
		name := fmt.Sprintf(`"Ada\u%04x"`, c)
		for _, a := range []answer{b.do("POST", "/api/v2/users", root, `{"email":"ada2@example.com","role":"user","name":`+name+`}`), b.do("PATCH", "/api/v2/users/"+id, root, `{"name":`+name+`}`)} {
			b.want(a, http.StatusBadRequest, "VALIDATION_ERROR")
			if want := fmt.Sprintf("name must not contain %U", c); !strings.Contains(a.body, want) {
				t.Errorf("%s, want %s", a.body, want)
			}
		}
	}
}

// TestRehearsals verifies that X-Dry-Run is answered like the real request, and changes
// nothing.
func TestRehearsals(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	in, root := b.signIn("bob@example.com"), b.signIn("root@example.com").access
	dry := func(method, path, token, body string) answer {
		t.Helper()
		return b.do(method, path, token, body, "X-Dry-Run", "true")
	}
	sid := claimsOf(t, in.access)["sid"].(string)
	a := dry("POST", "/api/v2/users", root, `{"email":"cy@example.com","role":"user"}`)
	b.want(a, http.StatusCreated, "")
	if a.text("setupToken") != "" || a.header.Get("Location") != "" || a.header.Get("X-Dry-Run") != "true" {
		t.Errorf("%s %v", a.body, a.header)
	}
	b.want(dry("POST", "/api/v2/users", root, `{"email":"ada@example.com","role":"user"}`), http.StatusConflict, "EMAIL_TAKEN")
	b.want(dry("PATCH", "/api/v2/users/"+b.bob.ID, root, `{"role":"admin","disabled":true}`), http.StatusOK, "")
	b.want(dry("PATCH", "/api/v2/users/"+b.root.ID, root, `{"role":"user"}`), http.StatusConflict, "INVALID_TRANSITION")
	b.want(dry("PATCH", "/api/v2/users/"+b.eve.ID, root, `{"role":"user"}`), http.StatusNotFound, "USER_NOT_FOUND")
	b.want(dry("DELETE", "/api/v2/users/"+b.bob.ID, root, ""), http.StatusOK, "")
	b.want(dry("POST", "/api/v2/auth/password", in.access, `{"currentPassword":"`+goodPass+`","newPassword":"`+newPass+`"}`), http.StatusOK, "")
	b.want(dry("POST", "/api/v2/auth/password", in.access, `{"currentPassword":"wrong","newPassword":"`+newPass+`"}`), http.StatusBadRequest, "VALIDATION_ERROR")
	b.want(dry("DELETE", "/api/v2/auth/sessions/"+sid, in.access, ""), http.StatusOK, "")
	b.want(dry("DELETE", "/api/v2/auth/sessions/"+sid, root, ""), http.StatusNotFound, "NOT_FOUND")
	b.want(dry("POST", "/api/v2/auth/logout", in.access, ""), http.StatusOK, "")
	b.want(b.do("POST", "/api/v2/auth/logout", in.access, "", "X-Dry-Run", "maybe"), http.StatusBadRequest, "VALIDATION_ERROR")

	b.want(b.refresh(in.refresh), http.StatusOK, "")
	b.signIn("bob@example.com")
	if u, err := b.service.User(t.Context(), "o1", b.bob.ID); err != nil || u.Rev != b.bob.Rev || u.Role != identity.User {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := b.service.UserByEmail(t.Context(), "cy@example.com"); apperr.CodeOf(err) != apperr.UserNotFound {
		t.Errorf("a rehearsed user is there: %v", err)
	}
}

// TestOutdatedHashIsMadeAnew verifies that parameters are upgraded at the next login,
// without ending sessions (statement 5).
func TestOutdatedHashIsMadeAnew(t *testing.T) {
	t.Parallel()
	store := openSQLite(t)
	b := setup(t, store)
	other, err := password.New(password.Options{Params: password.Params{MemoryKiB: 32, Time: 1, Threads: 1}, Slots: 1, Queue: 9, Wait: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	former, err := auth.NewAccounts(auth.AccountsDeps{Store: store, Hasher: other, Now: b.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := former.SetPassword(t.Context(), "o1", b.ada.ID, newPass); err != nil {
		t.Fatal(err)
	}
	first := b.signInWith("ada@example.com", newPass)
	u, err := store.User(t.Context(), "o1", b.ada.ID)
	if err != nil || !strings.Contains(u.PasswordHash, "m=64,") {
		t.Errorf("%v, %v", u.PasswordHash, err)
	}
	b.signInWith("ada@example.com", newPass)
	b.want(b.refresh(first.refresh), http.StatusOK, "")
	b.want(b.login("ada@example.com", goodPass), http.StatusUnauthorized, "UNAUTHENTICATED")
}
