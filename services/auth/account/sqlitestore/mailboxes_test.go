package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/accounttest"
	"github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
)

// TestAnOldFileHasOneKeyForAMailbox: the step gives encoded domains the key of the displayed ones.
func TestAnOldFileHasOneKeyForAMailbox(t *testing.T) {
	t.Parallel()
	path, old := filepath.Join(t.TempDir(), "ecf.db"), sqlitestore.Schema()
	old[0].Steps = old[0].Steps[:7]
	open := func(components []sqlitex.Component) (*sqlitestore.Store, func() error) {
		db, err := sqlitex.Open(t.Context(), path, components...)
		if err != nil {
			t.Fatal(err)
		}
		return sqlitestore.New(db), db.Close
	}
	before, closed := open(old)
	accounttest.InsertMailboxes(t, before)
	if err := closed(); err != nil {
		t.Fatal(err)
	}
	var store account.Store
	store, closed = open(sqlitestore.Schema())
	defer closed() //nolint:errcheck // it was only read
	accounttest.CheckMailboxes(t, store)
}
