package standalone_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/eventcarbon/ecf/libs/mongox"
	"github.com/eventcarbon/ecf/services/standalone"
)

// TestACleanStopLeavesOneFile: after a clean stop the database file is complete, so that a copy of only that file
// loses nothing from its log.
func TestACleanStopLeavesOneFile(t *testing.T) {
	t.Parallel()
	dir, want := t.TempDir(), ""
	env := []string{"ECF_DATA_DIR=" + dir, "ECF_DEMO=true", "ECF_DEMO_PASSWORD=" + password}
	t.Run("serve the demo", func(t *testing.T) {
		want = settled(t, strings.TrimSuffix(processes{t, env}.serve(), "/api/v2"))
	})
	if info, err := os.Stat(filepath.Join(dir, standalone.DatabaseFile+"-wal")); err == nil && info.Size() > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the log beside the database: %v", err)
	}
	content, err := os.ReadFile(filepath.Join(dir, standalone.DatabaseFile)) //nolint:gosec // a database of this test
	if err != nil {
		t.Fatal(err)
	}
	alone := t.TempDir()
	if err := os.WriteFile(filepath.Join(alone, standalone.DatabaseFile), content, 0o600); err != nil {
		t.Fatal(err)
	}
	chains := processes{t, []string{"ECF_DATA_DIR=" + dir}}.must("", "audit", "verify")
	if got := (processes{t, []string{"ECF_DATA_DIR=" + alone}}).must("", "audit", "verify"); got != chains {
		t.Errorf("the file alone has\n%s\nwant\n%s", got, chains)
	}
	t.Run("serve the file alone", func(t *testing.T) {
		c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": alone}}
		if got := settled(t, c.serve()); got != want {
			t.Errorf("results:\n%s\nwant\n%s", got, want)
		}
	})
}

// killed runs a command and kills it (SIGKILL) as soon as it has made more progress than any attempt before, several
// times, and then lets it finish. args returns the arguments of an attempt. It returns how often it was killed.
func (p processes) killed(further func() int64, args func(attempt int) []string) (kills int) {
	p.t.Helper()
	for most := further(); ; {
		cmd := p.command(args(kills)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			p.t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		const often = 3
		for running := true; running; {
			select {
			case err := <-ended:
				if err == nil {
					return kills
				}
				if kills > 0 && strings.Contains(out.String(), "a backup can only be restored into an empty data directory") {
					return kills // it was killed after completing, before it exited
				}
				if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != syscall.SIGKILL {
					p.t.Fatalf("%v after %d kills: %v\n%s", cmd.Args, kills, err, out.String())
				}
				kills++
				running = false
			case <-time.After(time.Millisecond):
				if now := further(); kills < often && now > most {
					most = now
					_ = cmd.Process.Kill()
				}
			}
		}
	}
}

// TestKilledCopiesAreCompleted: migrate, backup and restore are killed at random points while they write, and
// repeated: the result has the same chains, and the same figures to the last digit.
func TestKilledCopiesAreCompleted(t *testing.T) {
	t.Parallel()
	dir, want := demo(t)
	file := processes{t, []string{"ECF_DATA_DIR=" + dir}}
	chains := file.must("", "audit", "verify")
	check := func(what string, kills int, env ...string) {
		t.Helper()
		if kills == 0 {
			t.Errorf("%s was never killed while it wrote", what)
		}
		t.Logf("%s was killed %d times", what, kills)
		if got := (processes{t, env}).must("", "audit", "verify"); got != chains {
			t.Errorf("%s: chains\n%s\nwant\n%s", what, got, chains)
		}
		t.Run("serve what "+what+" made", func(t *testing.T) {
			c := &commands{t, map[string]string{"ECF_ADDR": "127.0.0.1:0", "ECF_DATA_DIR": t.TempDir()}}
			for _, e := range env {
				name, value, _ := strings.Cut(e, "=")
				c.env[name] = value
			}
			if got := settled(t, c.serve()); got != want {
				t.Errorf("results:\n%s\nwant\n%s", got, want)
			}
		})
	}

	moved := emptyMongo(t)
	same := func(args ...string) func(int) []string { return func(int) []string { return args } }
	check("migrate", file.killed(documents(t, moved), same("migrate", "--to", moved)), "ECF_MONGODB_URI="+moved)

	into := t.TempDir()
	source := processes{t, []string{"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + moved}}
	chains = source.must("", "audit", "verify") // somebody has signed in since
	kills := source.killed(size(into), func(attempt int) []string {
		return []string{"backup", "--to", filepath.Join(into, fmt.Sprint(attempt))}
	})
	for attempt := range kills {
		if out, err := source.command("backup", "verify", filepath.Join(into, fmt.Sprint(attempt))).CombinedOutput(); err == nil {
			t.Errorf("what a killed backup left is taken for one: %s", out)
		}
	}
	backup := filepath.Join(into, fmt.Sprint(kills))
	restored := filepath.Join(t.TempDir(), "data")
	target := []string{"ECF_DATA_DIR=" + restored}
	if err := os.Mkdir(restored, 0o700); err != nil {
		t.Fatal(err)
	}
	processes{t, target}.killed(size(restored), same("restore", "--from", backup))
	check("backup", kills, target...)

	again := []string{"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + emptyMongo(t)}
	check("restore", processes{t, again}.killed(documents(t, strings.TrimPrefix(again[1], "ECF_MONGODB_URI=")), same("restore", "--from", backup)), again...)
}

// TestALogThatWasLeftIsNotAppliedToABackup: the log beside the database of a killed server would be applied to whatever
// database is restored under its name, so a restore refuses it, whichever part was left.
func TestALogThatWasLeftIsNotAppliedToABackup(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := processes{t, []string{"ECF_DATA_DIR=" + dir}}
	p.must("", "org", "create", "--name", "Earlier Ltd", "--plan", "team")
	_, kill := p.server()
	backup := filepath.Join(t.TempDir(), "backup")
	p.must("", "backup", "--to", backup)
	want := p.must("", "audit", "verify")
	p.must("", "org", "create", "--name", "Later Ltd", "--plan", "team")
	kill()
	database := filepath.Join(dir, standalone.DatabaseFile)
	for _, remove := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(database + remove); err != nil {
			t.Fatal(err)
		}
		out, err := p.command("restore", "--from", backup).CombinedOutput()
		if refused := strings.Contains(string(out), " exists: a backup can only be restored into an empty data directory"); refused != (err != nil) || refused == (remove == "-shm") {
			t.Fatalf("without %s: %v\n%s", standalone.DatabaseFile+remove, err, out)
		}
	}
	if got := p.must("", "audit", "verify"); got != want {
		t.Errorf("restored:\n%s\nwant\n%s", got, want)
	}
}

// documents returns a function that counts the documents of a MongoDB database.
func documents(t *testing.T, address string) func() int64 {
	t.Helper()
	client, err := mongox.Connect(address, mongox.Options{AppName: "killed-test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Disconnect(t.Context()) })
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	db := client.Database(strings.TrimPrefix(u.Path, "/"))
	return func() (n int64) {
		names, err := db.ListCollectionNames(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			many, err := db.Collection(name).EstimatedDocumentCount(t.Context())
			if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
				t.Fatal(err)
			}
			n += many
		}
		return n
	}
}

// size returns a function that adds up the sizes of the files in a directory.
func size(dir string) func() int64 {
	return func() (n int64) {
		_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil //nolint:nilerr // a file that is gone has no size
			}
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
			return nil
		})
		return n
	}
}
