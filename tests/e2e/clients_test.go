package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

var massLine = regexp.MustCompile(`^\d+\.\d{6} kg CO2e$`)

// TestPythonClient runs the tests of the Python client, and its tour against a server.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	const dir = "../../libs/client/python"
	if out, err := program(t, "python3", dir, "-W", "error", "tests/test_client.py").CombinedOutput(); err != nil {
		t.Errorf("its own tests: %v\n%s", err, out)
	}
	s := start(t, nil)
	takeTour(t, s.url, program(t, "python3", dir, "tour/tour.py"))
}

// TestTypeScriptClient generates the types of the TypeScript client from the served
// document, compiles it with the strictest settings, and runs its tests, its tour and
// the samples of the documentation.
func TestTypeScriptClient(t *testing.T) {
	t.Parallel()
	dir := testkit.NPM(t, "../../libs/client/typescript")
	s := start(t, nil)
	fetchDocument(t, s.url, filepath.Join(dir, "openapi.json"))
	_, samples := staged(t, "TypeScript")
	if err := os.WriteFile(filepath.Join(dir, "tour", "samples.ts"), []byte(typescriptSamples(samples)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"types", "build", "build:test", "test"} {
		if out, err := program(t, "npm", dir, "run", script).CombinedOutput(); err != nil {
			t.Fatalf("npm run %s: %v\n%s", script, err, out)
		}
	}
	takeTour(t, s.url, program(t, "node", dir, "dist-test/tour/tour.js"))
	out, err := program(t, "node", dir, "dist-test/tour/samples.js").CombinedOutput()
	checkSampled(t, samples, out, err)
}

// takeTour runs a tour, which prints the total of its event.
func takeTour(t *testing.T, url string, tour *exec.Cmd) {
	t.Helper()
	tour.Env = append(os.Environ(), "ECF_URL="+url, "ECF_EMAIL=manager@example.test", "ECF_PASSWORD="+password)
	out, err := tour.CombinedOutput()
	if err != nil || !massLine.MatchString(strings.TrimSpace(string(out))) {
		t.Errorf("the tour: %v\n%s", err, out)
	}
}
