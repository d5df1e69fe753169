// Package newtype_test adds a record type to a copy of the libraries.
package newtype_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOneFileIsARecordType adds one file to a copy of the libraries. Before generation
// every place that lacks the type must fail by name; after it, all tests of record
// types must pass, and the type must be everywhere.
func TestOneFileIsARecordType(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it builds the libraries a second time")
	}
	root := t.TempDir()
	libs := filepath.Join(root, "libs")
	for from, to := range map[string]string{"../../libs": libs, "../../docs": filepath.Join(root, "docs")} {
		copyTree(t, from, to)
	}
	changelog, err := os.ReadFile("../../CHANGELOG.md") // a page of the documentation is generated from it
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "CHANGELOG.md"), changelog, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "services/gateway/docs"), 0o700); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("testdata/printing.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(libs, "footprint", "printing.go"), file, 0o600); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct{ test, names string }{
		{"./footprint/internal/methodology -run ^TestDocument$", "Printing"},
		{"./spec -run ^TestInputsAreGenerated$", "openapi.yaml"},
		{"./spec -run ^TestInputsAreGenerated$", "inputs_printing.go"},
		// Without them it is described in English.
		{"./footprint -run ^TestEveryFieldIsTranslated$", "printing has no description"},
	} {
		out, err := run(t, libs, "test "+c.test)
		if err == nil || !strings.Contains(out, c.names) {
			t.Errorf("go test %s does not miss %q: %v\n%s", c.test, c.names, err, out)
		}
	}
	for _, step := range []struct{ dir, args string }{
		{libs, "generate ./footprint ./spec"},
		{libs, "test -skip ^TestEveryFieldIsTranslated$ ./footprint/... ./sheet"},
		{filepath.Join(libs, "client"), "test ."},
		{libs, "test ./spec -run ^(TestInputsAreGenerated|TestEverythingIsDescribed|TestRecordExamples)$"},
	} {
		if out, err := run(t, step.dir, step.args); err != nil {
			t.Fatalf("go %s: %v\n%s", step.args, err, out)
		}
	}
	for path, text := range map[string]string{
		"libs/spec/openapi.yaml": "PrintingInput:", "libs/client/inputs_printing.go": "type Printing struct", "docs/methodology.md": " Printing\n",
	} {
		got, err := os.ReadFile(filepath.Join(root, path))
		if err != nil || !bytes.Contains(got, []byte(text)) {
			t.Errorf("%s has no %q: %v", path, text, err)
		}
	}
}

func run(t *testing.T, dir, args string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", strings.Fields(args)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath -buildvcs=false")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir() && d.Name() == "node_modules":
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}
