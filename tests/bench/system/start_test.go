package system

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/identity"
	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

// system is the product in one process, with a login.
type system struct {
	t     *testing.T
	url   string
	token string
	// data is the directory of the embedded engines.
	data string
	env  []string
	// through is the command prefix that starts the program; empty for none.
	through []string
	process *testkit.Proc
	rows    []Row
	figures []Figure
	// about is added to the provenance of a stored table.
	about []string
}

// quietly disables the log line of each request.
const quietly = "ECF_LOG_LEVEL=warn"

// settings returns the settings of every shape: the defaults, including the log line of
// each request, except that limits are too high to matter.
func settings() []string {
	return []string{"ECF_AUTH_RATE_LIMIT=100000/1m", "ECF_WRITE_RATE_LIMIT=100000000/1m", "ECF_STORED_RATE_LIMIT=1000000/1s"}
}

// start starts the product with an organization and logs in; later settings win.
func start(t *testing.T, more ...string) *system {
	t.Helper()
	return startFor(t, 0, more...)
}

// startFor is start with the given number of further accounts in the organization.
func startFor(t *testing.T, people int, more ...string) *system {
	t.Helper()
	s := prepared(t, people, more...)
	s.started()
	return s
}

// started starts the process and logs in.
func (s *system) started() {
	s.t.Helper()
	s.launch().WaitHTTP(s.url + "/api/v2/health/ready")
	s.token = s.signIn(email)
}

// prepared creates the database of a process that is not started yet, with two
// organizations, the first with the given number of further accounts.
func prepared(t *testing.T, people int, more ...string) *system {
	t.Helper()
	address, data := freeAddress(t), t.TempDir()
	s := &system{t: t, url: "http://" + address, data: data}
	s.env = append(append(settings(), "ECF_ADDR="+address, "ECF_DATA_DIR="+data, "ECF_ISSUER=http://"+address), more...)
	config, err := standalone.Load(nil, func(name string) (value string) {
		for _, setting := range s.env {
			if text, ok := strings.CutPrefix(setting, name+"="); ok {
				value = text
			}
		}
		return value
	})
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	first := []string{email}
	for i := range people {
		first = append(first, personEmail(i))
	}
	for _, members := range [][]string{first, {neighbour}} {
		o, err := standalone.CreateOrganization(t.Context(), config.Data, config.Records.Quotas, log, "Bench Ltd", "enterprise")
		if err != nil {
			t.Fatal(err)
		}
		for _, who := range members {
			if _, _, err := standalone.CreateUser(t.Context(), config.Data, log, standalone.NewUser{Org: string(o.ID), Email: who, Name: "Bench", Role: identity.Manager, Password: password}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return s
}

func personEmail(i int) string { return fmt.Sprintf("person%d@bench.test", i) }

// launch starts the process.
func (s *system) launch() *testkit.Proc {
	s.t.Helper()
	command := append(slices.Clone(s.through), program(s.t, "ecf"), "serve")
	s.process = logged(s.t, command[0], command[1:], s.env)
	return s.process
}

// neighbour logs in to the other organization.
func (s *system) neighbour() *system {
	s.t.Helper()
	other := &system{t: s.t, url: s.url}
	other.token = other.signIn(neighbour)
	return other
}

// logged starts a program of the product with its log in a file, as under a service
// manager. A pipe would be read by the load generator, with CPU time that it takes from
// the product.
func logged(t *testing.T, path string, args, env []string) *testkit.Proc {
	t.Helper()
	const to = "BENCH_LOG"
	file := filepath.Join(t.TempDir(), filepath.Base(path)+".log")
	// The shell is replaced by the program.
	shell := append([]string{"-c", `exec "$0" "$@" >"$` + to + `" 2>&1`, path}, args...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the end of the log of %s:\n%s", filepath.Base(path), ending(file))
		}
	})
	return testkit.Process(t, "/bin/sh", shell, append(env, to+"="+file))
}

// ending returns the last lines of a file.
func ending(file string) string {
	const shown = 2 << 10
	f, err := os.Open(file) //nolint:gosec // the test has named it
	if err != nil {
		return err.Error()
	}
	defer f.Close() //nolint:errcheck // only read
	info, err := f.Stat()
	if err != nil {
		return err.Error()
	}
	text := make([]byte, min(shown, info.Size()))
	if _, err := f.ReadAt(text, info.Size()-int64(len(text))); err != nil {
		return err.Error()
	}
	return string(text)
}
