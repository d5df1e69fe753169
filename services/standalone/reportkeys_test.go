package standalone_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// Without a process that creates the report key, as with separate services, the rotation command creates the first
// one; then heads can be exported.
func TestTheFirstKeyOfReportsIsMade(t *testing.T) {
	t.Parallel()
	c := smallSystem(t)
	c.env["ECF_SIGNING_KEYS_DIR"] = t.TempDir()
	heads := filepath.Join(t.TempDir(), "heads")
	if _, err := c.run("", "audit", "export", "--to", heads); err == nil || !strings.Contains(err.Error(), "ecf keys rotate --reports makes one") {
		t.Fatalf("without a key: %v", err)
	}
	first := c.must("", "keys", "rotate", "--reports")
	if line := c.must("", "audit", "export", "--to", heads); !strings.HasSuffix(line, first) {
		t.Errorf("signed with %s, want %s", line, first)
	}
	if second := c.must("", "keys", "rotate", "--reports"); second == first {
		t.Error("the next key is the first")
	}
	if out, err := c.run("", "audit", "verify", "--heads", heads); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
