package standalone_test

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/record"
	recordsqlite "github.com/eventcarbon/ecf/libs/record/sqlitestore"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/services/standalone"
)

// An operator creates a link instead of a password: with its token the user sets one, once, in time; a newer link
// replaces it.
func TestOperatorPrintsASetupLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": dir, "ECF_ISSUER": "https://ecf.example"}}
	org := c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	base := c.serve()
	// token returns the token in the link, the last line of output.
	token := func(args ...string) string {
		t.Helper()
		out, err := c.run("", args...)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out), "\n")
		token, ok := strings.CutPrefix(lines[len(lines)-1], "https://ecf.example/api/v2/auth/setup#")
		if !ok || strings.Contains(out, "password") {
			t.Fatalf("%v prints %s", args, out)
		}
		return token
	}
	set := func(token, password string) int {
		t.Helper()
		status, _ := ask(t, "POST", base+"/api/v2/auth/setup", "", `{"setupToken":"`+token+`","password":"`+password+`"}`)
		return status
	}
	login := func(email, password string) int {
		t.Helper()
		status, _ := ask(t, "POST", base+"/api/v2/auth/login", "", `{"email":"`+email+`","password":"`+password+`"}`)
		return status
	}
	check := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}

	first := token("user", "create", "--org", org, "--email", "jo@example.test", "--role", "manager", "--setup-link")
	check("no password yet", login("jo@example.test", password), http.StatusUnauthorized)
	check("a weak password does not use the link up", set(first, "short"), http.StatusBadRequest)
	check("the link", set(first, password), http.StatusOK)
	check("sign-in", login("jo@example.test", password), http.StatusOK)
	check("the link again", set(first, "another long password"), http.StatusUnauthorized)

	second := token("user", "password", "--email", "jo@example.test", "--setup-link")
	check("the former password", login("jo@example.test", password), http.StatusUnauthorized)
	third := token("user", "password", "--setup-link", "--email", "jo@example.test")
	check("a link that another one has replaced", set(second, password), http.StatusUnauthorized)

	db, err := sqlitex.Open(t.Context(), filepath.Join(dir, standalone.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	exec := func(statement string) {
		t.Helper()
		if err := db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	exec("UPDATE account_users SET setup_until = setup_until - 72 * 3600 * 1000 WHERE setup_hash <> ''")
	check("a link that has expired", set(third, password), http.StatusUnauthorized)
	exec("UPDATE account_users SET setup_until = setup_until + 72 * 3600 * 1000 WHERE setup_hash <> ''")
	check("the same link in time", set(third, password), http.StatusOK)

	// A service account has a fixed role.
	robot := token("user", "create", "--org", org, "--email", "robot@example.test", "--service", "--setup-link")
	check("the link of a service account", set(robot, password), http.StatusOK)
	check("its sign-in", login("robot@example.test", password), http.StatusOK)
	for _, args := range [][]string{
		{"user", "create", "--org", org, "--email", "boss@example.test", "--service", "--role", "admin"},
		{"user", "create", "--org", org, "--email", "none@example.test"},
		{"user", "password", "--setup-link"},
	} {
		if out, err := c.run("", args...); err == nil || !strings.Contains(err.Error(), "role") && !strings.Contains(err.Error(), "--email") {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}

// TestLinksLeadToTheServer: where no address is set that clients reach the product
// at, the links that commands print lead to where the server listens.
func TestLinksLeadToTheServer(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_ADDR": "0.0.0.0:18093", "ECF_DATA_DIR": t.TempDir()}}
	const want = "http://127.0.0.1:18093/api/v2/auth/setup#"
	if out := c.must("", "bootstrap", "--name=Example Events", "--plan=team", "--email=jo@example.test"); !strings.HasPrefix(out, want) {
		t.Errorf("bootstrap prints %s", out)
	}
	if out := c.must("", "user", "password", "--email=jo@example.test", "--setup-link"); !strings.HasPrefix(out, want) {
		t.Errorf("user password prints %s", out)
	}
}

// TestBootstrap: the first organization of a cluster is created by a job, which may be interrupted and
// run again: then it completes what is missing, and changes nothing that is there.
func TestBootstrap(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir(), "ECF_ISSUER": "https://ecf.example"}}
	args := []string{"bootstrap", "--name=Example Events", "--plan=team", "--email=jo@example.test"}
	for _, bad := range [][]string{
		{"bootstrap", "--name=Example Events", "--plan=team", "--email=jo"},
		{"bootstrap", "--name=Example Events", "--plan=none", "--email=jo@example.test"},
		{"bootstrap", "--plan=team", "--email=jo@example.test"},
	} {
		if out, err := c.run("", bad...); err == nil {
			t.Errorf("%v prints %s", bad, out)
		}
	}
	out := c.must("", args...)
	token, ok := strings.CutPrefix(strings.TrimSpace(out), "https://ecf.example/api/v2/auth/setup#")
	if !ok {
		t.Fatalf("it prints %q", out)
	}
	base := c.serve()
	if status, _ := ask(t, "POST", base+"/api/v2/auth/setup", "", `{"setupToken":"`+token+`","password":"`+password+`"}`); status != http.StatusOK {
		t.Fatalf("the link is answered with %d", status)
	}
	if again := c.must("", args...); !strings.Contains(again, "nothing was changed") || strings.Contains(again, "#") {
		t.Errorf("the second run prints %q", again)
	}
	status, body := ask(t, "POST", base+"/api/v2/auth/login", "", `{"email":"jo@example.test","password":"`+password+`"}`)
	if status != http.StatusOK {
		t.Fatalf("sign-in is answered with %d %s", status, body)
	}
}

// TestThePlanIsLogged: as that of any other organization, that of a bootstrapped one and of the demo cannot
// be changed beside the audit log without being noticed.
func TestThePlanIsLogged(t *testing.T) {
	t.Parallel()
	for _, made := range []struct {
		by  string
		how func(*commands)
	}{
		{"bootstrap", func(c *commands) {
			c.must("", "bootstrap", "--name=Example Events", "--plan=team", "--email=jo@example.test")
		}},
		{"demo", func(c *commands) { c.serve() }},
		{"a demo whose first start was interrupted", func(c *commands) {
			db, err := sqlitex.Open(c.t.Context(), filepath.Join(c.env["ECF_DATA_DIR"], standalone.DatabaseFile), recordsqlite.Schema()...)
			if err == nil {
				err = recordsqlite.New(db).InsertOrganization(c.t.Context(), record.Organization{ID: "demo", Name: "Demo organization", Plan: "team", CreatedAt: time.Now(), Rev: 1})
				err = errors.Join(err, db.Close())
			}
			if err != nil {
				c.t.Fatal(err)
			}
			c.serve()
		}},
	} {
		t.Run(made.by, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			env := map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": dir, "ECF_ISSUER": "https://ecf.example", "ECF_DEMO": "true", "ECF_DEMO_PASSWORD": password}
			// The server ends with its test, before the file is written to.
			t.Run("make", func(t *testing.T) { made.how(&commands{t, env}) })
			c := &commands{t, env}
			c.must("", "audit", "verify")
			db, err := sqlitex.Open(t.Context(), filepath.Join(dir, standalone.DatabaseFile))
			if err != nil {
				t.Fatal(err)
			}
			err = db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
				_, err := tx.ExecContext(ctx, `UPDATE organizations SET plan = 'enterprise'`)
				return err
			})
			if err := errors.Join(err, db.Close()); err != nil {
				t.Fatal(err)
			}
			if out, err := c.run("", "audit", "verify"); err == nil || !strings.Contains(out, "its plan is enterprise, and was last set to team") {
				t.Errorf("another plan: %v\n%s", err, out)
			}
		})
	}
}

