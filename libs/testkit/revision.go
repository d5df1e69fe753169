package testkit

import (
	"os/exec"
	"strings"
	"testing"
	"time"
)

// Provenance returns a header line for a stored table: the measured program
// and the date. It begins with "#", which readers of tables skip.
func Provenance(t testing.TB) string {
	t.Helper()
	git := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "git", args...).Output()
		if err != nil {
			t.Logf("git %v: %v: the table will not say which program was measured", args, err)
			return ""
		}
		return strings.TrimSpace(string(out))
	}
	revision := git("rev-parse", "--short=9", "HEAD")
	if revision == "" {
		revision = "unknown"
	}
	// Another kept table may just have been written; documents are no part of the program.
	if git("status", "--porcelain", "--untracked-files=no", "--", ":/", ":(top,exclude)docs") != "" {
		revision += " with changes"
	}
	return "# revision " + revision + ", " + time.Now().UTC().Format(time.DateOnly) + "\n"
}
