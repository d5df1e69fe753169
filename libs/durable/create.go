package durable

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
)

// createAttempts limits the attempts of Create whose unfinished file another process has removed, before it was locked.
const createAttempts = 100

// Create creates a file that only its owner may read, durably. It has its name only once it is complete, and never
// replaces another one (fs.ErrExist). What a killed process leaves is removed by RemoveUnfinished.
//
// A file that root creates belongs to the owner of its directory, before it has its name: the server that runs as that
// user could not read another one.
func Create(path string, content []byte) (err error) {
	for range createAttempts {
		err = create(path, content)
		if !errors.Is(err, errRemoved) {
			return err
		}
	}
	return err
}

// errRemoved is the error of an unfinished file that another process has removed.
var errRemoved = errors.New("the unfinished file was removed by another process")

// errLocked is the error of a file that another process has locked.
var errLocked = errors.New("the file is locked")

// create is one attempt of Create.
func create(path string, content []byte) (err error) {
	// The owner is that of the very directory in which the file is, whatever its path leads to meanwhile.
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = dir.Close() }()
	unfinished := unfinishedName()
	f, err := dir.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()   // and so unlocked
	if errors.Is(lock(f), errLocked) { // to remove it
		return errRemoved
	}
	defer dir.Remove(unfinished) //nolint:errcheck // nobody reads it, and RemoveUnfinished removes it
	if err := giveToOwner(dir, f); err != nil {
		return err
	}
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := dir.Link(unfinished, filepath.Base(path)); errors.Is(err, fs.ErrNotExist) {
		return errRemoved
	} else if err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// New creates an empty file that only its owner may read, and opens it for writing, unless it exists (fs.ErrExist). One
// that root creates belongs to the owner of its directory, as with Create.
func New(path string) (*os.File, error) {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }()
	name := filepath.Base(path)
	f, err := dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := giveToOwner(dir, f); err != nil {
		return nil, errors.Join(err, f.Close(), dir.Remove(name))
	}
	return f, nil
}

// Make makes a directory that only its owner may read, unless it exists (fs.ErrExist). One that root makes belongs to the
// owner of the directory that it is in.
func Make(path string) error {
	path = filepath.Clean(path)
	failed := func(err error) error {
		if of, ok := errors.AsType[*fs.PathError](err); ok {
			err = of.Err // its path is relative
		}
		return &fs.PathError{Op: "mkdir", Path: path, Err: err}
	}
	if _, err := os.Lstat(path); err == nil {
		return failed(fs.ErrExist)
	}
	in, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return failed(err)
	}
	defer func() { _ = in.Close() }()
	name := filepath.Base(path)
	if err := in.Mkdir(name, 0o700); err != nil {
		return failed(err)
	}
	made, err := in.Open(name)
	if err == nil {
		err = errors.Join(giveToOwner(in, made), made.Close())
	}
	if err != nil {
		return errors.Join(failed(err), in.Remove(name))
	}
	return nil
}

func unfinishedName() string { return "." + strings.ToLower(rand.Text()) + ".partial" }

// MakeAll makes a directory that only its owner may read, and those above it that are missing. Those that root makes
// belong to the owner of the directory that they are in.
func MakeAll(path string) error {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return &fs.PathError{Op: "mkdir", Path: path, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	above := filepath.Dir(path)
	if err := MakeAll(above); err != nil {
		return err
	}
	in, err := os.OpenRoot(above)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	// It has its name once it has its owner, as a file has.
	unfinished := unfinishedName()
	if err := in.Mkdir(unfinished, 0o700); err != nil {
		return err
	}
	made, err := in.Open(unfinished)
	if err == nil {
		err = errors.Join(giveToOwner(in, made), made.Close())
	}
	if err == nil {
		err = in.Rename(unfinished, filepath.Base(path))
	}
	if err == nil {
		return nil
	}
	err = errors.Join(err, in.Remove(unfinished))
	if info, statErr := os.Stat(path); statErr == nil && info.IsDir() {
		return nil // another process has made it
	}
	return err
}

// isUnfinished matches the names of the files that Create has not finished.
var isUnfinished = regexp.MustCompile(`^\.[a-z2-7]{26}\.partial$`)

// RemoveUnfinished removes the files that killed processes have left in a directory while they were in Create. It leaves
// those of running processes, and those that it cannot lock or remove.
func RemoveUnfinished(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !isUnfinished.MatchString(e.Name()) {
			continue
		}
		path := filepath.Join(dir, e.Name())
		f, err := os.OpenFile(path, os.O_WRONLY, 0) //nolint:gosec // as in create
		if err != nil {
			continue
		}
		if lock(f) == nil {
			_ = os.Remove(path)
		}
		_ = f.Close()
	}
}
