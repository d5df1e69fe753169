//go:build unix

package standalone

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// unreliableDisk is what a loss of power leaves of a directory, in the worst case that a file system permits: a file
// has only what it contained when it was last synced, a name exists only if its directory was synced since it was
// given, and what was removed is gone at once. Single names may survive although their directory was not synced.
type unreliableDisk struct {
	t        *testing.T
	root     string
	contents map[uint64][]byte            // by inode
	names    map[uint64]map[string]uint64 // of a directory
	synced   func()                       // called before each sync takes effect
}

func newUnreliableDisk(t *testing.T, root string) *unreliableDisk {
	return &unreliableDisk{t: t, root: root, contents: map[uint64][]byte{}, names: map[uint64]map[string]uint64{}, synced: func() {}}
}

func inode(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Sys().(*syscall.Stat_t).Ino
}

// sync is durable.Sync.
func (d *unreliableDisk) sync(path string) error {
	d.synced()
	if err := durable.Sync(path); err != nil {
		return err
	}
	entries, err := os.ReadDir(path)
	if errors.Is(err, syscall.ENOTDIR) {
		d.contents[inode(path)], err = os.ReadFile(path) //nolint:gosec // a file of the test
		return err
	}
	names := map[string]uint64{}
	for _, e := range entries {
		names[e.Name()] = inode(filepath.Join(path, e.Name()))
	}
	d.names[inode(path)] = names
	return err
}

// afterLossOfPower returns a directory with what is left. Names that match a pattern of surviving are left
// also if their directory was not synced since.
func (d *unreliableDisk) afterLossOfPower(surviving ...string) string {
	d.t.Helper()
	left := d.t.TempDir()
	d.leave(left, d.root, surviving)
	return left
}

func (d *unreliableDisk) leave(left, path string, surviving []string) {
	d.t.Helper()
	present := map[uint64]string{}
	entries, err := os.ReadDir(path)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		present[inode(filepath.Join(path, e.Name()))] = filepath.Join(path, e.Name())
	}
	names := map[string]uint64{}
	maps.Copy(names, d.names[inode(path)])
	for ino, now := range present {
		if name := filepath.Base(now); slices.ContainsFunc(surviving, func(pattern string) bool {
			ok, err := filepath.Match(pattern, name)
			return ok && err == nil
		}) {
			names[name] = ino
		}
	}
	for name, ino := range names {
		now, ok := present[ino]
		if !ok {
			continue
		}
		target := filepath.Join(left, name)
		if info, err := os.Stat(now); err == nil && info.IsDir() {
			if err := os.Mkdir(target, 0o700); err != nil {
				d.t.Fatal(err)
			}
			d.leave(target, now, surviving)
		} else if err := os.WriteFile(target, d.contents[ino], 0o600); err != nil {
			d.t.Fatal(err)
		}
	}
}

var discardingEnv = app.Env{Stdout: io.Discard, Stderr: io.Discard, Stdin: strings.NewReader(""), Logger: slog.New(slog.DiscardHandler), Version: "test", Now: time.Now}

// aSystem returns a data directory with an organization, and the settings of commands that use it.
func aSystem(t *testing.T) (getenv func(string) string) {
	t.Helper()
	dir := t.TempDir()
	getenv = func(name string) string { return map[string]string{"ECF_DATA_DIR": dir}[name] }
	env := discardingEnv
	env.Args, env.Getenv = []string{"org", "create", "--name", "Example Ltd", "--plan", "team"}, getenv
	if err := Run(t.Context(), env); err != nil {
		t.Fatal(err)
	}
	return getenv
}

// TestBackupSurvivesLossOfPower verifies that a loss of power never leaves a manifest without the backup that it
// describes, that a backup that was reported exists, and that older ones are not removed before that.
func TestBackupSurvivesLossOfPower(t *testing.T) {
	t.Parallel()
	getenv, into := aSystem(t), t.TempDir()
	disk := newUnreliableDisk(t, into)
	whole := func(when string, surviving ...string) (n int) {
		left := disk.afterLossOfPower(surviving...)
		found, err := filepath.Glob(filepath.Join(left, "*", manifestFile))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if _, err := verifyBackup(t.Context(), discardingEnv, filepath.Dir(path)); err != nil {
				t.Errorf("%s the manifest exists, but: %v", when, err)
			}
		}
		return len(found)
	}
	for i := range 2 {
		disk.synced = func() {
			if n := whole("while a backup is made"); n < i {
				t.Error("the only backup was removed before the next one is on the disk")
			}
			whole("while a backup is made, of which only the names of its directory and manifest survive,", "ecf-*", manifestFile)
		}
		c := backupSettings{sync: disk.sync}
		if err := settings.Of(&c).Load([]string{"--into", into, "--keep", "1"}, getenv); err != nil {
			t.Fatal(err)
		}
		// Their names are of whole seconds.
		if older, _ := filepath.Glob(filepath.Join(into, "ecf-*")); len(older) == 1 {
			aged := filepath.Join(into, time.Now().Add(-time.Hour).UTC().Format(backupName))
			if err := errors.Join(os.Rename(older[0], aged), disk.sync(into)); err != nil {
				t.Fatal(err)
			}
		}
		if err := backup(t.Context(), discardingEnv, &c); err != nil {
			t.Fatal(err)
		}
		if n := whole("after a backup was reported"); n != 1 {
			t.Errorf("after backup %d was reported a loss of power leaves %d", i+1, n)
		}
	}
}

// TestRestoreSurvivesLossOfPower verifies that a loss of power never leaves a part of the database, and that one that
// was reported as restored exists.
func TestRestoreSurvivesLossOfPower(t *testing.T) {
	t.Parallel()
	getenv, from := aSystem(t), filepath.Join(t.TempDir(), "backup")
	var made backupSettings
	if err := settings.Of(&made).Load([]string{"--to", from}, getenv); err != nil {
		t.Fatal(err)
	}
	if err := backup(t.Context(), discardingEnv, &made); err != nil {
		t.Fatal(err)
	}
	target := t.TempDir()
	disk := newUnreliableDisk(t, target)
	restored := func() int64 {
		path := filepath.Join(disk.afterLossOfPower(), DatabaseFile)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return -1
		}
		var organizations int64
		if err := withCopy(t.Context(), path, func(_ string, db *sqlitex.DB) error {
			rows, err := db.Counts(t.Context())
			organizations = rows["organizations"]
			return err
		}); err != nil {
			t.Errorf("the database that is left: %v", err)
		}
		return organizations
	}
	disk.synced = func() {
		if n := restored(); n == 0 {
			t.Error("a loss of power leaves an empty database")
		}
	}
	c := restoreSettings{sync: disk.sync}
	if err := settings.Of(&c).Load([]string{"--from", from}, func(name string) string {
		return map[string]string{"ECF_DATA_DIR": target}[name]
	}); err != nil {
		t.Fatal(err)
	}
	if err := restore(t.Context(), discardingEnv, &c); err != nil {
		t.Fatal(err)
	}
	if n := restored(); n != 1 {
		t.Errorf("a loss of power after the restore leaves %d organizations, want 1", n)
	}
}
