package standalone_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// suspended is a command stopped while it has a copy of a database.
type suspended struct {
	dir     string // of the copy
	process *os.Process
	ended   chan error
}

// suspend starts a command, and stops it as soon as it has a copy in a new directory below tmp.
func (p processes) suspend(tmp string, args ...string) suspended {
	p.t.Helper()
	before := copies(p.t, tmp)
	for range 50 {
		cmd := p.command(args...)
		if err := cmd.Start(); err != nil {
			p.t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		for running := true; running; {
			select {
			case err := <-ended:
				if err != nil {
					p.t.Fatalf("%v: %v", args, err)
				}
				running = false // before it was stopped
			case <-time.After(time.Millisecond / 4):
				fresh := slices.DeleteFunc(copies(p.t, tmp), func(d string) bool { return slices.Contains(before, d) })
				if len(fresh) == 0 || cmd.Process.Signal(syscall.SIGSTOP) != nil {
					continue
				}
				if _, err := os.Stat(fresh[0]); err == nil {
					p.t.Cleanup(func() { _ = cmd.Process.Kill() })
					return suspended{fresh[0], cmd.Process, ended}
				}
				_ = cmd.Process.Signal(syscall.SIGCONT)
			}
		}
	}
	p.t.Fatalf("%v was never stopped while it had a copy", args)
	return suspended{}
}

// copies returns the directories with a database in a directory.
func copies(t *testing.T, tmp string) (dirs []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(tmp, "*", "ecf.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		dirs = append(dirs, filepath.Dir(f))
	}
	return dirs
}

// TestCopiesOfKilledCommandsAreRemoved verifies that the copy of a killed command is removed by the next command that
// makes one, and by the next start of the server, but that of a running command by neither.
func TestCopiesOfKilledCommandsAreRemoved(t *testing.T) {
	t.Parallel()
	c, tmp, backup := smallSystem(t), t.TempDir(), filepath.Join(t.TempDir(), "backup")
	p := processes{t, []string{"ECF_DATA_DIR=" + c.env["ECF_DATA_DIR"], "TMPDIR=" + tmp}}
	p.must("", "backup", "--to", backup)
	for what, next := range map[string]func(p processes){
		"backup verify": func(p processes) { p.must("", "backup", "verify", backup) },
		"serve":         func(p processes) { p.serve() },
	} {
		running, killed := p.suspend(tmp, "backup", "verify", backup), p.suspend(tmp, "backup", "verify", backup)
		if err := killed.process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := <-killed.ended; err == nil {
			t.Fatal("a killed command succeeded")
		}
		t.Run(what, func(t *testing.T) { next(processes{t, p.env}) })
		if now := copies(t, tmp); !slices.Equal(now, []string{running.dir}) {
			t.Errorf("after %s there are the copies %v, want that of the running command, %s", what, now, running.dir)
		}
		if err := running.process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		if err := <-running.ended; err != nil {
			t.Errorf("the command that went on: %v", err)
		}
		if now := copies(t, tmp); len(now) > 0 {
			t.Errorf("the command that went on left %v", now)
		}
	}
}

// TestATemporaryDirectoryThatIsMissing verifies that the error names TMPDIR.
func TestATemporaryDirectoryThatIsMissing(t *testing.T) {
	t.Parallel()
	c, backup, missing := smallSystem(t), filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "missing")
	c.must("", "backup", "--to", backup)
	out, err := processes{t, []string{"TMPDIR=" + missing}}.command("backup", "verify", backup).CombinedOutput()
	if want := "no directory can be made in " + missing + ", where a copy of the database is verified: name another one with TMPDIR: "; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v %s\nwant %s", err, out, want)
	}
}
