package standalone

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// backupSettings are the settings of backup.
type backupSettings struct {
	Data
	To, Into string
	Keep     int
	// sync is durable.Sync; tests observe it.
	sync func(path string) error
}

// Describe implements settings.Config.
func (c *backupSettings) Describe(s *settings.Set) {
	if c.sync == nil {
		c.sync = durable.Sync
	}
	s.TextFlag(&c.To, "to", "", "directory of the backup; it must not exist", nil)
	s.TextFlag(&c.Into, "into", "", "directory of backups: the backup becomes a subdirectory named by the time", nil)
	s.Flag("keep", "0", "with --into: number of complete backups to keep, the newest ones, and as many whose data ecf audit verify finds wrong; older ones and remains of killed runs are removed before and after; 0 keeps all", func(v string) (err error) {
		if c.Keep, err = strconv.Atoi(v); err != nil || c.Keep < 0 {
			return errors.New("must be a number from 0")
		}
		return nil
	}, func() string { return strconv.Itoa(c.Keep) })
	s.After(func() error {
		if (c.To == "") == (c.Into == "") {
			return errors.New("--to or --into is required, but not both: the directory of the backup, or a directory of backups")
		}
		if c.Keep > 0 && c.Into == "" {
			return errors.New("--keep can only be used with --into")
		}
		return nil
	})
	c.Data.Describe(s)
}

// backup copies the data, while servers run, into a database of the embedded engine with a
// manifest. The copy is verified before it counts as a backup, and is on the disk before its
// directory is printed and older backups are removed. Data that ecf audit verify finds wrong are
// copied all the same, beside the backups from before; the error says so.
func backup(ctx context.Context, env app.Env, c *backupSettings) error {
	to := c.To
	if to == "" {
		to = filepath.Join(c.Into, time.Now().UTC().Format(backupName))
	}
	source := filepath.Join(c.Dir.Path, DatabaseFile)
	if _, err := os.Stat(source); err != nil && c.Data.Records.URI == "" {
		return fmt.Errorf("there is nothing to back up in %s, which ECF_DATA_DIR names: %w", absolute(c.Dir.Path), err)
	}
	if c.Data.Records.URI == "" {
		if err := prepareDataDir(c.Dir.Path); err != nil {
			return err
		}
	}
	if c.Into != "" {
		// It is not created: if it is on a disk that is not mounted, backups would fill another.
		if info, err := os.Stat(c.Into); err != nil || !info.IsDir() {
			return fmt.Errorf("--into must name an existing directory, which backups are put into; there is no directory %s: mount its disk, or create it", absolute(c.Into))
		}
	}
	var unpruned error
	if c.Keep > 0 {
		// First of all: otherwise a disk filled by a killed run would be full for every later
		// run. What cannot be removed must not prevent the backup, and is told in the end.
		unpruned = prune(c.Into, c.Keep, "")
	}
	m, err := makeBackup(ctx, env, c.Data, to, c.sync)
	if err != nil {
		if unpruned != nil {
			err = errors.Join(err, fmt.Errorf("what is older was not removed before, and takes its room: %w", unpruned))
		}
		return err
	}
	if _, err := fmt.Fprintf(env.Stdout, "%s\n%s\n", to, strings.Join(m.Audit, "\n")); err != nil {
		return err
	}
	if c.Keep > 0 {
		if err = prune(c.Into, c.Keep, to); err != nil {
			err = fmt.Errorf("the backup is complete, but what is older was not removed, and will fill the disk: %w", err)
		}
	}
	if m.Unsound != "" {
		err = errors.Join(err, fmt.Errorf("the backup is complete. It can be restored, but something is wrong with the data itself, as the lines above and ecf audit verify say: %s. No earlier backup was removed for it", m.Unsound))
	}
	return err
}

