package identity_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
)

// TestAStateAdmitsItsOwnTokensOnly: the state of a session admits tokens of its user, in its organization and with the
// present role, and none once it has ended.
func TestAStateAdmitsItsOwnTokensOnly(t *testing.T) {
	t.Parallel()
	state := identity.State{Active: true, UserID: "u1", Org: "o1", Role: identity.Manager}
	token := identity.Principal{UserID: "u1", Org: "o1", Role: identity.Manager, Session: "s1"}
	if !state.Admits(token) {
		t.Error("its own token is refused")
	}
	for name, change := range map[string]func(s *identity.State, p *identity.Principal){
		"of another user":         func(_ *identity.State, p *identity.Principal) { p.UserID = "u2" },
		"in another organization": func(_ *identity.State, p *identity.Principal) { p.Org = "o2" },
		"with a lower role":       func(_ *identity.State, p *identity.Principal) { p.Role = identity.User },
		"with a higher role":      func(_ *identity.State, p *identity.Principal) { p.Role = identity.Admin },
		"after its end":           func(s *identity.State, _ *identity.Principal) { s.Active = false },
		"of nobody":               func(s *identity.State, _ *identity.Principal) { *s = identity.State{} },
	} {
		s, p := state, token
		if change(&s, &p); s.Admits(p) {
			t.Errorf("a token %s is admitted", name)
		}
	}
}
