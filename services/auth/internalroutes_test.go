package auth_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity/members"
)

// TestMembersAreToldToWhoHasAToken verifies statement 34 for requests of services about
// members: without an access token there is no response, and with one none about
// another organization.
func TestMembersAreToldToWhoHasAToken(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	ada, eve := b.signIn("ada@example.com"), b.signIn("eve@example.org")
	asked := members.Path + "?id=" + b.ada.ID
	for _, path := range []string{asked, members.OwnPath} {
		for name, token := range map[string]string{"no token": "", "not a token": "x.y.z", "an ID token": ada.id, "a refresh token": ada.refresh} {
			if a := b.do("GET", path, token, ""); a.status != http.StatusUnauthorized || !strings.Contains(a.body, `"UNAUTHENTICATED"`) {
				t.Errorf("%s with %s: %d %s", path, name, a.status, a.body)
			}
		}
	}
	if a := b.do("GET", asked, ada.access, ""); a.status != http.StatusOK || !strings.Contains(a.body, b.ada.ID) {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := b.do("GET", asked, eve.access, ""); a.status != http.StatusOK || strings.Contains(a.body, b.ada.ID) {
		t.Errorf("of another organization: %d %s", a.status, a.body)
	}
}

// TestMembersAreToldToServices verifies that a service doing background work names the
// organization, and gets the roles of active members of that one only.
func TestMembersAreToldToServices(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	asked := members.NewRemote(b.base, http.DefaultClient)
	roles, err := asked.Roles(t.Context(), b.ada.Org, []string{b.ada.ID, "nobody"})
	if err != nil || len(roles) != 1 || roles[b.ada.ID] != b.ada.Role {
		t.Errorf("%v, %v", roles, err)
	}
	if roles, err := asked.Roles(t.Context(), "another", []string{b.ada.ID}); err != nil || len(roles) != 0 {
		t.Errorf("of another organization: %v, %v", roles, err)
	}
}
