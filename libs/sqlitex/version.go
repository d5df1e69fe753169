package sqlitex

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// versions detects changes of the file: through its shared memory or, if that cannot be read, by a query on a
// separate connection.
type versions struct {
	pool *sql.DB

	mu sync.Mutex
	// index is the shared memory; nil: it cannot be read. seen is the header that was
	// found last, and states how many others were before it.
	index  *walIndex
	seen   indexHeader
	states int64
	// major is states without those that differ from the one before only by minor writes of this process.
	major  int64
	closed bool

	conn *sql.Conn
	ask  driver.StmtQueryContext
	row  [1]driver.Value
	// epoch counts the connections: the numbers of two of them are not compared.
	epoch int64
}

// Version identifies a state of the file: while it is unchanged nothing has been committed, by this process or
// another one. It costs almost nothing, and a small part of a query if the shared memory of the file cannot be read.
type Version struct{ Epoch, Number int64 }

// Version returns the present version.
func (db *DB) Version(ctx context.Context) (Version, error) {
	v, err := db.versions.now(ctx, false)
	if err != nil {
		return Version{}, fmt.Errorf("read version of the file: %w", err)
	}
	return v, nil
}

// now returns the present version; with major it may be that of a state before minor writes.
func (v *versions) now(ctx context.Context, major bool) (Version, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if header, ok := v.header(); ok {
		if header != v.seen {
			v.seen, v.states, v.major = header, v.states+1, v.major+1
		}
		if major {
			return Version{Number: v.major}, nil
		}
		return Version{Number: v.states}, nil // not a connection's: their epochs begin with 1
	}
	if v.closed {
		return Version{}, ErrClosed
	}
	if v.conn == nil {
		if err := v.open(ctx); err != nil {
			return Version{}, err
		}
	}
	found := Version{Epoch: v.epoch}
	// Not by the caller's context: a connection interrupted in a query is closed.
	var err error
	if found.Number, err = v.number(context.WithoutCancel(ctx)); err != nil {
		v.shut()
		return Version{}, err
	}
	return found, nil
}

// header reads the header of the shared memory.
func (v *versions) header() (indexHeader, bool) {
	if v.index == nil {
		return indexHeader{}, false
	}
	return v.index.header()
}

// number queries the driver directly: the query takes a few microseconds, and database/sql would take as much again.
func (v *versions) number(ctx context.Context) (int64, error) {
	rows, err := v.ask.QueryContext(ctx, nil)
	if err != nil {
		return 0, err
	}
	err = rows.Next(v.row[:])
	if err := errors.Join(err, rows.Close()); err != nil {
		return 0, err
	}
	n, ok := v.row[0].(int64)
	if !ok {
		return 0, fmt.Errorf("data_version is %T", v.row[0])
	}
	return n, nil
}

// open opens a connection, on which data_version changes with every commit of any other.
func (v *versions) open(ctx context.Context) error {
	conn, err := v.pool.Conn(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	var ask driver.StmtQueryContext
	err = conn.Raw(func(c any) error {
		preparer, ok := c.(driver.ConnPrepareContext)
		if !ok {
			return fmt.Errorf("%T prepares no statements", c)
		}
		stmt, err := preparer.PrepareContext(context.WithoutCancel(ctx), "PRAGMA data_version")
		if err != nil {
			return err
		}
		if ask, ok = stmt.(driver.StmtQueryContext); !ok {
			return errors.Join(fmt.Errorf("%T is not asked by context", stmt), stmt.Close())
		}
		return nil
	})
	if err != nil {
		_ = conn.Close()
		return err
	}
	v.conn, v.ask, v.epoch = conn, ask, v.epoch+1
	return nil
}

func (v *versions) shut() {
	if v.conn != nil {
		if stmt, ok := v.ask.(driver.Stmt); ok {
			_ = stmt.Close()
		}
		_ = v.conn.Close()
		v.conn, v.ask = nil, nil
	}
}

// close releases the connection and the shared memory.
func (v *versions) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.index, v.closed = nil, true
	v.shut()
}
