//go:build !linux && !darwin

package sqlitex

// diskSpace is not supported on this platform.
func diskSpace(string) (left, all int64, ok bool) { return 0, 0, false }
