package sqlitex

import (
	"context"
	"database/sql"
	"math"
)

// Scanner is a row about to be read.
type Scanner interface{ Scan(dest ...any) error }

// Querier is a source of rows: a database or a transaction.
type Querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// List reads all rows of a query.
func List[T any](ctx context.Context, db Querier, read func(Scanner) (T, error), query string, args ...any) ([]T, error) {
	return ListUpTo(ctx, db, math.MaxInt, func(row Scanner) (one T, size int, err error) {
		one, err = read(row)
		return one, 0, err
	}, query, args...)
}

// ListUpTo reads the rows of a query up to the one with which their sizes, which read
// returns, exceed most.
func ListUpTo[T any](ctx context.Context, db Querier, most int, read func(Scanner) (one T, size int, err error), query string, args ...any) ([]T, error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close() //nolint:errcheck // Err says what Close would
	var all []T
	for whole := 0; whole <= most && rows.Next(); {
		one, size, err := read(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
		whole += size
	}
	return all, rows.Err()
}
