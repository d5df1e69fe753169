package sqlitex

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// restrictPermissions removes the permissions of other users from existing files of a database, which may have been copied or
// created by another program.
func restrictPermissions(path string) error {
	for _, part := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := os.Stat(path + part) //nolint:gosec // the operator names the file
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if err := os.Chmod(path+part, 0o600); err != nil { //nolint:gosec // as above
			return fmt.Errorf("%s can be read by other users, and its mode cannot be changed: %w", path+part, err)
		}
	}
	return nil
}
