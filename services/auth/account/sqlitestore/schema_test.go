package sqlitestore_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
)

// fromBefore opens a file written by a release that did not store versions, with Ann, a
// manager with two sessions.
func fromBefore(t *testing.T) (path string, store *sqlitestore.Store) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ecf.db")
	text, err := os.ReadFile("testdata/v0.sql")
	if err != nil {
		t.Fatal(err)
	}
	raw(t, path, string(text))
	db, err := sqlitex.Open(t.Context(), path, sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return path, sqlitestore.New(db)
}

// raw runs statements on a file, bypassing the store.
func raw(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

const (
	oldOrg = "sddtxntmgyg811x51swjcg3h38"
	oldAnn = "obi7li7yyonk7usvlgrjfgmvqo"
)

// TestRolesOfAnOldFileAreWhatTheyWere verifies the roles of an old file, which are
// stored by number, after a lower role was added.
func TestRolesOfAnOldFileAreWhatTheyWere(t *testing.T) {
	t.Parallel()
	path, store := fromBefore(t)
	raw(t, path, `INSERT INTO account_users SELECT 'bob', org, 'bob@x', 'bob@x', 'Bob', 1, 0, 0, '', '', 0, 1, '', 1, '', 1, 1, 0, '', 0, 0, '', 0, '', 0, '', '', '' FROM account_users WHERE id = '`+oldAnn+`';
		INSERT INTO account_users SELECT 'eve', org, 'eve@x', 'eve@x', 'Eve', 3, 0, 0, '', '', 0, 1, '', 1, '', 1, 1, 0, '', 0, 0, '', 0, '', 0, '', '', '' FROM account_users WHERE id = '`+oldAnn+`'`)
	for id, want := range map[string]identity.Role{oldAnn: identity.Manager, "bob": identity.User, "eve": identity.Admin} {
		if u, err := store.User(t.Context(), oldOrg, id); err != nil || u.Role != want {
			t.Errorf("%s is %s, %v; was %s", id, u.Role, err, want)
		}
	}
	vic := account.User{ID: "vic", Org: oldOrg, Email: "vic@x", EmailKey: "vic@x", Role: identity.Viewer, Epoch: 1, Rev: 1, CreatedAt: time.UnixMilli(5), UpdatedAt: time.UnixMilli(5)}
	if err := store.InsertUser(t.Context(), vic); err != nil {
		t.Fatal(err)
	}
	if u, err := store.User(t.Context(), oldOrg, "vic"); err != nil || u.Role != identity.Viewer {
		t.Errorf("a viewer is %s, %v", u.Role, err)
	}
}
