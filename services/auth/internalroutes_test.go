package auth_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
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

// TestInvitationsAreToldToTheirHolders verifies that the setup token of an invitation, and no
// other, opens what it offers until it is used, and that looking does not use it.
func TestInvitationsAreToldToTheirHolders(t *testing.T) {
	onBothEngines(t, func(t *testing.T, b *bundle) {
		root := b.signIn("root@example.com").access
		_, token := b.invite(root, "guest@example.net", "manager")
		asked := members.NewRemote(b.base, http.DefaultClient)
		for range 2 {
			found, err := asked.Invitation(t.Context(), token)
			if err != nil || found != (members.Invitation{Organization: b.ada.Org, Role: identity.Manager}) {
				t.Errorf("%+v, %v", found, err)
			}
		}
		link := b.do("POST", "/api/v2/users/"+b.ada.ID+"/setup-link", root, "")
		b.want(link, http.StatusCreated, "")
		b.want(b.setUp(token), http.StatusOK, "")
		other, _, _ := strings.Cut(token, ".")
		for name, refused := range map[string]string{"used": token, "for a password": link.text("setupToken"), "of nothing": "x.y.z", "cut": other, "an access token": root} {
			if found, err := asked.Invitation(t.Context(), refused); !errors.Is(err, members.ErrNoInvitation) {
				t.Errorf("a token that is %s: %+v, %v", name, found, err)
			}
		}
		_, late := b.invite(root, "late@example.net", "viewer")
		b.clock.Advance(73 * time.Hour)
		if found, err := asked.Invitation(t.Context(), late); !errors.Is(err, members.ErrNoInvitation) {
			t.Errorf("after 73 hours: %+v, %v", found, err)
		}
	})
}
