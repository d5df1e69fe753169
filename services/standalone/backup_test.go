package standalone_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/services/standalone"
)

// A backup of a running server, restored into an empty directory, has the same organizations, accounts and chains. A
// damaged, partial or empty one is rejected, and restore never overwrites data.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	source := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir()}}
	org := source.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	source.must(password+"\n", "user", "create", "--org", org, "--email", "admin@example.test", "--role", "admin")
	source.serve()
	backup := filepath.Join(t.TempDir(), "backup")
	source.must("", "backup", "--to", backup)
	want, err := source.run("", "audit", "verify")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{standalone.DatabaseFile, "manifest.json"} {
		info, err := os.Stat(filepath.Join(backup, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info.Mode(), err)
		}
	}
	if out, err := source.run("", "backup", "verify", backup); err != nil || !strings.Contains(out, "is whole") {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := source.run("", "backup", "--to", backup); err == nil {
		t.Error("a backup was made over another one")
	}
	if _, err := source.run("", "restore", "--from", backup); err == nil {
		t.Error("a backup was restored over data")
	}

	target := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": filepath.Join(t.TempDir(), "data")}}
	// The remains of an interrupted restore must not prevent the next one.
	if err := os.Mkdir(target.env["ECF_DATA_DIR"], 0o755); err != nil { //nolint:gosec // it is to be tightened
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(target.env["ECF_DATA_DIR"], standalone.DatabaseFile+".partial"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	target.must("", "restore", "--from", backup)
	if left, err := filepath.Glob(filepath.Join(target.env["ECF_DATA_DIR"], "*.partial*")); err != nil || len(left) > 0 {
		t.Errorf("the restore left %v, %v", left, err)
	}
	closed := func(after string) {
		if info, err := os.Stat(target.env["ECF_DATA_DIR"]); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("after %s the data directory has the mode %v: %v", after, info.Mode(), err)
		}
	}
	closed("restore")
	for _, command := range [][]string{{"schema", "status"}, {"backup", "--to", filepath.Join(t.TempDir(), "again")}} {
		if err := os.Chmod(target.env["ECF_DATA_DIR"], 0o755); err != nil { //nolint:gosec // as above
			t.Fatal(err)
		}
		target.must("", command...)
		closed(command[0])
	}
	if got, err := target.run("", "audit", "verify"); err != nil || got != want {
		t.Errorf("%v\ngot\n%s\nwant\n%s", err, got, want)
	}
	status, body := ask(t, "POST", target.serve()+"/api/v2/auth/login", "", `{"email":"admin@example.test","password":"`+password+`"}`)
	if status != http.StatusOK {
		t.Errorf("sign-in after the restore: %d %s", status, body)
	}

	empty := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir()}}
	empty.must("", "schema", "up")
	if out, err := empty.run("", "audit", "verify"); err == nil || !strings.Contains(err.Error(), "empty") {
		t.Errorf("an empty database: %v\n%s", err, out)
	}
	if _, err := empty.run("", "backup", "--to", filepath.Join(t.TempDir(), "b")); err == nil {
		t.Error("an empty database was backed up")
	}
	database := filepath.Join(backup, standalone.DatabaseFile)
	content, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	for what, damaged := range map[string][]byte{"cut off": content[:len(content)/2], "of another": append([]byte{}, append(content, make([]byte, 4096)...)...), "empty": {}} {
		if err := os.WriteFile(database, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := source.run("", "backup", "verify", backup); err == nil || !strings.Contains(err.Error(), database+" is damaged") {
			t.Errorf("%s: %v\n%s", what, err, out)
		}
	}
	if err := os.Remove(filepath.Join(backup, "manifest.json")); err != nil {
		t.Fatal(err)
	}
	if _, err := source.run("", "backup", "verify", backup); err == nil || !strings.Contains(err.Error(), "not a whole backup") {
		t.Errorf("without a manifest: %v", err)
	}
}

// TestBackupOfAnOlderSchema verifies that a backup by a program before a schema step is complete, whether its rows
// were counted before or after that step, and can be restored.
func TestBackupOfAnOlderSchema(t *testing.T) {
	t.Parallel()
	source := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir()}}
	source.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	backup := filepath.Join(t.TempDir(), "backup")
	source.must("", "backup", "--to", backup)
	database, stated := filepath.Join(backup, standalone.DatabaseFile), filepath.Join(backup, "manifest.json")
	db, err := sql.Open("sqlite", database)
	if err != nil {
		t.Fatal(err)
	}
	// The step of this component only creates missing indexes.
	if _, err := db.ExecContext(t.Context(), `DELETE FROM schema_versions WHERE component = 'imports'`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(stated)
	if err != nil {
		t.Fatal(err)
	}
	var manifest map[string]any
	if err := json.Unmarshal(text, &manifest); err != nil {
		t.Fatal(err)
	}
	tables, ok := manifest["tables"].(map[string]any)
	if !ok {
		t.Fatalf("%s", text)
	}
	stepped := tables["schema_versions"].(float64) //nolint:forcetypeassert // a number of rows
	manifest["databaseSha256"] = fmt.Sprintf("%x", sha256.Sum256(content))
	for rows, whole := range map[float64]bool{stepped - 1: true, stepped: true, stepped - 2: false} {
		tables["schema_versions"] = rows
		text, err := json.Marshal(manifest)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(stated, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := source.run("", "backup", "verify", backup); (err == nil) != whole {
			t.Errorf("%.0f rows are stated of %.0f: %v\n%s", rows, stepped-1, err, out)
		}
		target := &commands{t, map[string]string{"ECF_DATA_DIR": filepath.Join(t.TempDir(), "data")}}
		if out, err := target.run("", "restore", "--from", backup); (err == nil) != whole {
			t.Errorf("%.0f rows are stated of %.0f: %v\n%s", rows, stepped-1, err, out)
		}
	}
}

func TestSchemaCommands(t *testing.T) {
	t.Parallel()
	c := &commands{t, map[string]string{"ECF_DATA_DIR": t.TempDir()}}
	if out, err := c.run("", "schema", "up"); err != nil || !strings.Contains(out, "current") || strings.Contains(out, "upgraded") {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := c.run("", "schema", "status"); err != nil || !strings.Contains(out, "current") {
		t.Errorf("%v\n%s", err, out)
	}
}
