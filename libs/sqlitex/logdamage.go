package sqlitex

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	files "github.com/eventcarbon/ecf/libs/durable"
)

// The layout of the write-ahead log (https://www.sqlite.org/walformat.html): a header, then frames, each a header and a
// page of the database. Numbers are big-endian. The checksum of a frame covers all frames before it.
const (
	logHeader   = 32
	frameHeader = 24
	logMagic    = 0x377f0682 // the last bit is the byte order of the checksums
	pageSize    = 4096       // by default
)

// LogDamage is what cannot be read of a write-ahead log.
type LogDamage struct {
	// Frame is the first one that differs from what was written, from 1; 0 for the header of the log.
	Frame int64
	// Commits is the number of commits behind it. SQLite ignores them, as it must ignore what a crash left of a last,
	// unfinished commit.
	Commits int
	// Copy is the path of the copy that was made of the log.
	Copy string
}

// rereadLogAfter is the time between two readings of a log, in which another process may write what the first one has missed.
const rereadLogAfter = 50 * time.Millisecond

// SetDamagedLogAside reports whether the write-ahead log of the database at path, which need not exist, is damaged before
// its last commit. If so it copies the log to a file beside it (DamagedLogs), lets SQLite apply the commits before the
// damage, and empties the log, so that the damage is reported once. It must be called before Open, in which SQLite ignores
// the other commits silently.
//
// A loss of power can damage commits that were not synced, which are those of Unsynced, or were never acknowledged. Any
// other damage is that of a disk, or of a program that wrote into the file.
func SetDamagedLogAside(ctx context.Context, path string) (LogDamage, error) {
	damage, err := readLog(path + "-wal")
	if err != nil || damage.Commits == 0 {
		return LogDamage{}, err
	}
	// Another process may be writing: then the frame is complete soon.
	select {
	case <-time.After(rereadLogAfter):
	case <-ctx.Done():
		return LogDamage{}, ctx.Err()
	}
	if again, err := readLog(path + "-wal"); err != nil || again != damage {
		return LogDamage{}, err
	}
	if damage.Copy, err = copyBeside(path + "-wal"); err != nil {
		return damage, fmt.Errorf("copy the damaged log: %w", err)
	}
	pool, err := sql.Open("sqlite", dsn(path, durable))
	if err != nil {
		return damage, err
	}
	_, err = pool.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return damage, Wrap("apply the log before the damage", errors.Join(err, pool.Close()))
}

// damagedLog is what the names of copies have behind that of the log, followed by a number.
const damagedLog = ".damaged-"

// DamagedLogs returns the paths of the copies of damaged logs of the database at path.
func DamagedLogs(path string) ([]string, error) {
	return filepath.Glob(path + "-wal" + damagedLog + "*")
}

// copyBeside copies a log durably to the first of its names that does not exist, and returns it.
func copyBeside(path string) (target string, err error) {
	source, err := os.Open(path) //nolint:gosec // beside the file that the operator names
	if err != nil {
		return "", err
	}
	defer source.Close() //nolint:errcheck // only read
	var file *os.File
	for n := 1; ; n++ {
		target = fmt.Sprint(path, damagedLog, n)
		if file, err = files.New(target); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, source)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(target))
	}
	return target, files.Sync(filepath.Dir(target))
}

// readLog returns the damage of a log. Commits is 0 if it is whole, or if what is behind the first wrong frame is no commit.
func readLog(path string) (LogDamage, error) {
	file, err := os.Open(path) //nolint:gosec // beside the file that the operator names
	if errors.Is(err, fs.ErrNotExist) {
		return LogDamage{}, nil
	}
	if err != nil {
		return LogDamage{}, err
	}
	defer file.Close() //nolint:errcheck // only read
	return damageOf(bufio.NewReaderSize(file, 1<<20))
}

// damageOf is readLog.
func damageOf(log io.Reader) (LogDamage, error) {
	var head [logHeader]byte
	if _, err := io.ReadFull(log, head[:]); err != nil {
		return LogDamage{}, atEnd(err)
	}
	word := func(b []byte, at int) uint32 { return binary.BigEndian.Uint32(b[4*at:]) }
	sum := checksum{order: binary.LittleEndian}
	if word(head[:], 0)&1 == 1 {
		sum.order = binary.BigEndian
	}
	sum.add(head[:logHeader-8])
	whole := word(head[:], 0)&^1 == logMagic && sum.is(head[logHeader-8:])
	size := int64(word(head[:], 2))
	if !whole {
		size = pageSize // that of a new database; its own is in what is damaged
	}
	generation := head[16:24] // random numbers; frames of an earlier use of the file have others
	found := LogDamage{}
	frame := make([]byte, frameHeader+size)
	for n := int64(1); ; n++ {
		if _, err := io.ReadFull(log, frame); err != nil {
			return found, atEnd(err)
		}
		if !whole && n == 1 {
			generation = bytes.Clone(frame[8:16])
		}
		ours := bytes.Equal(frame[8:16], generation)
		if whole {
			if ours {
				sum.add(frame[:8])
				sum.add(frame[frameHeader:])
			}
			if ours && sum.is(frame[16:frameHeader]) {
				continue
			}
			// A process that is killed may leave the last frame half written, whatever its header says.
			whole, found.Frame = false, n
			continue
		}
		// The second number is the size of the database after a commit, and 0 in other frames.
		if ours && word(frame, 1) != 0 {
			found.Commits++
		}
	}
}

// atEnd returns nil if err is that of the end of a file.
func atEnd(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

// checksum is that of a log.
type checksum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (c *checksum) add(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		c.a += c.order.Uint32(data) + c.b
		c.b += c.order.Uint32(data[4:]) + c.a
	}
}

// is reports whether a checksum is that of a header.
func (c *checksum) is(written []byte) bool {
	return c.a == binary.BigEndian.Uint32(written) && c.b == binary.BigEndian.Uint32(written[4:])
}
