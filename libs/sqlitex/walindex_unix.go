//go:build linux || darwin

package sqlitex

import (
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// fileID identifies a file regardless of its name.
type fileID struct{ device, inode uint64 }

func identify(path string) (fileID, error) {
	var s syscall.Stat_t
	if err := syscall.Stat(path, &s); err != nil {
		return fileID{}, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return fileID{uint64(s.Dev), s.Ino}, nil //nolint:unconvert // the types are others on other systems
}

// walIndex is the beginning of the shared memory of a database.
type walIndex struct{ memory []byte }

// mapIndex maps it, and returns nil where that is not possible.
func mapIndex(shm *os.File) *walIndex {
	size := 2*int(unsafe.Sizeof(indexHeader{})) + 4
	if info, err := shm.Stat(); err != nil || info.Size() < int64(size) {
		return nil
	}
	memory, err := syscall.Mmap(int(shm.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	return &walIndex{memory}
}

func (x *walIndex) unmap() error {
	if x == nil {
		return nil
	}
	return syscall.Munmap(x.memory)
}

// header returns the current header; ok is false while it is being written, or if its writer crashed: then SQLite
// recovers it.
func (x *walIndex) header() (h indexHeader, ok bool) {
	words := (*[2 * len(h)]uint32)(unsafe.Pointer(&x.memory[0])) //nolint:gosec // other processes write there
	var second indexHeader
	// A writer begins with the second copy: if both are equal when read in this order, they are complete.
	for i := range h {
		h[i] = atomic.LoadUint32(&words[i])
	}
	for i := range second {
		second[i] = atomic.LoadUint32(&words[len(h)+i])
	}
	return h, h == second && h.whole()
}

// written returns how many pages of the log are in the file already.
func (x *walIndex) written() uint32 {
	// Both copies are followed by the state of checkpoints (WalCkptInfo).
	return atomic.LoadUint32((*uint32)(unsafe.Pointer(&x.memory[2*unsafe.Sizeof(indexHeader{})]))) //nolint:gosec // as above
}
