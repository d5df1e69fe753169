//go:build unix

package gateway

import (
	"net"
	"syscall"
)

// closedByPeer looks, without waiting and without taking anything, whether the
// other side has closed the connection. Bytes that nobody asked for are as bad.
func closedByPeer(conn net.Conn) bool {
	s, ok := conn.(syscall.Conn)
	if !ok {
		return false // in memory: the other side ends with this process
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return true
	}
	closed := false
	err = raw.Read(func(fd uintptr) bool {
		var one [1]byte
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet := n <= 0 && (err == syscall.EAGAIN || err == syscall.EWOULDBLOCK || err == syscall.EINTR)
		closed = !quiet
		return true
	})
	return closed || err != nil
}
