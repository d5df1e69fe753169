package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"
)

// engineTimeout limits one command. Test data is small, so a slower command has hit a
// fault of the engine, and must not block other clients for ever.
const engineTimeout = time.Minute

// front accepts clients and passes one command at a time to the engine, over all
// connections, including reads. This makes the engine's updates atomic: FerretDB reads
// the documents, changes them and writes them back.
//
// The lock is held only while the engine works, never while the front waits for a
// client: a client that stops in the middle of a message, does not read its reply,
// gives up or dies blocks no other. A command that arrived completely is executed even
// if its client has disconnected, as on a real server.
type front struct {
	listener net.Listener
	socket   string
	logger   *slog.Logger

	turn sync.Mutex // held by the command in progress

	mu      sync.Mutex
	closing bool
	clients map[net.Conn]struct{}
	wg      sync.WaitGroup
}

// startFront listens on address and serves until stop is called.
func startFront(address, socket string, logs io.Writer) (*front, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
	if err != nil {
		return nil, err
	}
	f := &front{
		listener: listener,
		socket:   socket,
		logger:   slog.New(slog.NewTextHandler(logs, nil)),
		clients:  map[net.Conn]struct{}{},
	}
	f.wg.Go(f.accept)
	return f, nil
}

// uri returns the URI of the front. Neither option is required; both avoid work that is
// pointless with a single server: directConnection the discovery of the topology,
// retryWrites=false the transaction numbers.
func (f *front) uri() string {
	return fmt.Sprintf("mongodb://%s/?directConnection=true&retryWrites=false", f.listener.Addr())
}

// stop closes the listener and all connections and waits for their goroutines.
func (f *front) stop() {
	_ = f.listener.Close()
	f.mu.Lock()
	f.closing = true
	for c := range f.clients {
		_ = c.Close()
	}
	f.mu.Unlock()
	f.wg.Wait()
}

func (f *front) accept() {
	for {
		client, err := f.listener.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				f.logger.Error("accept", "error", err)
			}
			return
		}
		f.mu.Lock()
		if f.closing {
			f.mu.Unlock()
			_ = client.Close()
			return
		}
		f.clients[client] = struct{}{}
		f.wg.Go(func() { f.serve(client) })
		f.mu.Unlock()
	}
}

// serve serves one client until either side closes. Each client has its own engine
// connection, because cursors belong to a connection.
func (f *front) serve(client net.Conn) {
	defer func() {
		_ = client.Close()
		f.mu.Lock()
		delete(f.clients, client)
		f.mu.Unlock()
	}()
	var dialer net.Dialer
	conn, err := dialer.DialContext(context.Background(), "unix", f.socket)
	if err != nil {
		f.logger.Error("connect to the engine", "error", err)
		return
	}
	defer conn.Close() //nolint:errcheck // nothing is buffered, nothing can be lost

	s := &session{turn: &f.turn, engine: conn, replies: bufio.NewReader(conn)}
	requests := bufio.NewReader(client)
	for {
		request, err := readMessage(requests)
		if err != nil {
			if errors.Is(err, errMalformed) {
				f.logger.Error("request", "error", err)
			}
			return
		}
		reply, err := s.handle(request)
		if err != nil {
			f.logger.Error("command", "error", err)
			return
		}
		if reply == nil {
			continue
		}
		if _, err := client.Write(reply); err != nil {
			return
		}
	}
}
