package standalone_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/services/standalone"
)

// TestAServerRefusesAPartOfTheData: a server that is started on what a killed restore, backup or migrate has left does not
// begin a new system, nor serve figures of a part of the data, but says what to do.
func TestAServerRefusesAPartOfTheData(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, says string }{
		"a restore": {standalone.DatabaseFile + ".partial", "was begun and is not finished: repeat ecf restore, or remove " + standalone.DatabaseFile + ".partial"},
		"a backup":  {"under-way", "which is a backup that is not finished and has only a part of the data"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := processes{t, []string{"ECF_ADDR=127.0.0.1:0", "ECF_DATA_DIR=" + t.TempDir()}}
			_, dir, _ := strings.Cut(p.env[1], "=")
			must(t, os.WriteFile(filepath.Join(dir, c.file), []byte("half"), 0o600))
			for _, args := range [][]string{{"serve"}, {"org", "create", "--name", "New", "--plan", "team"}} {
				if out, err := p.refused(args...); err == nil || !strings.Contains(out, c.says) {
					t.Errorf("%v: %v\n%s", args, err, out)
				}
			}
			if _, err := os.Lstat(filepath.Join(dir, standalone.DatabaseFile)); err == nil {
				t.Error("a new system was begun")
			}
		})
	}
	t.Run("a migration", func(t *testing.T) {
		t.Parallel()
		address := emptyMongo(t)
		records, accounts := mongodb.At(address)
		p := processes{t, []string{"ECF_ADDR=127.0.0.1:0", "ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + address}}
		for _, at := range []struct{ uri, name string }{{records.URI, records.Database()}, {accounts.URI, accounts.Database()}} {
			db, disconnect, err := mongodb.Connect("test", at.uri, at.name)
			must(t, err)
			must(t, mongox.WriteIncoming(t.Context(), db, mongox.Incoming{Source: "of a test"}))
			for _, args := range [][]string{{"serve"}, {"org", "list"}} {
				if out, err := p.refused(args...); err == nil || !strings.Contains(out, "database "+at.name+": ") || !strings.Contains(out, "repeat the same ecf migrate or ecf restore") {
					t.Errorf("%v: %v\n%s", args, err, out)
				}
			}
			must(t, mongox.WriteIncoming(t.Context(), db, mongox.Incoming{Source: "of a test", Done: true}))
			must(t, disconnect())
		}
	})
}

// refused runs a command that ends at once, even serve, and returns its output. It kills one that does not.
func (p processes) refused(args ...string) (out string, err error) {
	p.t.Helper()
	cmd := p.command(args...)
	var all bytes.Buffer
	cmd.Stdout, cmd.Stderr = &all, &all
	must(p.t, cmd.Start())
	late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	err = cmd.Wait()
	return all.String(), err
}
