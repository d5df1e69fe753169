package accounttest

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth/account"
)

func dismissals(t *testing.T, s account.Store) {
	ctx := t.Context()
	p := insertUser(t, s, user("o1", "ada@example.com", identity.Admin))
	m := insertUser(t, s, further(p, "o2", identity.Admin))
	begun := session(p)
	inFurther := session(p)
	inFurther.Member, inFurther.MemberOrg = m.ID, m.Org
	for _, v := range []account.Session{begun, inFurther} {
		must(t, s.InsertSession(ctx, v))
	}
	want(t, "the last admin, replaced", s.ReplaceUser(ctx, "o2", next(m, func(u *account.User) { u.Deleted = true }), m.Rev), account.ErrLastAdmin)
	gone := next(m, func(u *account.User) { u.Deleted, u.Email, u.Name = true, "", "" })
	want(t, "at another revision", s.Dismiss(ctx, "o2", gone, m.Rev+1), account.ErrConflict)
	want(t, "in another organization", s.Dismiss(ctx, "o3", gone, m.Rev), account.ErrConflict)
	must(t, s.Dismiss(ctx, "o2", gone, m.Rev))
	if got, err := s.User(ctx, "o2", m.ID); err != nil || !got.Deleted || got.Org != "o2" || got.Rev != gone.Rev {
		t.Errorf("dismissed: %+v, %v", got, err)
	}
	if n, err := s.DropSessions(ctx, "o2", p.ID, ""); err != nil || n != 0 {
		t.Errorf("in another organization %d, %v", n, err)
	}
	if n, err := s.DropSessions(ctx, "o1", p.ID, m.ID); err != nil || n != 1 {
		t.Errorf("%d, %v, want the session of the further membership", n, err)
	}
	_, err := s.Session(ctx, inFurther.ID)
	want(t, "a dropped session", err, account.ErrNotFound)

	moved := next(p, func(u *account.User) { u.Org, u.Left, u.Disabled = account.SystemOrg, true, true })
	must(t, s.Dismiss(ctx, "o1", moved, p.Rev))
	_, err = s.User(ctx, "o1", p.ID)
	want(t, "a moved person, where it was", err, account.ErrNotFound)
	got, err := s.User(ctx, account.SystemOrg, p.ID)
	moved.EmailKey = moved.StoredEmailKey()
	if err != nil || got != moved {
		t.Errorf("moved: %+v, %v, want %+v", got, err, moved)
	}
	if got, err := s.UserByEmail(ctx, p.EmailKey); err != nil || got.ID != p.ID {
		t.Errorf("by email: %+v, %v", got, err)
	}
	begun.Org = account.SystemOrg
	if v, err := s.Session(ctx, begun.ID); err != nil || v != begun {
		t.Errorf("session %+v, %v, want %+v", v, err, begun)
	}
	must(t, s.TouchSession(ctx, account.SystemOrg, begun.ID, at, begun.Last))
	if n, err := s.DropSessions(ctx, account.SystemOrg, p.ID, ""); err != nil || n != 1 {
		t.Errorf("%d, %v, want all sessions of the user", n, err)
	}
	_, err = s.Session(ctx, begun.ID)
	want(t, "one of all dropped sessions", err, account.ErrNotFound)
}
