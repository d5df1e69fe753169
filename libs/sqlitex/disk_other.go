//go:build !linux && !darwin

package sqlitex

// room is not supported on this platform.
func room(string) (left, all int64, ok bool) { return 0, 0, false }
