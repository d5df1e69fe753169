package identity_test

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
)

// TestTheNumbersOfRolesNeverChange verifies the numbers by which SQLite stores roles.
func TestTheNumbersOfRolesNeverChange(t *testing.T) {
	t.Parallel()
	for role, number := range map[identity.Role]int{identity.Viewer: -1, identity.RoleNone: 0, identity.User: 1, identity.Manager: 2, identity.Admin: 3} {
		if int(role) != number {
			t.Errorf("%s is stored as %d, and was as %d", role, int(role), number)
		}
	}
}

// TestRolesAreOrdered verifies Holds for every pair of Roles, and that invalid roles hold
// nothing and are held by none.
func TestRolesAreOrdered(t *testing.T) {
	t.Parallel()
	order := append([]identity.Role{identity.RoleNone}, identity.Roles()...)
	for i, r := range order {
		for j, least := range order {
			if r.Holds(least) != (i >= j) {
				t.Errorf("%s holds %s: %t", r, least, r.Holds(least))
			}
		}
		for _, odd := range []identity.Role{-2, 4, 99} {
			if odd.Holds(r) || r.Holds(odd) || odd.Known() {
				t.Errorf("%d takes part in the order with %s", int(odd), r)
			}
		}
	}
	if got := identity.RoleNames(); !slices.Equal(got, []string{"viewer", "user", "manager", "admin"}) {
		t.Errorf("names %v", got)
	}
	for _, name := range identity.RoleNames() {
		var r identity.Role
		if err := r.UnmarshalText([]byte(name)); err != nil || r.String() != name || r == identity.RoleNone {
			t.Errorf("%s is read as %s, %v", name, r, err)
		}
	}
	if _, err := identity.ParseRole("none"); err == nil {
		t.Error("none is taken for a role")
	}
}
