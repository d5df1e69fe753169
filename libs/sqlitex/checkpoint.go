package sqlitex

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

const (
	// checkpointAfter is how many pages may be added to the write-ahead log before a checkpoint. SQLite has the same
	// default, but runs the checkpoint in the commit that exceeds it, before all waiting writes.
	checkpointAfter = 1000
	// checkpointMost is how many pages the log may have before a commit checkpoints after all: under continuous
	// writes the log restarts only then.
	checkpointMost = 8000
)

// checkpointer checkpoints the log concurrently with writes, over its own connection. If the size of the log is
// unknown, the writer does it.
type checkpointer struct {
	pool  *sql.DB
	index *walIndex
	due   chan struct{}
	idle  chan struct{} // closed when run has ended
}

// startCheckpoints starts the checkpointer of a file, and disables the automatic checkpoints of its writer. It
// returns nil if that is not possible or the file must not be checkpointed.
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

// committed checks the size of the log.
func (c *checkpointer) committed() {
	if c == nil || c.left() < checkpointAfter {
		return
	}
	select {
	case c.due <- struct{}{}:
	default: // already signaled
	}
}

// left returns the number of pages of the log that are not checkpointed.
func (c *checkpointer) left() uint32 {
	header, ok := c.index.header()
	written := c.index.written()
	if !ok || written > header.pages() { // the log is just restarting
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
				// Pages that cannot be checkpointed because of a reader remain for the next time.
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
