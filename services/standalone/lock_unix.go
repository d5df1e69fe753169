//go:build unix

package standalone

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockDataDir keeps a second server from serving the same data directory. The
// lock ends with the process, however it ends.
func lockDataDir(dir string) (unlock func(), err error) {
	if err := makeDataDir(dir); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // the operator names the directory
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("another server is using the data directory %s; stop it, or choose another one with ECF_DATA_DIR", dir)
		}
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return func() { _ = file.Close() }, nil
}
