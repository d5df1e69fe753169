package teams_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHandlersAskTheGuard: a handler that took the event of the path as it was sent
// would find one that is hidden from its caller.
func TestHandlersAskTheGuard(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir("../../services", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files++
		text, err := os.ReadFile(path) //nolint:gosec // a source of this repository
		if strings.Contains(string(text), `Params("eventId")`) {
			t.Errorf("%s reads the event of the path by itself; teams.EventID is the one for the caller", path)
		}
		return err
	})
	if err != nil || files < 50 {
		t.Errorf("%d files, %v", files, err)
	}
}
