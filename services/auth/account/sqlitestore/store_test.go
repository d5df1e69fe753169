package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/auth/account/accounttest"
	"github.com/eventcarbon/ecf/services/auth/account/sqlitestore"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	accounttest.Run(t, func(t *testing.T) account.Store {
		db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "auth.db"), sqlitestore.Schema()...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return sqlitestore.New(db)
	})
}
