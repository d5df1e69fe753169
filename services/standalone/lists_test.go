package standalone_test

import (
	"strings"
	"testing"
)

// TestOperatorsFindOrganizationsAndMembers: the ids that commands ask for were printed once, when they were created.
func TestOperatorsFindOrganizationsAndMembers(t *testing.T) {
	t.Parallel()
	c := &commands{t: t, env: map[string]string{"ECF_DATA_DIR": t.TempDir()}}
	lines := func(args ...string) []string {
		t.Helper()
		out, err := c.run("", args...)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		return strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	}
	first := c.must("", "org", "create", "--name", "First Ltd", "--plan", "team")
	second := c.must("", "org", "create", "--name", "Second Ltd", "--plan", "free")
	jo := c.must(password+"\n", "user", "create", "--org", first, "--email", "jo@example.org", "--role", "manager", "--name", "Jo")
	shop := c.must(password+"\n", "user", "create", "--org", first, "--email", "shop@example.org", "--service")
	joined := c.must("", "user", "join", "--org", second, "--email", "jo@example.org", "--role", "viewer")
	c.must("", "user", "disable", "--email", "shop@example.org")

	orgs := strings.Join(lines("org", "list"), "\n") + "\n"
	for _, want := range []string{first + "\tteam\tevents: 0\tmembers: 2\tsince ", second + "\tfree\tevents: 0\tmembers: 1\tsince ", "\tFirst Ltd\n", "\tSecond Ltd\n"} {
		if strings.Count(orgs, want) != 1 {
			t.Errorf("not once %q:\n%s", want, orgs)
		}
	}
	members := strings.Join(lines("user", "list", "--org", first), "\n") + "\n"
	for _, want := range []string{jo + "\tmanager\tactive\tjo@example.org\tJo\n", shop + "\tuser, service account\tdisabled\tshop@example.org\t"} {
		if strings.Count(members, want) != 1 {
			t.Errorf("not once %q:\n%s", want, members)
		}
	}
	if others := lines("user", "list", "--org", second); len(others) != 1 || !strings.HasPrefix(others[0], joined+"\tviewer\tactive\tjo@example.org\t") {
		t.Errorf("%q", others)
	}
	if _, err := c.run("", "user", "list", "--org", "none"); err == nil || !strings.Contains(err.Error(), `no organization "none"`) {
		t.Errorf("%v", err)
	}
}
