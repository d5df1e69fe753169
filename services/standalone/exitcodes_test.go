package standalone_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/services/standalone"
)

// TestExitCodesOfCommands: each command ends with 2 where it is used wrongly, with 1 where its output cannot be written or
// its data are in no directory, and says so on standard error alone, without a stack trace.
func TestExitCodesOfCommands(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := processes{t, []string{"ECF_DATA_DIR=" + dir}}
	p.must("", "org", "create", "--name", "Example Ltd", "--plan", "team")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(t, err)
	t.Cleanup(func() { _ = full.Close() })
	code := func(p processes, stdout *os.File, args ...string) (code int, out, problems string) {
		cmd := p.command(args...)
		var written, said bytes.Buffer
		cmd.Stderr, cmd.Stdout = &said, &written
		if stdout != nil {
			cmd.Stdout = stdout
		}
		_ = cmd.Run()
		return cmd.ProcessState.ExitCode(), written.String(), said.String()
	}
	check := func(want int, p processes, stdout *os.File, args ...string) {
		t.Helper()
		got, out, problems := code(p, stdout, args...)
		if got != want || out != "" || !strings.Contains("\n"+problems, "\necf: ") || strings.Contains(problems, "goroutine") {
			t.Errorf("%v: exit code %d, want %d\n%s\n%s", args, got, want, out, problems)
		}
	}
	check(2, p, nil, "no-such-command")
	nowhere := processes{t, []string{"ECF_DATA_DIR=/dev/null/data"}}
	for _, c := range standalone.Program().Commands {
		args := strings.Fields(c.Name)
		check(2, p, nil, slices.Concat(args, []string{"--no-such-setting"})...)
		check(2, p, nil, slices.Concat(args, []string{"one", "two"})...)
		if c.Name == "serve" || c.Name == "schema up" || c.Arguments == "" {
			check(1, nowhere, nil, args...)
		}
	}
	for _, args := range []string{"help", "version", "org list", "factors list", "schema status", "schema up", "audit verify", "org create --name More --plan team"} {
		check(1, p, full, strings.Fields(args)...)
	}
}
