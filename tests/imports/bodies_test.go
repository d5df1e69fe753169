package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestBodiesAreNotUnpacked verifies that request bodies are read as sent: fiber's
// Ctx.Body decompresses without a limit, so that a few kilobytes become gigabytes.
func TestBodiesAreNotUnpacked(t *testing.T) {
	t.Parallel()
	set, files := token.NewFileSet(), 0
	for _, dir := range []string{"libs", "services"} {
		err := filepath.WalkDir(filepath.Join(root, dir), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			files++
			for _, at := range unpacking(file) {
				t.Errorf("%s decompresses the body of a request: use c.Request().Body()", set.Position(at))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 300 {
		t.Fatalf("only %d files", files)
	}
}

func TestUnpackingIsFound(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{"c.Body()": 1, "x := len(c.Body())": 1, "c.Request().Body()": 0, "resp.Body()": 0, "c.Body(1)": 0} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nfunc _() { "+body+" }", parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(unpacking(file)); got != want {
			t.Errorf("%s: %d calls, want %d", body, got, want)
		}
	}
}

// unpacking returns where a file calls Body of a *fiber.Ctx, which is named c
// everywhere.
func unpacking(file *ast.File) (at []token.Pos) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) > 0 {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Body" {
			if of, ok := f.X.(*ast.Ident); ok && of.Name == "c" {
				at = append(at, call.Pos())
			}
		}
		return true
	})
	return at
}
