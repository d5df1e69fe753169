package testkit

import (
	"regexp"
	"testing"
)

// TestProvenance verifies that the line is a comment for readers of tables and names a
// revision in a clone.
func TestProvenance(t *testing.T) {
	t.Parallel()
	if line := Provenance(t); !regexp.MustCompile(`^# revision ([0-9a-f]{9,}|unknown)( with changes)?, \d{4}-\d\d-\d\d\n$`).MatchString(line) {
		t.Errorf("%q", line)
	}
}
