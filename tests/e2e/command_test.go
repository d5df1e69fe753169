package e2e

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"
)

// command runs a program to its end and returns the first line of its output.
func command(t *testing.T, path string, env []string, input string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append([]string{"PATH=/usr/bin:/bin"}, env...)
	cmd.Stdin = strings.NewReader(input)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(args, " "), err, out.String(), problems.String())
	}
	line, _, _ := strings.Cut(out.String(), "\n")
	return line
}
