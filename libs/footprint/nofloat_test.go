package footprint_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoFloatingPoint: code that calculates, adds up or stores figures uses no floating point, so that no platform or
// order changes a digit. Distances between airports are the exception; they are rounded to the metre.
func TestNoFloatingPoint(t *testing.T) {
	t.Parallel()
	files := 0
	for _, dir := range []string{".", "../factors", "../decimal", "../bundle"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
				continue
			}
			files++
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, filepath.Join(dir, e.Name()), nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					if n.Name == "float64" || n.Name == "float32" || n.Name == "ParseFloat" || n.Name == "Float64" || n.Name == "Float32" {
						t.Errorf("%s: %s", set.Position(n.Pos()), n.Name)
					}
				case *ast.BasicLit:
					if n.Kind == token.FLOAT && strings.Contains(n.Value, ".") { // 1e9 is a whole number
						t.Errorf("%s: %s", set.Position(n.Pos()), n.Value)
					}
				}
				return true
			})
		}
	}
	if files < 30 {
		t.Errorf("only %d files were read", files)
	}
}
