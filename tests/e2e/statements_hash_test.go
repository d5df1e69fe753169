package e2e

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/services/standalone"
)

// TestPasswordsAreStoredAtTheRecommendedCost verifies that passwords are stored as
// argon2id at the recommended cost by the command line and the server, and that no
// other is configured (statement 5).
func TestPasswordsAreStoredAtTheRecommendedCost(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	made := s.hashes(t)
	user := s.user(t)
	user.post("/auth/password", map[string]any{"currentPassword": password, "newPassword": "quite another long password"}).want(http.StatusOK)
	changed := s.hashes(t)
	fresh := 0
	for hash := range changed {
		if !made[hash] {
			fresh++
		}
	}
	if len(made) < 3 || fresh != 1 { // three accounts, and the changed one
		t.Errorf("%d hashes were found, then %d others", len(made), fresh)
	}
	maps.Copy(changed, made)
	for hash := range changed {
		if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
			t.Errorf("stored: %s", hash)
		}
	}
}

var storedHash = regexp.MustCompile(`\$argon2[a-z]*\$v=\d+\$[a-z0-9=,]+\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}`)

// hashes returns the hashes of passwords in the files of the embedded database.
func (s *system) hashes(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, suffix := range []string{"-wal", ""} { // what is checkpointed from the former is in the latter by then
		text, err := os.ReadFile(filepath.Join(s.settings.Data.Dir.Path, standalone.DatabaseFile+suffix))
		if err != nil {
			t.Fatal(err)
		}
		for _, hash := range storedHash.FindAllString(string(text), -1) {
			found[hash] = true
		}
	}
	return found
}
