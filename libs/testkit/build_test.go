package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tests and the programs they start share what the compiler made only where their flags
// are the same.
func TestProgramsAreBuiltWithTheRaceFlagsOfTests(t *testing.T) {
	t.Parallel()
	root, err := findRoot()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	if want := "\nRACE_FLAGS := " + strings.Join(raceFlags, " ") + "\n"; !strings.Contains(string(text), want) {
		t.Errorf("the Makefile lacks the line %q", strings.TrimSpace(want))
	}
}
