package sqlitex

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/eventcarbon/ecf/libs/schema"
)

// Component is one owner's part of a database file.
type Component = schema.Component[Tx]

// Step is one change of a component. All missing steps of all components run in one transaction: a file has the
// version it states, or the previous one.
type Step = schema.Step[Tx]

// Statements returns the step that executes SQL statements, in their order.
func Statements(minReader int, statements ...string) Step {
	return Step{MinReader: minReader, Apply: func(ctx context.Context, tx Tx) error {
		for _, s := range statements {
			if _, err := tx.ExecContext(ctx, s); err != nil {
				return fmt.Errorf("%s: %w", firstLine(s), err)
			}
		}
		return nil
	}}
}

// AddColumn adds a column unless the table has one of that name: files from
// before versions were stored may have it or not.
func AddColumn(ctx context.Context, tx Tx, table, column, definition string) error {
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM pragma_table_info(?) WHERE name = ?`, table, column).Scan(&n); err != nil {
		return err
	}
	if n > 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `ALTER TABLE `+table+` ADD COLUMN `+column+` `+definition)
	return err
}

func firstLine(s string) string {
	for i, r := range s {
		if r == '\n' {
			return s[:i] + " …"
		}
	}
	return s
}

const versionTable = `CREATE TABLE IF NOT EXISTS schema_versions (
	component  TEXT    NOT NULL PRIMARY KEY,
	version    INTEGER NOT NULL,
	min_reader INTEGER NOT NULL
) STRICT, WITHOUT ROWID`

// SchemaStatus compares the components of an open file with their steps. It writes nothing.
func SchemaStatus(ctx context.Context, db Tx, components ...Component) ([]schema.Status, error) {
	stored, err := storedVersions(ctx, db)
	if err != nil {
		return nil, fmt.Errorf("read schema versions: %w", err)
	}
	all := make([]schema.Status, len(components))
	for i, c := range components {
		all[i] = schema.StatusOf(c, stored[c.Name])
	}
	return all, nil
}

// Inspect reads the schema versions of the file at path without changing it.
func Inspect(ctx context.Context, path string, components ...Component) ([]schema.Status, error) {
	if err := restrictPermissions(path); err != nil {
		return nil, err
	}
	if leave, err := share(path); err == nil { // otherwise opening it reports the error
		defer leave() //nolint:errcheck // nothing was written
	}
	db, err := sql.Open("sqlite", dsn(path, "&mode=ro&_pragma=query_only(ON)"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer db.Close() //nolint:errcheck // nothing was written
	return SchemaStatus(ctx, db, components...)
}

func storedVersions(ctx context.Context, db Tx) (map[string]schema.Stored, error) {
	var tables int
	if err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table' AND name = 'schema_versions'`).Scan(&tables); err != nil {
		return nil, err
	}
	stored := map[string]schema.Stored{}
	if tables == 0 {
		return stored, nil
	}
	rows, err := db.QueryContext(ctx, `SELECT component, version, min_reader FROM schema_versions`)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err returns what Close would
	for rows.Next() {
		var name string
		var s schema.Stored
		if err := rows.Scan(&name, &s.Version, &s.MinReader); err != nil {
			return nil, err
		}
		stored[name] = s
	}
	return stored, rows.Err()
}

// prepareSchema upgrades the components to their newest versions, or returns an error for a version that this program
// cannot work with.
func (w *writer) prepareSchema(ctx context.Context, components []Component) (err error) {
	all, err := SchemaStatus(ctx, w, components...)
	if err != nil {
		return err
	}
	if err := schema.Check(all); err != nil {
		return err
	}
	// Contract steps are included: all programs that use a file have the same release.
	if !schema.Incomplete(all) {
		return nil
	}
	if _, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_, _ = w.conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	// Another process may have upgraded it before this one got the lock.
	if all, err = SchemaStatus(ctx, w, components...); err != nil {
		return err
	}
	if err := schema.Check(all); err != nil {
		return err
	}
	if _, err := w.conn.ExecContext(ctx, versionTable); err != nil {
		return err
	}
	for i, c := range components {
		if err := w.upgrade(ctx, c, all[i].Stored.Version); err != nil {
			return err
		}
	}
	_, err = w.conn.ExecContext(ctx, "COMMIT")
	return err
}

// upgrade runs the steps of a component after a version.
func (w *writer) upgrade(ctx context.Context, c Component, version int) error {
	for v := version; v < c.Newest(); v++ {
		step := c.Steps[v]
		if err := step.Apply(ctx, w.conn); err != nil {
			return fmt.Errorf("schema of %s, step to version %d: %w", c.Name, v+1, err)
		}
		if _, err := w.conn.ExecContext(ctx,
			`INSERT INTO schema_versions (component, version, min_reader) VALUES (?, ?, ?)
			 ON CONFLICT (component) DO UPDATE SET version = excluded.version, min_reader = excluded.min_reader`,
			c.Name, v+1, step.MinReader); err != nil {
			return err
		}
	}
	return nil
}
