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
	"slices"
	"strings"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/infra/keys"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// manifestFile is written last: a backup without one is incomplete.
const manifestFile = "manifest.json"

// manifest describes a backup.
type manifest struct {
	Format    int       `json:"format"`
	Version   string    `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	// Database is the hash of the copied file, and Tables the number of rows of each table in
	// it. Some programs counted them after migrations to a newer schema, as stepped does.
	Database string           `json:"databaseSha256"`
	Tables   map[string]int64 `json:"tables"`
	stepped  map[string]int64
	// Contents describes the data independently of the engine; older backups have none.
	Contents transfer.Contents `json:"contents,omitempty"`
	// Audit is the output of ecf audit verify for the copy: the entries of each chain with its
	// last hash, and the records with their histories.
	Audit []string `json:"audit"`
	// Unsound is what ecf audit verify found wrong with the data, in short; empty if nothing.
	Unsound string `json:"unsound,omitempty"`
}

const manifestFormat = 1

// write stores the manifest of a backup atomically and durably.
func (m manifest) write(dir string, sync func(path string) error) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	partial := filepath.Join(dir, manifestFile+".partial")
	file, err := durable.New(partial)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	return durable.Rename(partial, filepath.Join(dir, manifestFile), sync)
}

// inspect verifies the database in a folder and returns its manifest. A database without
// organizations is an error.
func inspect(ctx context.Context, env app.Env, dir string) (m manifest, err error) {
	path := filepath.Join(dir, DatabaseFile)
	if m.Database, err = fileHash(path); err != nil {
		return m, err
	}
	if m.Tables, err = sqlitex.CountsOf(ctx, path); err != nil {
		return m, err
	}
	err = withCopy(ctx, path, func(scratch string, db *sqlitex.DB) (err error) {
		if m.Audit, m.Unsound, err = auditLines(ctx, env, Data{Dir: keys.DataDir{Path: scratch}}); err != nil {
			return err
		}
		// Data with rows that cannot be read have no contents that could be compared.
		if m.Contents, err = transfer.ContentsOf(ctx, transfer.InFile(db)); err != nil && (m.Unsound == "" || !record.IsDamage(err)) {
			return err
		}
		m.stepped, err = db.Counts(ctx)
		return err
	})
	return m, err
}

// withCopy opens a copy of a database, because opening it may change the file.
func withCopy(ctx context.Context, path string, do func(scratch string, db *sqlitex.DB) error) (err error) {
	scratch, remove, err := makeScratch()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	target := filepath.Join(scratch, DatabaseFile)
	if err := copyFile(target, path); err != nil {
		return inScratch(err)
	}
	db, err := sqlitex.Open(ctx, target, sqliteSchema()...)
	if err != nil {
		return inScratch(err)
	}
	return inScratch(errors.Join(do(scratch, db), db.Close()))
}

// auditLines returns the output of ecf audit verify, and in short what it finds wrong with the data; empty if nothing.
func auditLines(ctx context.Context, env app.Env, d Data) (lines []string, unsound string, err error) {
	var out strings.Builder
	env.Stdout = &out
	// Figures of an engine that this program does not have do not make a backup invalid.
	_, err = auditFaults(ctx, env, &auditSettings{Data: d})
	if faults, ok := errors.AsType[unsoundError](err); ok {
		unsound = strings.ReplaceAll(faults.Error(), "\n", "; ")
	} else if err != nil {
		return nil, "", fmt.Errorf("%w\n%s", err, out.String())
	}
	lines = strings.Split(strings.TrimSpace(out.String()), "\n")
	return slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, figuresMark) }), unsound, nil
}

// readManifest returns the manifest of a backup as it is written.
func readManifest(dir string) (m manifest, err error) {
	text, err := os.ReadFile(filepath.Join(dir, manifestFile)) //nolint:gosec // the operator names the folder
	if err != nil {
		return m, fmt.Errorf("%s is not a whole backup, nor a directory of backups with one: %w", dir, err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("%s: %w", manifestFile, err)
	}
	return m, nil
}

// verifyBackup returns the manifest of a backup, or what is wrong with it.
func verifyBackup(ctx context.Context, env app.Env, dir string) (m manifest, err error) {
	if m, err = readManifest(dir); err != nil {
		return m, err
	}
	if m.Format != manifestFormat {
		return m, fmt.Errorf("the backup has the format %d, but this program reads format %d", m.Format, manifestFormat)
	}
	// First of all: the engine's error for a damaged file names neither the file nor the damage.
	path := filepath.Join(dir, DatabaseFile)
	if sum, err := fileHash(path); err != nil {
		return m, err
	} else if sum != m.Database {
		return m, fmt.Errorf("%s is damaged, and not the file of the manifest: its SHA-256 is %s, not %s: use another backup", path, sum, m.Database)
	}
	found, err := inspect(ctx, env, dir)
	if err != nil {
		return m, err
	}
	for table, want := range m.Tables {
		if got := found.Tables[table]; got != want && found.stepped[table] != want {
			return m, fmt.Errorf("the table %s has %d rows, but the manifest says %d", table, got, want)
		}
	}
	// Other programs may find other faults in the same data.
	alike := m.Version == env.Version || m.Unsound == "" && found.Unsound == ""
	if alike && !slices.Equal(found.Audit, m.Audit) {
		return m, errors.New("the audit chains are not those of the manifest")
	}
	stated := m.Contents
	m.Contents, m.Unsound = found.Contents, found.Unsound
	switch {
	case stated == nil || found.Contents == nil && m.Unsound != "":
		return m, nil
	case m.Version != env.Version:
		return m, found.Contents.Counts().Compare(stated.Counts())
	}
	return m, found.Contents.Compare(stated)
}

// isSound reports whether nothing was wrong with the data of a complete backup when it was made.
func isSound(dir string) bool {
	m, err := readManifest(dir)
	return err == nil && m.Unsound == ""
}

// isWholeBackup reports whether the database in a directory is the one that a manifest beside
// it describes. It is not once a program has worked in it.
func isWholeBackup(dir string) bool {
	m, err := readManifest(dir)
	if err != nil {
		return false
	}
	sum, err := fileHash(filepath.Join(dir, DatabaseFile))
	return err == nil && sum == m.Database
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

// copyFile copies a file to a new one that only its owner may read, and syncs it to disk.
func copyFile(to, from string) (err error) {
	source, err := os.Open(from) //nolint:gosec // the operator names the folder
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := durable.New(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	if _, err := io.Copy(target, source); err != nil {
		return err
	}
	return target.Sync()
}
