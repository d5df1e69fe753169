//go:build unix

package upstream

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
)

// socket is the file descriptor of a connection. What its use needs is allocated once
// for each connection.
type socket struct {
	raw  syscall.RawConn
	none bool // an in-memory connection: its peer ends with this process
	step func(fd uintptr) bool

	// The arguments and results of step.
	look    bool
	request []byte
	answer  []byte
	n       int
	err     error
}

// of initializes s for conn, and reports whether conn has a file descriptor.
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

// quiet reports whether the connection is open and has nothing to read; unsolicited
// data is as bad as the end of the connection. It consumes nothing.
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

// ask sends a request and reads the beginning of the response into answer. If look is
// set, it first verifies that the connection is still open, and returns errGone without
// sending anything if it is not. Rest is the part of the request that could not be sent
// at once; then nothing was read.
//
// The network poller is edge-triggered. It is armed before the request is sent, so no
// event is missed, and there is no read that finds nothing.
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

// exchange performs the next step of ask, and reports whether it was the last one.
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

// again repeats a system call that was interrupted by a signal.
func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
