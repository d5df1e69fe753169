package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	files "github.com/eventcarbon/ecf/libs/durable"
)

// Copy writes a consistent copy of a database into a new file, concurrently with reads and writes.
func Copy(ctx context.Context, to, from string) (err error) {
	// SQLite accepts an empty file as the target, so only the owner can ever read it.
	file, err := files.New(to)
	if err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	if err := restrictPermissions(from); err != nil {
		return err
	}
	leave, err := share(from)
	if err != nil {
		return fmt.Errorf("open %s: %w", from, err)
	}
	defer func() { err = errors.Join(err, leave()) }()
	pool, err := sql.Open("sqlite", dsn(from, durable))
	if err != nil {
		return fmt.Errorf("open %s: %w", from, err)
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if _, err := pool.ExecContext(ctx, `VACUUM INTO ?`, to); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	return nil
}

// Counts returns the number of rows of every table.
func (db *DB) Counts(ctx context.Context) (map[string]int64, error) { return counts(ctx, db.readers) }

// CountsOf is Counts of a file that is not open. It does not change the file, nor migrate
// its schema.
func CountsOf(ctx context.Context, path string) (rows map[string]int64, err error) {
	pool, err := sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&immutable=1")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	return counts(ctx, pool)
}

func counts(ctx context.Context, pool *sql.DB) (map[string]int64, error) {
	rows, err := pool.QueryContext(ctx, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	found := map[string]int64{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		found[name] = 0
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for name := range found {
		var n int64
		if err := pool.QueryRowContext(ctx, `SELECT COUNT(*) FROM "`+strings.ReplaceAll(name, `"`, `""`)+`"`).Scan(&n); err != nil {
			return nil, fmt.Errorf("count %s: %w", name, err)
		}
		found[name] = n
	}
	return found, nil
}
