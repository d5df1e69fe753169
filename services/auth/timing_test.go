package auth_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth"
	"github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
)

// TestRefusedLoginsTakeTheSameTime verifies that a missing account, a wrong password
// and a disabled user cause the same work: as much memory filled by hashing, and as
// many reads and writes of the store (statement 1). It does not measure time, which
// depends on the load of the machine.
func TestRefusedLoginsTakeTheSameTime(t *testing.T) {
	t.Parallel()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "auth.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	b := setup(t, sqlitestore.New(db))
	off := b.user("o2", "off@example.org", "", identity.User)
	if err := b.service.DisableUser(t.Context(), "o2", off.ID); err != nil {
		t.Fatal(err)
	}
	fresh, _, err := b.service.CreateUser(t.Context(), auth.NewUser{Org: "o1", Email: "new@example.com", Role: identity.User})
	if err != nil {
		t.Fatal(err)
	}
	work := func(email, password string) string {
		filled, asked := b.hasher.Filled(), db.Traffic()
		a := b.do("POST", "/api/v2/auth/login", "", `{"email":`+quoted(email)+`,"password":`+quoted(password)+`}`)
		b.want(a, http.StatusUnauthorized, "UNAUTHENTICATED")
		return fmt.Sprintf("%d KiB filled, %+v", b.hasher.Filled()-filled, db.Traffic().Since(asked))
	}
	want := work("ada@example.com", "wrong")
	for _, email := range []string{"nobody@example.com", "off@example.org", fresh.Email, "ada@example.com"} {
		if got := work(email, "wrong"); got != want {
			t.Errorf("%s: %s, want %s", email, got, want)
		}
	}
}
