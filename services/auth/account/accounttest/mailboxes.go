package accounttest

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/services/auth/account"
)

// InsertMailboxes stores users as release 2.0 did, which had a key for each spelling of a domain.
func InsertMailboxes(t *testing.T, s account.Store) {
	t.Helper()
	for id, email := range map[string]string{
		"alone": "ann@xn--bcher-kva.example", "shown": "ben@bücher.example", "twin": "ben@xn--bcher-kva.example", "ascii": "xn--cy@example.org",
	} {
		u := user("o1", email, identity.User)
		u.ID, u.EmailKey = id, email
		insertUser(t, s, u)
	}
	separate := user("o1", "dan@xn--bcher-kva.example", identity.User)
	separate.ID, separate.EmailKey = "separate", account.InvitationKey("o1", separate.Email)
	insertUser(t, s, separate)
	gone := user("o1", "", identity.User)
	gone.ID, gone.Deleted, gone.Former = "gone", true, account.FormerKey("o1", "eve@xn--bcher-kva.example")
	insertUser(t, s, gone)
}

// CheckMailboxes verifies that everybody of InsertMailboxes is found once their keys were replaced.
func CheckMailboxes(t *testing.T, s account.Store) {
	t.Helper()
	for key, id := range map[string]string{
		"ann@bücher.example": "alone", "ben@bücher.example": "shown", "ben@xn--bcher-kva.example": "twin", "xn--cy@example.org": "ascii",
		account.InvitationKey("o1", "dan@bücher.example"): "separate",
	} {
		if u, err := s.UserByEmail(t.Context(), key); err != nil || u.ID != id {
			t.Errorf("%s is of %q, %v; want %s", key, u.ID, err, id)
		}
	}
	if _, err := s.UserByEmail(t.Context(), "ann@xn--bcher-kva.example"); err == nil {
		t.Error("the key of the encoded spelling is still there")
	}
	if u, err := s.User(t.Context(), "o1", "alone"); err != nil || u.Email != "ann@xn--bcher-kva.example" {
		t.Errorf("the address is %q, %v; not as written", u.Email, err)
	}
	want(t, "a second account", s.InsertUser(t.Context(), user("o2", "Ann@BÜCHER.example", identity.User)), account.ErrEmailTaken)
}
