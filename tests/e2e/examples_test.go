package e2e

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/testkit"
)

const (
	exampleClients = "../../examples/clients"

	// exampleTotal is the total of the flight of the example clients: 2 people ×
	// 5,539.833 km × 2 ways × (0.11704 + 0.02461).
	exampleTotal = "3138.869378 kg CO2e"
)

// TestExampleClients runs the examples of the documentation unchanged against a running
// server. The TypeScript example has its types generated from the served document and
// compiles with the strictest settings.
func TestExampleClients(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for name, command := range map[string]func(t *testing.T) *exec.Cmd{
		"curl": func(t *testing.T) *exec.Cmd {
			return program(t, "bash", "", filepath.Join(exampleClients, "curl/flow.sh"))
		},
		"python": func(t *testing.T) *exec.Cmd {
			return program(t, "python3", "", filepath.Join(exampleClients, "python/flow.py"))
		},
		"go": func(t *testing.T) *exec.Cmd { return program(t, "go", "../..", "run", "./examples/clients/go/main.go") },
		"typescript": func(t *testing.T) *exec.Cmd {
			dir := testkit.NPM(t, filepath.Join(exampleClients, "typescript"))
			fetchDocument(t, s.url, filepath.Join(dir, "openapi.json"))
			for _, script := range []string{"types", "build"} {
				if out, err := program(t, "npm", dir, "run", script).CombinedOutput(); err != nil {
					t.Fatalf("npm run %s: %v\n%s", script, err, out)
				}
			}
			return program(t, "npm", dir, "run", "--silent", "start")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := command(t)
			cmd.Env = append(os.Environ(), "ECF_URL="+s.url, "ECF_EMAIL=manager@example.test", "ECF_PASSWORD="+password)
			var stdout, stderr strings.Builder
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Run(); err != nil || strings.TrimSpace(stdout.String()) != exampleTotal {
				t.Errorf("%v: printed %q, want %q\n%s", err, stdout.String(), exampleTotal, stderr.String())
			}
			// A failed login is reported, and the program fails.
			wrong := program(t, cmd.Args[0], cmd.Dir, cmd.Args[1:]...)
			wrong.Env = append(os.Environ(), "ECF_URL="+s.url, "ECF_EMAIL=manager@example.test", "ECF_PASSWORD=wrong")
			if out, err := wrong.CombinedOutput(); err == nil || !strings.Contains(string(out), "401") {
				t.Errorf("with a wrong password: %v\n%s", err, out)
			}
		})
	}
}

// program returns a command for a language, whose tools may not be installed; then the
// test is skipped.
func program(t *testing.T, name, dir string, args ...string) *exec.Cmd {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("NOT TESTED: there is no %s", name)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	return cmd
}

func fetchDocument(t *testing.T, url, path string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v2/openapi.json", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%d, %v", response.StatusCode, err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}
