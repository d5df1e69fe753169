//go:build !linux

package sqlitex

// useDatasync does nothing: SQLite syncs files as is usual on the system.
func useDatasync() {}
