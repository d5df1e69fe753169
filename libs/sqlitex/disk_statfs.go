//go:build linux || darwin

package sqlitex

import "syscall"

// room returns how many bytes are left to this process on the disk of a folder, and
// how many it has.
func room(dir string) (left, all int64, ok bool) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return 0, 0, false
	}
	block := int64(s.Bsize)                                       //nolint:unconvert // its type is another on other systems
	return int64(s.Bavail) * block, int64(s.Blocks) * block, true //nolint:gosec // no disk has 2^63 bytes
}
