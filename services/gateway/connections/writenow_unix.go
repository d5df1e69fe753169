//go:build unix

package connections

import (
	"errors"
	"syscall"
)

// nonblocking reports whether writeNow is available.
const nonblocking = true

// writeNow writes what the send buffer has room for; the error is EAGAIN if that is
// nothing.
func writeNow(fd uintptr, b []byte) (int, error) {
	for {
		if n, err := syscall.Write(int(fd), b); !errors.Is(err, syscall.EINTR) {
			return n, err
		}
	}
}
