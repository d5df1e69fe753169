package standalone

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// backupName is the layout of the names of backups in a folder of backups. They
// sort by time.
const backupName = "ecf-20060102T150405Z"

// underWayFile is in the folder of a backup while it is made, and locked by who
// makes it.
const underWayFile = "under-way"

// errLocked: another process has the lock of a file.
var errLocked = errors.New("another process has locked it")

// unfinishedAfter is when a backup without a manifest is taken for one that was killed
// where no lock tells: one of a release before the lock, or of a disk that has none.
const unfinishedAfter = 24 * time.Hour

// backups are the backups in a folder of them, as paths, oldest first.
type backups struct {
	whole []string
	// killed are without a manifest, and nobody makes them any more.
	killed []string
	// making are without a manifest, and may be under way.
	making []string
}

// listBackups lists what is in a folder of backups.
func listBackups(in string) (list backups, err error) {
	entries, err := os.ReadDir(in) // sorted by name, so by time
	if err != nil {
		return list, err
	}
	for _, e := range entries {
		begun, err := time.Parse(backupName, e.Name())
		if err != nil {
			continue
		}
		path := filepath.Join(in, e.Name())
		_, err = os.Stat(filepath.Join(path, manifestFile))
		switch {
		case err == nil:
			list.whole = append(list.whole, path)
		case !errors.Is(err, fs.ErrNotExist):
			return list, fmt.Errorf("folder of backups: %w", err)
		case wasKilled(path, begun):
			list.killed = append(list.killed, path)
		default:
			list.making = append(list.making, path)
		}
	}
	return list, nil
}

// newerThan says, in lines, which attempts were begun after a backup and are not
// whole: the empty text where there is none.
func (list backups) newerThan(whole string) string {
	var out strings.Builder
	for _, path := range slices.Sorted(slices.Values(slices.Concat(list.killed, list.making))) {
		if path <= whole {
			continue
		}
		state := "was begun and is not finished: it was killed, or is under way"
		if slices.Contains(list.killed, path) {
			state = "was begun and never finished"
		}
		fmt.Fprintf(&out, "It is not the newest attempt: %s %s.\n", filepath.Base(path), state)
	}
	return out.String()
}

// prune removes whole backups but the newest ones, and what killed runs have left.
func prune(in string, keep int) error {
	list, err := listBackups(in)
	if err != nil {
		return err
	}
	for _, old := range append(list.killed, list.whole[:max(0, len(list.whole)-keep)]...) {
		if err := os.RemoveAll(old); err != nil {
			return fmt.Errorf("remove an old backup: %w", err)
		}
	}
	return nil
}

// underWay marks a folder as that of a backup which is being made, until release or
// until the process ends, however it ends.
func underWay(dir string) (release func() error, err error) {
	path := filepath.Join(dir, underWayFile)
	unlock, err := lockFile(path, os.O_CREATE|os.O_RDWR)
	if errors.Is(err, errors.ErrUnsupported) {
		return func() error { return nil }, nil // others go by the age
	}
	if err != nil {
		return nil, fmt.Errorf("folder of the backup: %w", err)
	}
	return func() error {
		defer unlock()
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("folder of the backup: %w", err)
		}
		return nil
	}, nil
}

// wasKilled reports whether nobody makes the backup of a folder without a manifest
// any more. Where the lock cannot tell, its age does.
func wasKilled(dir string, begun time.Time) bool {
	unlock, err := lockFile(filepath.Join(dir, underWayFile), os.O_RDWR)
	switch {
	case err == nil:
		unlock()
		return true
	case errors.Is(err, errLocked):
		return false
	}
	return time.Since(begun) > unfinishedAfter
}
