package keys

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// Unusable returns an error with advice for a directory of a setting that the system reports as unusable; another
// error unchanged.
func Unusable(variable, dir string, err error) error {
	for _, f := range []struct {
		of       []error
		is, todo string
	}{
		{[]error{syscall.ENOTDIR}, "which is a file, or lies below one", "name a folder"},
		{[]error{syscall.EROFS}, "which is on a disk that can only be read", "mount it so that it can be written to, or name a folder on another disk"},
		{[]error{syscall.ENOSPC, syscall.EDQUOT}, "where there is no room left", "make room, or name a folder on another disk"},
		{[]error{fs.ErrPermission}, "which the user that runs this program may not write to", "give the folder, with the files in it, to that user, or name another"},
		{[]error{fs.ErrNotExist}, "which is not there and cannot be made", "name a folder that is there"},
	} {
		for _, of := range f.of {
			if errors.Is(err, of) {
				return fmt.Errorf("%s is %s, %s: %s (%w)", variable, dir, f.is, f.todo, err)
			}
		}
	}
	return err
}

// Unusable returns the error for an unusable directory, as [Unusable] does.
func (c *DataDir) Unusable(err error) error { return Unusable(dataDirName, c.Path, err) }

// Unusable returns the error for an unusable directory of keys, as [Unusable] does.
func (c *Folder) Unusable(err error) error {
	if c.below {
		return c.data.Unusable(err)
	}
	return Unusable(keysDirName, c.Path, err)
}
