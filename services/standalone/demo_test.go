package standalone

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/settings"
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
		announce(Options{Out: &out, Config: c}, "127.0.0.1:8080", "a new system in /x", false, d)
		if !strings.Contains(out.String(), "  Console http://127.0.0.1:8080/\n") || !strings.Contains(out.String(), "  Data    a new system in /x\n") {
			t.Errorf("the console or the data are not named:\n%s", out.String())
		}
		if printed := strings.Contains(out.String(), d.Password); printed != (given == "") || !strings.Contains(out.String(), d.File) {
			t.Errorf("given %q, printed:\n%s", given, out.String())
		}
	}
}

// TestTheDemoPasswordIsCheckedAtOnce: it was stored before the accounts refused it, and no later start could succeed.
func TestTheDemoPasswordIsCheckedAtOnce(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"short-8f3k": "at least", "demo-manager-12345": "parts of the account", "given-battery-staple-41": ""} {
		var c Config
		err := settings.Of(&c).Load(nil, func(name string) string {
			return map[string]string{"ECF_DEMO_PASSWORD": given, "ECF_DATA_DIR": t.TempDir()}[name]
		})
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), "ECF_DEMO_PASSWORD is refused") || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", given, err)
		}
	}
}

func TestAnotherDemoPasswordIsSaidToBeIgnored(t *testing.T) {
	t.Parallel()
	var c Config
	c.Data.Dir.Path, c.DemoPassword = t.TempDir(), "given-battery-staple-41"
	d := &demoAccounts{Admin: "a", Manager: "m", User: "u", File: filepath.Join(c.Data.Dir.Path, credentialsFile)}
	for _, now := range []string{"given-battery-staple-41", "", "given-battery-staple-41", "another-battery-staple"} {
		c.DemoPassword = now
		if err := d.readOrMake(c); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		announce(Options{Out: &out, Config: c}, "127.0.0.1:8080", "", false, d)
		if ignored := strings.HasPrefix(now, "another"); d.Password != "given-battery-staple-41" || strings.Contains(out.String(), "ECF_DEMO_PASSWORD") != ignored {
			t.Errorf("%q: %q\n%s", now, d.Password, out.String())
		}
	}
}
