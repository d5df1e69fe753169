//go:build unix

package durable_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// server is the user that a server runs as.
const server = 65534

func ownerOf(t *testing.T, path string) uint32 {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Uid //nolint:forcetypeassert // of this platform
}

func ofServer(t *testing.T) (dir string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root can make files for other users")
	}
	dir = t.TempDir()
	if err := os.Chown(dir, server, server); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestFilesOfRootAreNeverSeenAsRoots: a process of root that creates files in the directory of another user is killed: each
// file that has its name belongs to that user.
func TestFilesOfRootAreNeverSeenAsRoots(t *testing.T) {
	t.Parallel()
	dir := ofServer(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), createIn+"="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, time.Minute, func() error {
		_, err := os.Lstat(filepath.Join(dir, "20"))
		return err
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) < 20 {
		t.Fatalf("%d files: %v", len(entries), err)
	}
	for _, e := range entries {
		if owner := ownerOf(t, filepath.Join(dir, e.Name())); owner != server && !strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s belongs to %d", e.Name(), owner)
		}
	}
}

// TestFilesBelongToTheirOwnDirectory: the user of a directory, who puts a link to another one in its place, gets no file of
// that one.
func TestFilesBelongToTheirOwnDirectory(t *testing.T) {
	t.Parallel()
	dir, others := ofServer(t), t.TempDir()
	link := filepath.Join(dir, "keys")
	if err := os.Symlink(others, link); err != nil {
		t.Fatal(err)
	}
	if err := durable.Create(filepath.Join(link, "key"), nil); err != nil {
		t.Fatal(err)
	}
	if owner := ownerOf(t, filepath.Join(others, "key")); owner != 0 {
		t.Errorf("it belongs to %d", owner)
	}
}
