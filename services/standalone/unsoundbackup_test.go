package standalone_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/services/standalone"
)

// TestBackupsOfUnsoundData: data that audit verify finds wrong are in a backup all the same, which can be restored and takes
// the place of no earlier one. The commands say so.
func TestBackupsOfUnsoundData(t *testing.T) {
	t.Parallel()
	w := work(t)
	for name, c := range map[string]struct{ fault, says string }{
		"an entry that was removed":     {`DELETE FROM account_audit WHERE seq = (SELECT max(seq) FROM account_audit)`, "the audit log is not whole"},
		"a record that was changed":     {`UPDATE records SET status = 'rejected' WHERE status = 'approved'`, "the histories of records and events, or what was calculated from them, are not whole"},
		"a result that cannot be read":  {`UPDATE results SET doc = '{bad'`, "are not whole"},
		"roles that nobody gave":        {`UPDATE account_users SET role = 1`, "are not whole"},
		"a history that cannot be read": {`UPDATE event_history SET entry = '{bad'`, "are not whole"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, into := t.TempDir(), t.TempDir()
			database := filepath.Join(dir, standalone.DatabaseFile)
			if err := os.WriteFile(database, w.file, 0o600); err != nil {
				t.Fatal(err)
			}
			source := &commands{t, map[string]string{"ECF_DATA_DIR": dir}}
			// backup makes one as of another day, because names have seconds.
			backup := func(as string) error {
				out, err := source.run("", "backup", "--into", into, "--keep", "1")
				made, lines, _ := strings.Cut(out, "\n")
				if err := os.Rename(made, filepath.Join(into, as)); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if lines == "" {
					t.Error("nothing is printed of the data")
				}
				return err
			}
			const sound, first, second = "ecf-20260101T000000Z", "ecf-20260102T000000Z", "ecf-20260103T000000Z"
			if err := backup(sound); err != nil {
				t.Fatal(err)
			}
			db, err := sql.Open("sqlite", database)
			if err != nil {
				t.Fatal(err)
			}
			done, err := db.ExecContext(t.Context(), c.fault)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := done.RowsAffected(); err != nil || n == 0 {
				t.Fatalf("%d rows: %v", n, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			for _, as := range []string{first, second} {
				if err := backup(as); err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "can be restored") {
					t.Errorf("a backup of unsound data: %v", err)
				}
			}
			left, err := os.ReadDir(into)
			if err != nil || len(left) != 2 || left[0].Name() != sound || left[1].Name() != second {
				t.Errorf("backups: %v, %v", left, err)
			}
			if out, err := source.run("", "backup", "verify", into); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("verified: %v\n%s", err, out)
			}
			if out, err := source.run("", "backup", "verify", filepath.Join(into, sound)); err != nil {
				t.Errorf("the one from before: %v\n%s", err, out)
			}
			if out, err := source.run("", "migrate", "--to", "mongodb://127.0.0.1:1/ecf"); err == nil || !strings.Contains(err.Error(), "nothing was copied") || !strings.Contains(err.Error(), c.says) {
				t.Errorf("migrated: %v\n%s", err, out)
			}
			target := &commands{t, map[string]string{"ECF_DATA_DIR": filepath.Join(t.TempDir(), "data")}}
			if out, err := target.run("", "restore", "--from", filepath.Join(into, second)); err != nil || !strings.Contains(out, c.says) {
				t.Errorf("restored: %v\n%s", err, out)
			}
			if out, err := target.run("", "audit", "verify"); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("the restored data: %v\n%s", err, out)
			}
		})
	}
}
