package standalone_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/app"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

const password = "a long enough password"

// commands runs ecf commands on one data directory.
type commands struct {
	t   *testing.T
	env map[string]string
}

// run runs a command and returns its output.
func (c *commands) run(input string, args ...string) (stdout string, err error) {
	c.t.Helper()
	var out strings.Builder
	err = standalone.Run(c.t.Context(), app.Env{
		Args: args, Getenv: func(name string) string { return c.env[name] }, Stdin: strings.NewReader(input), Stdout: &out, Stderr: io.Discard,
		Logger: slog.New(slog.DiscardHandler), Version: "test",
	})
	return out.String(), err
}

func (c *commands) must(input string, args ...string) string {
	c.t.Helper()
	out, err := c.run(input, args...)
	if err != nil {
		c.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	line, _, _ := strings.Cut(out, "\n")
	return line
}

// serve runs a server on the data directory until the test ends.
func (c *commands) serve() (base string) {
	c.t.Helper()
	return c.serveAt(nil)
}

// serveAt is serve by a clock.
func (c *commands) serveAt(now func() time.Time) (base string) {
	c.t.Helper()
	config, err := standalone.Load(nil, func(name string) string { return c.env[name] })
	if err != nil {
		c.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- standalone.Serve(ctx, standalone.Options{
			Config: config, Logger: slog.New(slog.DiscardHandler), Version: "test", Ready: func(address string) { ready <- address }, Now: now,
		})
	}()
	c.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			c.t.Error(err)
		}
	})
	select {
	case address := <-ready:
		return "http://" + address
	case err := <-ended:
		ended <- nil
		c.t.Fatalf("the server ended: %v", err)
	case <-time.After(time.Minute):
		c.t.Fatal("the server does not begin")
	}
	return ""
}

// ask sends a request and returns the status and the body.
func ask(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// Statements 11 and 35 for operators: a server applies `ecf keys rotate` without a restart, old tokens remain valid,
// and `ecf audit verify` finds changed and missing entries.
func TestOperatorRotatesKeysAndVerifiesTheAuditLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": dir, "ECF_SIGNING_ALGORITHM": "ES256"}}
	org := c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	admin := c.must(password+"\n", "user", "create", "--org", org, "--email", "admin@example.test", "--role", "admin")
	base := c.serve()
	status, body := ask(t, "POST", base+"/api/v2/auth/login", "", `{"email":"admin@example.test","password":"`+password+`"}`)
	var login struct{ Data struct{ AccessToken string } }
	if err := json.Unmarshal([]byte(body), &login); err != nil || status != http.StatusOK {
		t.Fatalf("%d %s", status, body)
	}
	token := login.Data.AccessToken

	kid := c.must("", "keys", "rotate")
	testkit.Eventually(t, 20*time.Second, func() error {
		if _, body := ask(t, "GET", base+"/.well-known/jwks.json", "", ""); !strings.Contains(body, `"`+kid+`"`) || strings.Count(body, `"ES256"`) != 2 {
			return fmt.Errorf("%s is not published: %s", kid, body)
		}
		return nil
	})
	status, body = ask(t, "GET", base+"/api/v2/organization/audit", token, "")
	if status != http.StatusOK || !strings.Contains(body, `"action":"login"`) || !strings.Contains(body, admin) || strings.Contains(body, "keys.rotate") {
		t.Errorf("%d %s", status, body)
	}

	out, err := c.run("", "audit", "verify")
	if err != nil || !strings.Contains(out, org+": 3 entries, whole, last hash ") || !strings.Contains(out, "system: 1 entries, whole") {
		t.Errorf("%v\n%s", err, out)
	}
	db, err := sqlitex.Open(t.Context(), filepath.Join(dir, standalone.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, damage := range []struct{ statement, org, want string }{
		{"UPDATE account_audit SET actor = 'somebody' WHERE org <> 'system' AND seq = 2", org, "entry 2 was changed"},
		{"DELETE FROM account_audit WHERE org <> 'system' AND seq = 2", org, "entry 2 is missing"},
		{"DELETE FROM account_audit WHERE org <> 'system' AND seq = 1", org, "entry 1 is missing"},
		{"DELETE FROM account_audit WHERE org = 'system'", "system", "entry 1 is missing"},
	} {
		if err := db.Write(t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
			_, err := tx.ExecContext(ctx, damage.statement)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if out, err := c.run("", "audit", "verify"); err == nil || !strings.Contains(out, damage.org+": "+damage.want) {
			t.Errorf("after %s: %v\n%s", damage.statement, err, out)
		}
	}
}
