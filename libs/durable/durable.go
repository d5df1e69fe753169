// Package durable makes changes of files survive a loss of power: what a file contains once the file is synced, and
// that it exists under its name once its directory is.
package durable

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Sync waits until what a file contains, or which files a directory has, is on its disk.
//
// Where directories cannot be synced, as on some network file systems and on Windows, their changes are as durable as
// the system makes them: this is no error.
func Sync(path string) (err error) {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	flag := os.O_RDWR // a file that is only read cannot be flushed on Windows
	if info.IsDir() {
		if runtime.GOOS == "windows" {
			return nil
		}
		flag = os.O_RDONLY
	}
	f, err := os.OpenFile(path, flag, 0) //nolint:gosec // the caller names the file
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err = f.Sync(); info.IsDir() && (errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported)) {
		return nil
	}
	return err
}

// Rename gives a file of a directory another name there. After a loss of power the file has one of the two names, and
// the new one once Rename has returned; sync is Sync, which is called for the file before and for the directory after.
func Rename(from, to string, sync func(path string) error) error {
	if err := sync(from); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return sync(filepath.Dir(to))
}

// Link gives a synced file a further name in its directory, unless that exists (fs.ErrExist), durably.
func Link(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return err
	}
	return Sync(filepath.Dir(to))
}
