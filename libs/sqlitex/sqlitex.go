// Package sqlitex opens the embedded storage engine: SQLite in WAL mode, one
// file, through a driver written in Go. Reads run concurrently; writes go
// through one queue with group commit: everything waiting is committed in one
// transaction, so that durability costs one fsync for many writers.
package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/eventcarbon/ecf/libs/fairshare"
)

// ErrClosed is returned by Write after Close.
var ErrClosed = errors.New("sqlitex: database is closed")

// Tx runs statements in the transaction of a write.
type Tx interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// DB is one open database file.
type DB struct {
	readers  *sql.DB
	prepared statements // of readers
	versions versions   // over a connection of readers
	pool     *sql.DB    // of one connection, which is writer
	writer   *writer
	queue    chan *write
	behind   chan *write // of writes under fairshare.LowPriority
	gather   gathering   // of the commit loop
	// checkpoints write the log into the file; nil: the writer does.
	checkpoints *checkpointer

	closing chan struct{}
	done    chan struct{}
	close   func() error

	reads, transactions, writes atomic.Int64
}

// Traffic counts the accesses to a file since it was opened.
type Traffic struct {
	// Reads are queries of the pool of readers, Transactions are calls of Snapshot, whatever they read, Writes are
	// calls of Write, and Statements those of writes.
	Reads, Transactions, Writes, Statements int64
}

// Traffic returns the number of accesses. Those through Read are not counted.
func (db *DB) Traffic() Traffic {
	return Traffic{Reads: db.reads.Load(), Transactions: db.transactions.Load(), Writes: db.writes.Load(), Statements: db.writer.asked.Load()}
}

// Since returns the accesses since an earlier state.
func (t Traffic) Since(earlier Traffic) Traffic {
	return Traffic{Reads: t.Reads - earlier.Reads, Transactions: t.Transactions - earlier.Transactions,
		Writes: t.Writes - earlier.Writes, Statements: t.Statements - earlier.Statements}
}

type write struct {
	ctx      context.Context
	run      func(context.Context, Tx) error
	result   chan error
	unsynced bool
	minor    bool
}

// dsn returns the driver's address of a file.
func dsn(path, extra string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?_pragma=busy_timeout(10000)" + extra
}

// synchronous=FULL: an acknowledged write survives a power cut, not only the
// death of the process.
const durable = "&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)"

