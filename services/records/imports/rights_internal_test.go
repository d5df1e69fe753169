package imports

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/identity/members"
	"github.com/eventcarbon/ecf/libs/record"
)

// leaving is a directory in which everybody is a user until they have left.
type leaving struct {
	members.Directory
	left atomic.Bool
}

func (l *leaving) Roles(_ context.Context, _ string, ids []string) (map[string]identity.Role, error) {
	roles := map[string]identity.Role{}
	for _, id := range ids {
		if !l.left.Load() {
			roles[id] = identity.User
		}
	}
	return roles, nil
}

// TestImportEndsWithTheRights: an import whose uploader has left the organization fails with that reason and creates
// no more records; those created are counted.
func TestImportEndsWithTheRights(t *testing.T) {
	t.Parallel()
	for name, leaves := range map[string]func(i record.Import) bool{
		"while it is looked at":  func(i record.Import) bool { return i.Status == record.Validating },
		"while it makes records": func(i record.Import) bool { return i.Imported > 0 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openWatched(t)
			i := w.addImport(t, "org1", "i1", 2000)
			l := &leaving{}
			w.onStep = func(i record.Import) {
				if leaves(i) {
					l.left.Store(true)
				}
			}
			m := w.importer()
			var clock atomic.Int64
			m.Members, m.now = l, func() time.Time { return time.Unix(1_800_000_000+clock.Add(1), 0) }
			if err := m.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			checkStopped(t, w, i, mayNotImport, 1000)
		})
	}
}

// checkStopped verifies that an import has failed with a reason and few records.
func checkStopped(t *testing.T, w *watchedImports, i record.Import, code string, most int64) {
	t.Helper()
	i, err := w.Import(t.Context(), i.Org, i.Event, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	counts, err := w.CountByStatus(t.Context(), i.Org, i.Event)
	if err != nil {
		t.Fatal(err)
	}
	var there int64
	for _, n := range counts {
		there += n
	}
	if i.Open() || i.Status != record.Failed || len(i.Errors) != 1 || i.Errors[0].Code != code || there > most || i.Imported != there || i.Bad != i.Rows-there {
		t.Errorf("%s with %v, %d of %d imported, %d bad, %d there", i.Status, i.Errors, i.Imported, i.Rows, i.Bad, there)
	}
}

// panicking panics with the third writing of rows.
type panicking struct {
	record.Store
	writes atomic.Int64
}

func (p *panicking) InsertRecords(ctx context.Context, org record.OrgID, sub record.Sub, records []record.Record) ([]record.Record, []error, error) {
	if p.writes.Add(1) >= 3 {
		panic("a fault of ours")
	}
	return p.Store.InsertRecords(ctx, org, sub, records)
}

// TestImportSurvivesAPanic: a file that causes a panic fails and is not retried; the process continues.
func TestImportSurvivesAPanic(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	i := w.addImport(t, "org1", "i1", 1000)
	w.Store = &panicking{Store: w.Store}
	if err := w.importer().Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkStopped(t, w, i, "INTERNAL", 500)
}
