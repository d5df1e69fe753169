package durable

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// createAttempts limits the attempts of Create whose unfinished file another process has removed, before it was locked.
const createAttempts = 100

// Create creates a file that only its owner may read, durably. It has its name only once it is complete, and never
// replaces another one (fs.ErrExist). What a killed process leaves is removed by RemoveUnfinished.
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
	unfinished := filepath.Join(filepath.Dir(path), "."+strings.ToLower(rand.Text())+".partial")
	f, err := os.OpenFile(unfinished, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600) //nolint:gosec // the caller names the directory
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()   // and so unlocked
	if errors.Is(lock(f), errLocked) { // to remove it
		return errRemoved
	}
	defer os.Remove(unfinished) //nolint:errcheck // nobody reads it, and RemoveUnfinished removes it
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err = Link(unfinished, path); errors.Is(err, fs.ErrNotExist) {
		return errRemoved
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
