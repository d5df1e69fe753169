package standalone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// serverLock is the file in the data directory that a running server has locked.
const serverLock = "lock"

// makeDataDir creates the data directory, or prepares an existing one.
func makeDataDir(dir string) error {
	if err := durable.MakeAll(dir); err != nil {
		return unusable(dir, err)
	}
	return prepareDataDir(dir)
}

// prepareDataDir verifies that an existing data directory is no backup, and removes
// permissions of other users.
func prepareDataDir(dir string) error {
	info, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return unusable(dir, err)
	}
	if isWholeBackup(dir) {
		return fmt.Errorf("ECF_DATA_DIR is %s, which is a backup, and would no longer be one once its database is opened: verify it with ecf backup verify, or name an empty directory and restore it there with ecf restore --from", absolute(dir))
	}
	if _, err := os.Lstat(filepath.Join(dir, underWayFile)); err == nil {
		return fmt.Errorf("ECF_DATA_DIR is %s, which is a backup that is not finished and has only a part of the data: name another directory", absolute(dir))
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	if err := os.Chmod(dir, 0o700); err != nil { //nolint:gosec // a directory needs to be entered
		return unusable(dir, fmt.Errorf("it can be read by other users, and its mode cannot be changed: %w", err))
	}
	return nil
}

// makeDatabase creates an empty database, which belongs to the owner of the directory also if root makes it, unless there
// is one.
func makeDatabase(path string) error {
	file, err := durable.New(path)
	if errors.Is(err, fs.ErrExist) {
		return nil // another process has begun the same system
	}
	if err != nil {
		return err
	}
	return file.Close()
}

// mustExist returns an error where the settings name a directory without a database: all
// commands but those that begin a system need one, and would otherwise list, verify or rotate
// the keys of a new one in a mistyped directory.
func (c *Data) mustExist() error {
	if c.Records.URI != "" {
		return nil
	}
	if _, err := os.Stat(filepath.Join(c.Dir.Path, DatabaseFile)); errors.Is(err, fs.ErrNotExist) {
		if err := c.mustNotBeRestored(); err != nil {
			return err
		}
		return fmt.Errorf("there is no system in %s, which ECF_DATA_DIR names: name the directory of the server; ecf serve, ecf bootstrap, ecf org create and ecf schema up begin a new one", absolute(c.Dir.Path))
	}
	return nil // what else is wrong is told by who opens it
}

// mustNotBeRestored returns an error where a backup is being restored into a directory without a database, or was when the
// process was killed: a new system there would be taken for the restored one, and the restore could not be repeated.
func (c *Data) mustNotBeRestored() error {
	partial := filepath.Join(c.Dir.Path, DatabaseFile+partialSuffix)
	if _, err := os.Lstat(partial); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("a restore into %s, which ECF_DATA_DIR names, was begun and is not finished: repeat ecf restore, or remove %s", absolute(c.Dir.Path), filepath.Base(partial))
}

// unusable returns what is wrong with a data directory, and how to fix it.
func unusable(dir string, err error) error {
	if sqlitex.IsFull(err) {
		err = fmt.Errorf("%w: %w", err, syscall.ENOSPC)
	}
	return (&keys.DataDir{Path: absolute(dir)}).Unusable(err)
}

// notRead returns what is wrong with the data directory, and how to fix it, if its database could not be read because it
// cannot be written to: SQLite reads it with files of its own beside it. Another error is unchanged.
func notRead(dir string, err error) error {
	if err == nil {
		return nil
	}
	file, openErr := os.OpenFile(filepath.Join(dir, DatabaseFile), os.O_RDWR, 0) //nolint:gosec // the operator names the folder
	if openErr != nil {
		return unusable(dir, fmt.Errorf("%w: %w", err, openErr))
	}
	return errors.Join(err, file.Close())
}

// absolute returns the absolute path, so that it can be understood without the working
// directory of the program.
func absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// found describes the system in a data directory, so that a mistyped path is noticed: in an
// empty one a new system is created.
func found(ctx context.Context, dir string, fresh bool, records *recordsqlite.Store) (string, error) {
	dir = absolute(dir)
	if fresh {
		return "a new system in " + dir, nil
	}
	organizations, since, err := records.Age(ctx)
	switch {
	case err != nil:
		return "", err
	case organizations == 0:
		return fmt.Sprintf("the system in %s, without an organization", dir), nil
	case organizations == 1:
		return fmt.Sprintf("the system in %s, since %s, 1 organization", dir, since.UTC().Format(time.DateOnly)), nil
	}
	return fmt.Sprintf("the system in %s, since %s, %d organizations", dir, since.UTC().Format(time.DateOnly), organizations), nil
}
