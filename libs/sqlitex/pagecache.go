package sqlitex

import (
	"sync"
	_ "unsafe" // for go:linkname

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// pcache is what the page caches of SQLite's connections have in common. Where SQLite is built to give
// memory back on demand (SQLITE_ENABLE_MEMORY_MANAGEMENT), as the driver's is, they are one
// group, with one lock for all connections of the process that is taken for each page: a
// goroutine that loses its processor while it holds it keeps all others waiting. SQLite
// has both ways and decides when it is initialized (pcache1Init); the driver has no setting for
// it, and its own replacement of the cache takes a quarter more of a processor for a write.
//
//go:linkname pcache modernc.org/sqlite/lib._pcache1_g
var pcache sqlite3.TPCacheGlobal

// separateCaches gives each connection opened from now on its own page cache.
var separateCaches = sync.OnceFunc(func() {
	tls := libc.NewTLS()
	defer tls.Close()
	if code := sqlite3.Xsqlite3_initialize(tls); code != sqlite3.SQLITE_OK {
		return // the first connection reports the error
	}
	pcache.FseparateCache = 1
})
