package standalone

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// backupSettings are the settings of backup.
type backupSettings struct {
	Data
	To, Into string
	Keep     int
}

// Describe implements settings.Config.
func (c *backupSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.To, "to", "", "folder of the backup; it must not exist", nil)
	s.TextFlag(&c.Into, "into", "", "folder of backups: the backup becomes a folder in it, named by the time", nil)
	s.Flag("keep", "0", "with --into: how many whole backups to keep, the newest ones, and unfinished ones for a day; 0 keeps all", func(v string) (err error) {
		if c.Keep, err = strconv.Atoi(v); err != nil || c.Keep < 0 {
			return errors.New("a number from 0")
		}
		return nil
	}, func() string { return strconv.Itoa(c.Keep) })
	s.After(func() error {
		if (c.To == "") == (c.Into == "") {
			return errors.New("name the folder of the backup with --to, or a folder of backups with --into")
		}
		if c.Keep > 0 && c.Into == "" {
			return errors.New("--keep goes with --into")
		}
		return nil
	})
	c.Data.Describe(s)
}

// backup makes a copy of the data, beside running servers, as a database of the
// embedded engine with a manifest, and verifies the copy before it calls it a
// backup.
func backup(ctx context.Context, env app.Env, c *backupSettings) error {
	to := c.To
	if to == "" {
		to = filepath.Join(c.Into, time.Now().UTC().Format(backupName))
	}
	source := filepath.Join(c.Dir.Path, DatabaseFile)
	if _, err := os.Stat(source); err != nil && c.Data.Records.URI == "" {
		return fmt.Errorf("there is nothing to back up: %w", err)
	}
	if c.Data.Records.URI == "" {
		if err := tightenDataDir(c.Dir.Path); err != nil {
			return err
		}
	}
	if err := os.Mkdir(to, 0o700); err != nil {
		return fmt.Errorf("folder of the backup: %w", err)
	}
	target := filepath.Join(to, DatabaseFile)
	if c.Data.Records.URI == "" {
		if err := sqlitex.Copy(ctx, target, source); err != nil {
			return err
		}
	} else if err := archive(ctx, env, c.Data, target); err != nil {
		return err
	}
	m, err := inspect(ctx, env, to)
	if err != nil {
		return err
	}
	m.Format, m.Version, m.CreatedAt = manifestFormat, env.Version, time.Now().UTC().Truncate(time.Second)
	if err := m.write(to); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(env.Stdout, "%s\n%s\n", to, strings.Join(m.Audit, "\n")); err != nil {
		return err
	}
	if c.Keep > 0 {
		return prune(c.Into, c.Keep)
	}
	return nil
}

// archive copies the data of MongoDB into a new file.
func archive(ctx context.Context, env app.Env, d Data, path string) (err error) {
	from, err := openStores(ctx, env, d)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.close()) }()
	db, err := sqlitex.Open(ctx, path, sqliteSchema()...)
	if err != nil {
		return err
	}
	return errors.Join(transfer.Archive(ctx, db, from.all()), db.Close())
}

func (s *stores) all() transfer.Stores {
	return transfer.Stores{Records: s.records, Results: s.results, Accounts: s.accounts}
}

// backupName is the layout of the names of backups in a folder of backups. They
// sort by time.
const backupName = "ecf-20060102T150405Z"

// wholeBackups lists the backups in a folder that have a manifest, oldest first.
func wholeBackups(in string) ([]string, error) {
	whole, _, err := backups(in)
	return whole, err
}

// backups lists the backups in a folder, oldest first, and apart from them what was
// begun a day ago or earlier and never finished.
func backups(in string) (whole, left []string, err error) {
	entries, err := os.ReadDir(in)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		begun, err := time.Parse(backupName, e.Name())
		if err != nil {
			continue
		}
		path := filepath.Join(in, e.Name())
		if _, err := os.Stat(filepath.Join(path, manifestFile)); err == nil {
			whole = append(whole, path)
		} else if errors.Is(err, os.ErrNotExist) && time.Since(begun) > unfinishedAfter {
			left = append(left, path)
		}
	}
	slices.Sort(whole)
	return whole, left, nil
}

// unfinishedAfter is when a backup without a manifest is one that was killed: it takes
// the space of a whole one, night by night.
const unfinishedAfter = 24 * time.Hour

// prune removes whole backups but the newest ones, and what killed ones have left.
func prune(in string, keep int) error {
	whole, left, err := backups(in)
	if err != nil {
		return err
	}
	for _, old := range append(left, whole[:max(0, len(whole)-keep)]...) {
		if err := os.RemoveAll(old); err != nil {
			return fmt.Errorf("remove an old backup: %w", err)
		}
	}
	return nil
}

// folderSettings are the settings of backup verify.
type folderSettings struct {
	app.Log
	folders []string
}

// Describe implements settings.Config.
func (c *folderSettings) Describe(s *settings.Set) {
	s.Arguments(&c.folders)
	c.Log.Describe(s)
}

// backupVerify restores a backup into an empty place that it then removes, and
// compares all that is there with the manifest. Of a folder of backups it takes
// the newest one.
func backupVerify(ctx context.Context, env app.Env, c *folderSettings) error {
	if len(c.folders) != 1 {
		return errors.New("name one folder: ecf backup verify DIR")
	}
	dir := c.folders[0]
	if whole, err := wholeBackups(dir); err == nil && len(whole) > 0 {
		dir = whole[len(whole)-1]
	}
	m, err := verifyBackup(ctx, env, dir)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "The backup of %s is whole.\n%s\n", m.CreatedAt.Format(time.RFC3339), strings.Join(m.Audit, "\n"))
	return err
}
