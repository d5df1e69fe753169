package testkit

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Provenance returns a header line for a stored table: the revision of the program that
// was measured, and the date. It begins with "#", which readers of tables skip.
func Provenance(t testing.TB) string {
	t.Helper()
	git := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "git", args...).Output()
		if err != nil {
			t.Logf("git %v: %v: the table will not name the revision that was measured", args, err)
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	revision := git("rev-parse", "--short=9", "HEAD")
	if revision == "" {
		revision = "unknown"
	}
	// Another table may just have been written, and documents are not part of the
	// program.
	if git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)docs") != "" {
		revision += " with changes"
	}
	return "# revision " + revision + ", " + time.Now().UTC().Format(time.DateOnly) + "\n"
}
