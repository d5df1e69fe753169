package sqlitex

import (
	"errors"
	"os"
	"sync"
)

// The file with the suffix -shm is shared memory of all processes that have the database open
// (https://www.sqlite.org/walformat.html). It begins with two copies of a header that each commit rewrites, and by
// which SQLite itself decides whether its caches are valid. Reading it takes neither a lock nor a system call.

// indexHeader is one copy of the header, in words of the machine's byte order.
type indexHeader [12]uint32

// pages returns how many pages are in the write-ahead log.
func (h *indexHeader) pages() uint32 { return h[4] }

// commits returns a number that increases by 1 with each commit, up to its overflow.
func (h *indexHeader) commits() uint32 { return h[2] }

// whole reports whether a header is one that was written to its end.
func (h *indexHeader) whole() bool {
	const format = 3007000
	var a, b uint32
	for i := 0; i < 10; i += 2 {
		a += h[i] + b
		b += h[i+1] + a
	}
	return h[0] == format && h[10] == a && h[11] == b
}

// sharedFile is a database that this process has open, however often.
type sharedFile struct {
	users int
	shm   *os.File // nil: not opened
	index *walIndex
}

// sharedFiles are those of this process. Closing any descriptor of a file releases all locks of the process on it,
// including those of SQLite (POSIX): so the descriptor for the shared memory stays open until this process has closed
// the database.
var sharedFiles = struct {
	sync.Mutex
	by map[fileID]*sharedFile
}{by: map[fileID]*sharedFile{}}

// share registers that the database at path is opened, and returns a function to call once all its connections are
// closed.
func share(path string) (leave func() error, err error) {
	id, err := identify(path)
	if err != nil {
		return nil, err
	}
	sharedFiles.Lock()
	defer sharedFiles.Unlock()
	f := sharedFiles.by[id]
	if f == nil {
		f = &sharedFile{}
		sharedFiles.by[id] = f
	}
	f.users++
	return sync.OnceValue(func() error {
		sharedFiles.Lock()
		defer sharedFiles.Unlock()
		if f.users--; f.users > 0 {
			return nil
		}
		delete(sharedFiles.by, id)
		return f.close()
	}), nil
}

func (f *sharedFile) close() error {
	if f.shm == nil {
		return nil
	}
	return errors.Join(f.index.unmap(), f.shm.Close())
}

// indexOf returns the shared memory of an open database, nil if it cannot be read.
func indexOf(path string) *walIndex {
	id, err := identify(path)
	if err != nil {
		return nil
	}
	sharedFiles.Lock()
	defer sharedFiles.Unlock()
	f := sharedFiles.by[id]
	if f == nil || f.shm != nil {
		return f.mapped()
	}
	shm, err := os.Open(path + "-shm") //nolint:gosec // beside the file that the operator names
	if err != nil {
		return nil
	}
	// From here on it stays open, mapped or not.
	f.shm = shm
	f.index = mapIndex(shm)
	return f.index
}

func (f *sharedFile) mapped() *walIndex {
	if f == nil {
		return nil
	}
	return f.index
}
