package durable_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/durable"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// createIn names the directory in which the test binary creates files until it is killed.
const createIn = "TEST_CREATE_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(createIn); dir != "" {
		for i := 0; ; i++ {
			if err := durable.Create(filepath.Join(dir, fmt.Sprint(i)), []byte("secret")); err != nil {
				panic(err)
			}
		}
	}
	os.Exit(m.Run())
}

func hidden(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestCreate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	if err := durable.Create(path, []byte("first")); err != nil {
		t.Fatal(err)
	}
	if err := durable.Create(path, []byte("second")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v", err)
	}
	text, err := os.ReadFile(path) //nolint:gosec // a file of the test
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || string(text) != "first" || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, mode %v: %v %v", text, info.Mode(), err, statErr)
	}
	if left := hidden(t, dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := durable.Create(filepath.Join(dir, "absent", "key"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in an absent directory: %v", err)
	}
}

// TestNew: an empty file is created for its owner only, and never in the place of another one.
func TestNew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "database")
	f, err := durable.New(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteString("content")
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if f, err := durable.New(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v %v", f, err)
	}
	text, err := os.ReadFile(path) //nolint:gosec // a file of the test
	info, statErr := os.Stat(path)
	if err != nil || statErr != nil || string(text) != "content" || info.Mode().Perm() != 0o600 {
		t.Errorf("%q, mode %v: %v %v", text, info.Mode(), err, statErr)
	}
	if _, err := durable.New(filepath.Join(path, "below")); err == nil {
		t.Error("below a file")
	}
}

// TestWhatAKilledProcessLeftIsRemoved: a process is killed until it leaves an unfinished file, which is removed; those of
// running processes are not, however often it is tried.
func TestWhatAKilledProcessLeftIsRemoved(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	left := ""
	testkit.Eventually(t, time.Minute, func() error {
		left = t.TempDir()
		cmd := exec.CommandContext(t.Context(), program)
		cmd.Env = append(os.Environ(), createIn+"="+left)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, time.Minute, func() error {
			_, err := os.Stat(filepath.Join(left, "3"))
			return err
		})
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if len(hidden(t, left)) == 0 {
			return errors.New("it was not killed in Create")
		}
		return nil
	})
	other := filepath.Join(left, ".other.partial")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var removing sync.WaitGroup
	removing.Go(func() {
		for {
			durable.RemoveUnfinished(left)
			select {
			case <-done:
				return
			default:
			}
		}
	})
	for i := range 50 {
		if err := durable.Create(filepath.Join(left, fmt.Sprint("more", i)), nil); err != nil {
			t.Error(err)
		}
	}
	close(done)
	removing.Wait()
	if now := hidden(t, left); len(now) != 1 || now[0] != other {
		t.Errorf("left: %v, want only %s", now, other)
	}
}

// TestMakeAll: directories are made once, also by several processes at once, and none in the place of a file.
func TestMakeAll(t *testing.T) {
	t.Parallel()
	in := t.TempDir()
	path := filepath.Join(in, "keys", "reports")
	var group sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		group.Go(func() { errs[i] = durable.MakeAll(path) })
	}
	group.Wait()
	info, err := os.Stat(path)
	if err := errors.Join(errors.Join(errs...), err); err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v: %v", info, err)
	}
	for _, dir := range []string{in, filepath.Dir(path)} {
		if left := hidden(t, dir); len(left) > 0 {
			t.Errorf("left: %v", left)
		}
	}
	if err := os.WriteFile(filepath.Join(path, "key"), []byte("kept"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := durable.MakeAll(path); err != nil {
		t.Error(err)
	}
	for _, below := range []string{"key", filepath.Join("key", "more")} {
		if err := durable.MakeAll(filepath.Join(path, below)); err == nil {
			t.Errorf("%s: a directory in the place of a file", below)
		}
	}
}
