package standalone

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// restoreSettings are the settings of restore.
type restoreSettings struct {
	Data
	From string
	// sync is durable.Sync; tests observe it.
	sync func(path string) error
}

// Describe implements settings.Config.
func (c *restoreSettings) Describe(s *settings.Set) {
	if c.sync == nil {
		c.sync = durable.Sync
	}
	s.TextFlag(&c.From, "from", "", "directory of the backup", nil).Require()
	c.Data.Describe(s)
}

// restore restores a verified backup into an empty system, with all sessions ended: those that
// were ended since the backup, such as a thief's, would be open again. A backup contains no
// signing keys: those of the target are kept, or new ones are created.
func restore(ctx context.Context, env app.Env, c *restoreSettings) error {
	m, err := verifyBackup(ctx, env, c.From)
	if err != nil {
		return err
	}
	if c.Data.Records.URI == "" {
		err = restoreFile(ctx, c.Dir.Path, c.From, m, c.sync)
	} else {
		err = withCopy(ctx, filepath.Join(c.From, DatabaseFile), func(_ string, db *sqlitex.DB) error {
			source := transfer.InFile(db)
			if err := transfer.EndSessions(ctx, source, m.CreatedAt, m.Contents); err != nil {
				return err
			}
			before, err := fill(ctx, env, c.Data, source, m)
			if before {
				return errRestoredBefore
			}
			return err
		})
	}
	if err != nil {
		return err
	}
	warning := ""
	if m.Unsound != "" {
		warning = "Something was wrong with the data already when the backup was made, as ecf audit verify says: " + m.Unsound + "\n"
	}
	_, err = fmt.Fprintf(env.Stdout, "Restored the backup of %s.\n%s\n%s", m.CreatedAt.Format(time.RFC3339), strings.Join(m.Audit, "\n"), warning)
	return err
}

// errRestoredBefore is the error of a restore that was finished before. Unlike a migration, which nobody repeats to lose
// what was written since, it does not end well: the data may be others than those of the backup.
var errRestoredBefore = errors.New("this backup has been restored into these databases before, completely, so a server can use them; nothing was changed. To restore it again, over what was written since, drop the databases first")

// partialSuffix follows the name of a database that is not restored yet.
const partialSuffix = ".partial"

// restoreFile copies the database of a backup into a data directory.
func restoreFile(ctx context.Context, dir, from string, m manifest, sync func(string) error) error {
	unlock, err := lockDataDir(dir)
	if err != nil {
		return err
	}
	defer unlock()
	target := filepath.Join(dir, DatabaseFile)
	if err := mustNotExist(target); err != nil {
		return err
	}
	// Atomic, so that an interrupted restore can be repeated.
	partial := target + partialSuffix
	if err := removeAll(partial, partial+"-wal", partial+"-shm", partial+"-journal"); err != nil {
		return err
	}
	if err := copyFile(partial, filepath.Join(from, DatabaseFile)); err != nil {
		return unusable(dir, err)
	}
	if sum, err := fileHash(partial); err != nil || sum != m.Database {
		return errors.Join(err, errors.New("the copy is not what the manifest says"))
	}
	db, err := sqlitex.Open(ctx, partial, sqliteSchema()...)
	if err != nil {
		return unusable(dir, err)
	}
	err = transfer.EndSessions(ctx, transfer.InFile(db), m.CreatedAt, nil)
	if err := errors.Join(err, db.Close()); err != nil {
		return unusable(dir, err)
	}
	// The file alone is renamed: sessions that end in a log beside it only would go on.
	if log, err := os.Stat(partial + "-wal"); err == nil && log.Size() > 0 {
		return unusable(dir, fmt.Errorf("%s is not empty after the database was closed", log.Name()))
	}
	if err := removeAll(partial+"-wal", partial+"-shm"); err != nil {
		return err
	}
	return unusable(dir, durable.Rename(partial, target, sync))
}

// mustNotExist returns an error if there is a database, or what a killed server left beside one that has been removed:
// SQLite applies such a log to whatever database has the name, so that instead of the backup there would be the old
// database again, with sessions that the restore has ended, or a mixture of both.
func mustNotExist(database string) error {
	const only = "a backup can only be restored into an empty data directory"
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		_, err := os.Lstat(database + suffix)
		switch {
		case errors.Is(err, os.ErrNotExist):
		case err != nil:
			return err
		case suffix == "":
			return fmt.Errorf("%s exists: %s", database, only)
		default:
			return fmt.Errorf("%s exists: %s. It is the log of a database that is no longer here, and would be applied to the restored one; move or remove it too", database+suffix, only)
		}
	}
	return nil
}

// removeAll removes the files that exist.
func removeAll(files ...string) error {
	for _, f := range files {
		if err := os.Remove(f); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// migrateSettings are the settings of migrate.
type migrateSettings struct {
	Data
	To, AccountsTo string
}

// Describe implements settings.Config.
func (c *migrateSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.To, "to", "", "MongoDB of organizations, events, records and results, as in ECF_MONGODB_URI", mongox.Check).From("ECF_MIGRATE_TO").Require().Hide()
	s.TextFlag(&c.AccountsTo, "accounts-to", "", "MongoDB of the accounts, as in ECF_MONGODB_AUTH_URI; the one of --to when empty", func(v string) error {
		if v == "" {
			return nil
		}
		return mongox.Check(v)
	}).From("ECF_MIGRATE_ACCOUNTS_TO").Hide()
	c.Data.Describe(s)
	s.After(func() error {
		if c.Data.Records.URI != "" {
			return errors.New("ECF_MONGODB_URI is set: migrate moves the embedded database of ECF_DATA_DIR; name the target with ECF_MIGRATE_TO or --to")
		}
		return nil
	})
}

// migrate copies the embedded database of a stopped server to MongoDB. The file is not changed.
func migrate(ctx context.Context, env app.Env, c *migrateSettings) (err error) {
	path := filepath.Join(c.Dir.Path, DatabaseFile)
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("there is nothing to move in %s, which ECF_DATA_DIR names: %w", absolute(c.Dir.Path), err)
	}
	unlock, err := lockDataDir(c.Dir.Path)
	if err != nil {
		return err
	}
	defer unlock()
	reportDamagedLog(ctx, env, path)
	// Opening a copy applies what a killed server left in the write-ahead log.
	scratch, remove, err := makeScratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := sqlitex.Copy(ctx, filepath.Join(scratch, DatabaseFile), path); err != nil {
		return notRead(c.Dir.Path, inScratch(err))
	}
	m, err := inspect(ctx, env, scratch)
	if err != nil {
		return err
	}
	if m.Unsound != "" {
		return fmt.Errorf("nothing was copied, because something is wrong with the data: %s\n%s", m.Unsound, strings.Join(m.Audit, "\n"))
	}
	target := Data{Log: c.Log}
	target.Records, target.Accounts = mongodb.At(c.To)
	if c.AccountsTo != "" {
		target.Accounts.URI = c.AccountsTo
	}
	db, err := sqlitex.Open(ctx, filepath.Join(scratch, DatabaseFile), sqliteSchema()...)
	if err != nil {
		return err
	}
	before, err := fill(ctx, env, target, transfer.InFile(db), m)
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	done := "Everything has been copied to MongoDB and compared."
	if before {
		done = "The same data have been copied to these databases before, completely, and compared then. Nothing was changed now."
	}
	_, err = fmt.Fprintf(env.Stdout, "%s Set ECF_MONGODB_URI, and ECF_MONGODB_AUTH_URI if accounts are in another database.\n%s\n", done, strings.Join(m.Audit, "\n"))
	return err
}
