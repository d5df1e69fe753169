package standalone_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

// audited is a server with one approved record, and its database.
type audited struct {
	*commands
	db         *sqlitex.DB
	dir        string
	base       string // of the API
	org, event string
}

func startAudited(t *testing.T) *audited {
	t.Helper()
	dir := t.TempDir()
	a := &audited{commands: &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": dir}}, dir: dir}
	a.org = a.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	a.must(password+"\n", "user", "create", "--org", a.org, "--email", "m@example.test", "--role", "manager")
	base := a.serve() + "/api/v2"
	a.base = base
	var token string
	call := func(method, path, body string, want int) map[string]any {
		t.Helper()
		status, text := ask(t, method, base+path, token, body)
		var answer struct{ Data map[string]any }
		if err := json.Unmarshal([]byte(text), &answer); err != nil || status != want {
			t.Fatalf("%s %s: %d %s", method, path, status, text)
		}
		return answer.Data
	}
	token = call("POST", "/auth/login", `{"email":"m@example.test","password":"`+password+`"}`, http.StatusOK)["accessToken"].(string)
	a.event = call("POST", "/events", `{"title":"Audited","country":"GB"}`, http.StatusCreated)["_id"].(string)
	at := "/events/" + a.event + "/waste"
	id := call("POST", at, `{"treatment":"landfill","weightKg":1000}`, http.StatusCreated)["_id"].(string)
	call("POST", at+"/"+id+"/submit", "", http.StatusOK)
	call("POST", at+"/"+id+"/approve", "", http.StatusOK)
	testkit.Eventually(t, time.Minute, func() error {
		if status, text := ask(t, "GET", base+"/events/"+a.event+"/results", token, ""); status != http.StatusOK || !strings.Contains(text, `"status":"current"`) {
			return fmt.Errorf("%d %s", status, text)
		}
		return nil
	})
	db, err := sqlitex.Open(t.Context(), filepath.Join(dir, standalone.DatabaseFile))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	a.db = db
	return a
}

func (a *audited) change(statement string) {
	a.t.Helper()
	if err := a.db.Write(a.t.Context(), func(ctx context.Context, tx sqlitex.Tx) error {
		changed, err := tx.ExecContext(ctx, statement)
		if err != nil {
			return err
		}
		if n, err := changed.RowsAffected(); err != nil || n == 0 {
			return fmt.Errorf("%s changes nothing: %w", statement, err)
		}
		return nil
	}); err != nil {
		a.t.Fatal(err)
	}
}

// A digit of a stored figure is found by `ecf audit verify`, although no chain
// covers it.
func TestAuditVerifyRecomputesFigures(t *testing.T) {
	t.Parallel()
	a := startAudited(t)
	out, err := a.run("", "audit", "verify")
	if err != nil || !strings.Contains(out, a.org+": figures of 1 records and 1 results recomputed\n") {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, damage := range []struct{ table, column, digits, want string }{
		{"records", "contribution", "52058", "its contribution is not what its inputs come to"},
		{"records", "preview", "520.58", "the figure shown is"},
		{"results", "doc", "52058", "its figures are not what the approved records come to"},
	} {
		// The landfill of a tonne is 520.580230 kg, which each of them contains in some form.
		a.change(fmt.Sprintf("UPDATE %s SET %s = replace(%[2]s, '%[3]s', '%[3]s1')", damage.table, damage.column, damage.digits))
		out, err := a.run("", "audit", "verify")
		if err == nil || !strings.Contains(out, damage.want) {
			t.Errorf("after a change of %s.%s: %v\n%s", damage.table, damage.column, err, out)
		}
		a.change(fmt.Sprintf("UPDATE %s SET %s = replace(%[2]s, '%[3]s1', '%[3]s')", damage.table, damage.column, damage.digits))
	}
	if out, err := a.run("", "audit", "verify"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// An empty database, or a truncated file, fails the verification although it has no fault. So does a partial one.
func TestAuditVerifyOfNothing(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir()}}
	if out, err := c.run("", "audit", "verify"); err == nil || !strings.Contains(err.Error(), "there is no system in") {
		t.Errorf("nothing was ever in it: %v\n%s", err, out)
	}
	c.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	if out, err := c.run("", "audit", "verify"); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	whole, err := os.ReadFile(filepath.Join(c.env["ECF_DATA_DIR"], standalone.DatabaseFile))
	if err != nil || len(whole) == 0 {
		t.Fatalf("%d bytes, %v", len(whole), err)
	}
	for length, want := range map[int]string{0: "this database is empty", len(whole) / 2: ""} {
		cut := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir()}}
		if err := os.WriteFile(filepath.Join(cut.env["ECF_DATA_DIR"], standalone.DatabaseFile), whole[:length], 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := cut.run("", "audit", "verify"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("cut to %d of %d bytes: %v\n%s", length, len(whole), err, out)
		}
	}
}

// `ecf audit verify --heads` finds a truncated chain, or a missing record with its whole history; a file of heads
// that was changed, truncated or signed by somebody else is rejected.
func TestAuditHeadsFindWhatWasCutOff(t *testing.T) {
	t.Parallel()
	a := startAudited(t)
	heads := filepath.Join(t.TempDir(), "heads.jsonl")
	a.must("", "audit", "export", "--to", heads)
	if _, err := a.run("", "audit", "export", "--to", heads); err == nil {
		t.Error("an export was written over another one")
	}
	if file, err := os.Stat(heads); err != nil || file.Mode().Perm() != 0o600 {
		t.Errorf("the export can be read by others: %v, %v", file.Mode(), err)
	}
	if out, err := a.run("", "audit", "verify", "--heads", heads); err != nil || !strings.Contains(out, "heads of ") {
		t.Fatalf("%v\n%s", err, out)
	}

	text, err := os.ReadFile(heads)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	for name, c := range map[string]struct{ file, want string }{
		"changed": {strings.Replace(string(text), `"revision":1`, `"revision":2`, 1), "was changed"},
		"shorter": {strings.Join(append(lines[:1:1], lines[2:]...), ""), "was changed"},
		"cut off": {strings.Join(lines[:len(lines)-2], ""), "cut off"},
		"longer":  {string(text) + lines[1], "goes on behind its end"},
		"another": {"{}\n", "no file of ecf audit export"},
	} {
		path := filepath.Join(t.TempDir(), "heads")
		if err := os.WriteFile(path, []byte(c.file), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := a.run("", "audit", "verify", "--heads", path); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}

	// A new key signs the next export; the previous one is still trusted, another one never is.
	kid := a.must("", "keys", "rotate", "--reports")
	second := filepath.Join(t.TempDir(), "second.jsonl")
	if line := a.must("", "audit", "export", "--to", second); !strings.HasSuffix(line, kid) {
		t.Errorf("after a rotation: %s, want %s", line, kid)
	}
	if out, err := a.run("", "audit", "verify", "--heads", heads); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	strangers := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(strangers, []byte(`{"keys":[{"kty":"OKP","kid":"stranger"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := a.run("", "audit", "verify", "--heads", heads, "--keys", strangers); err == nil || !strings.Contains(err.Error(), "not one of the 1") {
		t.Errorf("a stranger's key is trusted: %v", err)
	}

	// The last entry of the audit log with the head set back is a whole chain.
	a.change("DELETE FROM account_audit WHERE org = '" + a.org + "' AND seq = (SELECT max(seq) FROM account_audit WHERE org = '" + a.org + "')")
	a.change("UPDATE account_audit_heads SET seq = seq - 1, hash = (SELECT hash FROM account_audit WHERE org = '" + a.org + "' ORDER BY seq DESC LIMIT 1) WHERE org = '" + a.org + "'")
	if out, err := a.run("", "audit", "verify"); err != nil {
		t.Errorf("this is to be found by the heads alone: %v\n%s", err, out)
	}
	out, err := a.run("", "audit", "verify", "--heads", heads)
	if err == nil || !strings.Contains(out, "of the audit log was there and is not any more") {
		t.Errorf("%v\n%s", err, out)
	}
	a.change("DELETE FROM history")
	out, err = a.run("", "audit", "verify", "--heads", heads)
	if err == nil || !strings.Contains(out, "revisions 1 to 2 are missing") {
		t.Errorf("%v\n%s", err, out)
	}
	// An unreadable record is missing, and all heads are still compared.
	a.change("UPDATE records SET body = '{bad'")
	a.change("UPDATE events SET body = '{bad'")
	out, err = a.run("", "audit", "verify", "--heads", heads)
	if err == nil || !strings.Contains(out, "of its history was there and is not any more") || !strings.Contains(out, " compared, ") {
		t.Errorf("%v\n%s", err, out)
	}
}
