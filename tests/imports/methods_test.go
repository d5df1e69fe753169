package imports

import (
	"bufio"
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// calledByName returns the functions of a linked program that call methods by a name that is known only at run time, as
// the linker prints its dependencies.
func calledByName(dependencies []byte) (callers []string) {
	lines := bufio.NewScanner(bytes.NewReader(dependencies))
	for lines.Scan() {
		if _, to, ok := strings.Cut(lines.Text(), " -> "); ok && strings.HasSuffix(to, " <ReflectMethod>") {
			callers = append(callers, lines.Text())
		}
	}
	return callers
}

// TestUnusedMethodsAreNotLinked verifies that no reachable function of ecf, which has the code of all services, calls
// methods by name. If there were one, such as the execution of a text/template, the linker would keep every exported method
// of every type: a fifth more of the program, on disk and in memory (ADR 0113).
func TestUnusedMethodsAreNotLinked(t *testing.T) {
	t.Parallel()
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-tags", "grpcnotrace", "-ldflags", "-s -w -dumpdep",
		"-o", filepath.Join(t.TempDir(), "ecf"), "./services/standalone/cmd/ecf")
	build.Dir = root
	build.Env = append(build.Environ(), "CGO_ENABLED=0") // as shipped, and as other tests build it
	out, err := build.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %.2000s", err, out)
	}
	if n := bytes.Count(out, []byte(" -> ")); n < 100_000 {
		t.Fatalf("the linker printed %d dependencies", n)
	}
	for _, call := range calledByName(out) {
		t.Errorf("%s: calls methods by name", call)
	}
}

func TestCallsByNameAreFound(t *testing.T) {
	t.Parallel()
	const call = "text/template.(*state).evalFieldChain -> text/template.(*state).evalField <ReflectMethod>"
	dependencies := "main.main -> fmt.Println\n" + call + "\ntext/template.(*state).evalField <ReflectMethod> -> reflect.Value.MethodByName\n"
	if got := calledByName([]byte(dependencies)); len(got) != 1 || got[0] != call {
		t.Errorf("found %q", got)
	}
}
