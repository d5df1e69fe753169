package sqlitex

import (
	"modernc.org/sqlite"
	"modernc.org/sqlite/pcache"
)

// The page cache that SQLite comes with has one lock for all connections of the process,
// taken for each page that is looked at: a goroutine that is interrupted while it holds it keeps all
// others waiting. With this one each connection has a cache, and no lock of others.
func init() {
	if err := sqlite.RegisterPageCache(pcache.New()); err != nil {
		panic(err) // somebody has opened a database before any package was initialized
	}
}
