//go:build race

package sqlitex

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A value that is changed while a statement reads it is found, though SQLite itself is not
// built for the race detector: the driver, which copies values into SQLite's memory, is.
func TestRacesWithStatementsAreFound(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childFile+"="+filepath.Join(t.TempDir(), "race.db"), "ECF_SQLITEX_CHILD_TASK=race")
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "WARNING: DATA RACE") {
		t.Errorf("a value was changed while a statement read it, and the race detector reports nothing: %v\n%s", err, out)
	}
}
