package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/calculation/resulttest"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	resulttest.Run(t, func(t *testing.T) resulttree.Store {
		db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), sqlitestore.Schema()...)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return sqlitestore.New(db)
	})
}
