package chaos

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestKeptBackups (make test-rolling) verifies that a backup of the last release is
// complete for this one, which restores it; and that a backup of the last release's
// data made by this one, as before an upgrade, is complete for the last release, which
// restores it for a rollback.
func TestKeptBackups(t *testing.T) {
	if os.Getenv("ECF_ROLLING") == "" {
		t.Skip("run by make test-rolling")
	}
	_, built := previous(t)
	const ecf = "services/standalone/cmd/ecf"
	last, now := built(ecf), testkit.BinaryWithoutRace(t, ecf)
	dir := t.TempDir()
	run := func(program, data string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "ECF_DATA_DIR=" + filepath.Join(dir, data)}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s %v: %v\n%s", filepath.Base(program), args, err, out)
		}
	}
	kept, before := filepath.Join(dir, "kept"), filepath.Join(dir, "before")
	run(last, "data", "org", "create", "--name", "Example Ltd", "--plan", "team")
	run(last, "data", "backup", "--to", kept)
	run(now, "data", "backup", "--to", before)
	for _, r := range []struct{ of, by, name string }{{kept, now, "by this one"}, {before, last, "by the last one"}, {before, now, "by the same"}} {
		run(r.by, "data", "backup", "verify", r.of)
		run(r.by, r.name, "restore", "--from", r.of)
		run(r.by, r.name, "audit", "verify")
	}
}
