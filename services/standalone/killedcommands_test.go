package standalone_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestKilledCommandsLeaveNothingHalf: commands of an operator are killed at random moments (SIGKILL). After each kill
// ecf audit verify finds nothing wrong; a repetition of the command completes or refuses it; and in the end a backup can
// be made, a server starts, people can sign in and the audit log has the entries that were owed.
func TestKilledCommandsLeaveNothingHalf(t *testing.T) {
	t.Parallel()
	rounds := 4
	if testkit.Long(t) {
		rounds = 600
	}
	for name, env := range map[string]func() []string{
		"embedded": func() []string { return []string{"ECF_DATA_DIR=" + t.TempDir()} },
		"MongoDB": func() []string {
			return []string{"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + testkit.LongLimits(emptyMongo(t))}
		},
	} {
		p := processes{t, append(env(), "ECF_RESULT_RETENTION=24h")}
		seed := testkit.Seed(t)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := processes{t, p.env}
			random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // moments of a test
			k := killer{processes: p, random: random, took: map[string]time.Duration{}}
			k.org = strings.TrimSpace(p.must("", "org", "create", "--name", "Acme", "--plan", "team"))
			k.other = strings.TrimSpace(p.must("", "org", "create", "--name", "Other", "--plan", "team"))
			k.must(password+"\n", "user", "create", "--org", k.org, "--email", "manager@example.test", "--role", "manager")
			for round := range rounds {
				k.round(round)
			}
			t.Logf("%d commands were killed", k.killed)
			k.must("", "backup", "--to", filepath.Join(t.TempDir(), "backup"))
			base := k.serve()
			if status, body := ask(t, http.MethodGet, base+"/auth/me", k.signIn(base), ""); status != http.StatusOK {
				t.Errorf("%d %s", status, body)
			}
			if left := p.unfinished(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			k.must("", "audit", "verify")
		})
	}
}

// unfinished returns the unfinished keys in the data directory.
func (p processes) unfinished() (left []string) {
	_, dir, _ := strings.Cut(p.env[0], "=")
	for _, pattern := range []string{"*/.*.partial", "*/*/.*.partial"} {
		found, _ := filepath.Glob(filepath.Join(dir, pattern))
		left = append(left, found...)
	}
	return left
}

// input returns a command that reads a text.
func (p processes) input(text string, args ...string) *exec.Cmd {
	p.t.Helper()
	cmd := p.command(args...)
	cmd.Stdin = strings.NewReader(text)
	return cmd
}

// killer kills commands at random moments.
type killer struct {
	processes
	random     *rand.Rand
	org, other string
	killed     int
	took       map[string]time.Duration // how long a command lasts
}

// round runs one command, kills it, and verifies what it left.
func (k *killer) round(n int) {
	k.t.Helper()
	email := fmt.Sprintf("u%d@example.test", n)
	commands := [][]string{
		{"user", "create", "--org", k.org, "--email", email, "--role", "user"},
		{"user", "create", "--org", k.org, "--email", email, "--role", "user", "--setup-link"},
		{"user", "join", "--org", k.other, "--email", email, "--role", "user"},
		{"user", "disable", "--email", email},
		{"user", "password", "--email", email},
		{"user", "free", "--email", email, "--to", "free-" + email},
		{"org", "create", "--name", "More", "--plan", "team"},
		{"org", "plan", "--org", k.other, "--plan", []string{"team", "free"}[n%2]},
		{"bootstrap", "--name", "Begun", "--plan", "team", "--email", email},
		{"keys", "rotate"},
		{"keys", "rotate", "--reports"},
		{"results", "prune"},
		{"schema", "up"},
		{"schema", "contract"},
	}
	args := commands[n%len(commands)]
	name := strings.Join(args[:2], " ")
	if n%len(commands) >= 2 && n%len(commands) <= 5 {
		if out, err := k.input(password+"\n", "user", "create", "--org", k.org, "--email", email, "--role", "user").CombinedOutput(); err != nil {
			k.t.Fatalf("%v %s", err, out)
		}
	}
	if _, known := k.took[name]; !known {
		k.took[name] = 150 * time.Millisecond
	}
	// Most of the time of a command is its start.
	cmd := k.input("\n", args...)
	after := time.Duration(float64(k.took[name]) * k.random.Float64() * 1.1)
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		k.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err == nil { // one that refuses takes less time
			k.took[name] = time.Since(begun)
		}
	case <-time.After(after):
		_ = cmd.Process.Kill()
		if err := <-ended; err != nil {
			k.killed++
		}
	}
	if out, err := k.command("audit", "verify").CombinedOutput(); err != nil {
		k.t.Fatalf("after %v was killed at %s: %v\n%s", args, after, err, out)
	}
	out, err := k.input("\n", args...).CombinedOutput()
	if err != nil && !strings.Contains(string(out), "already exists") && !strings.Contains(string(out), "There is no such user") {
		k.t.Fatalf("%v was killed at %s, and again: %v\n%s", args, after, err, out)
	}
	if left := k.unfinished(); len(left) > 0 && args[0] == "keys" {
		k.t.Fatalf("%v was killed at %s, and left %v", args, after, left)
	}
	if out, err := k.command("audit", "verify").CombinedOutput(); err != nil {
		k.t.Fatalf("after %v was killed at %s and repeated: %v\n%s", args, after, err, out)
	}
}
