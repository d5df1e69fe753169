package testkit

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Faulty packages fail a test; they are never taken for an unreachable registry, which
// would skip it.
func TestNPMRefusesALockfileOfOtherPackages(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"package.json":      `{"name": "x", "private": true, "dependencies": {"jose": "6.2.17"}}`,
		"package-lock.json": `{"name": "x", "lockfileVersion": 3, "requires": true, "packages": {"": {"name": "x"}}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if modules, unreachable, err := npmModules(t.Context(), dir); err == nil || unreachable {
		t.Errorf("%s, unreachable %v, %v", modules, unreachable, err)
	}
	if _, _, err := npmModules(t.Context(), filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("a directory that does not exist: %v", err)
	}
}
