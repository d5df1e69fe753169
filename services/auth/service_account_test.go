package auth_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth"
)

// TestServiceAccounts verifies that a service account is created and set up like any
// other, can never be more than a user, and is marked as a service account wherever
// accounts are shown and in the audit log.
func TestServiceAccounts(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		create := func(body string) answer { return b.do("POST", "/api/v2/users", root, body) }
		for _, role := range []string{"manager", "admin"} {
			a := create(`{"email":"robot@example.com","role":"` + role + `","serviceAccount":true}`)
			b.want(a, http.StatusBadRequest, "VALIDATION_ERROR")
			if fmt.Sprint(a.fields) != "[role]" {
				t.Errorf("%s: faults of %v", role, a.fields)
			}
		}
		a := create(`{"email":"robot@example.com","role":"user","serviceAccount":"yes"}`)
		b.want(a, http.StatusBadRequest, "VALIDATION_ERROR")
		if fmt.Sprint(a.fields) != "[serviceAccount]" {
			t.Errorf("faults of %v", a.fields)
		}

		made := create(`{"email":"robot@example.com","name":"Ticket import","role":"user","serviceAccount":true}`)
		b.want(made, http.StatusCreated, "")
		id, token := made.text("_id"), made.text("setupToken")
		b.secrets = append(b.secrets, token)
		if made.data["serviceAccount"] != true || id == "" || token == "" {
			t.Fatalf("%s", made.body)
		}
		b.want(b.do("POST", "/api/v2/auth/setup", "", `{"setupToken":`+quoted(token)+`,"password":`+quoted(newPass)+`}`), http.StatusOK, "")
		robot := b.signInWith("robot@example.com", newPass)
		me := b.do("GET", "/api/v2/auth/me", robot.access, "")
		if me.data["serviceAccount"] != true || me.text("role") != "user" {
			t.Errorf("%s", me.body)
		}
		list := b.do("GET", "/api/v2/users", root, "").body
		if strings.Count(list, `"serviceAccount":true`) != 1 || strings.Count(list, `"serviceAccount":false`) != 3 {
			t.Errorf("%s", list)
		}

		// It cannot be changed, by whomever and together with whatever else.
		self := "/api/v2/users/" + id
		for _, role := range []string{"manager", "admin"} {
			a := b.do("PATCH", self, root, `{"name":"Other","role":"`+role+`"}`)
			b.want(a, http.StatusBadRequest, "VALIDATION_ERROR")
			if fmt.Sprint(a.fields) != "[role]" {
				t.Errorf("%s: faults of %v", role, a.fields)
			}
		}
		changed := b.do("PATCH", self, root, `{"name":"Other","role":"user","serviceAccount":false}`)
		b.want(changed, http.StatusOK, "")
		if changed.data["serviceAccount"] != true || changed.text("name") != "Other" {
			t.Errorf("%s", changed.body)
		}
		b.want(b.do("PATCH", "/api/v2/users/"+b.bob.ID, root, `{"serviceAccount":true}`), http.StatusOK, "")
		if bob := b.do("GET", "/api/v2/users/"+b.bob.ID, root, ""); bob.data["serviceAccount"] != false {
			t.Errorf("%s", bob.body)
		}
		b.want(b.do("GET", "/api/v2/users", robot.access, ""), http.StatusForbidden, "FORBIDDEN")

		audit := b.do("GET", "/api/v2/organization/audit", root, "").body
		if !strings.Contains(audit, `"action":"user.create"`) || !strings.Contains(audit, `"subject":"`+id+`","after":"user, service account"`) {
			t.Errorf("%s", audit)
		}
	})
}

// TestServiceAccountsHaveNoInteractiveLimits verifies that no session of a program ends
// early, however many it has and however long they are unused.
func TestServiceAccountsHaveNoInteractiveLimits(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	if _, _, err := b.service.CreateUser(t.Context(), auth.NewUser{
		Org: "o1", Email: "robot@example.com", Role: identity.User, Service: true, Password: goodPass,
	}); err != nil {
		t.Fatal(err)
	}
	var held []tokens
	for range 40 {
		held = append(held, b.signIn("robot@example.com"))
		b.clock.Advance(time.Second)
	}
	b.clock.Advance(29*24*time.Hour + 23*time.Hour)
	for i, in := range held {
		if a := b.refresh(in.refresh); a.status != http.StatusOK {
			t.Errorf("session %d after 29 days: %s", i, a.body)
		}
	}
}
