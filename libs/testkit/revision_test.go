package testkit

import (
	"regexp"
	"testing"
)

// TestProvenance: one line that readers of tables leave out, with a revision where this
// is a clone.
func TestProvenance(t *testing.T) {
	t.Parallel()
	if line := Provenance(t); !regexp.MustCompile(`^# revision ([0-9a-f]{9,}|unknown)( with changes)?, \d{4}-\d\d-\d\d\n$`).MatchString(line) {
		t.Errorf("%q", line)
	}
}