// Open opens or creates the database at path and brings its components to
// their newest schema versions. It returns an error that wraps schema.ErrNewer,
// and changes nothing, if a newer release has made the file unreadable for this
// one. Several processes may have the same file open: SQLite's own locks order
// their writes.
func Open(ctx context.Context, path string, components ...Component) (*DB, error) {
	// If the file is created here, only its owner can ever read it; SQLite gives its auxiliary files the same
	// permissions.
	if file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600); err != nil { //nolint:gosec // the operator names the file
		return nil, fmt.Errorf("open %s: %w", path, err)
	} else if err := file.Close(); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if err := restrictPermissions(path); err != nil {
		return nil, err
	}
	separateCaches()
	useDatasync()
	leave, err := share(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	pool, err := sql.Open("sqlite", dsn(path, durable))
	if err != nil {
		_ = leave()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	pool.SetMaxOpenConns(1)
	readers, err := sql.Open("sqlite", dsn(path, durable+"&_pragma=query_only(ON)"))
	if err != nil {
		_ = errors.Join(pool.Close(), leave())
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	// One more, used by versions.
	readers.SetMaxOpenConns(max(4, 2*runtime.GOMAXPROCS(0)) + 1)
	readers.SetMaxIdleConns(max(4, 2*runtime.GOMAXPROCS(0)) + 1)
	writer, err := newWriter(ctx, pool, components)
	if err != nil {
		_ = errors.Join(pool.Close(), readers.Close(), leave())
		return nil, fmt.Errorf("prepare %s: %w", path, err)
	}
	db := &DB{
		readers:  readers,
		prepared: statements{prepare: readers.PrepareContext},
		versions: versions{pool: readers, index: indexOf(path)},
		pool:     pool,
		writer:   writer,
		queue:    make(chan *write, batchLimit),
		behind:   make(chan *write, batchLimit),
		closing:  make(chan struct{}),
		done:     make(chan struct{}),
	}
	writer.versions = &db.versions
	if db.checkpoints, err = startCheckpoints(path, writer, db.closing); err != nil {
		_ = errors.Join(writer.close(), pool.Close(), readers.Close(), leave())
		return nil, fmt.Errorf("prepare %s: %w", path, err)
	}
	unwatch := watchDisk(path)
	db.close = sync.OnceValue(func() error {
		close(db.closing)
		<-db.done
		unwatch()
		db.versions.close()
		err := errors.Join(db.readers.Close(), db.checkpoints.close())
		// After a clean stop the file alone is the whole database. If another process has it open, that one's stop
		// does it.
		_, _ = db.writer.conn.ExecContext(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)")
		return errors.Join(err, db.writer.close(), db.pool.Close(), leave())
	})
	go db.commitLoop()
	return db, nil
}

// Snapshot begins a transaction whose queries all read the same state of the file. The caller must end it with
// Rollback.
func (db *DB) Snapshot(ctx context.Context) (*sql.Tx, error) {
	db.transactions.Add(1)
	return db.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
}

// Read returns the pool for queries. Statements that write fail on it.
func (db *DB) Read() *sql.DB { return db.readers }

// Ping returns an error unless the file can be read.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	return Wrap("ask the file", db.readers.QueryRowContext(ctx, "SELECT 1").Scan(&one))
}

// Write runs fn in a transaction and returns after its commit. An error of fn
// rolls back the writes of fn, and nothing else. If ctx ends before fn has begun, fn
// is not run; once begun it is not interrupted, so the outcome is definite: nil
// means durable, an error means not written.
//
// fn may be run more than once: if a transaction shared with other writes
// failed, each of them is retried separately. Variables of the caller that it sets must
// have the values of its last run. It must not call Write.
//
// If the engine cannot write now (the disk is full or fails, another process
// locks the file for too long) or is closed, the error is UNAVAILABLE: the request
// itself is valid.
//
// With the context of a Together it is part of that transaction. With that of fairshare.LowPriority
// it has low priority: it is executed while no other write waits, or after some of the others. With
// that of Unsynced it is durable only with the next synced write. With that of Minor it leaves MajorVersion unchanged.
func (db *DB) Write(ctx context.Context, fn func(context.Context, Tx) error) error {
	if gathered, err := db.gathered(ctx, fn); gathered {
		return err
	}
	db.writes.Add(1)
	return unavailable("Nothing can be written right now.", db.enqueue(ctx, fn))
}

func (db *DB) enqueue(ctx context.Context, fn func(context.Context, Tx) error) error {
	w := &write{ctx: ctx, run: fn, result: make(chan error, 1), unsynced: isUnsynced(ctx), minor: isMinor(ctx)}
	select {
	case <-db.closing:
		return ErrClosed
	default:
	}
	queue := db.queue
	if fairshare.IsLowPriority(ctx) {
		queue = db.behind
	}
	select {
	case queue <- w: // most contexts allocate their channel on demand
	default:
		select {
		case queue <- w:
		case <-ctx.Done():
			return ctx.Err()
		case <-db.closing:
			return ErrClosed
		}
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

// Close waits for the queued writes and closes the file. Closing again returns the same result.
func (db *DB) Close() error { return db.close() }

// IsDuplicate reports whether err is the violation of a unique index or key.
func IsDuplicate(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return false
	}
	return e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

// IsFull reports whether err means that the disk, or the file's size limit, is
// exhausted. Shared memory is a file, which grows when a database is opened.
func IsFull(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && (e.Code()&0xff == sqlite3.SQLITE_FULL || e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE)
}
