package accounttest

import (
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// further returns a membership of a person in another organization.
func further(p account.User, org string, role identity.Role) account.User {
	m := account.User{ID: account.NewID(), Org: org, Person: p.ID, Email: p.Email, Name: "Ada, the consultant", Role: role, Epoch: 1, Rev: 1, MemberEpoch: 3,
		CreatedAt: at.Add(time.Second), UpdatedAt: at.Add(time.Second)}
	m.EmailKey = m.StoredEmailKey()
	return m
}

func furtherMemberships(t *testing.T, s account.Store) {
	ctx := t.Context()
	p := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	m := insertUser(t, s, further(p, "o2", identity.Admin))
	if got, err := s.User(ctx, "o2", m.ID); err != nil || got != m {
		t.Errorf("membership %+v, %v; stored %+v", got, err, m)
	}
	if got, err := s.Person(ctx, p.ID); err != nil || got != p {
		t.Errorf("person %+v, %v", got, err)
	}
	_, err := s.Person(ctx, m.ID)
	want(t, "a membership read as a person", err, account.ErrNotFound)
	if got, err := s.UserByEmail(ctx, p.EmailKey); err != nil || got.ID != p.ID {
		t.Errorf("by email: %+v, %v", got, err)
	}
	want(t, "a second membership there", s.InsertUser(ctx, further(p, "o2", identity.User)), account.ErrEmailTaken)
	third := insertUser(t, s, further(p, "o3", identity.Viewer))
	if all, err := s.Memberships(ctx, p.ID); err != nil || len(all) != 2 || all[0].Org == all[1].Org {
		t.Errorf("memberships %+v, %v", all, err)
	}
	if all, err := s.Memberships(ctx, ""); err != nil || len(all) != 0 {
		t.Errorf("memberships of an unknown person: %d, %v", len(all), err)
	}
	// Once removed, it remains the one membership in the organization.
	gone := next(third, func(u *account.User) { u.Deleted, u.Email, u.Name = true, "", ""; u.EndTokens() })
	must(t, s.ReplaceUser(ctx, "o3", gone, third.Rev))
	want(t, "a membership beside a removed one", s.InsertUser(ctx, further(p, "o3", identity.User)), account.ErrEmailTaken)
	all, err := s.Memberships(ctx, p.ID)
	if err != nil || len(all) != 2 {
		t.Fatalf("memberships %+v, %v", all, err)
	}
	for _, m := range all {
		if m.ID == third.ID && (!m.Deleted || m.MemberEpoch != third.MemberEpoch+1) {
			t.Errorf("removed: %+v", m)
		}
	}
	// The only administrator of an organization, by whichever membership.
	want(t, "the last admin", s.ReplaceUser(ctx, "o2", next(m, func(u *account.User) { u.Disabled = true }), m.Rev), account.ErrLastAdmin)
	// A session keeps the membership in which it began.
	v := session(p)
	v.Member, v.MemberOrg, v.MemberEpoch = m.ID, "o2", 3
	must(t, s.InsertSession(ctx, v))
	if got, err := s.Session(ctx, v.ID); err != nil || got != v {
		t.Errorf("session %+v, %v", got, err)
	}
}

func membershipRace(t *testing.T, s account.Store) {
	p := insertUser(t, s, user("o1", "ada@example.com", identity.User))
	won := 0
	for _, err := range race(8, func(int) error { return s.InsertUser(t.Context(), further(p, "o2", identity.User)) }) {
		if err == nil {
			won++
			continue
		}
		want(t, "a membership that lost", err, account.ErrEmailTaken)
	}
	if all, err := s.Memberships(t.Context(), p.ID); won != 1 || err != nil || len(all) != 1 {
		t.Errorf("%d won, there are %d, %v", won, len(all), err)
	}
}

func leftPerson(t *testing.T, s account.Store) {
	ctx := t.Context()
	p := insertUser(t, s, user("o1", "ada@example.com", identity.Admin))
	boss := insertUser(t, s, user("o1", "boss@example.com", identity.Admin))
	left := next(p, func(u *account.User) { u.Left, u.Disabled, u.DefaultOrg = true, true, "o2"; u.EndTokens() })
	must(t, s.ReplaceUser(ctx, "o1", left, p.Rev))
	if got, err := s.UserByEmail(ctx, p.EmailKey); err != nil || got != left {
		t.Errorf("%+v, %v", got, err)
	}
	if items, total, err := s.UsersPage(ctx, "o1", 0, 10); err != nil || total != 1 || len(items) != 1 || items[0].ID != boss.ID {
		t.Errorf("listed %+v, %d, %v", items, total, err)
	}
	want(t, "the last admin beside one who has left", s.ReplaceUser(ctx, "o1", next(boss, func(u *account.User) { u.Role = identity.User }), boss.Rev), account.ErrLastAdmin)
	// An older release enables what looks disabled to it; a member who has left remains
	// out.
	back := next(left, func(u *account.User) { u.Disabled = false })
	must(t, s.ReplaceUser(ctx, "o1", back, left.Rev))
	want(t, "the last admin beside one enabled by an old program", s.ReplaceUser(ctx, "o1", next(boss, func(u *account.User) { u.Role = identity.User }), boss.Rev), account.ErrLastAdmin)
}
