//go:build unix

package gateway

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// socket is what a connection is to the system. What using it takes is made once for each
// connection.
type socket struct {
	raw  syscall.RawConn
	none bool // it is none: in memory, the other side ends with this process
	step func(fd uintptr) bool

	// What step works on, and what it has found.
	look    bool
	request []byte
	answer  []byte
	n       int
	err     error
}

// of makes s the socket of a connection, and reports whether it has one.
func (s *socket) of(conn net.Conn) bool {
	if s.raw != nil || s.none {
		return !s.none
	}
	c, ok := conn.(syscall.Conn)
	if !ok {
		s.none = true
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		s.none = true
		return false
	}
	s.raw, s.step = raw, s.exchange
	return true
}

// quiet reports whether the connection is open and has nothing to read: bytes that nobody
// asked for are as bad as its end. It takes nothing.
func (s *socket) quiet() bool {
	quiet := false
	err := s.raw.Read(func(fd uintptr) bool {
		quiet = isQuiet(fd)
		return true
	})
	return err == nil && quiet
}

func isQuiet(fd uintptr) bool {
	var one [1]byte
	n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
	return n <= 0 && (wouldBlock(err) || errors.Is(err, syscall.EINTR))
}

func wouldBlock(err error) bool {
	return errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EWOULDBLOCK)
}

// ask sends a request and reads into answer what comes first. Where look is set, it first makes
// sure that the connection is still open, and returns errGone, with nothing sent, if it is not.
// Rest is what could not be sent at once; then nothing was read.
//
// The runtime learns of what can be read by changes. It begins to wait for one before the
// request is sent, so that none is missed, and nothing is read in vain.
func (s *socket) ask(request, answer []byte, look bool) (n int, rest []byte, err error) {
	s.look, s.request, s.answer, s.n, s.err = look, request, answer, 0, nil
	err = s.raw.Read(s.step)
	n, rest = s.n, s.request
	if err == nil {
		err = s.err
	}
	s.request, s.answer = nil, nil
	return n, rest, err
}

// exchange takes the next step of ask, and reports whether it was the last.
func (s *socket) exchange(fd uintptr) bool {
	if s.look {
		s.look = false
		if !isQuiet(fd) {
			s.err = errGone
			return true
		}
	}
	if len(s.request) > 0 {
		n, err := again(func() (int, error) { return syscall.Write(int(fd), s.request) })
		s.request = s.request[max(n, 0):]
		if err != nil && !wouldBlock(err) {
			s.err = os.NewSyscallError("write", err)
			return true
		}
		return len(s.request) > 0
	}
	n, err := again(func() (int, error) { return syscall.Read(int(fd), s.answer) })
	switch {
	case wouldBlock(err):
		return false
	case err != nil:
		s.err = os.NewSyscallError("read", err)
	case n == 0:
		s.err = io.EOF
	}
	s.n = max(n, 0)
	return true
}

// again repeats a call that a signal has interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
