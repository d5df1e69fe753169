package standalone_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallSystem creates a data directory with one organization and its administrator.
func smallSystem(t *testing.T) *commands {
	t.Helper()
	c := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir()}}
	org := c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	c.must(password+"\n", "user", "create", "--org", org, "--email", "admin@example.test", "--role", "admin")
	return c
}

// TestBackupsByWrongClocks verifies that a new backup is kept, and is the one that is verified, though others are dated
// after it: their clock was wrong, or is now.
func TestBackupsByWrongClocks(t *testing.T) {
	t.Parallel()
	c, into := smallSystem(t), t.TempDir()
	dated := func(backup, year string) string {
		path := filepath.Join(into, "ecf-"+year+"0101T000000Z")
		if err := os.Rename(backup, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ahead := []string{dated(c.must("", "backup", "--into", into), "2098"), dated(c.must("", "backup", "--into", into), "2099")}
	if out, err := c.run("", "backup", "verify", into); err != nil || !strings.Contains(out, "is whole") {
		t.Errorf("only backups of the future: %v\n%s", err, out)
	}
	made := c.must("", "backup", "--into", into, "--keep", "1")
	for _, path := range append(ahead, made) {
		if _, err := os.Stat(filepath.Join(path, "manifest.json")); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(filepath.Join(ahead[1], "ecf.db"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := c.run("", "backup", "verify", into)
	if err != nil || !strings.Contains(out, "ecf-20990101T000000Z is dated in the future, by a wrong clock, and was passed over") {
		t.Errorf("a backup among those of the future: %v\n%s", err, out)
	}
	// As if the clock were behind: the new one sorts before the others.
	for _, path := range ahead {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(made, filepath.Join(into, time.Now().Add(30*time.Minute).UTC().Format("ecf-20060102T150405Z"))); err != nil {
		t.Fatal(err)
	}
	made = c.must("", "backup", "--into", into, "--keep", "1")
	if _, err := os.Stat(filepath.Join(made, "manifest.json")); err != nil {
		t.Errorf("the backup just made: %v", err)
	}
}

// A killed backup leaves a directory without a manifest, of the size of a whole one: the next backup removes it, but
// not one that may still be running. The verification reports if the newest attempt is incomplete.
func TestUnfinishedBackupsAreRemoved(t *testing.T) {
	t.Parallel()
	c, into := smallSystem(t), t.TempDir()
	folder := func(ago time.Duration, lock bool) string {
		path := filepath.Join(into, time.Now().Add(-ago).UTC().Format("ecf-20060102T150405Z"))
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if lock {
			if err := os.WriteFile(filepath.Join(path, "under-way"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	// Versions before the lock create directories without one; these are kept for a day.
	old, recent, killed, running := folder(25*time.Hour, false), folder(3*time.Hour, false), folder(2*time.Hour, true), folder(30*time.Hour, true)
	lock, err := os.OpenFile(filepath.Join(running, "under-way"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	others := filepath.Join(into, "others")
	if err := os.Mkdir(others, 0o700); err != nil {
		t.Fatal(err)
	}
	whole := c.must("", "backup", "--into", into, "--keep", "1")
	for dir, want := range map[string]bool{old: false, killed: false, recent: true, running: true, others: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if entries, err := os.ReadDir(whole); err != nil || len(entries) != 2 {
		t.Errorf("a whole backup is %v: %v", entries, err)
	}
	if out, err := c.run("", "backup", "verify", into); err != nil || strings.Contains(out, "newest attempt") {
		t.Errorf("the newest attempt is whole: %v\n%s", err, out)
	}
	later := filepath.Base(folder(-time.Hour, true))
	if out, err := c.run("", "backup", "verify", into); err != nil || !strings.Contains(out, "It is not the newest attempt: "+later+" was begun and never finished.") {
		t.Errorf("a later attempt was killed: %v\n%s", err, out)
	}
	maybe := filepath.Base(folder(-2*time.Hour, false))
	if out, err := c.run("", "backup", "verify", into); err != nil || !strings.Contains(out, maybe+" was begun and is not finished") {
		t.Errorf("a later attempt may be under way: %v\n%s", err, out)
	}
}

// TestABackupIsMadeBesideOneThatCannotBeRead: what cannot be looked into, such as a backup of another user, fails the
// command in the end, and not before there is a new backup.
func TestABackupIsMadeBesideOneThatCannotBeRead(t *testing.T) {
	t.Parallel()
	c, into := smallSystem(t), t.TempDir()
	unreadable := filepath.Join(into, time.Now().Add(-time.Hour).UTC().Format("ecf-20060102T150405Z"))
	if err := os.Mkdir(unreadable, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("manifest.json", filepath.Join(unreadable, "manifest.json")); err != nil { // a loop
		t.Fatal(err)
	}
	out, err := c.run("", "backup", "--into", into, "--keep", "1")
	if err == nil || !strings.Contains(err.Error(), "the backup is complete, but what is older was not removed") || !strings.Contains(err.Error(), unreadable) {
		t.Errorf("%v\n%s", err, out)
	}
	made, _, _ := strings.Cut(out, "\n")
	c.must("", "backup", "verify", made)
}

// A failed backup leaves nothing behind; here the source is not a database.
func TestAFailedBackupLeavesNothing(t *testing.T) {
	t.Parallel()
	c, into := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir()}}, t.TempDir()
	if err := os.WriteFile(filepath.Join(c.env["ECF_DATA_DIR"], "ecf.db"), bytes.Repeat([]byte("no database "), 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"backup", "--into", into, "--keep", "2"}, {"backup", "--into", into}, {"backup", "--to", filepath.Join(into, "one")}} {
		if out, err := c.run("", args...); err == nil {
			t.Errorf("%v: %s", args, out)
		}
		if entries, err := os.ReadDir(into); err != nil || len(entries) > 0 {
			t.Errorf("%v left %v: %v", args, entries, err)
		}
	}
}

// After the backup disk was full, later backups succeed: a failed attempt frees its space, and the next one first
// removes what a killed one left.
func TestAFullDiskOfBackupsRecovers(t *testing.T) {
	t.Parallel()
	c, disk := smallSystem(t), t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	const size = 20 << 20
	mount := fmt.Sprintf("mount -t tmpfs -o size=%d,mode=0700 small '%s' && ", size, disk)
	if out, err := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", mount+"true").CombinedOutput(); err != nil { //nolint:gosec // a folder of this test
		t.Skipf("this machine does not let a test have a small disk of its own: %v %s", err, out)
	}
	// The mount ends with the shell, so one shell runs everything.
	script := mount + `
		cd "$1"
		"$0" backup --into . --keep 1 >/dev/null || exit 10
		cat /dev/zero >ballast 2>/dev/null
		sleep 1.1 # names are of a second
		"$0" backup --into . --keep 1 2>&1 && exit 11
		[ "$(ls -d ecf-* | wc -l)" = 1 ] || exit 12
		rm ballast
		killed=ecf-$(date -u -d '1 hour ago' +%Y%m%dT%H%M%SZ)
		mkdir "$killed" && : >"$killed/under-way"
		cat /dev/zero >"$killed/ecf.db" 2>/dev/null
		"$0" backup --into . --keep 1 >/dev/null || exit 13
		[ "$(ls -d ecf-* | wc -l)" = 1 ] || exit 14
		"$0" backup verify . || exit 15`
	cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", script, program, disk) //nolint:gosec // as above
	cmd.Env = []string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "ECF_DATA_DIR=" + c.env["ECF_DATA_DIR"]}
	out, err := cmd.CombinedOutput()
	if want := "ecf: the disk of " + disk + "/ecf-"; !bytes.Contains(out, []byte(want)) || !bytes.Contains(out, []byte(" has no room for the backup")) {
		t.Errorf("the backup on a full disk does not say %q:\n%s", want, out)
	}
	if err != nil || !bytes.Contains(out, []byte("is whole")) || bytes.Contains(out, []byte("newest attempt")) {
		t.Errorf("%v (which step it was, the script says)\n%s", err, out)
	}
}

// TestATemporaryDirectoryWithoutRoom verifies that commands which verify a copy in the
// temporary directory name it when it is full, and what to do. They leave nothing there.
func TestATemporaryDirectoryWithoutRoom(t *testing.T) {
	t.Parallel()
	c, dir := smallSystem(t), t.TempDir()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	backup, disk := filepath.Join(dir, "backup"), filepath.Join(dir, "disk")
	c.must("", "backup", "--to", backup)
	if err := os.Mkdir(disk, 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(script string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", `mount -t tmpfs -o size=128k,mode=0700 small "$1" && `+script, program, disk) //nolint:gosec // of this test
		cmd.Env = []string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "ECF_DATA_DIR=" + c.env["ECF_DATA_DIR"], "TMPDIR=" + disk}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("true"); err != nil {
		t.Skipf("this machine does not let a test have a small disk of its own: %v %s", err, out)
	}
	want := disk + " has no room for a copy of the database, which is verified there: make room, or name a directory on another disk with TMPDIR: "
	for _, command := range []string{
		"backup --to " + filepath.Join(dir, "b"), "backup verify " + backup, "restore --from " + backup + " --data-dir " + filepath.Join(dir, "r"),
		"migrate --to mongodb://127.0.0.1:1/ecf",
	} {
		out, err := run(`{ "$0" ` + command + `; status=$?; [ -z "$(ls -A "$1")" ] || echo "it left $(ls "$1")"; exit $status; }`)
		if err == nil || !strings.Contains(out, want) || strings.Contains(out, "it left") {
			t.Errorf("ecf %s: %v\n%s", command, err, out)
		}
	}
}

// TestWhatIsOlderAndStaysIsTold verifies that a backup that fails, perhaps for lack of room, also says why older ones were not
// removed before it.
func TestWhatIsOlderAndStaysIsTold(t *testing.T) {
	t.Parallel()
	c, into := smallSystem(t), t.TempDir()
	// No directory has its name, so it cannot be known which backups there are.
	if err := os.WriteFile(filepath.Join(into, "ecf-20260101T000000Z"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := c.run("", "backup", "--into", into, "--keep", "1"); err == nil || !strings.Contains(err.Error(), "the backup is complete, but what is older was not removed") {
		t.Errorf("a backup that succeeds: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(c.env["ECF_DATA_DIR"], "ecf.db"), []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := c.run("", "backup", "--into", into, "--keep", "1"); err == nil || !strings.Contains(err.Error(), "what is older was not removed before, and takes its room: folder of backups: ") {
		t.Errorf("a backup that fails: %v\n%s", err, out)
	}
}
