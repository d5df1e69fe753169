//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file until it is closed or the process ends. The error is errLocked if another process has the lock, and
// another one if the file system has no locks.
func lock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return err
}
