package standalone_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"github.com/eventcarbon/ecf/libs/infra/mongodb"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

// firstOrg is the organization in the data of the first schema.
const firstOrg = "sddtxntmgyg811x51swjcg3h38"

// firstSchema returns a data directory with data from before schema versions were stored.
func firstSchema(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	path := filepath.Join(dir, standalone.DatabaseFile)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range []string{"../../libs/record", "../auth/account", "../calculation"} {
		text, err := os.ReadFile(filepath.Join(owner, "sqlitestore", "testdata", "v0.sql"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.ExecContext(t.Context(), string(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// firstSchemaOn makes of the newest schema in MongoDB databases the one before schema versions were stored.
func firstSchemaOn(t *testing.T, address string) {
	t.Helper()
	records, accounts := mongodb.At(address)
	for _, at := range []struct{ uri, name string }{{records.URI, records.Database()}, {accounts.URI, accounts.Database()}} {
		db, disconnect, err := mongodb.Connect("test", at.uri, at.name)
		if err != nil {
			t.Fatal(err)
		}
		testkit.DropIndexes(t, db)
		if at.name == records.Database() {
			must(t, db.Collection("events").Indexes().DropOne(t.Context(), "reference"))
			must(t, db.Collection("record_counts").Drop(t.Context()))
		}
		for collection, fields := range map[string]bson.D{"events": {{Key: "refKey", Value: ""}, {Key: "headline", Value: ""}}, "records": {{Key: "untallied", Value: ""}}} {
			_, err := db.Collection(collection).UpdateMany(t.Context(), bson.D{}, bson.D{{Key: "$unset", Value: fields}})
			must(t, err)
		}
		_, err = db.Collection("schema_versions").DeleteMany(t.Context(), bson.D{{Key: "version", Value: bson.D{{Key: "$exists", Value: true}}}})
		must(t, err)
		must(t, disconnect())
	}
}

// contents returns what the manifest of a backup says about the data.
func contents(t *testing.T, backup string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(backup, "manifest.json"))
	must(t, err)
	var m struct {
		Contents json.RawMessage
		Audit    []string
	}
	must(t, json.Unmarshal(text, &m))
	return fmt.Sprintf("%s\n%s", m.Contents, strings.Join(m.Audit, "\n"))
}

// contents returns what a backup of the data has.
func (p processes) contents() string {
	p.t.Helper()
	backup := filepath.Join(p.t.TempDir(), "backup")
	p.must("", "backup", "--to", backup)
	return contents(p.t, backup)
}

// TestABackupOfAnOldSchemaIsWhole: a backup before an upgrade is made by the newer program; it can be verified and
// restored, and the copy of the data to MongoDB resumed, although the steps of the schema make marks.
func TestABackupOfAnOldSchemaIsWhole(t *testing.T) {
	t.Parallel()
	old := processes{t, []string{"ECF_DATA_DIR=" + firstSchema(t)}}
	backup := filepath.Join(t.TempDir(), "backup")
	old.must("", "backup", "--to", backup)
	old.must("", "backup", "verify", backup)
	restored := processes{t, []string{"ECF_DATA_DIR=" + filepath.Join(t.TempDir(), "data")}}
	restored.must("", "restore", "--from", backup)
	if out := restored.must("", "org", "list"); !strings.Contains(out, firstOrg) {
		t.Error(out)
	}
}

// TestKilledUpgradesLeaveNothingHalf: commands that copy or migrate data of the first schema are killed at random
// moments, several times. After each kill other commands refuse a part of the data, and say what to do; a repetition
// completes, with the data that a command has that was not killed.
func TestKilledUpgradesLeaveNothingHalf(t *testing.T) {
	t.Parallel()
	rounds := len(upgradeKinds())
	if testkit.Long(t) {
		rounds = 30 * len(upgradeKinds())
	}
	u := &upgrades{random: rand.New(rand.NewPCG(testkit.Seed(t), 0)), took: map[string]time.Duration{}} //nolint:gosec // moments of a test
	u.backup = filepath.Join(t.TempDir(), "backup")
	processes{t, []string{"ECF_DATA_DIR=" + firstSchema(t)}}.must("", "backup", "--to", u.backup)
	u.kept = contents(t, u.backup)
	restored := processes{t, []string{"ECF_DATA_DIR=" + filepath.Join(t.TempDir(), "data")}}
	restored.must("", "restore", "--from", u.backup)
	u.restored = restored.contents()
	for n := range rounds {
		kind := upgradeKinds()[n%len(upgradeKinds())]
		t.Run(kind, func(t *testing.T) { u.round(t, kind) })
	}
	t.Logf("%d commands were killed", u.killed)
}

func upgradeKinds() []string {
	return []string{"schema up", "backup", "restore", "migrate", "restore to MongoDB", "schema up on MongoDB", "backup of MongoDB"}
}

// upgrades kills commands on data of the first schema.
type upgrades struct {
	random *rand.Rand
	// backup is one of these data, and kept and restored are what it has, and what a restore makes of it.
	backup, kept, restored string
	killed                 int
	took                   map[string]time.Duration // how long a command lasts
}

// round kills one command several times, and completes it.
func (u *upgrades) round(t *testing.T, kind string) {
	t.Helper()
	var result processes
	command, want := processes{t, nil}, u.restored
	args := func(int) []string { return []string{"restore", "--from", u.backup} }
	var into string
	switch kind {
	case "schema up", "backup", "migrate":
		command.env, want = []string{"ECF_DATA_DIR=" + firstSchema(t)}, u.kept
		result = command
	case "restore":
		command.env = []string{"ECF_DATA_DIR=" + filepath.Join(t.TempDir(), "data")}
		result = command
	default:
		command.env = []string{"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + testkit.LongLimits(emptyMongo(t))}
		result = command
	}
	switch kind {
	case "migrate":
		address := testkit.LongLimits(emptyMongo(t))
		args = func(int) []string { return []string{"migrate", "--to", address} }
		result.env = []string{"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + address}
	case "schema up on MongoDB", "backup of MongoDB":
		command.must("", args(0)...)
		if kind == "schema up on MongoDB" {
			firstSchemaOn(t, strings.TrimPrefix(command.env[1], "ECF_MONGODB_URI="))
		}
	}
	switch {
	case strings.HasPrefix(kind, "schema up"):
		args = func(int) []string { return []string{"schema", "up"} }
	case strings.HasPrefix(kind, "backup"):
		into = t.TempDir()
		args = func(attempt int) []string {
			return []string{"backup", "--to", filepath.Join(into, fmt.Sprint(attempt))}
		}
	}
	kills := 1 + u.random.IntN(3)
	attempt := 0
	for ; attempt < kills; attempt++ {
		if !u.kill(command, kind, args(attempt)) {
			break
		}
		switch {
		case kind == "schema up on MongoDB": // others wait until it is done
		case into != "":
			u.isRefused(processes{t, []string{"ECF_DATA_DIR=" + filepath.Join(into, fmt.Sprint(attempt))}}, "is a backup", "there is no system in")
		default:
			u.isRefused(result, "was begun and is not finished", "there is no system in")
		}
	}
	if attempt == kills {
		out, err := command.command(args(attempt)...).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "a backup can only be restored into an empty data directory") && !strings.Contains(string(out), "has been restored into these databases before, completely") {
			t.Fatalf("%s was killed %d times, and again: %v\n%s", kind, attempt, err, out)
		}
	}
	if into != "" {
		last := filepath.Join(into, fmt.Sprint(attempt))
		command.must("", "backup", "verify", last)
		if got := contents(t, last); got != want {
			t.Errorf("%s was killed %d times, and has\n%s\nwant\n%s", kind, attempt, got, want)
		}
		return
	}
	if got := result.contents(); got != want {
		t.Errorf("%s was killed %d times, and made\n%s\nwant\n%s", kind, attempt, got, want)
	}
}

// kill runs a command and kills it at a random moment; it reports false if it has ended before.
func (u *upgrades) kill(p processes, kind string, args []string) bool {
	p.t.Helper()
	if u.took[kind] == 0 {
		u.took[kind] = 300 * time.Millisecond
	}
	cmd := p.command(args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begun := time.Now()
	must(p.t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	after := time.Duration(float64(u.took[kind]) * u.random.Float64() * 1.1)
	select {
	case err := <-ended:
		if err != nil {
			p.t.Fatalf("%s: %v\n%s", kind, err, out.String())
		}
		u.took[kind] = time.Since(begun)
		return false
	case <-time.After(after):
	}
	_ = cmd.Process.Kill()
	if err := <-ended; err == nil {
		return false
	}
	// It lasts longer than this at least.
	u.took[kind] = max(u.took[kind], after*11/10)
	u.killed++
	return true
}

// isRefused verifies that a command refuses data of which there is a part only, and says so in one of these ways. Data
// that are whole, or not there at all, are used.
func (u *upgrades) isRefused(p processes, says ...string) {
	p.t.Helper()
	out, err := p.command("org", "list").CombinedOutput()
	switch {
	case err == nil && (len(out) == 0 || strings.Contains(string(out), firstOrg)):
	case err == nil || !slices.ContainsFunc(says, func(s string) bool { return strings.Contains(string(out), s) }):
		p.t.Errorf("a part of the data: %v\n%s", err, out)
	}
}
