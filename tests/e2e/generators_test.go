package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/libs/testkit"
)

const (
	generators = "../generators"
	// oapiCodegen generates clients in Go.
	oapiCodegen = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"
)

// TestGenerators generates clients from the served document with common generators and
// their defaults, compiles them strictly, and makes each log in, create an event and
// record a flight without optional fields. It takes minutes, mostly to compile; `make
// test-generators` runs it.
func TestGenerators(t *testing.T) {
	t.Parallel()
	if os.Getenv("ECF_GENERATORS") == "" {
		t.Skip("run by make test-generators")
	}
	// The document names the listen address, which clients take from it.
	s := start(t, map[string]string{"ECF_ADDR": fmt.Sprintf("127.0.0.1:%d", testkit.FreePort(t))})
	env := append(os.Environ(), "ECF_URL="+s.url, "ECF_EMAIL=manager@example.test", "ECF_PASSWORD="+password)

	t.Run("javascript", func(t *testing.T) {
		t.Parallel()
		dir := testkit.NPM(t, generators)
		fetchDocument(t, s.url, filepath.Join(dir, "openapi.json"))
		for _, script := range []string{"openapi-fetch", "hey-api", "orval", "build"} {
			if out, err := program(t, "npm", dir, "run", "--silent", script).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", script, err, out)
			}
		}
		for _, name := range []string{"openapi-fetch", "hey-api", "orval"} {
			recordsAFlight(t, name, program(t, "node", dir, "dist/"+name+".js"), env)
		}
	})
	t.Run("oapi-codegen", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		for _, name := range []string{"go.mod", "go.sum", "main.go"} {
			text, err := os.ReadFile(filepath.Join(generators, "go", name+".txt"))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), text, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Mkdir(filepath.Join(dir, "api"), 0o700); err != nil {
			t.Fatal(err)
		}
		fetchDocument(t, s.url, filepath.Join(dir, "openapi.json"))
		generate := exec.CommandContext(t.Context(), "go", "run", oapiCodegen, "-package", "api", "-o", "api/api.go", "openapi.json")
		generate.Dir, generate.Env = dir, slices.Concat(env, []string{"GOWORK=off", "GOFLAGS="})
		if out, err := generate.CombinedOutput(); err != nil {
			t.Fatalf("generate: %v\n%s", err, out)
		}
		run := exec.CommandContext(t.Context(), "go", "run", ".") // compiling takes longer than program allows
		run.Dir = dir
		recordsAFlight(t, "oapi-codegen", run, slices.Concat(env, []string{"GOWORK=off", "GOFLAGS=-mod=mod"}))
	})
	t.Run("postman", func(t *testing.T) {
		t.Parallel()
		dir := testkit.NPM(t, generators)
		fetchDocument(t, s.url, filepath.Join(dir, "openapi.json"))
		if out, err := program(t, "npm", dir, "run", "--silent", "postman").CombinedOutput(); err != nil {
			t.Fatalf("convert: %v\n%s", err, out)
		}
		runCollection(t, s.furnish(t), dir)
	})
}

// recordsAFlight runs a program that prints the status of the record it has created.
func recordsAFlight(t *testing.T, name string, command *exec.Cmd, env []string) {
	t.Helper()
	command.Env = env
	out, err := command.CombinedOutput()
	if lines := strings.Fields(string(out)); err != nil || len(lines) == 0 || lines[len(lines)-1] != "unsubmitted" {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
}

// runCollection sends every request of the collection except those of login, which
// would end the session, to the address in the collection. The ids that a user would
// fill in are those of a tenant.
func runCollection(t *testing.T, ours *tenant, dir string) {
	t.Helper()
	args := []string{"newman", "run", "collection.json", "--env-var", "bearerToken=" + ours.admin.token, "--reporters", "json", "--reporter-json-export", "run.json"}
	text, err := os.ReadFile(filepath.Join(dir, "collection.json")) //nolint:gosec // made by this test
	if err != nil {
		t.Fatal(err)
	}
	var collection struct{ Item []struct{ Name string } }
	if err := json.Unmarshal(text, &collection); err != nil {
		t.Fatal(err)
	}
	var whole any
	if err := json.Unmarshal(text, &whole); err != nil {
		t.Fatal(err)
	}
	ids := maps.Clone(ours.ids)
	ids["recordId"] = ours.records[record.Approved]
	fillIn(whole, ids)
	if text, err = json.Marshal(whole); err == nil {
		err = os.WriteFile(filepath.Join(dir, "collection.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range collection.Item {
		if folder.Name != "auth" {
			args = append(args, "--folder", folder.Name)
		}
	}
	out, err := program(t, "npx", dir, args...).CombinedOutput()
	text, readErr := os.ReadFile(filepath.Join(dir, "run.json")) //nolint:gosec // made by this test
	if readErr != nil {
		t.Fatalf("newman: %v\n%s", err, out)
	}
	var run struct {
		Run struct {
			Executions []struct {
				Item     struct{ Name string }
				Response *struct{ Code int }
			}
		}
	}
	if err := json.Unmarshal(text, &run); err != nil {
		t.Fatal(err)
	}
	good := 0
	for _, e := range run.Run.Executions {
		switch {
		case e.Response != nil && (e.Response.Code == 503 || e.Response.Code == 504): // a busy machine
		case e.Response == nil || e.Response.Code >= 500 || e.Response.Code == 401:
			t.Errorf("%s: %+v", e.Item.Name, e.Response)
		case e.Response.Code < 300:
			good++
		}
	}
	t.Logf("%d requests, of which %d were good", len(run.Run.Executions), good)
	if len(run.Run.Executions) < 70 || good < 35 {
		t.Errorf("%d requests, of which %d were good", len(run.Run.Executions), good)
	}
}

// fillIn sets the variables in the paths of a collection.
func fillIn(value any, ids map[string]string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			fillIn(item, ids)
		}
	case map[string]any:
		if key, ok := v["key"].(string); ok && ids[key] != "" {
			v["value"] = ids[key]
		}
		for _, item := range v {
			fillIn(item, ids)
		}
	}
}
