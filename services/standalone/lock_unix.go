//go:build unix

package standalone

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/eventcarbon/ecf/libs/durable"
)

// lockDataDir prevents a second server from using the same data directory. The lock ends with
// the process, however it ends.
func lockDataDir(dir string) (unlock func(), err error) {
	if err := makeDataDir(dir); err != nil {
		return nil, err
	}
	unlock, err = lockFile(filepath.Join(dir, serverLock), os.O_CREATE|os.O_RDWR)
	if errors.Is(err, errLocked) {
		return nil, fmt.Errorf("another server is using the data directory %s; stop it, or choose another one with ECF_DATA_DIR", dir)
	}
	if err != nil {
		return nil, unusable(dir, err)
	}
	return unlock, nil
}

// lockFile opens a file or directory with the flags of os.OpenFile and locks it, until unlock is called or
// the process ends. The error is errLocked if another process has the lock, or
// errors.ErrUnsupported if the file system has no locks.
func lockFile(path string, flags int) (unlock func(), err error) {
	var file *os.File
	err = fs.ErrExist
	if flags&os.O_CREATE != 0 {
		file, err = durable.New(path)
	}
	if errors.Is(err, fs.ErrExist) {
		file, err = os.OpenFile(path, flags, 0o600) //nolint:gosec // the operator names the folder
	}
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return func() { _ = file.Close() }, nil
	}
	_ = file.Close()
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errLocked
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EBADF): // NFS locks no directory
		return nil, errors.ErrUnsupported
	}
	return nil, err
}
