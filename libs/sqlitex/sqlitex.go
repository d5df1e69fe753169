// Package sqlitex opens the embedded storage engine: SQLite in WAL mode, one
// file, through a driver written in Go. Reads run side by side; writes go
// through one queue that commits everything waiting in one transaction (group
// commit), so that durability costs one fsync for many writers.
package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"sync"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// batchLimit bounds how many writes share one commit: enough to amortize the
// fsync, few enough that the first of them does not wait long.
const batchLimit = 128

// ErrClosed is returned by Write after Close.
var ErrClosed = errors.New("sqlitex: database is closed")

// Tx is what a write may use: the statements of one transaction.
type Tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// DB is one open database file.
type DB struct {
	readers *sql.DB
	writer  *sql.DB
	queue   chan *write
	closing chan struct{}
	done    chan struct{}
	once    sync.Once
}

type write struct {
	ctx    context.Context
	run    func(context.Context, Tx) error
	result chan error
}

// Open opens or creates the database at path and executes schema, statements
// that must be idempotent (CREATE … IF NOT EXISTS). Several processes may have
// the same file open: SQLite's own locks order their writes.
func Open(ctx context.Context, path string, schema ...string) (*DB, error) {
	dsn := func(extra string) string {
		// synchronous=FULL: an acknowledged write survives a power cut, not only
		// the death of the process.
		q := "_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)" + extra
		return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + q
	}
	writer, err := sql.Open("sqlite", dsn("&_txlock=immediate"))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	writer.SetMaxOpenConns(1)
	readers, err := sql.Open("sqlite", dsn("&_pragma=query_only(ON)"))
	if err != nil {
		_ = writer.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	readers.SetMaxOpenConns(max(4, 2*runtime.GOMAXPROCS(0)))
	readers.SetMaxIdleConns(max(4, 2*runtime.GOMAXPROCS(0)))
	for _, statement := range schema {
		if _, err := writer.ExecContext(ctx, statement); err != nil {
			_ = writer.Close()
			_ = readers.Close()
			return nil, fmt.Errorf("prepare %s: %w", path, err)
		}
	}
	db := &DB{
		readers: readers,
		writer:  writer,
		queue:   make(chan *write, batchLimit),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	go db.commitLoop()
	return db, nil
}

// Read gives the pool for queries. Statements that write fail on it.
func (db *DB) Read() *sql.DB { return db.readers }

// Ping reports whether the file can be read.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	return db.readers.QueryRowContext(ctx, "SELECT 1").Scan(&one)
}

// Write runs fn in a transaction and returns after its commit. An error of fn
// undoes what fn wrote, and nothing else. If ctx ends before fn has begun, fn
// is not run; once begun it is not interrupted, so the answer is definite: nil
// means durable, an error means not written.
func (db *DB) Write(ctx context.Context, fn func(context.Context, Tx) error) error {
	w := &write{ctx: ctx, run: fn, result: make(chan error, 1)}
	select {
	case <-db.closing:
		return ErrClosed
	default:
	}
	select {
	case db.queue <- w:
	case <-ctx.Done():
		return ctx.Err()
	case <-db.closing:
		return ErrClosed
	}
	select {
	case err := <-w.result:
		return err
	case <-db.done:
		// The loop may have answered just before it ended.
		select {
		case err := <-w.result:
			return err
		default:
			return ErrClosed
		}
	}
}

// Close waits for the writes already queued and closes the file.
func (db *DB) Close() error {
	db.once.Do(func() { close(db.closing) })
	<-db.done
	return errors.Join(db.readers.Close(), db.writer.Close())
}

func (db *DB) commitLoop() {
	defer close(db.done)
	for {
		var batch []*write
		select {
		case w := <-db.queue:
			batch = append(batch, w)
		case <-db.closing:
			for {
				select {
				case w := <-db.queue:
					batch = append(batch, w)
					continue
				default:
				}
				break
			}
			if len(batch) > 0 {
				db.commit(batch)
			}
			return
		}
	collect:
		for len(batch) < batchLimit {
			select {
			case w := <-db.queue:
				batch = append(batch, w)
			default:
				break collect
			}
		}
		db.commit(batch)
	}
}

// commit runs a batch in one transaction, each write under a savepoint of its
// own, and answers every caller after the commit.
func (db *DB) commit(batch []*write) {
	// Not the caller's context: a cancelled caller must not undo its neighbours.
	ctx := context.Background()
	results := make([]error, len(batch))
	err := func() error {
		tx, err := db.writer.BeginTx(ctx, nil)
		if err != nil {
			return err
		}
		for i, w := range batch {
			if results[i] = w.ctx.Err(); results[i] != nil {
				continue
			}
			if _, err := tx.ExecContext(ctx, "SAVEPOINT w"); err != nil {
				_ = tx.Rollback()
				return err
			}
			results[i] = runRecovered(context.WithoutCancel(w.ctx), w.run, tx)
			end := "RELEASE w"
			if results[i] != nil {
				end = "ROLLBACK TO w; RELEASE w"
			}
			if _, err := tx.ExecContext(ctx, end); err != nil {
				_ = tx.Rollback()
				return err
			}
		}
		return tx.Commit()
	}()
	for i, w := range batch {
		if err != nil && results[i] == nil {
			results[i] = fmt.Errorf("commit: %w", err)
		}
		w.result <- results[i]
	}
}

// runRecovered turns a panic of one write into its error: the loop serves all.
func runRecovered(ctx context.Context, run func(context.Context, Tx) error, tx Tx) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("sqlitex: write panicked: %v", r)
		}
	}()
	return run(ctx, tx)
}

// IsDuplicate reports whether err is the violation of a unique index or key.
func IsDuplicate(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

// IsFull reports whether err says that the disk, or the file's size limit, is
// exhausted.
func IsFull(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_FULL
}
