package web

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofiber/fiber/v2"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/fairshare"
)

const (
	// spooledInMemory is the largest file that is kept in memory.
	spooledInMemory = 64 << 10
	// spoolTotal is the number of bytes of files that a process keeps at a time, and
	// spoolShare the part of one organization: two of the largest files, with what they
	// are converted to.
	spoolTotal = 128 << 20
	spoolShare = 64 << 20
	// The total without a directory, when files are kept in memory.
	spoolTotalInMemory = 48 << 20
	spoolShareInMemory = 32 << 20
)

// Spool stores the bodies of streamed operations while they are processed, and
// responses until they are sent, in files of a directory that no other user can read.
// The files are unlinked at once, so none outlives the process.
type Spool struct {
	parent       string // of the directory
	total, share int

	once   sync.Once
	onDisk bool
	budget *fairshare.Budget

	mu  sync.Mutex
	dir string
}

// NewSpool returns a spool with a directory in parent, by default the system's
// directory for temporary files (TMPDIR). The directory is created when a file needs
// it.
func NewSpool(parent string) *Spool { return NewSpoolOf(parent, spoolTotal, spoolShare) }

// NewSpoolOf is NewSpool with a limit of total bytes, and of share bytes per
// organization.
func NewSpoolOf(parent string, total, share int) *Spool {
	return &Spool{parent: parent, total: total, share: share}
}

// open creates the directory; if that fails, files stay in memory.
func (s *Spool) open() {
	s.once.Do(func() {
		s.tidy()
		if dir, err := os.MkdirTemp(s.parent, "ecf-spool-"); err == nil { // 0700
			s.dir, s.onDisk, s.budget = dir, true, fairshare.NewBudget(s.total, s.share)
			return
		}
		s.budget = fairshare.NewBudget(min(s.total, spoolTotalInMemory), min(s.share, spoolShareInMemory))
	})
}

// leftFor is how long an empty directory must be unused to be considered that of a
// killed process.
const leftFor = time.Hour

// tidy removes the directories left by killed processes. One that is in use after all
// is created again when needed.
func (s *Spool) tidy() {
	parent := s.parent
	if parent == "" {
		parent = os.TempDir()
	}
	left, err := filepath.Glob(filepath.Join(parent, "ecf-spool-*"))
	if err != nil {
		return
	}
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && info.IsDir() && time.Since(info.ModTime()) > leftFor {
			_ = os.Remove(dir) // fails if it contains files or belongs to another user
		}
	}
}

// Remove removes the directory. It is not named Close, because fasthttp closes all
// values of a request that implement io.Closer when the request ends.
func (s *Spool) Remove() error {
	s.open()
	if !s.onDisk {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return os.RemoveAll(s.dir)
}

// create creates a file in the directory, and the directory if it is missing: systems
// remove old directories of temporary files.
func (s *Spool) create() (*os.File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	file, err := os.CreateTemp(s.dir, "") // 0600
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	made, err := os.MkdirTemp(s.parent, "ecf-spool-") // 0700
	if err != nil {
		return nil, err
	}
	s.dir = made
	return os.CreateTemp(s.dir, "")
}

// File is what a request has uploaded, what that was converted to, or a response. It is
// removed when the request ends.
type File struct {
	spool    *Spool
	org      string
	reserved int
	size     int
	memory   []byte
	disk     *os.File
}

// FileOf returns the body of a streamed operation, or the in-memory body of any other
// request as a file.
func FileOf(c *fiber.Ctx) *File {
	if f, ok := c.Locals(keyFile).(*File); ok {
		return f
	}
	body := c.Request().Body()
	return &File{memory: body, size: len(body)}
}

// FileAs is FileOf for a body of one of several media types, with the checks of BodyAs.
func FileAs(c *fiber.Ctx, types ...string) (*File, error) {
	f := FileOf(c)
	if f.size == 0 {
		return f, nil
	}
	return f, checkMedia(c, types)
}

// Derived returns a new, empty file of the same organization. The caller closes it.
func (f *File) Derived() *File { return &File{spool: f.spool, org: f.org} }

// New returns a new, empty file of an organization, which the caller closes. A nil
// spool keeps files in memory, without limits.
func (s *Spool) New(org string) *File { return &File{spool: s, org: org} }

// Size returns the number of bytes in the file.
func (f *File) Size() int { return f.size }

// Reader returns a reader of the whole file.
func (f *File) Reader() io.Reader {
	if f.disk != nil {
		return io.NewSectionReader(f.disk, 0, int64(f.size))
	}
	return bytes.NewReader(f.memory)
}

// Section returns a reader of n bytes of the file from offset at.
func (f *File) Section(at, n int) io.Reader {
	if f.disk != nil {
		return io.NewSectionReader(f.disk, int64(at), int64(n))
	}
	return bytes.NewReader(f.memory[at : at+n])
}

// Write appends to the file. The error is UNAVAILABLE if the limit of stored bytes is
// reached.
func (f *File) Write(p []byte) (int, error) {
	if err := f.reserve(f.size + len(p)); err != nil {
		return 0, err
	}
	if f.disk == nil && (f.spool == nil || !f.spool.onDisk || f.size+len(p) <= spooledInMemory) {
		f.memory = append(f.memory, p...)
		f.size += len(p)
		return len(p), nil
	}
	if f.disk == nil {
		if err := f.toDisk(); err != nil {
			return 0, notKept(err)
		}
	}
	n, err := f.disk.Write(p)
	f.size += n
	if err != nil {
		return n, notKept(err)
	}
	return n, nil
}

func notKept(err error) error {
	return (&apperr.Error{Code: apperr.Unavailable, RetryAfter: 5 * time.Second,
		Message: "The file cannot be stored at present. Nothing was changed; please try again."}).Because(err)
}

// toDisk moves the file from memory to disk.
func (f *File) toDisk() error {
	disk, err := f.spool.create()
	if err != nil {
		return err
	}
	// Unlinked, it cannot outlive the process. If that fails, Close removes it.
	_ = os.Remove(disk.Name())
	if _, err := disk.Write(f.memory); err != nil {
		return errors.Join(err, disk.Close())
	}
	f.disk, f.memory = disk, nil
	return nil
}

// reserve reserves space so that the file may have n bytes.
func (f *File) reserve(n int) error {
	if f.spool == nil || n <= f.reserved {
		return nil
	}
	f.spool.open()
	more := max(n-f.reserved, spooledInMemory)
	if !f.spool.budget.Take(f.org, more) {
		return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
			Message: "Too many files are being received or sent. Nothing was changed; please try again."}
	}
	f.reserved += more
	return nil
}

// Close removes the file.
func (f *File) Close() error {
	if f.spool != nil && f.reserved > 0 {
		f.spool.budget.Put(f.org, f.reserved)
		f.reserved = 0
	}
	if f.disk == nil {
		return nil
	}
	disk := f.disk
	f.disk, f.size = nil, 0
	_ = os.Remove(disk.Name()) // usually already unlinked
	return disk.Close()
}
