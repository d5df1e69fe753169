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

// backupName is the layout of the names of backups in a folder. They sort by time.
const backupName = "ecf-20060102T150405Z"

// underWayFile exists in the folder of a backup while it is made, locked by the process that
// makes it.
const underWayFile = "under-way"

// errLocked means that another process has locked a file.
var errLocked = errors.New("another process has locked it")

// unfinishedAfter is the age at which a backup without a manifest counts as killed if no lock
// decides: it was made by a release without the lock, or on a disk that has none.
const unfinishedAfter = 24 * time.Hour

// aheadBy is how much later than now the name of a backup may be.
const aheadBy = time.Hour

// backups are the backups in a folder, as paths, oldest first.
type backups struct {
	whole []string
	// ahead are whole, and dated in the future: the clock was wrong when they were made.
	ahead []string
	// killed have no manifest, and no process is making them.
	killed []string
	// making have no manifest, and may be in progress.
	making []string
}

// listBackups lists the backups in a folder.
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
		case err == nil && time.Until(begun) > aheadBy:
			list.ahead = append(list.ahead, path)
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

// newerThan lists, in lines, the incomplete attempts after a backup; the empty string if there
// are none.
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
	for _, path := range list.ahead {
		fmt.Fprintf(&out, "%s is dated in the future, by a wrong clock, and was passed over: rename it to the time at which it was made, or remove it.\n", filepath.Base(path))
	}
	return out.String()
}

// prune removes all but the newest complete backups, and the remains of killed runs. Backups of data with which something is
// wrong are counted by themselves, so that they displace none from before. It keeps made, which is the newest also if the
// clock says otherwise; empty: none.
func prune(in string, keep int, made string) error {
	list, err := listBackups(in)
	if err != nil {
		return err
	}
	old := list.killed
	for _, sound := range []bool{true, false} {
		left := keep
		if made != "" && isSound(made) == sound {
			left--
		}
		earlier := slices.DeleteFunc(slices.Clone(list.whole), func(path string) bool { return path == made || isSound(path) != sound })
		old = append(old, earlier[:max(0, len(earlier)-left)]...)
	}
	var failed []error
	for _, path := range old {
		if err := os.RemoveAll(path); err != nil {
			failed = append(failed, fmt.Errorf("remove an old backup: %w", err))
		}
	}
	return errors.Join(failed...)
}

// underWay marks a folder as a backup in progress, until release is called or the process ends
// in any way.
func underWay(dir string) (release func() error, err error) {
	path := filepath.Join(dir, underWayFile)
	unlock, err := lockFile(path, os.O_CREATE|os.O_RDWR)
	if errors.Is(err, errors.ErrUnsupported) {
		return func() error { return nil }, nil // then only the age decides
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

// wasKilled reports whether the folder of a backup without a manifest was abandoned. If the
// lock cannot tell, its age decides.
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
