package sqlitex

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
)

// MostRows is how many rows one statement takes at most.
const MostRows = 256

// Rows are rows that one statement takes at once, where a statement for each would
// cost the engine more: each makes a journal of the pages it changes.
//
// The statement has a row as "(VALUES (?, …, ?))", which is repeated. There are not as
// many prepared statements as there are numbers of rows: what is repeated is a power of
// two or halfway between two of them, and the rows beyond the last one are NULL. An INSERT leaves them out by
// "SELECT * FROM (VALUES (…)) WHERE column1 IS NOT NULL"; that no id is NULL does it elsewhere.
type Rows struct {
	width  int
	values []any
}

// NewRows returns no rows yet, with room for n of so many columns.
func NewRows(width, n int) *Rows {
	return &Rows{width: width, values: make([]any, 0, width*repeats(n)+3)} // and other parameters
}

// Add adds a row.
func (r *Rows) Add(values ...any) { r.values = append(r.values, values...) }

// Len returns how many rows there are.
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

// repeated are the statements that RepeatRow has made: some ten of each that takes rows.
var repeated sync.Map // of repetition, string

type repetition struct {
	query string
	n     int
}

// RepeatRow returns the statement that takes n rows where query takes one, and query
// itself where it takes none.
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
