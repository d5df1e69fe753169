//go:build unix

package standalone_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestKeysMadeByRootAreTheServers verifies that keys which root adds belong to the owner of the
// data directory, as which the server runs: it could not read others, and not start again.
func TestKeysMadeByRootAreTheServers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files for other users")
	}
	const server = 65534
	for name, prepare := range map[string]func(dir string) error{
		"a directory without keys": func(string) error { return nil },
		"a directory of keys": func(dir string) error {
			if err := os.MkdirAll(filepath.Join(dir, "keys", "reports"), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "keys", "of-root"), nil, 0o600) // not the command's
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := &commands{t, map[string]string{"ECF_DATA_DIR": dir}}
			c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
			if err := prepare(dir); err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{dir, filepath.Join(dir, "keys"), filepath.Join(dir, "keys", "reports")} {
				if err := os.Chown(path, server, server); err != nil && !os.IsNotExist(err) {
					t.Fatal(err)
				}
			}
			c.must("", "keys", "rotate")
			c.must("", "keys", "rotate", "--reports")
			keys := 0
			if err := filepath.WalkDir(filepath.Join(dir, "keys"), func(path string, e fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := e.Info()
				if err != nil {
					return err
				}
				want := uint32(server)
				switch {
				case e.Name() == "of-root":
					want = 0
				case filepath.Ext(path) == ".pem":
					keys++
				}
				if got := info.Sys().(*syscall.Stat_t); got.Uid != want || got.Gid != want { //nolint:forcetypeassert // of this platform
					t.Errorf("%s belongs to %d:%d, want %d", path, got.Uid, got.Gid, want)
				}
				return nil
			}); err != nil || keys < 3 {
				t.Errorf("%d keys: %v", keys, err)
			}
		})
	}
}

// TestSystemsMadeByRootAreTheServers verifies that all that root begins or restores in the data directory of another user
// belongs to that user.
func TestSystemsMadeByRootAreTheServers(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files for other users")
	}
	const server = 65534
	backup := filepath.Join(t.TempDir(), "backup")
	smallSystem(t).must("", "backup", "--to", backup)
	into := t.TempDir()
	if err := os.Chown(into, server, server); err != nil {
		t.Fatal(err)
	}
	made := smallSystem(t).must("", "backup", "--into", into, "--keep", "1")
	for _, path := range []string{made, filepath.Join(made, "ecf.db"), filepath.Join(made, "manifest.json")} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Sys().(*syscall.Stat_t); got.Uid != server { //nolint:forcetypeassert // of this platform
			t.Errorf("%s belongs to %d, want %d: the server's user could make no further backup there", path, got.Uid, server)
		}
	}
	for name, args := range map[string][]string{
		"a restore":           {"restore", "--from", backup},
		"a new system":        {"org", "create", "--name", "Example Ltd", "--plan", "team"},
		"a schema brought up": {"schema", "up"},
		"a server":            {"serve"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			above := t.TempDir()
			if err := os.Chown(above, server, server); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(above, "data")
			c := &commands{t, map[string]string{"ECF_DATA_DIR": dir, "ECF_ADDR": "127.0.0.1:0", "ECF_DEMO": "true"}}
			if name == "a server" {
				c.serve()
			} else {
				c.must("", args...)
			}
			found := map[string]bool{}
			if err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := e.Info()
				if err != nil {
					return err
				}
				found[e.Name()] = true
				if got := info.Sys().(*syscall.Stat_t); got.Uid != server || got.Gid != server { //nolint:forcetypeassert // of this platform
					t.Errorf("%s belongs to %d:%d, want %d", path, got.Uid, got.Gid, server)
				}
				return nil
			}); err != nil || !found["ecf.db"] {
				t.Errorf("%v: %v", found, err)
			}
		})
	}
}
