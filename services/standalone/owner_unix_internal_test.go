//go:build unix

package standalone

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOnlyFilesOfTheirDirectoryAreGivenAway verifies that the files of another directory, to which
// the owner of the first one has put a link in its place, stay root's.
func TestOnlyFilesOfTheirDirectoryAreGivenAway(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	const nobody = 65534
	dir, others := filepath.Join(t.TempDir(), "keys"), t.TempDir()
	if err := errors.Join(os.Mkdir(dir, 0o700), os.Chown(dir, nobody, nobody)); err != nil {
		t.Fatal(err)
	}
	theirs := filepath.Join(others, "root's")
	if err := os.WriteFile(theirs, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	give := keepOwner(dir)
	if err := errors.Join(os.Rename(dir, dir+".away"), os.Symlink(others, dir)); err != nil {
		t.Fatal(err)
	}
	if err := give(); err != nil {
		t.Error(err)
	}
	info, err := os.Stat(theirs)
	if err != nil {
		t.Fatal(err)
	}
	if owner := info.Sys().(*syscall.Stat_t).Uid; owner != 0 {
		t.Errorf("a file of another directory belongs to %d", owner)
	}
}
