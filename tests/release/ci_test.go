package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mostMinutes is the budget of all steps of CI together, on two cores.
const mostMinutes = 45

// TestBudgetOfCI verifies that each step has a budget, that together they are below the
// limit, that the page for contributors agrees, and that long runs are not steps.
func TestBudgetOfCI(t *testing.T) {
	t.Parallel()
	script, page := source(t, ".ci/run"), source(t, "CONTRIBUTING.md")
	sum := 0
	steps := regexp.MustCompile(`(?m)^step (\d+) (make [a-z -]+[a-z])`).FindAllStringSubmatch(script, -1)
	for _, step := range steps {
		minutes, err := strconv.Atoi(step[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += minutes
		if !regexp.MustCompile("(?m)^\\| `" + regexp.QuoteMeta(step[2]) + "` \\| " + step[1] + " \\|").MatchString(page) {
			t.Errorf("CONTRIBUTING.md does not give %s %d minutes", step[2], minutes)
		}
	}
	if len(steps) < 4 || len(steps) != strings.Count(script, "\nstep ") || sum >= mostMinutes {
		t.Errorf("%d steps of CI have %d minutes together", len(steps), sum)
	}
	if !strings.Contains(page, "`.ci/run` has "+strconv.Itoa(sum)+" minutes") {
		t.Errorf("CONTRIBUTING.md does not say that all have %d minutes", sum)
	}
	for _, long := range []string{"test-k8s", "test-images", "test-collector", "test-rolling", "drill"} {
		if strings.Contains(script, "make "+long) {
			t.Errorf("CI runs make %s", long)
		}
	}
}

// TestChecksCompileWhatIsShipped: what make runs compiles with the flags that images are
// built with, so that one compilation serves all of it; flags of whoever runs it stay.
func TestChecksCompileWhatIsShipped(t *testing.T) {
	t.Parallel()
	image := source(t, "deploy/Dockerfile")
	for _, flag := range []string{"CGO_ENABLED=0", "-trimpath", "-tags grpcnotrace"} {
		if !strings.Contains(image, flag) {
			t.Errorf("images are not built with %s", flag)
		}
	}
	cmd := exec.CommandContext(t.Context(), "make", "-s", "-C", root, "--eval", "flags:; @echo $$CGO_ENABLED $$GOFLAGS", "flags")
	// What a make that runs this test was told is not for this one.
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") }),
		"GOFLAGS=-trimpath -mod=readonly", "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	if want := "0 -mod=readonly -trimpath -tags=grpcnotrace\n"; err != nil || string(out) != want {
		t.Errorf("make compiles with %q: %v; want %q", out, err, want)
	}
}

// TestDeploymentsAreTestedOnce: CI runs each test of tests/deploy in one of two steps, and
// none is left out between them.
func TestDeploymentsAreTestedOnce(t *testing.T) {
	t.Parallel()
	for target, flag := range map[string]string{"check-deploy": "-skip", "test-outside": "-run"} {
		out, err := run(t, []string{"MAKEFLAGS="}, "", "make", "-s", target, "GO=echo tested by")
		if want := flag + " ProgramsRun|RoleIsChecked ./...\n"; err != nil || !strings.Contains(out, want) {
			t.Errorf("make %s runs %q: %v; want %q", target, out, err, want)
		}
	}
}

// TestEveryModuleIsLinted: those of the workspace together, the others each by itself; a
// finding anywhere is a failure.
func TestEveryModuleIsLinted(t *testing.T) {
	t.Parallel()
	lint := func(linter string) (string, error) {
		return run(t, []string{"MAKEFLAGS="}, "", "make", "-s", "lint", "GOLANGCI_LINT="+linter)
	}
	out, err := lint("/bin/echo")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	modules := regexp.MustCompile(`(?m)^\t(\./[a-z/]+)$`).FindAllStringSubmatch(source(t, "go.work"), -1)
	want := "run"
	for _, m := range modules {
		want += " " + m[1] + "/..."
	}
	if want += "\n"; len(modules) < 9 || !strings.Contains(out, want) {
		t.Errorf("make lint runs %q; want %q", out, want)
	}
	for _, module := range []string{"tests/deploy", "tests/mongoengine"} {
		if !strings.Contains(out, "lint "+module+"\nrun ./...\n") {
			t.Errorf("make lint leaves out %s: %q", module, out)
		}
	}
	// One that finds something in the workspace alone.
	picky := filepath.Join(t.TempDir(), "picky")
	if err := os.WriteFile(picky, []byte("#!/bin/sh\n[ \"$2\" = ./... ]\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, linter := range []string{picky, "/bin/false"} {
		if out, err := lint(linter); err == nil {
			t.Errorf("make lint passes though %s fails: %s", filepath.Base(linter), out)
		}
	}
}
