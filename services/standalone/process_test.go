package standalone_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
	"github.com/eventcarbon/ecf/services/standalone"
)

// asProgram makes the test binary run as the program itself.
const asProgram = "TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Exit(standalone.Program().Main())
	}
	os.Exit(m.Run())
}

// processes runs the program in separate processes, which share only the stores.
type processes struct {
	t   *testing.T
	env []string
}

func (p processes) command(args ...string) *exec.Cmd {
	p.t.Helper()
	program, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.CommandContext(p.t.Context(), program, args...) //nolint:gosec // the program of this test
	cmd.Env = append([]string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + p.t.TempDir()}, p.env...)
	return cmd
}

// must runs a command to its end and returns its output.
func (p processes) must(input string, args ...string) string {
	p.t.Helper()
	cmd := p.command(args...)
	cmd.Stdin = strings.NewReader(input)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		p.t.Fatalf("%v: %v\n%s%s", args, err, out, problems.String())
	}
	return string(out)
}

// serve runs a server until the test ends and returns the base of its calls.
func (p processes) serve() string {
	p.t.Helper()
	base, _ := p.server()
	return base
}

// server is serve, with a function that kills the server.
func (p processes) server() (base string, kill func()) {
	p.t.Helper()
	l, err := (&net.ListenConfig{}).Listen(p.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		p.t.Fatal(err)
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		p.t.Fatal(err)
	}
	cmd := p.command("serve")
	var log bytes.Buffer
	cmd.Stderr, cmd.Stdout = &log, &log
	cmd.Env = append(cmd.Env, "ECF_ADDR="+address)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = time.Minute
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	wait := sync.OnceFunc(func() { _ = cmd.Wait() })
	p.t.Cleanup(func() {
		wait() // the context of the test has ended
		if p.t.Failed() {
			p.t.Logf("%s", log.String())
		}
	})
	testkit.Eventually(p.t, time.Minute, func() error {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "http://"+address+"/health/ready", nil)
		if err != nil {
			return err
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return err
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			return fmt.Errorf("it is not ready: %d", answer.StatusCode)
		}
		return nil
	})
	return "http://" + address + "/api/v2", func() {
		_ = cmd.Process.Kill()
		wait()
	}
}

// signIn returns the token of the manager.
func (p processes) signIn(base string) string {
	p.t.Helper()
	status, body := ask(p.t, "POST", base+"/auth/login", "", `{"email":"manager@example.test","password":"`+password+`"}`)
	var login struct{ AccessToken string }
	if value(p.t, body, &login); status != http.StatusOK {
		p.t.Fatalf("%d %s", status, body)
	}
	return login.AccessToken
}

// serves waits until a server has a set.
func (p processes) serves(base, token, id string) {
	p.t.Helper()
	testkit.Eventually(p.t, 10*time.Second, func() error {
		if status, body := ask(p.t, "GET", base+"/factor-sets/"+id, token, ""); status != http.StatusOK || !strings.Contains(body, `"id":"`+id+`"`) {
			return fmt.Errorf("%d %.200s", status, body)
		}
		return nil
	})
}

// TestPackAmongProcesses: processes that were asked for a pack before it was added serve it after another process
// adds it; and a backup includes it.
func TestPackAmongProcesses(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"the embedded engine": {"ECF_DATA_DIR=" + t.TempDir()},
		"MongoDB":             {"ECF_DATA_DIR=" + t.TempDir(), "ECF_MONGODB_URI=" + emptyMongo(t)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := processes{t, env}
			org := strings.TrimSpace(p.must("", "org", "create", "--name", "Example Ltd", "--plan", "team"))
			p.must(password+"\n", "user", "create", "--org", org, "--email", "manager@example.test", "--role", "manager")
			bases := []string{p.serve()}
			if name == "MongoDB" {
				bases = append(bases, p.serve())
			}
			id, tokens := "as-if-new-v1", map[string]string{}
			for _, base := range bases {
				tokens[base] = p.signIn(base)
				if status, body := ask(t, "GET", base+"/factor-sets/"+id, tokens[base], ""); status != http.StatusNotFound {
					t.Fatalf("before it is added: %d %s", status, body)
				}
			}
			exported := p.must("", "factors", "export", "desnz-2026", "--name", "as-if-new")
			if out := p.must(exported, "factors", "add", "-", "--unsigned"); !strings.Contains(out, id) {
				t.Fatal(out)
			}
			for _, base := range bases {
				p.serves(base, tokens[base], id)
			}
			if name == "MongoDB" {
				return
			}
			backup := filepath.Join(t.TempDir(), "backup")
			p.must("", "backup", "--to", backup)
			restored := processes{t, []string{"ECF_DATA_DIR=" + filepath.Join(t.TempDir(), "restored")}}
			restored.must("", "restore", "--from", backup)
			base := restored.serve()
			restored.serves(base, restored.signIn(base), id)
		})
	}
}
