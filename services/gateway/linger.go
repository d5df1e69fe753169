package gateway

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// How long and how much a connection that the gateway ends by itself goes on
// taking what its client still sends.
const (
	lingerTime  = 2 * time.Second
	lingerBytes = 32 << 20
)

// Linger makes a listener whose connections end gently. A client that sends too
// large a body is answered 413 before it has sent everything; if the connection
// were simply closed then, the client's system would throw the answer away
// together with the connection, and the client would see a broken pipe.
func Linger(ln net.Listener) net.Listener { return lingering{ln} }

type lingering struct{ net.Listener }

func (l lingering) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		return &lingeringConn{TCPConn: tcp}, nil
	}
	return conn, err
}

type lingeringConn struct {
	*net.TCPConn
	// waits: the server waits for the client, so no answer can get lost; it
	// stays so when reading has failed or the client has ended the connection.
	waits atomic.Bool
	close sync.Once
}

func (c *lingeringConn) Read(b []byte) (int, error) {
	c.waits.Store(true)
	n, err := c.TCPConn.Read(b)
	c.waits.Store(err != nil)
	return n, err
}

// Close ends the sending side at once, and the rest when the client has seen
// it or had its time.
func (c *lingeringConn) Close() error {
	var err error
	c.close.Do(func() {
		if c.waits.Load() {
			err = c.TCPConn.Close()
			return
		}
		if err = c.CloseWrite(); err != nil {
			_ = c.TCPConn.Close()
			return
		}
		go func() {
			_ = c.SetReadDeadline(time.Now().Add(lingerTime))
			_, _ = io.CopyN(io.Discard, c.TCPConn, lingerBytes)
			_ = c.TCPConn.Close()
		}()
	})
	return err
}
