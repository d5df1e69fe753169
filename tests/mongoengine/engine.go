package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"github.com/FerretDB/FerretDB/ferretdb"
)

// engine is FerretDB on SQLite files, reachable on a Unix socket that only the
// serializing front uses. Direct use is unsafe: its updates read and write in two
// steps.
type engine struct {
	socket string
	cancel context.CancelFunc
	done   chan struct{}
}

// startEngine opens the databases in dir, an existing directory. Telemetry is off: the
// embedded form never reports. Warnings are written to logs.
func startEngine(dir string, logs io.Writer) (*engine, error) {
	socket := filepath.Join(dir, "engine.sock")
	if err := removeStaleSocket(socket); err != nil {
		return nil, err
	}
	db, err := ferretdb.New(&ferretdb.Config{
		Listener: ferretdb.ListenerConfig{Unix: socket},
		Logger:   slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelError})),
		Handler:  "sqlite",
		// Nothing here needs to survive a crash of the machine, so no write is synced
		// to disk.
		SQLiteURL: "file:" + filepath.ToSlash(dir) + "/?_pragma=synchronous(off)",
	})
	if err != nil {
		return nil, fmt.Errorf("start FerretDB: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &engine{socket: socket, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(e.done)
		// Run returns no useful error: it returns when ctx is done.
		_ = db.Run(ctx)
	}()
	return e, nil
}

// removeStaleSocket removes the socket of an engine that was killed, which would be
// "already in use". An engine that answers on it keeps it: two of them would change the
// same files in turn.
func removeStaleSocket(socket string) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(context.Background(), "unix", socket)
	switch {
	case err == nil:
		_ = conn.Close()
		return fmt.Errorf("another mongoengine is using %s", filepath.Dir(socket))
	case errors.Is(err, syscall.ECONNREFUSED):
		return os.Remove(socket)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	default:
		return err
	}
}

// stop stops the engine and waits until its files are closed.
func (e *engine) stop() {
	e.cancel()
	<-e.done
}