// makeBackup creates the folder of a backup with its contents. On error it removes the folder,
// because the next attempt needs the space.
func makeBackup(ctx context.Context, env app.Env, d Data, to string, sync func(string) error) (m manifest, err error) {
	err = durable.Make(to)
	switch {
	case errors.Is(err, fs.ErrExist):
		return m, fmt.Errorf("the directory of the backup exists, and backups never overwrite anything: name a new directory with --to, or one for many backups with --into: %w", err)
	case errors.Is(err, fs.ErrNotExist):
		return m, fmt.Errorf("the directory of the backup cannot be created, because the one it is in does not exist: mount its disk, or create it: %w", err)
	case err != nil:
		return m, fmt.Errorf("the directory of the backup, from --to or --into, cannot be created: %w", err)
	}
	release := func() error { return nil }
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(to))
		}
		err = errors.Join(err, release())
	}()
	if release, err = underWay(to); err != nil {
		return m, err
	}
	target := filepath.Join(to, DatabaseFile)
	if d.Records.URI == "" {
		path := filepath.Join(d.Dir.Path, DatabaseFile)
		reportDamagedLog(ctx, env, path)
		err = notRead(d.Dir.Path, sqlitex.Copy(ctx, target, path))
	} else {
		err = archive(ctx, env, d, target)
	}
	if err != nil {
		return m, inBackup(to, err)
	}
	// The name of the database, too: a manifest without it would count as a whole backup.
	for _, path := range []string{target, to} {
		if err := sync(path); err != nil {
			return m, inBackup(to, err)
		}
	}
	if m, err = inspect(ctx, env, to); err != nil {
		return m, err
	}
	m.Format, m.Version, m.CreatedAt = manifestFormat, env.Version, time.Now().UTC().Truncate(time.Second)
	if err := m.write(to, sync); err != nil {
		return m, inBackup(to, err)
	}
	return m, inBackup(to, sync(filepath.Dir(to)))
}

// inBackup returns what to do about a disk without room for a backup; another error unchanged.
func inBackup(to string, err error) error {
	if !isFull(err) {
		return err
	}
	return fmt.Errorf("the disk of %s has no room for the backup, which was removed: make room, keep fewer backups (--keep), or name a directory on another disk: %w", absolute(to), err)
}

// archive copies the data of MongoDB into a new file.
func archive(ctx context.Context, env app.Env, d Data, path string) (err error) {
	from, err := openStores(ctx, env, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	if err := makeDatabase(path); err != nil {
		return err
	}
	db, err := sqlitex.Open(ctx, path, sqliteSchema()...)
	if err != nil {
		return err
	}
	return errors.Join(transfer.Archive(ctx, db, from.all()), db.Close())
}

func (s *stores) all() transfer.Stores {
	return transfer.Stores{Records: s.records, Results: s.results, Accounts: s.accounts}
}

// folderSettings are the settings of backup verify.
type folderSettings struct {
	app.Log
	folder string
}

// Describe implements settings.Config.
func (c *folderSettings) Describe(s *settings.Set) {
	s.Argument(&c.folder, "name one directory: ecf backup verify DIR")
	c.Log.Describe(s)
}

// backupVerify restores a backup into a temporary place, and compares the result with the
// manifest. From a folder of backups it selects the newest complete one, and reports later
// incomplete attempts.
func backupVerify(ctx context.Context, env app.Env, c *folderSettings) error {
	dir := c.folder
	newer := ""
	if list, err := listBackups(dir); err == nil {
		if len(list.whole) == 0 {
			// This clock may be the wrong one.
			list.whole, list.ahead = list.ahead, nil
		}
		if len(list.whole) > 0 {
			dir = list.whole[len(list.whole)-1]
			newer = list.newerThan(dir)
		}
	}
	m, err := verifyBackup(ctx, env, dir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "The backup of %s is whole.\n%s\n%s", m.CreatedAt.Format(time.RFC3339), strings.Join(m.Audit, "\n"), newer)
	if m.Unsound != "" {
		err = errors.Join(err, fmt.Errorf("the backup can be restored, but something was wrong with the data when it was made: %s", m.Unsound))
	}
	return err
}
