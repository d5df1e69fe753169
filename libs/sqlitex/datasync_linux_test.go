package sqlitex

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// file is passed to datasync by its address, which must not change.
var file sqlite3.TunixFile

func address(f *func(*libc.TLS, uintptr, int32) int32) uintptr { return *(*uintptr)(unsafe.Pointer(f)) }

// TestACommitIsSyncedByDatasync counts the syncs of the log, which are those of SQLite's function table. It must not
// run in parallel: the table is one for the process.
func TestACommitIsSyncedByDatasync(t *testing.T) {
	db := openNew(t)
	replaced := datasync
	for name, methods := range map[string]*sqlite3.Tsqlite3_io_methods{"database": &posixMethods, "log": &nolockMethods} {
		if methods.FxSync != address(&replaced) {
			t.Errorf("the %s is synced by another function", name)
		}
	}
	var syncs atomic.Int64
	counted := func(tls *libc.TLS, file uintptr, flags int32) int32 {
		syncs.Add(1)
		return datasync(tls, file, flags)
	}
	nolockMethods.FxSync = address(&counted)
	t.Cleanup(func() { nolockMethods.FxSync = address(&replaced) })
	for i, key := range []string{"a", "b", "c"} {
		before := syncs.Load()
		if err := db.Write(t.Context(), put(key)); err != nil {
			t.Fatal(err)
		}
		if syncs.Load() == before {
			t.Errorf("write %d was acknowledged without a sync of the log", i)
		}
	}
	failing := func(*libc.TLS, uintptr, int32) int32 { return sqlite3.SQLITE_IOERR_FSYNC }
	nolockMethods.FxSync = address(&failing)
	err := db.Write(t.Context(), put("d"))
	nolockMethods.FxSync = address(&replaced)
	if err == nil || rows(t, db) != 3 {
		t.Errorf("%v and %d rows after a sync that failed, want an error and 3", err, rows(t, db))
	}
	runtime.KeepAlive(counted) // of which SQLite has only the address
	runtime.KeepAlive(failing)
	if err := db.Write(t.Context(), put("d")); err != nil || rows(t, db) != 4 {
		t.Errorf("%v and %d rows once it succeeds again, want 4", err, rows(t, db))
	}
}

func TestDatasyncReportsItsError(t *testing.T) {
	read, write, err := os.Pipe() // cannot be synced
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = read.Close(), write.Close() }()
	file = sqlite3.TunixFile{Fh: int32(read.Fd())}
	if code := datasync(nil, uintptr(unsafe.Pointer(&file)), sqlite3.SQLITE_SYNC_NORMAL); code != sqlite3.SQLITE_IOERR_FSYNC || syscall.Errno(file.FlastErrno) != syscall.EINVAL {
		t.Errorf("code %d, error %v; want SQLITE_IOERR_FSYNC (%d) and EINVAL", code, syscall.Errno(file.FlastErrno), sqlite3.SQLITE_IOERR_FSYNC)
	}
}

// TestTheDirectoryOfANewFileIsSynced has SQLite's own function called for a file whose directory has to be synced,
// too: without that a file created before a power failure can be missing after it.
func TestTheDirectoryOfANewFileIsSynced(t *testing.T) {
	openNew(t) // installs datasync
	was := fsync
	t.Cleanup(func() { fsync = was })
	file = sqlite3.TunixFile{Fh: -1, FctrlFlags: sqlite3.UNIXFILE_DIRSYNC}
	id := uintptr(unsafe.Pointer(&file))
	var got uintptr
	original := func(_ *libc.TLS, file uintptr, flags int32) int32 {
		got = file
		return flags
	}
	fsync = address(&original)
	defer runtime.KeepAlive(original)
	if code := datasync(nil, id, sqlite3.SQLITE_SYNC_FULL); code != sqlite3.SQLITE_SYNC_FULL || got != id {
		t.Errorf("%d for the file %x, want SQLite's own answer for %x", code, got, id)
	}
}
