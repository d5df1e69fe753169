package sqlitex

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// killedAfter returns a database as a killed process leaves it: with a number of rows, each of a commit of its own that is
// in the log only. It returns where in the log the frames of each commit end.
func killedAfter(t *testing.T, commits int) (path string, ends []int64) {
	t.Helper()
	dir := t.TempDir()
	db, err := Open(t.Context(), filepath.Join(dir, "test.db"), Component{Name: "t", Steps: []Step{Statements(1, "CREATE TABLE t (id TEXT PRIMARY KEY, body TEXT)")}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // it is copied before
	size := func() int64 {
		info, err := os.Stat(filepath.Join(dir, "test.db-wal"))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	ends = append(ends, size())
	for n := range commits {
		mustWrite(t, db, func(ctx context.Context, tx Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO t (id, body) VALUES (?, '')`, fmt.Sprint(n))
			return err
		})
		ends = append(ends, size())
	}
	left := t.TempDir()
	if err := os.CopyFS(left, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(left, "test.db-shm")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(left, "test.db"), ends
}

// TestCommitsBehindDamageOfTheLogAreReported: SQLite ignores what is behind a damaged frame of the log without an error.
// That is right for a commit that a crash has left unfinished, and for nothing else.
func TestCommitsBehindDamageOfTheLogAreReported(t *testing.T) {
	t.Parallel()
	const commits = 5
	flip := func(b []byte, at int64) { b[at] ^= 1 }
	for name, c := range map[string]struct {
		damage        func(log []byte, ends []int64) []byte
		commits, rows int
	}{
		"none":                      {func(log []byte, _ []int64) []byte { return log }, 0, commits},
		"a page in the middle":      {func(log []byte, ends []int64) []byte { flip(log, ends[2]+frameHeader+100); return log }, 2, 2},
		"the header of a frame":     {func(log []byte, ends []int64) []byte { flip(log, ends[2]+8); return log }, 2, 2},
		"the header of the log":     {func(log []byte, _ []int64) []byte { flip(log, 17); return log }, commits + 1, 0},
		"the last page, unfinished": {func(log []byte, ends []int64) []byte { flip(log, ends[commits]-1); return log }, 0, commits - 1},
		"the end, cut off":          {func(log []byte, ends []int64) []byte { return log[:ends[commits]-10] }, 0, commits - 1},
		"frames of an earlier use":  {func(log []byte, ends []int64) []byte { return append(log, earlier(log[ends[0]:])...) }, 0, commits},
		"a page before unfinished ones": {func(log []byte, ends []int64) []byte {
			flip(log, ends[commits-1]+frameHeader)
			return log[:ends[commits]-10]
		}, 0, commits - 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, ends := killedAfter(t, commits)
			log, err := os.ReadFile(path + "-wal")
			if err != nil {
				t.Fatal(err)
			}
			log = c.damage(log[:ends[commits]], ends)
			if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
				t.Fatal(err)
			}
			for again := range 2 {
				got, err := SetDamagedLogAside(t.Context(), path)
				if want := c.commits * (1 - again); err != nil || got.Commits < want || want == 0 && got.Commits > 0 {
					t.Errorf("call %d: %+v %v, want %d commits", again+1, got, err, want)
				}
				if got.Copy == "" {
					continue
				}
				if kept, err := os.ReadFile(got.Copy); err != nil || !bytes.Equal(kept, log) {
					t.Errorf("the copy is not the log: %v", err)
				}
			}
			copies, err := DamagedLogs(path)
			if err != nil || len(copies) != min(c.commits, 1) {
				t.Errorf("copies: %v %v", copies, err)
			}
			db, err := Open(t.Context(), path, Component{Name: "t", Steps: []Step{Statements(1, "CREATE TABLE t (id TEXT PRIMARY KEY, body TEXT)")}})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			if n := rows(t, db); n != c.rows {
				t.Errorf("%d rows, want %d", n, c.rows)
			}
		})
	}
}

// earlier returns frames as they are of an earlier use of the log.
func earlier(frames []byte) []byte {
	old := bytes.Clone(frames)
	for at := 0; at < len(old); at += frameHeader + pageSize {
		old[at+8] ^= 1
	}
	return old
}

// TestDamageOfThePages: pages that were overwritten are found, also those of an index, which queries may not notice.
func TestDamageOfThePages(t *testing.T) {
	t.Parallel()
	path, _ := killedAfter(t, 5)
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := db.Damage(t.Context()); err != nil || len(found) > 0 {
		t.Errorf("undamaged: %q %v", found, err)
	}
	var page int64
	if err := db.Read().QueryRowContext(t.Context(), `SELECT rootpage FROM sqlite_master WHERE type = 'index' AND tbl_name = 't'`).Scan(&page); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte("damage"), page*pageSize-6); err != nil { // in the oldest entry of the index
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = Open(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if found, err := db.Damage(t.Context()); err != nil || len(found) == 0 {
		t.Errorf("damaged: %q %v", found, err)
	}
}
