//go:build unix

package gateway

import (
	"net"
	"syscall"
)

// peek looks at a connection without waiting and without taking anything. What that takes
// is made once for each connection.
type peek struct {
	raw  syscall.RawConn
	look func(fd uintptr) bool
	// quiet: there was nothing to read the last time.
	quiet bool
}

// byPeer reports whether the other side has closed the connection. Bytes that nobody asked
// for are as bad.
func (p *peek) byPeer(conn net.Conn) bool {
	if p.raw == nil {
		s, ok := conn.(syscall.Conn)
		if !ok {
			return false // in memory: the other side ends with this process
		}
		raw, err := s.SyscallConn()
		if err != nil {
			return true
		}
		p.raw, p.look = raw, p.peek
	}
	p.quiet = false
	err := p.raw.Read(p.look)
	return err != nil || !p.quiet
}

func (p *peek) peek(fd uintptr) bool {
	var one [1]byte
	n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	p.quiet = n <= 0 && (err == syscall.EAGAIN || err == syscall.EWOULDBLOCK || err == syscall.EINTR)
	return true
}
