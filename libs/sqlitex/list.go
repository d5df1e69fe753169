package sqlitex

import (
	"context"
	"database/sql"
)

// Scanner is a row about to be read.
type Scanner interface{ Scan(dest ...any) error }

// Querier is a source of rows: a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// List reads all rows of a query.
func List[T any](ctx context.Context, db Querier, read func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err says what Close would
	var all []T
	for rows.Next() {
		one, err := read(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}
