package standalone_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/libs/sqlitex"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
	"github.com/eventcarbon/ecf/services/standalone/transfer"
)

// countedInFile counts the rows of an organization in the embedded database of a directory.
func countedInFile(t *testing.T, dir, org string) func() int64 {
	t.Helper()
	db, err := sqlitex.Open(t.Context(), filepath.Join(dir, standalone.DatabaseFile))
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	return func() int64 {
		counts, err := transfer.RowsOf(org).Count(t.Context(), db)
		must(t, err)
		return sum(counts)
	}
}

// countedInMongo counts the documents of an organization in the databases of an address.
func countedInMongo(t *testing.T, address, org string) func() int64 {
	t.Helper()
	client, err := mongox.Connect(testkit.LongLimits(address), mongox.Options{AppName: "test"})
	must(t, err)
	t.Cleanup(func() { _ = client.Disconnect(context.WithoutCancel(t.Context())) })
	name := mongox.DatabaseName(address, "ecf")
	return func() (n int64) {
		for _, database := range []string{name, name + "_auth"} {
			counts, err := mongox.Owned{Field: "org", Owner: org}.Count(t.Context(), client.Database(database))
			must(t, err)
			n += sum(counts)
		}
		return n
	}
}

func sum(counts map[string]int64) (n int64) {
	for _, more := range counts {
		n += more
	}
	return n
}

// TestAKilledDeletionIsCompleted: a deletion is killed at several points and repeated. Until it is completed nobody can
// use the organization, not even an operator, and all is verified, backed up and restored without it.
func TestAKilledDeletionIsCompleted(t *testing.T) {
	t.Parallel()
	file, address := t.TempDir(), emptyMongo(t)
	for name, engine := range map[string]struct {
		env  []string
		read func() rows
		// counted returns a function that counts the rows of an organization.
		counted func(org string) func() int64
	}{
		"embedded": {[]string{"ECF_DATA_DIR=" + file}, func() rows { return rowsInFile(t, file) }, func(org string) func() int64 { return countedInFile(t, file, org) }},
		"MongoDB": {[]string{"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + testkit.LongLimits(address)}, func() rows { return rowsInMongo(t, address) },
			func(org string) func() int64 { return countedInMongo(t, address, org) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := processes{t, append(engine.env, "ECF_REQUEST_TIMEOUT=1m", "ECF_WRITE_RATE_LIMIT=1000000/1s", "ECF_AUTH_RATE_LIMIT=1000/15m")}
			base := p.serve()
			leaving := p.found(base, "Leaving")
			p.found(base, "Staying")
			p.must("", "user", "join", "--org", leaving.org, "--email", "user@staying.test", "--role", "user")
			all := engine.counted(leaving.org)
			kills := 2
			if testkit.Long(t) {
				kills = 8
			}
			rest := all()
			for i := range kills {
				cmd := p.command("org", "delete", "--org", leaving.org, "--name", "Leaving", "--quiet", "1h")
				must(t, cmd.Start())
				for deadline := time.Now().Add(2 * time.Minute); ; {
					if now := all(); now < rest || now == 0 {
						break
					}
					if time.Now().After(deadline) {
						t.Fatalf("there are %d rows, as before", rest)
					}
				}
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
				rest = all()
				t.Logf("kill %d: %d rows are left", i+1, rest)
				testkit.Eventually(t, 10*time.Second, func() error {
					if status, body := ask(t, http.MethodGet, base+"/auth/me", leaving.manager, ""); status != http.StatusUnauthorized {
						return fmt.Errorf("a token after kill %d: %d %s", i+1, status, body)
					}
					return nil
				})
				out, err := p.command("user", "create", "--org", leaving.org, "--email", "new@leaving.test", "--role", "user").CombinedOutput()
				if err == nil || !strings.Contains(string(out), "is being deleted since") {
					t.Errorf("an account after kill %d: %v %s", i+1, err, out)
				}
				if out := p.must("", "audit", "verify"); !strings.Contains(out, leaving.org+": NOT VERIFIED: it is being deleted") {
					t.Errorf("audit verify after kill %d: %s", i+1, out)
				}
				if i == 0 {
					backup, restored := filepath.Join(t.TempDir(), "backup"), filepath.Join(t.TempDir(), "restored")
					p.must("", "backup", "--to", backup)
					again := processes{t, []string{"ECF_DATA_DIR=" + restored}}
					again.must("", "restore", "--from", backup)
					again.must("", "org", "delete", "--org", leaving.org)
					again.must("", "audit", "verify")
					if left := rowsInFile(t, restored).naming(leaving.org); len(left) > 0 {
						t.Errorf("in what was restored and completed is left: %v", left)
					}
				}
				if rest == 0 {
					break
				}
			}
			p.must("", "org", "delete", "--org", leaving.org, "--quiet", "1s")
			if left := engine.read().naming(leaving.org); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			p.must("", "audit", "verify")
		})
	}
}
