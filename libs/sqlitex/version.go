package sqlitex

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// versions asks one connection of its own whether the file has changed.
type versions struct {
	pool *sql.DB

	mu   sync.Mutex
	conn *sql.Conn
	ask  *sql.Stmt
	// epoch counts the connections: the numbers of two of them are not compared.
	epoch int64
}

// Version identifies a state of the file: as long as it stays the same nothing
// has been committed, by this process or by another one. It costs a small part
// of any query.
type Version struct{ Epoch, Number int64 }

// Version returns the present version.
func (db *DB) Version(ctx context.Context) (Version, error) {
	v, err := db.versions.now(ctx)
	if err != nil {
		return Version{}, fmt.Errorf("read version of the file: %w", err)
	}
	return v, nil
}

func (v *versions) now(ctx context.Context) (Version, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.conn == nil {
		if err := v.open(ctx); err != nil {
			return Version{}, err
		}
	}
	found := Version{Epoch: v.epoch}
	// Not by the caller's context: a connection interrupted in a query is closed.
	if err := v.ask.QueryRowContext(context.WithoutCancel(ctx)).Scan(&found.Number); err != nil {
		v.shut()
		return Version{}, err
	}
	return found, nil
}

// open takes a connection, on which data_version changes with every commit made
// over any other.
func (v *versions) open(ctx context.Context) error {
	conn, err := v.pool.Conn(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	ask, err := conn.PrepareContext(context.WithoutCancel(ctx), "PRAGMA data_version")
	if err != nil {
		_ = conn.Close()
		return err
	}
	v.conn, v.ask, v.epoch = conn, ask, v.epoch+1
	return nil
}

func (v *versions) shut() {
	if v.conn != nil {
		_ = v.ask.Close()
		_ = v.conn.Close()
		v.conn, v.ask = nil, nil
	}
}

// close gives the connection back.
func (v *versions) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.shut()
}
