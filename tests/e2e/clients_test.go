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
	example := filepath.Join(t.TempDir(), "readme.py")
	writeExample(t, dir, "python", example, s.url)
	run := program(t, "python3", dir, example)
	run.Env = append(run.Environ(), "PYTHONPATH=.")
	checkExample(t, run)
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
	writeExample(t, dir, "ts", filepath.Join(dir, "tour", "readme.ts"), s.url, `"@eventcarbon/client"`, `"../src/index.js"`)
	for _, script := range []string{"types", "build", "build:test", "test"} {
		if out, err := program(t, "npm", dir, "run", script).CombinedOutput(); err != nil {
			t.Fatalf("npm run %s: %v\n%s", script, err, out)
		}
	}
	takeTour(t, s.url, program(t, "node", dir, "dist-test/tour/tour.js"))
	checkExample(t, program(t, "node", dir, "dist-test/tour/readme.js"))
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

// writeExample writes the example in the README of a client to a file, with the address and the account of the server,
// and further replacements.
func writeExample(t *testing.T, dir, language, to, url string, replacements ...string) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(readme), "```"+language+"\n")
	example, _, closed := strings.Cut(rest, "```")
	if !ok || !closed {
		t.Fatalf("the README in %s has no example in %s", dir, language)
	}
	replacements = append([]string{"https://carbon.example.org", url, "manager@example.org", "manager@example.test"}, replacements...)
	for i := 0; i < len(replacements); i += 2 {
		if !strings.Contains(example, replacements[i]) {
			t.Fatalf("the README in %s does not have %s", dir, replacements[i])
		}
		example = strings.ReplaceAll(example, replacements[i], replacements[i+1])
	}
	if err := os.WriteFile(to, []byte(example), 0o600); err != nil {
		t.Fatal(err)
	}
}

// checkExample runs the example of a README, which prints the total of two return flights from London to New York last.
func checkExample(t *testing.T, example *exec.Cmd) {
	t.Helper()
	example.Env = append(example.Environ(), "ECF_PASSWORD="+password)
	out, err := example.CombinedOutput()
	if lines := strings.Fields(string(out)); err != nil || len(lines) == 0 || lines[len(lines)-1] != "4098.368453" {
		t.Errorf("the example of the README: %v\n%s", err, out)
	}
}
