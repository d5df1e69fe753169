//go:build linux || darwin

package sqlitex

import "syscall"

// diskSpace returns the free and the total bytes of the disk of a directory, as available to this process.
func diskSpace(dir string) (left, all int64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, false
	}
	block := int64(s.Bsize)                                       //nolint:unconvert // its type is another on other systems
	return int64(s.Bavail) * block, int64(s.Blocks) * block, true //nolint:gosec // no disk has 2^63 bytes
}
