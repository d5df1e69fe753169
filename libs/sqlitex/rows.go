package sqlitex

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
)

// MostRows is the maximum number of rows of one statement.
const MostRows = 256

// Rows are rows for one statement, which is cheaper than a statement for each: every statement makes a journal of the
// pages it changes.
//
// The statement has a row as "(VALUES (?, …, ?))", which is repeated. To limit the number of prepared statements,
// the number of repetitions is a power of two or halfway between two of them, and the excess rows are NULL. An INSERT
// omits them by "SELECT * FROM (VALUES (…)) WHERE column1 IS NOT NULL"; elsewhere they match no id.
type Rows struct {
	width  int
	values []any
}

// NewRows returns empty Rows with capacity for n rows of width columns.
func NewRows(width, n int) *Rows {
	return &Rows{width: width, values: make([]any, 0, width*repeats(n)+3)} // and other parameters
}

// Add adds a row.
func (r *Rows) Add(values ...any) { r.values = append(r.values, values...) }

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.values) / r.width }

// Exec runs a statement on the rows, which are at most MostRows. more are its other
// parameters.
func (r *Rows) Exec(ctx context.Context, tx Tx, query string, more ...any) (sql.Result, error) {
	query, args, err := r.statement(query, more)
	if err != nil {
		return nil, err
	}
	return tx.ExecContext(ctx, query, args...)
}

// Query is Exec for a statement that answers.
func (r *Rows) Query(ctx context.Context, tx Tx, query string, more ...any) (*sql.Rows, error) {
	query, args, err := r.statement(query, more)
	if err != nil {
		return nil, err
	}
	return tx.QueryContext(ctx, query, args...)
}

func (r *Rows) statement(query string, more []any) (text string, args []any, err error) {
	n := r.Len()
	if n == 0 || n > MostRows || len(r.values)%r.width != 0 {
		return "", nil, fmt.Errorf("sqlitex: %d values of rows of %d columns, want 1 to %d rows", len(r.values), r.width, MostRows)
	}
	n = repeats(n)
	first, _, found := strings.Cut(query, rowBegins)
	if !found {
		return "", nil, fmt.Errorf("sqlitex: no row %q in %s", rowBegins, query)
	}
	before := min(strings.Count(first, "?"), len(more))
	if before > 0 {
		args = append(make([]any, 0, len(more)+n*r.width), more[:before]...)
		args = append(args, r.values...)
	} else {
		args = r.values
	}
	for range n*r.width - len(r.values) {
		args = append(args, nil)
	}
	args = append(args, more[before:]...)
	return RepeatRow(query, n), args, nil
}

// repeats returns how often the row of a statement is repeated for n of them.
func repeats(n int) int {
	power := 1
	for power < n {
		power *= 2
	}
	if between := power / 4 * 3; between >= n {
		return between
	}
	return power
}

const rowBegins = "(VALUES ("

// repeated caches the results of RepeatRow: some ten for each statement with rows.
var repeated sync.Map // of repetition, string

type repetition struct {
	query string
	n     int
}

// RepeatRow returns the statement for n rows if query is for one, and query itself if it has no rows.
func RepeatRow(query string, n int) string {
	begins := strings.Index(query, rowBegins)
	if n == 1 || begins < 0 {
		return query
	}
	key := repetition{query, n}
	if text, ok := repeated.Load(key); ok {
		return text.(string) //nolint:forcetypeassert // as stored below
	}
	at := begins + len(rowBegins)
	end := at + strings.IndexByte(query[at:], ')')
	text := query[:end+1] + strings.Repeat(", ("+query[at:end+1], n-1) + query[end+1:]
	repeated.Store(key, text)
	return text
}
