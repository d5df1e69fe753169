package e2e

import (
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/api"
	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/record"
)

// TestEveryCellOfTheOwnOrganization calls every operation of the permission table
// without a token, with each role, and as a user on what another account has created. A
// permitted call must succeed, so that no cell passes because the call was invalid; a
// forbidden one must be refused and change nothing (statement 20).
func TestEveryCellOfTheOwnOrganization(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.account(t, s.org, "viewer@example.test", identity.Viewer)
	ours := s.furnish(t)
	before := ours.snapshot()
	nobody := s.anonymous(t)
	callers := []struct {
		name string
		*caller
		role    identity.Role
		creator bool // of the tenant's records
	}{
		{"nobody", nobody, identity.RoleNone, false},
		{"a viewer", s.as(t, "viewer@example.test"), identity.Viewer, false},
		{"the user who made it", ours.user, identity.User, true},
		{"another user", ours.colleague, identity.User, false},
		{"a manager", ours.manager, identity.Manager, false},
		{"an admin", ours.admin, identity.Admin, false},
	}
	for _, o := range api.Operations() {
		for _, c := range callers {
			own := map[string]string{}
			if o.Reach == api.Account && c.role != identity.RoleNone {
				own["sessionId"] = ours.session(c.caller)
			}
			if c.role == identity.Viewer {
				own["recordId"] = ours.records[record.Approved] // the others are invisible to a viewer
			}
			k, err := ours.call(o, own)
			if err != nil {
				t.Error(err)
				break
			}
			status, code := http.StatusOK, ""
			switch {
			case c.role == identity.RoleNone && !o.Public():
				status, code = http.StatusUnauthorized, "UNAUTHENTICATED"
			case !c.role.Holds(o.Least), !c.role.Holds(o.Others) && !c.creator:
				status, code = http.StatusForbidden, "FORBIDDEN"
			}
			// A dry run if permitted, so that it has not been done for the next caller;
			// a real call if forbidden.
			a := k.make(c.caller, code == "")
			switch {
			case code == "" && refusedFor(o.ID) != "" && a.at("error", "code") == refusedFor(o.ID):
			case code == "" && (a.status < 200 || a.status > 299):
				t.Errorf("%s as %s: %d %s", o.ID, c.name, a.status, a.body)
			case code != "" && (a.status != status || a.at("error", "code") != code):
				t.Errorf("%s as %s: %d %s, want %d %s", o.ID, c.name, a.status, a.body, status, code)
			}
		}
	}
	if after := ours.snapshot(); after != before {
		t.Errorf("the calls have changed something:\n%s\n%s", before, after)
	}
}

// TestEveryCellOfAnotherAccount verifies that what belongs to an account is accessible
// to no other, including administrators.
func TestEveryCellOfAnotherAccount(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	ours := s.furnish(t)
	tried := 0
	for _, o := range api.Operations() {
		if o.Reach != api.Account || len(o.Params()) == 0 {
			continue
		}
		tried++
		theirs, err := ours.call(o, nil)
		if err != nil {
			t.Fatal(err)
		}
		none, err := ours.call(o, ours.never(o))
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]*caller{"another user": ours.colleague, "a manager": ours.manager, "an admin": ours.admin} {
			a, b := theirs.make(c, false), none.make(c, false)
			if a.status != http.StatusNotFound || b.status != a.status || same(a) != same(b) {
				t.Errorf("%s as %s: %d %s; for an id that does not exist %d %s", o.ID, name, a.status, a.body, b.status, b.body)
			}
		}
	}
	ours.user.get("/auth/me").want(http.StatusOK) // the session lives
	if tried == 0 {
		t.Error("no operation names a part of an account")
	}
}
