package standalone

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/settings"
	"github.com/eventcarbon/ecf/libs/sqlitex"
)

// manifestFile is written last: a backup without one is not whole.
const manifestFile = "manifest.json"

// manifest is what a backup says about itself.
type manifest struct {
	Format    int       `json:"format"`
	Version   string    `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	// Database is the copied file's hash, and Tables the rows of each table.
	Database string           `json:"databaseSha256"`
	Tables   map[string]int64 `json:"tables"`
	// Audit is what ecf audit verify prints of the copy: the entries of each
	// chain with its last hash, and the records with their histories.
	Audit []string `json:"audit"`
}

const manifestFormat = 1

// errMongoBackup says what to use where the data are not in a file.
var errMongoBackup = errors.New("this command copies the embedded database; back up MongoDB with its own tools (mongodump --oplog, or snapshots with point in time)")

// backupSettings are the settings of backup.
type backupSettings struct {
	Data
	To string
}

// Describe implements settings.Config.
func (c *backupSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.To, "to", "", "folder of the backup; it must not exist", nil).Require()
	c.Data.Describe(s)
}

// backup copies the database, beside a running server, as it is at one moment,
// and verifies the copy before it calls it a backup.
func backup(ctx context.Context, env app.Env, c *backupSettings) error {
	if c.Data.Records.URI != "" {
		return errMongoBackup
	}
	source := filepath.Join(c.Dir.Path, DatabaseFile)
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("there is nothing to back up: %w", err)
	}
	if err := os.Mkdir(c.To, 0o700); err != nil {
		return fmt.Errorf("folder of the backup: %w", err)
	}
	if err := sqlitex.Copy(ctx, filepath.Join(c.To, DatabaseFile), source); err != nil {
		return err
	}
	m, err := inspect(ctx, env, c.To)
	if err != nil {
		return err
	}
	m.Format, m.Version, m.CreatedAt = manifestFormat, env.Version, time.Now().UTC().Truncate(time.Second)
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	partial := filepath.Join(c.To, manifestFile+".partial")
	if err := os.WriteFile(partial, append(text, '\n'), 0o600); err != nil {
		return err
	}
	if err := os.Rename(partial, filepath.Join(c.To, manifestFile)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "%s\n%s\n", c.To, strings.Join(m.Audit, "\n"))
	return err
}

// inspect verifies the database in a folder and returns what a manifest says of
// it. It fails on a database without organizations.
func inspect(ctx context.Context, env app.Env, dir string) (m manifest, err error) {
	path := filepath.Join(dir, DatabaseFile)
	if m.Database, err = fileHash(path); err != nil {
		return m, err
	}
	// The copy is opened elsewhere: opening a database may change its file.
	scratch, err := os.MkdirTemp("", "ecf-verify-")
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	if err := copyFile(filepath.Join(scratch, DatabaseFile), path); err != nil {
		return m, err
	}
	var out strings.Builder
	quiet := env
	quiet.Stdout = &out
	if err := auditVerify(ctx, quiet, &Data{Dir: keys.DataDir{Path: scratch}}); err != nil {
		return m, fmt.Errorf("%w\n%s", err, out.String())
	}
	m.Audit = strings.Split(strings.TrimSpace(out.String()), "\n")
	db, err := sqlitex.Open(ctx, filepath.Join(scratch, DatabaseFile), sqliteSchema()...)
	if err != nil {
		return m, err
	}
	m.Tables, err = db.Counts(ctx)
	return m, errors.Join(err, db.Close())
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

func backupVerify(ctx context.Context, env app.Env, c *folderSettings) error {
	if len(c.folders) != 1 {
		return errors.New("name one folder: ecf backup verify DIR")
	}
	m, err := verifyBackup(ctx, env, c.folders[0])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "The backup of %s is whole.\n%s\n", m.CreatedAt.Format(time.RFC3339), strings.Join(m.Audit, "\n"))
	return err
}

// verifyBackup returns the manifest of a backup, or what is wrong with it.
func verifyBackup(ctx context.Context, env app.Env, dir string) (m manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile)) //nolint:gosec // the operator names the folder
	if err != nil {
		return m, fmt.Errorf("%s is not a whole backup: %w", dir, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s: %w", manifestFile, err)
	}
	if m.Format != manifestFormat {
		return m, fmt.Errorf("the backup has the format %d, and this program reads %d", m.Format, manifestFormat)
	}
	found, err := inspect(ctx, env, dir)
	if err != nil {
		return m, err
	}
	if found.Database != m.Database {
		return m, fmt.Errorf("%s is not the file of the manifest: its SHA-256 is %s, not %s", DatabaseFile, found.Database, m.Database)
	}
	for table, want := range m.Tables {
		if got := found.Tables[table]; got != want {
			return m, fmt.Errorf("the table %s has %d rows, and the manifest says %d", table, got, want)
		}
	}
	if strings.Join(found.Audit, "\n") != strings.Join(m.Audit, "\n") {
		return m, errors.New("the audit chains are not those of the manifest")
	}
	return m, nil
}

// restoreSettings are the settings of restore.
type restoreSettings struct {
	Data
	From string
}

// Describe implements settings.Config.
func (c *restoreSettings) Describe(s *settings.Set) {
	s.TextFlag(&c.From, "from", "", "folder of the backup", nil).Require()
	c.Data.Describe(s)
}

// restore puts a verified backup into an empty data directory. Signing keys are
// not in a backup: those in the directory stay, or new ones are made.
func restore(ctx context.Context, env app.Env, c *restoreSettings) error {
	if c.Data.Records.URI != "" {
		return errMongoBackup
	}
	m, err := verifyBackup(ctx, env, c.From)
	if err != nil {
		return err
	}
	unlock, err := lockDataDir(c.Dir.Path)
	if err != nil {
		return err
	}
	defer unlock()
	target := filepath.Join(c.Dir.Path, DatabaseFile)
	if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s exists: a backup is restored into an empty data directory only", target)
	}
	// Whole or not at all, so that an interrupted restore can be run again.
	partial := target + ".partial"
	if err := os.Remove(partial); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := copyFile(partial, filepath.Join(c.From, DatabaseFile)); err != nil {
		return err
	}
	if sum, err := fileHash(partial); err != nil || sum != m.Database {
		return errors.Join(err, errors.New("the copy is not what the manifest says"))
	}
	if err := os.Rename(partial, target); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "Restored the backup of %s.\n%s\n", m.CreatedAt.Format(time.RFC3339), strings.Join(m.Audit, "\n"))
	return err
}

func fileHash(path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // the operator names the folder
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// copyFile copies a file to a new one that its owner alone may read, and waits
// until it is on the disk.
func copyFile(to, from string) (err error) {
	source, err := os.Open(from) //nolint:gosec // the operator names the folder
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // as above
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if _, err := io.Copy(target, source); err != nil {
		return err
	}
	return target.Sync()
}
