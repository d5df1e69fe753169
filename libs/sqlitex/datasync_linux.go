package sqlitex

import (
	"errors"
	"sync"
	"syscall"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// posixMethods are the functions by which SQLite uses a database, and nolockMethods those for all other files, like
// the log.
//
//go:linkname posixMethods modernc.org/sqlite/lib._posixIoMethods
var posixMethods sqlite3.Tsqlite3_io_methods

//go:linkname nolockMethods modernc.org/sqlite/lib._nolockIoMethods
var nolockMethods sqlite3.Tsqlite3_io_methods

// fsync is the function of SQLite that datasync replaces. Like a C function pointer in the driver's translation, it
// is the address of a function value.
var fsync uintptr

// useDatasync lets files be synced by fdatasync, as where SQLite is built with HAVE_FDATASYNC; the driver's is not,
// and calls fsync. That writes the time of the last change, too, which differs after every commit, and for which a
// file system with a journal, such as ext4 or XFS, has to commit its own transaction.
var useDatasync = sync.OnceFunc(func() {
	fsync = posixMethods.FxSync
	replacement := datasync
	for _, methods := range []*sqlite3.Tsqlite3_io_methods{&posixMethods, &nolockMethods} {
		methods.FxSync = *(*uintptr)(unsafe.Pointer(&replacement)) //nolint:gosec // as in the translation
	}
})

// datasync implements sqlite3_io_methods.xSync.
func datasync(tls *libc.TLS, id uintptr, flags int32) int32 {
	file := *(**sqlite3.TunixFile)(unsafe.Pointer(&id)) //nolint:gosec // as in the translation
	if file.FctrlFlags&sqlite3.UNIXFILE_DIRSYNC != 0 {  // new: its directory is synced, too
		return (*(*func(*libc.TLS, uintptr, int32) int32)(unsafe.Pointer(&fsync)))(tls, id, flags) //nolint:gosec // as in the translation
	}
	for {
		err := syscall.Fdatasync(int(file.Fh))
		if err == nil {
			return sqlite3.SQLITE_OK
		}
		if number, ok := errors.AsType[syscall.Errno](err); ok && number != syscall.EINTR {
			file.FlastErrno = int32(number) //nolint:gosec // small
			return sqlite3.SQLITE_IOERR_FSYNC
		}
	}
}
