package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPackagesTestedWithoutRaceDetectorStartNoGoroutine verifies that the packages that
// the Makefile tests without the race detector start no goroutine, including their
// tests.
func TestPackagesTestedWithoutRaceDetectorStartNoGoroutine(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^ALONE := ((?:.*\\\n)*.*)$`).FindSubmatch(text)
	if list == nil {
		t.Fatal("the Makefile has no list ALONE")
	}
	patterns := strings.Fields(strings.ReplaceAll(string(list[1]), "\\\n", " "))
	args := append([]string{"list", "-f", `{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}
{{end}}{{range .TestGoFiles}}{{$d}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$d}}/{{.}}
{{end}}`}, patterns...)
	files := strings.Fields(string(goCommand(t, args...)))
	if len(files) < 100 {
		t.Fatalf("only %d files in %v", len(files), patterns)
	}
	set := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range goroutines(file) {
			t.Errorf("%s starts a goroutine: remove its package from ALONE in the Makefile", set.Position(at))
		}
	}
}

func TestGoroutinesAreFound(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"go f()": 1, "go func() {}()": 1, "var wg sync.WaitGroup; wg.Go(f)": 1, "f()": 0, "b.RunParallel(nil)": 1,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc _() { "+body+" }", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(goroutines(file)); got != want {
			t.Errorf("%s: %d goroutines, want %d", body, got, want)
		}
	}
}

// goroutines returns where a file or a function starts goroutines itself.
func goroutines(in ast.Node) (at []token.Pos) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			at = append(at, n.Pos())
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && (f.Sel.Name == "Go" || f.Sel.Name == "RunParallel") {
				at = append(at, n.Pos())
			}
		}
		return true
	})
	return at
}

// TestEndToEndTestsThatRunRequestsAtOnceAreRaced verifies that end-to-end tests with
// concurrent requests also run with the race detector.
func TestEndToEndTestsThatRunRequestsAtOnceAreRaced(t *testing.T) {
	t.Parallel()
	without := map[string]string{
		"AFloodOfWritesPushesNobodyBack": "counts what programs answer beside each other; their schedulers are raced by tests of their own",
		"IdleConnectionsBlockNobody":     "measures the memory of a gateway, a program of its own",
		"MemoryOfAnImportDoesNotGrow":    "measures memory",
		"NightlySync":                    "its two programs take turns; what they ask is asked at once by AnIntegrationThroughTheGateway",
	}
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^E2E_RACED := \^Test\((.*)\)\$\$$`).FindSubmatch(text)
	if list == nil {
		t.Fatal("the Makefile has no list E2E_RACED")
	}
	raced := strings.Split(string(list[1]), "|")
	files, err := filepath.Glob(filepath.Join(root, "tests", "e2e", "*_test.go"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	exists := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			test := strings.TrimPrefix(f.Name.Name, "Test")
			exists[test] = true
			if len(goroutines(f)) > 0 && !slices.Contains(raced, test) && without[test] == "" {
				t.Errorf("Test%s starts goroutines: add it to E2E_RACED in the Makefile", test)
			}
		}
	}
	for _, test := range slices.Concat(raced, slices.Collect(maps.Keys(without))) {
		if !exists[test] {
			t.Errorf("there is no Test%s in tests/e2e", test)
		}
	}
}

// TestWhatSkipsTheRaceDetectorRunsWithoutIt verifies that the Makefile runs each test
// without the race detector that skips itself with it.
func TestWhatSkipsTheRaceDetectorRunsWithoutIt(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^ALLOCATIONS := (.*)$`).FindSubmatch(text)
	if list == nil {
		t.Fatal("the Makefile has no list ALLOCATIONS")
	}
	listed := strings.Fields(strings.ReplaceAll(string(list[1]), "./", ""))
	found := skippingTheRaceDetector(t)
	for dir, names := range found {
		if !slices.Contains(listed, filepath.ToSlash(dir)) {
			t.Errorf("%s skips the race detector in %v: add it to ALLOCATIONS in the Makefile", dir, names)
		}
		for _, name := range names {
			if !strings.HasPrefix(name, "AllocationsOf") {
				t.Errorf("%s: Test%s skips the race detector, but the Makefile runs only TestAllocationsOf… without it", dir, name)
			}
		}
	}
	for _, dir := range listed {
		if found[filepath.FromSlash(dir)] == nil {
			t.Errorf("%s is in ALLOCATIONS in the Makefile, but none of its tests skips the race detector", dir)
		}
	}
}

// skippingTheRaceDetector returns the names, without "Test", of the tests that skip
// themselves with the race detector, by directory.
func skippingTheRaceDetector(t *testing.T) map[string][]string {
	t.Helper()
	skips := regexp.MustCompile(`(?m)^func Test(\w+)\(t \*testing\.T\).*\n(?:\tt\.Parallel\(\)\n)?\ttestkit\.WithoutRace`)
	found := map[string][]string{}
	for _, top := range []string{"libs", "services", "tests"} {
		if err := filepath.WalkDir(filepath.Join(root, top), func(path string, d os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "node_modules" {
				return filepath.SkipDir
			}
			if !strings.HasSuffix(path, "_test.go") {
				return nil
			}
			source, err := os.ReadFile(path) //nolint:gosec // of this repository
			if err != nil {
				return err
			}
			for _, m := range skips.FindAllSubmatch(source, -1) {
				dir, err := filepath.Rel(root, filepath.Dir(path))
				if err != nil {
					return err
				}
				found[dir] = append(found[dir], string(m[1]))
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return found
}
