package standalone_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDamagedFilesAreReported: the disk changes a byte of the write-ahead log of a killed server, and then of the
// database. SQLite opens both without an error; the log of the program and ecf audit verify report it.
func TestDamagedFilesAreReported(t *testing.T) {
	t.Parallel()
	p := processes{t, []string{"ECF_DATA_DIR=" + t.TempDir()}}
	_, dir, _ := strings.Cut(p.env[0], "=")
	org := strings.TrimSpace(p.must("", "org", "create", "--name", "Example Ltd", "--plan", "team"))
	p.must(password+"\n", "user", "create", "--org", org, "--email", "manager@example.test", "--role", "manager")
	base, kill := p.server()
	token := p.signIn(base)
	for range 5 {
		if status, body := ask(t, http.MethodPost, base+"/events", token, `{"title":"Summit","country":"GB"}`); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	kill()
	log := filepath.Join(dir, "ecf.db-wal")
	info, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	overwrite(t, log, info.Size()/2)

	// The first that opens it may be a backup.
	out, err := p.refused("backup", "--to", filepath.Join(t.TempDir(), "backup"))
	if err != nil || !strings.Contains(out, "the write-ahead log is damaged, and commits in it are lost") || strings.Contains(out, "5 events") {
		t.Errorf("commits are lost, and a backup (%v) says:\n%s", err, out)
	}
	if out := p.must("", "org", "list"); strings.Contains(out, "events: 5") {
		t.Errorf("nothing is lost: %s", out)
	}
	if out, err := p.refused("audit", "verify"); err == nil || !strings.Contains(out, "remove its copy ecf.db-wal.damaged-1") {
		t.Errorf("audit verify succeeds (%v) without the lost commits:\n%s", err, out)
	}
	if err := os.Remove(log + ".damaged-1"); err != nil {
		t.Fatal(err)
	}
	p.must("", "audit", "verify")

	// The end of a page, where SQLite has what it entered first.
	database := filepath.Join(dir, "ecf.db")
	if info, err = os.Stat(database); err != nil {
		t.Fatal(err)
	}
	overwrite(t, database, info.Size()-64)
	if out, err := p.refused("audit", "verify"); err == nil || !strings.Contains(out, "the database file is damaged") {
		t.Errorf("audit verify (%v) of a damaged file:\n%s", err, out)
	}
}

// overwrite writes other bytes into a file.
func overwrite(t *testing.T, path string, at int64) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt(bytes.Repeat([]byte{0xa5}, 64), at); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