// TestOperatorIsWarnedOfLookAlikes: an address that can pass for another one is refused, and the
// characters of any other that may look like others are named.
func TestOperatorIsWarnedOfLookAlikes(t *testing.T) {
	t.Parallel()
	var warned strings.Builder
	c := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir(), "ECF_ISSUER": "https://ecf.example"}}
	org := c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	create := func(email string) error {
		warned.Reset()
		return standalone.Run(t.Context(), app.Env{
			Args:   []string{"user", "create", "--org", org, "--role", "user", "--setup-link", "--email", email},
			Getenv: func(name string) string { return c.env[name] }, Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &warned,
			Logger: slog.New(slog.DiscardHandler), Version: "test",
		})
	}
	if err := create("m\u0430nager@example.org"); err == nil || !strings.Contains(err.Error(), "U+0430, Cyrillic") {
		t.Errorf("mixed: %v", err)
	}
	if err := create("jo@example.org"); err != nil || warned.Len() > 0 {
		t.Errorf("ASCII: %v, %q", err, warned.String())
	}
	if err := create("jø@example.org"); err != nil || !strings.Contains(warned.String(), "ø (U+00F8, Latin)") {
		t.Errorf("not ASCII: %v, %q", err, warned.String())
	}
}

// TestALinkOfAGuessedAddress verifies that a command which prints a link says when it does not know the server's
// address.
func TestALinkOfAGuessedAddress(t *testing.T) {
	t.Parallel()
	for issuer, want := range map[string]string{
		"":                           "The link names the server as http://127.0.0.1:9, because ECF_ISSUER is not set. ",
		"https://carbon.example.org": "",
	} {
		env := map[string]string{"ECF_DATA_DIR": t.TempDir(), "ECF_ADDR": "127.0.0.1:9", "ECF_ISSUER": issuer}
		var link, notes strings.Builder
		err := standalone.Run(t.Context(), app.Env{
			Args:   []string{"bootstrap", "--name", "Example Ltd", "--plan", "team", "--email", "jo@example.org"},
			Getenv: func(name string) string { return env[name] }, Stdin: strings.NewReader(""), Stdout: &link, Stderr: &notes,
			Logger: slog.New(slog.DiscardHandler), Version: "test",
		})
		if err != nil || !strings.Contains(link.String(), cmp.Or(issuer, "http://127.0.0.1:9")+"/api/v2/auth/setup#") {
			t.Errorf("with the issuer %q it prints %s (%v)", issuer, link.String(), err)
		}
		if !strings.HasPrefix(notes.String(), want) || want == "" && notes.Len() > 0 {
			t.Errorf("with the issuer %q it notes %q, want %q", issuer, notes.String(), want)
		}
	}
}
