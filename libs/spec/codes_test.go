package spec

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// codeText is what a code of the API looks like.
var codeText = regexp.MustCompile(`^([A-Z][A-Z0-9]*(_[A-Z0-9]+)+|[A-Z][A-Z0-9]{4,})$`)

// named is the form of a code in a literal.
var named = regexp.MustCompile(`^[A-Z][A-Z0-9_]+$`)

// noCodes are constants that look like a code and are none.
var noCodes = []string{"ES256", "METRICS", "TRACES"}

// codesInSource returns every code of a detail, notice or finding in the sources of libraries and services, by file:
// constants, Code fields of literals and arguments of constructors.
func codesInSource(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	take := func(path string, e ast.Expr, like *regexp.Regexp) {
		l, ok := e.(*ast.BasicLit)
		if !ok || l.Kind != token.STRING {
			return
		}
		if text, err := strconv.Unquote(l.Value); err == nil && like.MatchString(text) && !slices.Contains(noCodes, text) && !strings.HasPrefix(text, "ECF_") {
			found[text] = path
		}
	}
	for _, root := range []string{"..", "../../services"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() {
				if slices.Contains([]string{"node_modules", "internal", "client", "testkit", "recordtest", "resulttest", "console"}, d.Name()) {
					return filepath.SkipDir
				}
				return nil
			}
			if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr:
					if name, ok := n.Key.(*ast.Ident); ok && name.Name == "Code" {
						take(path, n.Value, named)
					}
				case *ast.GenDecl:
					if n.Tok != token.CONST {
						return true
					}
					for _, s := range n.Specs {
						for _, value := range s.(*ast.ValueSpec).Values {
							take(path, value, codeText)
						}
					}
				case *ast.CallExpr:
					if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "fail" || s.Sel.Name == "Add" || s.Sel.Name == "Fault") {
						for _, a := range n.Args {
							take(path, a, codeText)
						}
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// TestEveryCodeIsDocumented: each code that the service can answer is explained at
// docs#code-…, those of errors at docs#error-…, and nothing else is.
func TestEveryCodeIsDocumented(t *testing.T) {
	t.Parallel()
	var document struct {
		Codes []struct{ Code, Of, Meaning string } `json:"x-codes"`
	}
	d := load(t)
	if err := json.Unmarshal(d.JSON(), &document); err != nil {
		t.Fatal(err)
	}
	found := codesInSource(t)
	errors := map[string]bool{}
	for _, e := range d.Errors {
		errors[string(e.Code)] = true
		if found[string(e.Code)] == "" {
			t.Errorf("the search does not find %s: it would not find others", e.Code)
		}
	}
	documented := map[string]bool{}
	for _, c := range document.Codes {
		if documented[c.Code] || errors[c.Code] {
			t.Errorf("%s is documented twice", c.Code)
		}
		documented[c.Code] = true
		if !strings.HasSuffix(c.Meaning, ".") || !slices.Contains([]string{"detail", "notice", "finding"}, c.Of) {
			t.Errorf("%s (%s) is not explained in a sentence", c.Code, c.Of)
		}
		if found[c.Code] == "" {
			t.Errorf("%s is documented and in no source", c.Code)
		}
	}
	for _, code := range slices.Sorted(maps.Keys(found)) {
		if !documented[code] && !errors[code] {
			t.Errorf("%s (%s) is not documented: add it to x-codes of openapi.yaml", code, found[code])
		}
	}
}
