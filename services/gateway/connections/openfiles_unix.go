//go:build unix

package connections

import "syscall"

// OpenFiles returns how many files and connections the process may have open at once.
func OpenFiles() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 2 * inTotal
	}
	return uint64(limit.Cur) //nolint:unconvert // signed on some systems
}
