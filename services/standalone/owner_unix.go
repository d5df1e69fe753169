//go:build unix

package standalone

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// keepOwner returns a function that gives the files that root has made in a directory since to
// the owner of that directory, or of the nearest one above it that existed: the server runs as
// that user, and could neither read them nor start again. For another user it does nothing.
func keepOwner(dir string) (give func() error) {
	before := map[string]bool{}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		before[e.Name()] = true
	}
	owned := dir
	info, err := os.Stat(owned)
	for errors.Is(err, fs.ErrNotExist) && owned != filepath.Dir(owned) {
		owned = filepath.Dir(owned)
		info, err = os.Stat(owned)
	}
	if err != nil || os.Geteuid() != 0 {
		return func() error { return nil }
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || owner.Uid == 0 {
		return func() error { return nil }
	}
	return func() error {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		var made []string
		for _, e := range entries {
			if !before[e.Name()] {
				made = append(made, filepath.Join(dir, e.Name()))
			}
		}
		for above := dir; above != owned; above = filepath.Dir(above) {
			made = append(made, above)
		}
		for _, path := range made {
			if err := os.Lchown(path, int(owner.Uid), int(owner.Gid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
}
