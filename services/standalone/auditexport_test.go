package standalone_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAnExportOntoAFullDisk verifies that an export without room for it says what to do, and leaves nothing.
func TestAnExportOntoAFullDisk(t *testing.T) {
	t.Parallel()
	c, disk := smallSystem(t), t.TempDir()
	c.must("", "keys", "rotate", "--reports")
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	run := func(script string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "unshare", "-Urm", "sh", "-c", `mount -t tmpfs -o size=64k,mode=0700 small "$1" && `+script, program, disk) //nolint:gosec // of this test
		cmd.Env = []string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "ECF_DATA_DIR=" + c.env["ECF_DATA_DIR"]}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("true"); err != nil {
		t.Skipf("this machine does not let a test have a small disk of its own: %v %s", err, out)
	}
	out, err := run(`cat /dev/zero >"$1/ballast" 2>/dev/null; "$0" audit export --to "$1/heads"; status=$?; ls -A "$1"; exit $status`)
	want := "ecf: the disk of " + filepath.Join(disk, "heads") + " has no room for the heads, and nothing was written: make room, or name a file on another disk with --to: "
	if err == nil || !strings.Contains(out, want) || strings.Contains(out, ".partial\n") || strings.Contains(out, "\nheads") {
		t.Errorf("%v, want %q:\n%s", err, want, out)
	}
}
