package auth_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// dismiss ends all memberships of an organization and waits until that is announced.
func (b *bundle) dismiss(org string) auth.Departures {
	b.t.Helper()
	leaving := auth.NewOffboarding(b.service.Accounts, b.store)
	expected, err := leaving.Departures(b.t.Context(), org)
	if err != nil {
		b.t.Fatal(err)
	}
	left, err := leaving.Dismiss(b.t.Context(), org)
	if err != nil || left != expected {
		b.t.Fatalf("dismissed %+v, %v, and %+v was expected", left, err, expected)
	}
	if again, err := leaving.Dismiss(b.t.Context(), org); err != nil || again != (auth.Departures{}) {
		b.t.Errorf("dismissed once more: %+v, %v", again, err)
	}
	if n, err := leaving.Unannounced(b.t.Context(), org); err != nil || n > 0 {
		b.t.Errorf("%d are not announced, %v", n, err)
	}
	return left
}

// TestDismissal: nobody of an organization that is deleted can do anything in it, the last administrator included.
// Who has no other organization is erased; who has one keeps the account, the password and the sessions there, whether
// the first membership was in the deleted one or a further one.
func TestDismissal(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	here, elsewhere := b.ada.Org, b.eve.Org
	adaElsewhere := b.join(b.ada.Email, elsewhere, identity.User)
	eveHere := b.join(b.eve.Email, here, identity.Admin)
	inFirst := b.loginTo(b.ada.Email, here)
	inFurther := b.loginTo(b.ada.Email, elsewhere)
	eves := b.loginTo(b.eve.Email, here)
	evesOwn := b.loginTo(b.eve.Email, elsewhere)
	bobs := b.loginTo(b.bob.Email, here)
	adaToken := b.wantMember(inFurther, adaElsewhere)
	for _, a := range []answer{inFirst, eves, evesOwn, bobs} {
		if !b.lets(a.text("accessToken")) {
			t.Fatal("a token is refused before")
		}
	}
	if err := b.service.SetDefault(t.Context(), elsewhere, b.eve.ID, here); err != nil {
		t.Fatal(err)
	}

	if left := b.dismiss(here); left != (auth.Departures{Erased: 2, Kept: 2}) {
		t.Errorf("%+v, want bob and root erased, ada and eve kept", left)
	}
	for name, token := range map[string]string{"ada": inFirst.text("accessToken"), "eve": eves.text("accessToken"), "bob": bobs.text("accessToken")} {
		if b.lets(token) {
			t.Errorf("a token of %s is admitted", name)
		}
	}
	if !b.lets(adaToken) || !b.lets(evesOwn.text("accessToken")) {
		t.Error("a token of another organization is refused")
	}
	b.want(b.loginTo(b.bob.Email, here), http.StatusUnauthorized, "UNAUTHENTICATED")
	b.want(b.loginTo(b.ada.Email, here), http.StatusNotFound, "NOT_FOUND")
	b.want(b.loginTo(b.eve.Email, here), http.StatusNotFound, "NOT_FOUND")
	b.want(b.refreshTo(inFirst.text("refreshToken"), here), http.StatusNotFound, "NOT_FOUND")
	// Without a name the organization is the remaining one, for both.
	b.wantMember(b.login(b.ada.Email, goodPass), adaElsewhere)
	b.wantMember(b.login(b.eve.Email, goodPass), b.eve)
	// The session that began in the deleted organization is the person's, who chooses another one.
	b.wantMember(b.refreshTo(inFirst.text("refreshToken"), elsewhere), adaElsewhere)
	b.wantMember(b.refreshTo(inFurther.text("refreshToken"), elsewhere), adaElsewhere)

	p, err := b.store.User(t.Context(), account.SystemOrg, b.ada.ID)
	if err != nil || p.Name != "" || !p.Left || p.PasswordHash == "" || p.DefaultOrg != elsewhere {
		t.Errorf("ada: %+v, %v", p, err)
	}
	for id, what := range map[string]string{b.bob.ID: "bob", b.root.ID: "root", eveHere.ID: "eve, here"} {
		u, err := b.store.User(t.Context(), here, id)
		if err != nil || !u.Deleted || u.Email != "" || u.Name != "" || u.PasswordHash != "" || u.Former != "" {
			t.Errorf("%s: %+v, %v", what, u, err)
		}
	}
	if of, err := b.store.SessionsAfter(t.Context(), elsewhere, "", 100); err != nil || len(of) == 0 {
		t.Errorf("%d sessions, %v", len(of), err)
	} else {
		for _, v := range of {
			if v.MemberOrg == here {
				t.Errorf("a session is left that began there: %+v", v)
			}
		}
	}

	// When the other one is deleted as well, nothing of ada is left but an empty document.
	if left := b.dismiss(elsewhere); left.Kept != 0 {
		t.Errorf("%+v, want nobody kept", left)
	}
	if p, err := b.store.Person(t.Context(), b.ada.ID); err != nil || !p.Deleted || p.Email != "" {
		t.Errorf("ada: %+v, %v", p, err)
	}
	if _, err := b.store.UserByEmail(t.Context(), b.ada.EmailKey); !errors.Is(err, account.ErrNotFound) {
		t.Errorf("ada by email: %v", err)
	}
}

// TestDeletionsAreKnown: the audit log of the system has when an organization was closed and deleted, once each.
func TestDeletionsAreKnown(t *testing.T) {
	t.Parallel()
	b := setup(t, openSQLite(t))
	ctx, org := t.Context(), b.ada.Org
	state := func() auth.Deletion {
		t.Helper()
		all, err := b.service.Deletions(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, other := all[b.eve.Org]; other {
			t.Error("the other organization is being deleted")
		}
		return all[org]
	}
	if d := state(); d.Underway() || !d.Closed.IsZero() {
		t.Errorf("before: %+v", d)
	}
	closed := b.clock.Now().Truncate(1e6)
	for range 2 {
		if err := b.service.CloseOrganization(ctx, org); err != nil {
			t.Fatal(err)
		}
		if d := state(); !d.Underway() || !d.Closed.Equal(closed) {
			t.Errorf("closed: %+v, want %s", d, closed)
		}
		b.clock.Advance(1e9)
	}
	if err := b.service.OrganizationDeleted(ctx, org, "events 3"); err != nil {
		t.Fatal(err)
	}
	if d := state(); d.Underway() || !d.Deleted.Equal(closed.Add(2e9)) {
		t.Errorf("deleted: %+v", d)
	}
	entries, err := b.store.AuditAfter(ctx, account.SystemOrg, 0, 10)
	if err != nil || len(entries) != 2 || entries[1].Subject != org || entries[1].After != "events 3" || entries[1].Actor != "operator" {
		t.Errorf("%+v, %v", entries, err)
	}
}
