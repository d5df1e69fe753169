package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Packages that the Makefile tests without the race detector start no goroutine,
// neither themselves nor in their tests.
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
			t.Errorf("%s starts a goroutine: take its package off ALONE in the Makefile", set.Position(at))
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

// goroutines returns where a file starts goroutines by itself.
func goroutines(file *ast.File) (at []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
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

// The Makefile runs each end-to-end test once more that skips itself under the
// race detector.
func TestWhatSkipsTheRaceDetectorRunsWithoutIt(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?m)^E2E_ALONE := \^Test\((.*)\)\$\$$`).FindSubmatch(text)
	if list == nil {
		t.Fatal("the Makefile has no list E2E_ALONE")
	}
	files, err := filepath.Glob(filepath.Join(root, "tests", "e2e", "*_test.go"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	var skipping []string
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^func Test(\w+)\(t \*testing\.T\).*\n(?:\tt\.Parallel\(\)\n)?\ttestkit\.WithoutRace`).FindAllSubmatch(source, -1) {
			skipping = append(skipping, string(m[1]))
		}
	}
	named := strings.Split(string(list[1]), "|")
	slices.Sort(named)
	slices.Sort(skipping)
	if !slices.Equal(named, skipping) {
		t.Errorf("the Makefile runs %v without the race detector; %v skip it", named, skipping)
	}
}
