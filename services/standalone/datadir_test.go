package standalone_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/services/standalone"
)

// An unusable data directory is reported with its variable and what to do.
func TestADataDirectoryThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "data")} {
		c := &commands{t, map[string]string{"ECF_DATA_DIR": dir, "ECF_ADDR": "127.0.0.1:0"}}
		for _, args := range [][]string{{"serve"}, {"org", "create", "--name", "A", "--plan", "team"}, {"audit", "verify"}} {
			_, err := c.run("", args...)
			if want := "ECF_DATA_DIR is " + dir + ", which is a file, or lies below one: name a folder"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s of %s: %v, want %s", args[0], dir, err, want)
			}
		}
	}
	c := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir()}}
	if _, err := c.run("", "backup", "--to", filepath.Join(t.TempDir(), "b")); err == nil || !strings.Contains(err.Error(), "there is nothing to back up in "+c.env["ECF_DATA_DIR"]+", which ECF_DATA_DIR names") {
		t.Errorf("a backup of nothing: %v", err)
	}
}

// So is one on a disk that is full, at each step of the first start, or read-only.
func TestADataDirectoryWithoutRoom(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	disk := t.TempDir()
	run := func(script string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", script, program, disk) //nolint:gosec // of this test
		cmd.Env = []string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "ECF_DATA_DIR=" + filepath.Join(disk, "data"), "ECF_ADDR=127.0.0.1:0"}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	mount := `mount -t tmpfs -o mode=0700,size=$size small "$1" || exit 1; `
	if out, err := run("size=64k; " + mount); err != nil {
		t.Skipf("this machine does not let a test have a small disk of its own: %v %s", err, out)
	}
	want := regexp.MustCompile(`(?m)^ecf: .*ECF_DATA_DIR is ` + regexp.QuoteMeta(disk) + `/data, where there is no room left: make room, or name a folder on another disk `)
	for _, script := range []string{
		"size=64k; " + mount + `timeout 60 "$0" serve`,
		"size=64k; " + mount + `cat /dev/zero >"$1/ballast" 2>/dev/null; timeout 60 "$0" serve`,
		// Space for the database, but not for the keys.
		"size=16m; " + mount + `"$0" org create --name A --plan team >/dev/null || exit 2; cat /dev/zero >"$1/ballast" 2>/dev/null; timeout 60 "$0" serve`,
	} {
		if out, err := run(script); err == nil || !want.MatchString(out) {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
	for _, before := range []string{"", `mkdir "$1/data"; chmod 0700 "$1/data";`, `mkdir "$1/data";`, `"$0" org create --name A --plan team >/dev/null || exit 2;`} {
		out, err := run("size=16m; " + mount + before + `mount -o remount,ro "$1" || exit 3; timeout 60 "$0" serve`)
		if err == nil || !strings.Contains(out, "ECF_DATA_DIR is "+disk+"/data, which is on a disk that can only be read: mount it so that it can be written to, or name a folder on another disk") {
			t.Errorf("read-only after %q: %v\n%s", before, err, out)
		}
	}
}

// TestADataDirectoryWithoutRoomForSharedMemory verifies that a server whose database is there, with all that is in its
// write-ahead log, says what is wrong where only the file of shared memory cannot grow.
func TestADataDirectoryWithoutRoomForSharedMemory(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "data")
	c := &commands{t, map[string]string{"ECF_DATA_DIR": dir}}
	c.must("", "org", "create", "--name", "A", "--plan", "team")
	c.must("", "keys", "rotate")
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -f 8; exec timeout 60 "$0" serve`, program) //nolint:gosec // of this test
	cmd.Env = []string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "ECF_DATA_DIR=" + dir, "ECF_ADDR=127.0.0.1:0"}
	out, err := cmd.CombinedOutput()
	if want := "ECF_DATA_DIR is " + dir + ", where there is no room left"; err == nil || !strings.Contains(string(out), want) {
		t.Errorf("%v\n%s\nwant %q", err, out, want)
	}
}

// TestOnlySomeCommandsBeginASystem verifies that all others refuse a directory without one, as a mistyped one is, and leave
// it as it is: nobody shall take the list of a new system, or a key that was rotated in it, for those of the server.
func TestOnlySomeCommandsBeginASystem(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mistyped")
	c := &commands{t, map[string]string{"ECF_DATA_DIR": dir, "ECF_RESULT_RETENTION": "720h"}}
	for _, args := range [][]string{
		{"org", "list"}, {"org", "plan", "--org", "o", "--plan", "team"}, {"org", "delete", "--org", "o", "--dry-run"},
		{"user", "list", "--org", "o"}, {"user", "create", "--org", "o", "--email", "a@example.org", "--role", "user"}, {"user", "join", "--org", "o", "--email", "a@example.org", "--role", "user"},
		{"user", "password", "--email", "a@example.org"}, {"user", "disable", "--email", "a@example.org"}, {"user", "free", "--email", "a@example.org"},
		{"keys", "rotate"}, {"keys", "rotate", "--reports"}, {"factors", "list"}, {"audit", "verify"},
		{"schema", "status"}, {"schema", "contract"}, {"results", "prune"},
	} {
		_, err := c.run("", args...)
		if want := "there is no system in " + dir + ", which ECF_DATA_DIR names"; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ecf %s: %v, want %s", strings.Join(args, " "), err, want)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Fatalf("ecf %s made %s", strings.Join(args, " "), dir)
		}
	}
}

// TestABackupIsNoDataDirectory verifies that no command works in a backup: opening its
// database would change the file, and the backup would not be whole any more.
func TestABackupIsNoDataDirectory(t *testing.T) {
	t.Parallel()
	c, backup := smallSystem(t), filepath.Join(t.TempDir(), "backup")
	c.must("", "backup", "--to", backup)
	in := &commands{t, map[string]string{"ECF_DATA_DIR": backup, "ECF_ADDR": "127.0.0.1:0"}}
	want := "ECF_DATA_DIR is " + backup + ", which is a backup, and would no longer be one"
	for _, args := range [][]string{
		{"audit", "verify"}, {"org", "create", "--name", "A", "--plan", "team"}, {"schema", "status"}, {"schema", "up"},
		{"backup", "--to", filepath.Join(t.TempDir(), "b")}, {"migrate", "--to", "mongodb://127.0.0.1:1/ecf"},
		{"serve"}, // last: without an error it would serve
	} {
		if _, err := in.run("", args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Fatalf("ecf %s in a backup: %v, want %s", strings.Join(args, " "), err, want)
		}
	}
	c.must("", "backup", "verify", backup)

	// In one that was worked in by a release that did not know, nothing is lost any more.
	database, err := os.OpenFile(filepath.Join(backup, standalone.DatabaseFile), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = database.WriteAt([]byte{2, 2}, 18) // as SQLite does when it begins a write-ahead log
	if err := errors.Join(err, database.Close()); err != nil {
		t.Fatal(err)
	}
	in.must("", "audit", "verify")
}

// TestADataDirectoryThatCanOnlyBeRead verifies that every command names a data directory on a disk that is mounted
// read-only, as one is after errors of the disk, and what to do. A backup of it leaves nothing.
func TestADataDirectoryThatCanOnlyBeRead(t *testing.T) {
	t.Parallel()
	into, backup, dir := t.TempDir(), filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "data")
	smallSystem(t).must("", "backup", "--to", backup)
	// Without files of SQLite beside the database, as a server that has ended by itself leaves it.
	(&commands{t, map[string]string{"ECF_DATA_DIR": dir}}).must("", "restore", "--from", backup)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(script string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", `mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && `+script, program, dir) //nolint:gosec // of this test
		cmd.Env = []string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "ECF_DATA_DIR=" + dir, "ECF_ADDR=127.0.0.1:0"}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("true"); err != nil {
		t.Skipf("this machine does not let a test mount a directory: %v %s", err, out)
	}
	want := "ECF_DATA_DIR is " + dir + ", which is on a disk that can only be read: mount it so that it can be written to, or name a folder on another disk"
	for _, command := range []string{
		"serve", "org list", "audit verify", "schema status", "schema up", "keys rotate",
		"backup --to " + filepath.Join(into, "one"), "backup --into " + into, "migrate --to mongodb://127.0.0.1:1/ecf",
	} {
		if out, err := run(`"$0" ` + command); err == nil || !strings.Contains(out, want) {
			t.Errorf("ecf %s: %v\n%s", command, err, out)
		}
	}
	if entries, err := os.ReadDir(into); err != nil || len(entries) > 0 {
		t.Errorf("a backup left %v: %v", entries, err)
	}
}

// A server logs which system it has found, so that a mistyped directory, in which a new one starts, is noticed.
func TestWhichSystemIsFound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := func(args ...string) string {
		t.Helper()
		var log bytes.Buffer
		ctx, end := context.WithCancel(t.Context())
		env := map[string]string{"ECF_DATA_DIR": dir, "ECF_ADDR": "127.0.0.1:0"}
		getenv := func(name string) string { return env[name] }
		if args != nil {
			defer end()
			if err := standalone.Run(ctx, app.Env{Args: args, Getenv: getenv, Stdin: strings.NewReader(""), Stdout: &bytes.Buffer{}, Logger: slog.New(slog.NewTextHandler(&log, nil))}); err != nil {
				t.Fatal(err)
			}
		} else {
			config, err := standalone.Load(nil, getenv)
			if err != nil {
				t.Fatal(err)
			}
			err = standalone.Serve(ctx, standalone.Options{Config: config, Logger: slog.New(slog.NewTextHandler(&log, nil)), Out: &log, Ready: func(string) { end() }})
			if err != nil {
				t.Fatal(err)
			}
		}
		return log.String()
	}
	check := func(log, want string) {
		t.Helper()
		line, _, _ := strings.Cut(log, "\n")
		if !regexp.MustCompile(`msg="`+want+`"`).MatchString(line) || strings.Contains(log, "Console") && !regexp.MustCompile(`(?m)^  Data    `+want+`$`).MatchString(log) {
			t.Errorf("want first and among the addresses %q:\n%s", want, log)
		}
	}
	at := regexp.QuoteMeta(dir)
	const begin = "Create an organization and its administrator with ecf bootstrap."
	check(first(), "a new system in "+at)
	log := first()
	check(log, "the system in "+at+", without an organization")
	if !strings.Contains(log, begin) {
		t.Errorf("a server without an organization does not say how to begin:\n%s", log)
	}
	if log := first("org", "create", "--name", "A", "--plan", "team"); strings.Contains(log, "system in") {
		t.Errorf("a command on a system that is there says more than was asked:\n%s", log)
	}
	log = first()
	check(log, "the system in "+at+`, since \d{4}-\d\d-\d\d, 1 organization`)
	if strings.Contains(log, begin) {
		t.Errorf("a server with an organization says how to begin:\n%s", log)
	}
	first("org", "create", "--name", "B", "--plan", "team")
	check(first(), "the system in "+at+`, since \d{4}-\d\d-\d\d, 2 organizations`)
	dir = filepath.Join(dir, "mistyped")
	check(first("org", "create", "--name", "A", "--plan", "team"), "a new system in "+regexp.QuoteMeta(dir))
}
