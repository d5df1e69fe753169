package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
	"github.com/eventcarbon/ecf/services/calculation/sqlitestore"
)

// Together makes no query itself.
func TestEveryMethodTellsOutages(t *testing.T) {
	t.Parallel()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	testkit.RequireUnavailableWhenClosed[resulttree.Store](t, sqlitestore.New(db), "Together")
}
