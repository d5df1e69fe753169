package sqlitex

import (
	"context"
	"database/sql"
	"sync"
)

// statementLimit bounds the number of cached prepared statements. A program has far fewer; one that builds its
// queries from values must not leak memory.
const statementLimit = 256

// statements caches prepared statements by their text. Compiling a statement costs about as much as running one.
type statements struct {
	prepare func(ctx context.Context, query string) (*sql.Stmt, error)

	mu     sync.Mutex
	byText map[string]*sql.Stmt
}

// of returns the prepared statement of a query, nil if it cannot be prepared: the caller then runs the text itself,
// which also returns the error.
func (s *statements) of(ctx context.Context, query string) *sql.Stmt {
	s.mu.Lock()
	stmt, full := s.byText[query], len(s.byText) >= statementLimit
	s.mu.Unlock()
	if stmt != nil || full {
		return stmt
	}
	// Not under the lock: preparing may wait for a connection whose holder is waiting for a statement here.
	stmt, err := s.prepare(ctx, query)
	if err != nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if first := s.byText[query]; first != nil {
		_ = stmt.Close()
		return first
	}
	if s.byText == nil {
		s.byText = map[string]*sql.Stmt{}
	}
	s.byText[query] = stmt
	return stmt
}

// QueryContext runs a query on the pool of readers, prepared once.
func (db *DB) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	db.reads.Add(1)
	if stmt := db.prepared.of(ctx, query); stmt != nil {
		return stmt.QueryContext(ctx, args...)
	}
	return db.readers.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a prepared query for one row found by an index, on the pool of readers. Once begun it is not
// interrupted when ctx ends: the driver uses a goroutine for each interruptible query, which takes as long as finding
// the row. A query that scans many rows should use QueryContext.
func (db *DB) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	db.reads.Add(1)
	if stats := db.readers.Stats(); stats.InUse < stats.MaxOpenConnections && ctx.Err() == nil {
		ctx = context.WithoutCancel(ctx) // no connection has to be waited for
	}
	if stmt := db.prepared.of(ctx, query); stmt != nil {
		return stmt.QueryRowContext(ctx, args...)
	}
	return db.readers.QueryRowContext(ctx, query, args...)
}
