package standalone

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// scratchPrefix begins the names of directories for temporary copies of databases. Earlier releases, which did not
// lock theirs, used other names.
const scratchPrefix = "ecf-copy-"

// makeScratch creates a directory for a temporary copy of a database, after removing those that killed processes have
// left. It is locked until remove is called or the process ends in any way.
func makeScratch() (dir string, remove func() error, err error) {
	removeLeftScratch()
	for {
		dir, err := os.MkdirTemp("", scratchPrefix) // 0700
		if err != nil {
			return "", nil, inScratch(fmt.Errorf("no directory can be made in %s, where a copy of the database is verified: name another one with TMPDIR: %w", os.TempDir(), err))
		}
		unlock, err := lockFile(dir, os.O_RDONLY)
		if err == nil {
			if _, err = os.Lstat(dir); err == nil {
				return dir, func() error {
					defer unlock()
					return os.RemoveAll(dir)
				}, nil
			}
			unlock()
		}
		switch {
		case errors.Is(err, errLocked), errors.Is(err, fs.ErrNotExist):
			// Another process removes it, because it was not locked yet.
		case errors.Is(err, errors.ErrUnsupported):
			return dir, func() error { return os.RemoveAll(dir) }, nil // no process can lock it, so none removes it
		default:
			return "", nil, errors.Join(err, os.Remove(dir))
		}
	}
}

// removeLeftScratch removes the directories of makeScratch that no process holds. One that cannot be locked or removed
// is not this process's to remove.
func removeLeftScratch() {
	left, err := filepath.Glob(filepath.Join(os.TempDir(), scratchPrefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		if unlock, err := lockFile(dir, os.O_RDONLY); err == nil {
			_ = os.RemoveAll(dir)
			unlock()
		}
	}
}

// inScratch returns what is wrong with the directory of temporary files, which has to have
// room for a copy of the database.
func inScratch(err error) error {
	if !isFull(err) {
		return err
	}
	return fmt.Errorf("%s has no room for a copy of the database, which is verified there: make room, or name a directory on another disk with TMPDIR: %w", os.TempDir(), err)
}

// isFull reports whether a disk or its quota has no room left, in the terms of the system or of the database.
func isFull(err error) bool {
	return sqlitex.IsFull(err) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
