package spec

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/web"
)

// source returns the document as edited.
func source(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func load(t *testing.T) Document {
	t.Helper()
	d, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOperations(t *testing.T) {
	t.Parallel()
	d := load(t)
	ids := map[string]bool{}
	public := []string{}
	for _, o := range d.Operations {
		if o.ID == "" || ids[o.ID] {
			t.Errorf("%s %s: operationId %q is missing or used twice", o.Method, o.Path, o.ID)
		}
		ids[o.ID] = true
		if o.Public {
			public = append(public, o.Path)
		}
		if o.Root != strings.HasPrefix(o.Path, "/.well-known/") {
			t.Errorf("%s %s: root %v", o.Method, o.Path, o.Root)
		}
	}
	// What the specification says needs no token, what a setup token opens, and the keys that verify tokens
	// and reports.
	want := []string{"/.well-known/jwks.json", "/.well-known/openid-configuration", "/.well-known/report-keys.json", "/auth/invitations/lookup", "/auth/login", "/auth/refresh", "/auth/setup",
		"/docs", "/health", "/health/live", "/health/ready", "/openapi.json"}
	if !slices.Equal(public, want) {
		t.Errorf("public operations\n got %v\nwant %v", public, want)
	}
	for _, needed := range []string{"login", "refresh", "listEvents", "createEvent", "createRecord", "submitRecord", "approveRecord", "getResult"} {
		if !ids[needed] {
			t.Errorf("operation %s is missing", needed)
		}
	}
}

// TestEveryErrorIsDocumented holds the document to the codes of apperr and to
// the statuses of web, both ways.
func TestEveryErrorIsDocumented(t *testing.T) {
	t.Parallel()
	d := load(t)
	codes := codesOf(t)
	var listed []string
	for _, e := range d.Errors {
		listed = append(listed, string(e.Code))
		if e.Cause == "" || e.Remedy == "" {
			t.Errorf("%s has no cause or no remedy", e.Code)
		}
		if got := web.StatusOf(e.Code); got != e.Status {
			t.Errorf("%s is documented as %d and answered as %d", e.Code, e.Status, got)
		}
	}
	var schema struct {
		Components struct {
			Schemas struct {
				ErrorCode struct {
					Enum []string `json:"enum"`
				}
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(d.JSON(), &schema); err != nil {
		t.Fatal(err)
	}
	enum := schema.Components.Schemas.ErrorCode.Enum
	slices.Sort(codes)
	slices.Sort(listed)
	slices.Sort(enum)
	if !slices.Equal(codes, listed) {
		t.Errorf("x-errors\n got %v\nwant %v", listed, codes)
	}
	if !slices.Equal(codes, enum) {
		t.Errorf("ErrorCode\n got %v\nwant %v", enum, codes)
	}
	if d.Errors[0].Code != apperr.ValidationError || d.Errors[len(d.Errors)-1].Code != apperr.UpstreamTimeout {
		t.Error("the errors are not in the order of their statuses")
	}
}

// codesOf reads the constants of type Code from the source of apperr: a list
// kept by hand would be the thing to forget.
func codesOf(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../apperr/apperr.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if typ, ok := v.Type.(*ast.Ident); !ok || typ.Name != "Code" {
			return true
		}
		for _, value := range v.Values {
			code, err := strconv.Unquote(value.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	if len(codes) < 20 {
		t.Fatalf("only %d codes found", len(codes))
	}
	return codes
}

func TestReferencesAndOrder(t *testing.T) {
	t.Parallel()
	d := load(t)
	var tree any
	if err := json.Unmarshal(d.JSON(), &tree); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	for _, m := range regexp.MustCompile(`"\$ref":\s*"#/([^"]*)"`).FindAllSubmatch(d.JSON(), -1) {
		used[string(m[1])] = true
		at := tree
		for name := range strings.SplitSeq(string(m[1]), "/") {
			object, _ := at.(map[string]any)
			at = object[name]
		}
		if at == nil {
			t.Errorf("reference to nothing: %s", m[1])
		}
	}
	components := tree.(map[string]any)["components"].(map[string]any)
	for kind, members := range components {
		for name := range members.(map[string]any) {
			if kind != "securitySchemes" && !used["components/"+kind+"/"+name] {
				t.Errorf("components/%s/%s is used nowhere", kind, name)
			}
		}
	}
	noNulls(t, "", tree)
	// The members stay in the order they are written in: readers of the page
	// see what matters first.
	if from, to := bytes.Index(d.JSON(), []byte(`"/auth/login"`)), bytes.Index(d.JSON(), []byte(`"/.well-known/jwks.json"`)); from < 0 || to < from {
		t.Error("the paths are not in the order of the source")
	}
	if strings.Contains(string(source(t)), "\t") {
		t.Error("the source has tabs")
	}
}

// noNulls finds texts of the source that a comma has cut in two: what follows
// the comma becomes a member without a value.
func noNulls(t *testing.T, at string, value any) {
	t.Helper()
	switch v := value.(type) {
	case map[string]any:
		for name, member := range v {
			if member == nil {
				t.Errorf("%s/%s has no value", at, name)
			}
			if name != "examples" && name != "example" { // in which null is a value
				noNulls(t, at+"/"+name, member)
			}
		}
	case []any:
		for _, item := range v {
			noNulls(t, at, item)
		}
	}
}
