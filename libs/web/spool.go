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
	// spoolTotal is how many bytes of files one process keeps at a time, and spoolShare
	// how many of them are one organization's: with what a file is turned into, two of
	// the largest ones.
	spoolTotal = 128 << 20
	spoolShare = 64 << 20
	// Where there is no directory for them, files are kept in memory, and so fewer.
	spoolTotalInMemory = 48 << 20
	spoolShareInMemory = 32 << 20
)

// Spool keeps the bodies of streamed operations on disk while they are worked on, and
// answers until they are sent, in a directory that nobody else can read. Its files have no
// names there, so that none outlives the process.
type Spool struct {
	parent       string // of the directory
	total, share int

	once   sync.Once
	onDisk bool
	budget *fairshare.Budget

	mu  sync.Mutex
	dir string
}

// NewSpool returns a spool with a directory in parent, by default the system's one for
// temporary files (TMPDIR). It is made when a file needs it.
func NewSpool(parent string) *Spool { return NewSpoolOf(parent, spoolTotal, spoolShare) }

// NewSpoolOf is NewSpool with room for total bytes, of which one organization may have share.
func NewSpoolOf(parent string, total, share int) *Spool {
	return &Spool{parent: parent, total: total, share: share}
}

// open makes the directory; where none can be made, files stay in memory.
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

// leftFor is how long an empty directory has not been used until it is taken for that of a
// process that was killed.
const leftFor = time.Hour

// tidy removes the directories that processes which were killed have left. One that is in use
// after all is made again when it is needed.
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
			_ = os.Remove(dir) // fails where it has files, or is somebody else's
		}
	}
}

// Remove removes the directory. It is not named Close: fasthttp closes whatever a
// request keeps, when the request ends.
func (s *Spool) Remove() error {
	s.open()
	if !s.onDisk {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return os.RemoveAll(s.dir)
}

// create makes a file in the directory. One that has gone is made again: systems remove what
// has long not been used from where temporary files are.
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

// File is what a request has brought, what that was turned into, or what it is answered
// with. It is gone when the request ends.
type File struct {
	spool    *Spool
	org      string
	reserved int
	size     int
	memory   []byte
	disk     *os.File
}

// FileOf returns the body of a streamed operation; of any other request that body in
// memory.
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

// Derived returns a new, empty file beside f, of the same organization. The caller
// closes it.
func (f *File) Derived() *File { return &File{spool: f.spool, org: f.org} }

// New returns a new, empty file of an organization, which the caller closes. A nil spool
// has its files in memory, and any number of them.
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

// Section returns a reader of n bytes of the file, of which the first is number at.
func (f *File) Section(at, n int) io.Reader {
	if f.disk != nil {
		return io.NewSectionReader(f.disk, int64(at), int64(n))
	}
	return bytes.NewReader(f.memory[at : at+n])
}

// Write appends to the file. The error is UNAVAILABLE where too much is kept already.
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
		Message: "The file cannot be kept right now. Nothing was changed; please try again."}).Because(err)
}

// toDisk moves what there is of a file to disk.
func (f *File) toDisk() error {
	disk, err := f.spool.create()
	if err != nil {
		return err
	}
	// Without a name it cannot outlive the process. Where that does not work, Close does it.
	_ = os.Remove(disk.Name())
	if _, err := disk.Write(f.memory); err != nil {
		return errors.Join(err, disk.Close())
	}
	f.disk, f.memory = disk, nil
	return nil
}

// reserve makes sure that a file may have n bytes.
func (f *File) reserve(n int) error {
	if f.spool == nil || n <= f.reserved {
		return nil
	}
	f.spool.open()
	more := max(n-f.reserved, spooledInMemory)
	if !f.spool.budget.Take(f.org, more) {
		return &apperr.Error{Code: apperr.Unavailable, RetryAfter: time.Second,
			Message: "Too many files are being received or sent at once. Nothing was changed; please try again."}
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
	_ = os.Remove(disk.Name()) // most often it has no name any more
	return disk.Close()
}
