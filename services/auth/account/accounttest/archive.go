package accounttest

import (
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth/account"
)

func archive(t *testing.T, s account.Store) {
	ids := map[string]bool{}
	for _, email := range []string{"a@example.test", "b@example.test", "c@example.test"} {
		u := insertUser(t, s, user("org", email, identity.User))
		must(t, s.InsertSession(t.Context(), session(u)))
		ids[u.ID] = true
		if len(ids) == 1 {
			must(t, s.ReplaceUser(t.Context(), "org", next(u, func(u *account.User) { u.Deleted = true }), 1))
		}
	}
	foreign := insertUser(t, s, user("other", "d@example.test", identity.User))
	must(t, s.InsertSession(t.Context(), session(foreign)))
	var orgs []string
	for after := ""; len(orgs) < 9; {
		org, err := s.OrgAfter(t.Context(), after)
		must(t, err)
		if after = org; org == "" {
			break
		}
		orgs = append(orgs, org)
	}
	if !slices.Equal(orgs, []string{"org", "other"}) {
		t.Errorf("users are of %v", orgs)
	}
	users, sessions := 0, 0
	for after := ""; ; users++ {
		page, err := s.UsersAfter(t.Context(), "org", after, 1)
		must(t, err)
		if len(page) == 0 {
			break
		}
		if page[0].ID <= after || !ids[page[0].ID] {
			t.Fatalf("user %s after %q", page[0].ID, after)
		}
		after = page[0].ID
	}
	for after := ""; ; sessions++ {
		page, err := s.SessionsAfter(t.Context(), "org", after, 1)
		must(t, err)
		if len(page) == 0 {
			break
		}
		if page[0].ID <= after || page[0].Org != "org" {
			t.Fatalf("session %s after %q", page[0].ID, after)
		}
		after = page[0].ID
	}
	if users != 3 || sessions != 3 {
		t.Errorf("%d users and %d sessions, want 3 and 3", users, sessions)
	}
}
