package release_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// notices runs the script in the folder of a module.
func notices(t *testing.T, dir, program string) (string, error) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, "deploy/release/notices.sh"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, program)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, stderr.String())
	}
	return string(out), err
}

// TestNoticesOfPrograms verifies that what is written into an image has the licence of each module that its program links, of
// the console where it has that, and of Go.
func TestNoticesOfPrograms(t *testing.T) {
	t.Parallel()
	for program, console := range map[string]bool{"gateway": true, "review": false} {
		dir := filepath.Join(root, "services", program)
		out, err := notices(t, dir, "./cmd/"+program)
		if err != nil {
			t.Fatalf("%s: %v", program, err)
		}
		list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}} {{.Version}}{{end}}{{end}}", "./cmd/"+program)
		list.Dir = dir
		modules, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		parts := map[string]string{}
		for part := range strings.SplitSeq(out, "\n"+strings.Repeat("-", 80)+"\n\n") {
			name, text, _ := strings.Cut(part, "\n")
			parts[name] = text
		}
		for module := range strings.FieldsFuncSeq(string(modules), func(r rune) bool { return r == '\n' }) {
			if text := strings.ToLower(parts[module]); !strings.Contains(text, "copyright") {
				t.Errorf("%s: %s has no notice", program, module)
			}
		}
		if len(parts) < 20 || !strings.Contains(out, "The Go Authors") {
			t.Errorf("%s: %d notices", program, len(parts))
		}
		if got := strings.Contains(out, "\nreact "); got != console {
			t.Errorf("%s: notices of the console: %v", program, got)
		}
	}
}

// TestModuleWithoutLicence verifies that an image with a module without a licence is not built.
func TestModuleWithoutLicence(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":  "module example.org/program\n\ngo 1.26.0\n\nrequire example.org/bare v1.0.0\n\nreplace example.org/bare v1.0.0 => ./bare\n",
		"main.go": "package main\n\nimport _ \"example.org/bare\"\n\nfunc main() {}\n", "bare/go.mod": "module example.org/bare\n", "bare/bare.go": "package bare\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("GOWORK", "off")
	if _, err := notices(t, dir, "."); err == nil || !strings.Contains(err.Error(), "no licence of example.org/bare v1.0.0") {
		t.Errorf("%v", err)
	}
}
