package sqlitex

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// childFile names, in a child process, the database it is to work on.
const childFile = "ECF_SQLITEX_CHILD_FILE"

// TestMain turns this program into the writer of another process's test when
// told to.
func TestMain(m *testing.M) {
	if path := os.Getenv(childFile); path != "" {
		if err := child(path, os.Getenv("ECF_SQLITEX_CHILD_TASK")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// child works on the file at path: "append" writes pairs of rows from several
// goroutines and tells each pair once it is acknowledged, without end; "count"
// adds to a counter; "race" changes a value while a statement reads it.
func child(path, task string) error {
	ctx := context.Background()
	db, err := Open(ctx, path, testTable)
	if err != nil {
		return err
	}
	if task == "count" {
		for range increments {
			if err := db.Write(ctx, increment); err != nil {
				return err
			}
		}
		return db.Close()
	}
	var wg sync.WaitGroup
	if task == "race" {
		value := make([]byte, 1<<10)
		wg.Go(func() { value[1] = 1 })
		var length int
		err := db.QueryRowContext(ctx, `SELECT LENGTH(?)`, value).Scan(&length)
		wg.Wait()
		return errors.Join(err, db.Close())
	}
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				id := fmt.Sprintf("%d-%d", w, i)
				if err := db.Write(ctx, pair(id, 200)); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				// One short write each: lines of several goroutines do not mix.
				_, _ = os.Stdout.WriteString(id + "\n")
			}
		})
	}
	wg.Wait()
	return nil
}

func startChild(t *testing.T, path, task string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childFile+"="+path, "ECF_SQLITEX_CHILD_TASK="+task)
	cmd.Stderr = os.Stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(stdout)
}

// TestWhatWasAcknowledgedSurvivesKill kills a writer in the middle of its work,
// several times over the same file.
func TestWhatWasAcknowledgedSurvivesKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	for round := range 3 {
		cmd, lines := startChild(t, path, "append")
		acknowledged := map[string]bool{}
		for lines.Scan() {
			acknowledged[lines.Text()] = true
			if len(acknowledged) == 150+round*77 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				// What it still said before it died counts as well.
			}
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != -1 {
			t.Fatalf("the writer was not killed: %v", err)
		}

		db, err := Open(t.Context(), path, testTable)
		if err != nil {
			t.Fatal(err)
		}
		halves := map[string]int{}
		found, err := db.QueryContext(t.Context(), `SELECT id FROM t WHERE LENGTH(body) = 200`)
		if err != nil {
			t.Fatal(err)
		}
		for found.Next() {
			var id string
			if err := found.Scan(&id); err != nil {
				t.Fatal(err)
			}
			halves[id[:strings.LastIndex(id, "-")]]++
		}
		if err := errors.Join(found.Err(), found.Close()); err != nil {
			t.Fatal(err)
		}
		t.Logf("round %d: %d acknowledged, %d stored", round, len(acknowledged), len(halves))
		for id := range acknowledged {
			if halves[id] == 0 {
				t.Errorf("%s was acknowledged and is lost", id)
			}
		}
		for id, n := range halves {
			if n != 2 {
				t.Errorf("%s was written by half", id)
			}
		}
		var verdict string
		if err := db.QueryRowContext(t.Context(), `PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
			t.Errorf("integrity check: %s, %v", verdict, err)
		}
		mustWrite(t, db, func(ctx context.Context, tx Tx) error {
			_, err := tx.ExecContext(ctx, `DELETE FROM t`)
			return err
		})
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

const increments = 100

// increment reads a counter and writes it one higher.
func increment(ctx context.Context, tx Tx) error {
	var n int
	if err := tx.QueryRowContext(ctx, `SELECT n FROM t WHERE id = 'counter'`).Scan(&n); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE t SET n = ? WHERE id = 'counter'`, n+1)
	return err
}

// TestSeveralProcessesShareAFile lets two handles of this process and two other
// processes add to one counter.
func TestSeveralProcessesShareAFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	handles := []*DB{openAt(t, path), openAt(t, path)}
	mustWrite(t, handles[0], func(ctx context.Context, tx Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO t (id, n) VALUES ('counter', 0)`)
		return err
	})
	var children []*exec.Cmd
	for range 2 {
		cmd, _ := startChild(t, path, "count")
		children = append(children, cmd)
	}
	var wg sync.WaitGroup
	for _, db := range handles {
		for range 4 {
			wg.Go(func() {
				for range increments / 4 {
					if err := db.Write(t.Context(), increment); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	for i, db := range handles {
		var n int
		if err := db.QueryRowContext(t.Context(), `SELECT n FROM t WHERE id = 'counter'`).Scan(&n); err != nil || n != 4*increments {
			t.Errorf("handle %d counts %d, want %d (%v)", i, n, 4*increments, err)
		}
	}
}

// TestAHandleSeesWhatAnotherWasToldIsWritten reads with one handle each write
// acknowledged to the other.
func TestAHandleSeesWhatAnotherWasToldIsWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	a, b := openAt(t, path), openAt(t, path)
	for i := range 50 {
		mustWrite(t, a, put(fmt.Sprint(i)))
		if got := rows(t, b); got != i+1 {
			t.Fatalf("after %d writes the other handle sees %d", i+1, got)
		}
	}
}

// TestManyOpenANewFileAtOnce is the start of several processes at once.
func TestManyOpenANewFileAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			db, err := Open(t.Context(), path, testTable)
			if err != nil {
				t.Error(err)
				return
			}
			if err := db.Write(t.Context(), put(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := rows(t, openAt(t, path)); got != 8 {
		t.Errorf("%d rows, want 8", got)
	}
}

// TestAWriterGivesUpOnALockItCannotGet holds the file's lock from another
// handle: the write fails in bounded time, once for a whole batch.
func TestAWriterGivesUpOnALockItCannotGet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "test.db")
	holder, db := openAt(t, path), openAt(t, path)
	if _, err := db.writer.conn.ExecContext(t.Context(), `PRAGMA busy_timeout = 200`); err != nil {
		t.Fatal(err)
	}
	open := gate(t, holder)
	defer open()
	const writes = 100 // one after the other they would give up after 20 s
	begun := time.Now()
	var wg sync.WaitGroup
	for i := range writes {
		wg.Go(func() {
			if err := db.Write(t.Context(), put(fmt.Sprint(i))); err == nil {
				t.Error("written although another handle has the lock")
			}
		})
	}
	wg.Wait()
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("%d writes gave up after %v", writes, took)
	}
	open()
	mustWrite(t, db, put("after"))
}
