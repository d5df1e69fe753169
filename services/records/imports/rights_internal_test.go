package imports

import (
	"context"
	"errors"
	"sync"
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

// changing is a directory in which everybody has the same role, or that does not respond.
type changing struct {
	members.Directory
	role  atomic.Int64
	fails atomic.Bool
}

func (d *changing) Roles(_ context.Context, _ string, ids []string) (map[string]identity.Role, error) {
	if d.fails.Load() {
		return nil, errors.New("the directory does not respond")
	}
	roles := map[string]identity.Role{}
	for _, id := range ids {
		roles[id] = identity.Role(d.role.Load())
	}
	return roles, nil
}

// changingAt returns an importer whose clock passes a second with each look, and whose directory changes as soon as the
// first rows are imported.
func (w *watchedImports) changingAt(change func(d *changing)) (*Importer, *changing) {
	d := &changing{}
	d.role.Store(int64(identity.User))
	var once sync.Once
	w.onStep = func(i record.Import) {
		if i.Imported > 0 {
			once.Do(func() { change(d) })
		}
	}
	m := w.importer()
	var clock atomic.Int64
	m.Members, m.now = d, func() time.Time { return time.Unix(1_800_000_000+clock.Add(1), 0) }
	return m, d
}

// TestImportEndsWhereLessIsPermitted: an import ends if its uploader may only read from now on, or is taken out of the
// team of the event.
func TestImportEndsWhereLessIsPermitted(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, w *watchedImports, i record.Import, d *changing){
		"a viewer": func(_ *testing.T, _ *watchedImports, _ record.Import, d *changing) {
			d.role.Store(int64(identity.Viewer))
		},
		"out of the team": func(t *testing.T, w *watchedImports, i record.Import, _ *changing) {
			e, err := w.Event(t.Context(), i.Org, i.Event)
			if err != nil {
				t.Fatal(err)
			}
			e.Rev, e.Team = e.Rev+1, []record.TeamMember{{ID: "others", Role: record.TeamContributor}}
			if err := w.ReplaceEvent(t.Context(), i.Org, e, e.Rev-1); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := openWatched(t)
			i := w.addImport(t, "org1", "i1", 2000)
			m, _ := w.changingAt(func(d *changing) { change(t, w, i, d) })
			if err := m.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			checkStopped(t, w, i, mayNotImport, 1000)
		})
	}
}

// TestImportWaitsForTheDirectory: an import whose uploader's rights cannot be determined waits, and goes on where it was.
func TestImportWaitsForTheDirectory(t *testing.T) {
	t.Parallel()
	w := openWatched(t)
	i := w.addImport(t, "org1", "i1", 2000)
	m, d := w.changingAt(func(d *changing) { d.fails.Store(true) })
	if err := m.Sweep(t.Context()); err == nil {
		t.Error("nothing is said of the directory")
	}
	waits, err := w.Import(t.Context(), i.Org, i.Event, i.ID)
	if err != nil || waits.Status != record.Importing || len(waits.Errors) > 0 || waits.Imported == 0 || waits.Imported == 2000 {
		t.Errorf("%s with %v, %d imported, %v", waits.Status, waits.Errors, waits.Imported, err)
	}
	d.fails.Store(false)
	if err := m.Sweep(t.Context()); err != nil {
		t.Error(err)
	}
	w.imported(t, "org1", "i1", 2000)
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
