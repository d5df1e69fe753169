package standalone_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestADeletedOrganizationIsNotMadeAgain: the id of a deleted organization is not used again, neither by a bootstrap
// that is repeated nor by the demo, and heads that were exported before the deletion do not miss it.
func TestADeletedOrganizationIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_DEMO": "true", "ECF_DEMO_PASSWORD": password}}
	t.Run("serve the demo", func(t *testing.T) {
		settled(t, (&commands{t, c.env}).serve())
	})
	bootstrap := []string{"bootstrap", "--name", "Example Ltd", "--plan", "team", "--email", "jo@example.test"}
	c.must("", bootstrap...)
	listed, err := c.run("", "org", "list")
	must(t, err)
	heads := filepath.Join(t.TempDir(), "heads")
	c.must("", "audit", "export", "--to", heads)
	for line := range strings.Lines(listed) {
		if org, name, _ := strings.Cut(strings.TrimSpace(line), "\t"); org != "" {
			_, err := c.run("", "org", "delete", "--org", org, "--name", name[strings.LastIndex(name, "\t")+1:])
			must(t, err)
		}
	}
	if left, err := c.run("", "org", "list"); err != nil || left != "" || strings.Count(listed, "\n") != 2 {
		t.Errorf("of\n%sare left %q, %v", listed, left, err)
	}
	if out, err := c.run("", bootstrap...); err == nil || !strings.Contains(err.Error(), "was deleted at") {
		t.Errorf("bootstrap: %v %s", err, out)
	}
	t.Run("serve without the demo", func(t *testing.T) {
		base := (&commands{t, c.env}).serve()
		if status, body := ask(t, "POST", base+"/api/v2/auth/login", "", `{"email":"manager@demo.test","password":"`+password+`"}`); status != 401 {
			t.Errorf("sign-in to the demo: %d %s", status, body)
		}
	})
	if out, err := c.run("", "audit", "verify", "--heads", heads); err != nil || !strings.Contains(out, "demo: deleted at ") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, err := c.run("", "org", "delete", "--org", "nobody", "--name", "Nobody"); err == nil || !strings.Contains(err.Error(), `there is no organization "nobody"`) {
		t.Errorf("an unknown organization: %v", err)
	}
}

// TestADeletionSaysWhatItWaitsFor: a deletion takes minutes, and says why at its beginning, also of an organization without
// anything.
func TestADeletionSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	p := processes{t, []string{"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + emptyMongo(t)}}
	org := strings.TrimSpace(p.must("", "org", "create", "--name", "Leaving", "--plan", "team"))
	out, err := p.command("org", "delete", "--org", org, "--name", "Leaving", "--quiet", "1s").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "this ends when nothing of it has appeared for 1s") {
		t.Errorf("%v\n%s", err, out)
	}
}
