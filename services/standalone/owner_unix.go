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
//
// It stays in the directory that it has opened: that user may put a link to another one in its
// place meanwhile, whose files must not be given away.
func keepOwner(dir string) (give func() error) {
	none := func() error { return nil }
	if os.Geteuid() != 0 {
		return none
	}
	owned, made := dir, "."
	in, err := os.OpenRoot(owned)
	for errors.Is(err, fs.ErrNotExist) && owned != filepath.Dir(owned) {
		made = filepath.Join(filepath.Base(owned), made)
		owned = filepath.Dir(owned)
		in, err = os.OpenRoot(owned)
	}
	if err != nil {
		return none
	}
	info, err := in.Stat(".")
	var owner *syscall.Stat_t
	if err == nil {
		owner, _ = info.Sys().(*syscall.Stat_t)
	}
	if owner == nil || owner.Uid == 0 {
		_ = in.Close()
		return none
	}
	before := map[string]bool{}
	entries, _ := fs.ReadDir(in.FS(), made) // none if it does not exist
	for _, e := range entries {
		before[e.Name()] = true
	}
	return func() error {
		defer in.Close() //nolint:errcheck // nothing was written to it
		entries, err := fs.ReadDir(in.FS(), made)
		if err != nil {
			return err
		}
		var paths []string
		for _, e := range entries {
			if !before[e.Name()] {
				paths = append(paths, filepath.Join(made, e.Name()))
			}
		}
		for above := made; above != "."; above = filepath.Dir(above) {
			paths = append(paths, above)
		}
		for _, path := range paths {
			if err := in.Lchown(path, int(owner.Uid), int(owner.Gid)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
}
