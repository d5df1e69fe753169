package sqlitestore_test

import (
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// A file that is closed stands for any that cannot be read or written now.
func TestEveryMethodTellsOutages(t *testing.T) {
	t.Parallel()
	db, err := sqlitex.Open(t.Context(), filepath.Join(t.TempDir(), "ecf.db"), sqlitestore.Schema()...)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	testkit.EachMethod[record.Store](t, sqlitestore.New(db), func(name string, call func() error) {
		if err := call(); apperr.CodeOf(err) != apperr.Unavailable {
			t.Errorf("%s is %q: %v", name, apperr.CodeOf(err), err)
		}
	})
}
