package sqlitex

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWritesNeedNoTemporaryDirectory verifies that a write which changes many pages opens no temporary file, so that
// it succeeds if the temporary directory is full: SQLite deletes its own as soon as they are open. Not parallel, because it looks at all files of the process.
func TestWritesNeedNoTemporaryDirectory(t *testing.T) { //nolint:paralleltest // as it says
	db := openNew(t)
	mustWrite(t, db, func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
			INSERT INTO t (id) SELECT printf('%0100d', i) FROM n`)
		return err
	})
	mustWrite(t, db, func(ctx context.Context, tx Tx) error {
		if _, err := tx.ExecContext(ctx, `SAVEPOINT many`); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE t SET id = 'x' || id`); err != nil {
			return err
		}
		files, err := filepath.Glob("/proc/self/fd/*")
		if err != nil || len(files) == 0 {
			return fmt.Errorf("no open files: %w", err)
		}
		for _, f := range files {
			if to, err := os.Readlink(f); err == nil && strings.HasSuffix(to, " (deleted)") && !strings.Contains(filepath.Base(to), ".db") { // not the database of another test
				t.Errorf("SQLite has opened the temporary file %s", to)
			}
		}
		_, err = tx.ExecContext(ctx, `RELEASE many`)
		return err
	})
}
