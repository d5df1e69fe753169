package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

const (
	// checkpointAfter is how many pages are added to the write-ahead log before those in it are
	// written into the file. SQLite's own choice is the same, but it lets the commit
	// that finds so many do it, in front of all writes that wait.
	checkpointAfter = 1000
	// checkpointMost is how many pages the log may have before a commit does it after all:
	// while it is written to without a pause, it begins anew only then.
	checkpointMost = 8000
)

// checkpointer writes the log into the file while writes go on, over a connection of its
// own. Where it is not known how much is in the log, the writer does it.
type checkpointer struct {
	pool  *sql.DB
	index *walIndex
	due   chan struct{}
	idle  chan struct{} // closed when run has ended
}

// startCheckpoints begins to write the log of a file into it, and tells its writer to leave
// that alone. The result is nil where it cannot be done, or a file is never to be written into.
func startCheckpoints(path string, w *writer, closing <-chan struct{}) (*checkpointer, error) {
	index := indexOf(path)
	if index == nil {
		return nil, nil //nolint:nilnil // the writer does it
	}
	var pages int
	if err := w.conn.QueryRowContext(context.Background(), "PRAGMA wal_autocheckpoint").Scan(&pages); err != nil {
		return nil, fmt.Errorf("read wal_autocheckpoint: %w", err)
	}
	if pages == 0 {
		return nil, nil //nolint:nilnil // it is switched off, also by its own setting
	}
	pool, err := sql.Open("sqlite", dsn(path, durable))
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	if _, err := w.conn.ExecContext(context.Background(), fmt.Sprintf("PRAGMA wal_autocheckpoint = %d", checkpointMost)); err != nil {
		return nil, errors.Join(err, pool.Close())
	}
	c := &checkpointer{pool: pool, index: index, due: make(chan struct{}, 1), idle: make(chan struct{})}
	go c.run(closing)
	return c, nil
}

// committed looks how much is in the log.
func (c *checkpointer) committed() {
	if c == nil || c.left() < checkpointAfter {
		return
	}
	select {
	case c.due <- struct{}{}:
	default: // it is told already
	}
}

// left returns how many pages of the log are not in the file.
func (c *checkpointer) left() uint32 {
	header, ok := c.index.header()
	written := c.index.written()
	if !ok || written > header.pages() { // it begins anew at this moment
		return 0
	}
	return header.pages() - written
}

func (c *checkpointer) run(closing <-chan struct{}) {
	defer close(c.idle)
	for {
		select {
		case <-c.due:
			if c.left() >= checkpointAfter {
				// What it leaves, because somebody reads an older state, the next one takes.
				_, _ = c.pool.ExecContext(context.Background(), "PRAGMA wal_checkpoint(PASSIVE)")
			}
		case <-closing:
			return
		}
	}
}

func (c *checkpointer) close() error {
	if c == nil {
		return nil
	}
	<-c.idle
	return c.pool.Close()
}
