package standalone

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestGivenPasswordsAreNotPrinted: the output at the start ends up in the journal.
func TestGivenPasswordsAreNotPrinted(t *testing.T) {
	t.Parallel()
	for _, given := range []string{"", "given-battery-staple-41"} {
		var c Config
		c.Data.Dir.Path, c.DemoPassword = t.TempDir(), given
		d := &demoAccounts{Admin: "a", Manager: "m", User: "u", File: filepath.Join(c.Data.Dir.Path, credentialsFile)}
		if err := d.readOrMake(c); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		announce(Options{Out: &out, Config: c}, "127.0.0.1:8080", "a new system in /x", d)
		if !strings.Contains(out.String(), "  Console http://127.0.0.1:8080/\n") || !strings.Contains(out.String(), "  Data    a new system in /x\n") {
			t.Errorf("the console or the data are not named:\n%s", out.String())
		}
		if printed := strings.Contains(out.String(), d.Password); printed != (given == "") || !strings.Contains(out.String(), d.File) {
			t.Errorf("given %q, printed:\n%s", given, out.String())
		}
	}
}
