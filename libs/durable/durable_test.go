package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/durable"
)

func TestSync(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if err := os.WriteFile(path, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, dir} {
		if err := durable.Sync(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "text" { //nolint:gosec // a file of the test
		t.Errorf("after Sync the file has %q: %v", text, err)
	}
	if err := durable.Sync(filepath.Join(dir, "absent")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an absent file: %v", err)
	}
}

// TestRename verifies the order: the contents of the file, its name, the directory.
func TestRename(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	partial, path := filepath.Join(dir, "partial"), filepath.Join(dir, "whole")
	if err := os.WriteFile(partial, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var order []string
	fails := ""
	sync := func(synced string) error {
		_, err := os.Stat(path)
		named := "unnamed"
		if err == nil {
			named = "named"
		}
		order = append(order, filepath.Base(synced)+" "+named)
		if synced == fails {
			return fs.ErrInvalid
		}
		return durable.Sync(synced)
	}
	fails = partial
	if err := durable.Rename(partial, path, sync); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("the contents cannot be synced: %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not on the disk has its final name: %v", err)
	}
	order, fails = nil, dir
	if err := durable.Rename(partial, path, sync); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("the directory cannot be synced: %v", err)
	}
	if want := []string{"partial unnamed", filepath.Base(dir) + " named"}; !slices.Equal(order, want) {
		t.Errorf("synced %q, want %q", order, want)
	}
}
