package testkit

import (
	"net"
	"sync"
	"time"

	"github.com/alicebob/miniredis/v2"
)

// embeddedRedis is the imitation of a Redis server. It serves a listener of its own
// instead of letting miniredis listen, whose port is not free at once after its end
// (see unlisten).
type embeddedRedis struct {
	*miniredis.Miniredis
	listener net.Listener // nil while it is stopped
	accepted sync.WaitGroup
}

// startEmbedded starts the imitation and advances its clock, without which no key would
// expire.
func (s *RedisServer) startEmbedded() {
	s.t.Helper()
	if len(s.args) > 0 {
		s.needReal("an option of Redis")
	}
	e := &embeddedRedis{Miniredis: miniredis.NewMiniRedis()}
	// A port that FreePort gives to no other test while the server is stopped.
	s.embedded, s.addr = e, localAddr(FreePort(s.t))
	if err := e.start(s.addr); err != nil {
		s.t.Fatalf("start the embedded Redis: %v", err)
	}

	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(pollInterval)
		defer tick.Stop()
		for last := time.Now(); ; {
			select {
			case <-stop:
				return
			case now := <-tick.C:
				e.FastForward(now.Sub(last))
				last = now
			}
		}
	}()
	s.t.Cleanup(func() {
		close(stop)
		<-stopped
		e.stop(true)
	})
}

// start listens on an address. It does nothing if the server runs.
func (e *embeddedRedis) start(addr string) error {
	if e.listener != nil {
		return nil
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	// The first connection in memory starts a server that does not listen.
	conn, err := e.Dial()
	if err != nil {
		return err
	}
	_ = conn.Close()
	e.listener = listener
	server := e.Server()
	e.accepted.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			server.ServeConn(conn)
		}
	})
	return nil
}

// stop ends all connections, and deletes the contents unless they are kept. It does
// nothing if the server does not run.
func (e *embeddedRedis) stop(kept bool) {
	if e.listener == nil {
		return
	}
	_ = unlisten(e.listener)
	e.listener = nil
	e.accepted.Wait()
	e.Close()
	if !kept {
		e.FlushAll()
	}
}
