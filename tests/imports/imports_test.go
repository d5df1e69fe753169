// Package imports contains only the tests of the import rules. The workspace has many
// modules, but the compiler lets any of them import any other; the rules keep the
// services separate.
package imports

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	root   = "../.."
	prefix = "github.com/eventcarbon/ecf/"
)

// pkg is a package as go list describes it.
type pkg struct {
	ImportPath string
	Imports    []string
	Standard   bool
	Name       string
}

// own returns the path of one of our packages relative to the repository.
func (p pkg) own() (string, bool) { return strings.CutPrefix(p.ImportPath, prefix) }

// packages returns all packages of the workspace and their dependencies, by path.
func packages(t *testing.T) map[string]pkg {
	t.Helper()
	list := map[string]pkg{}
	for p := range decoded[pkg](t, goCommand(t, "list", "-deps", "-json=ImportPath,Imports,Standard,Name", "work")) {
		list[p.ImportPath] = p
	}
	return list
}

// goCommand runs the go command in the root of the workspace.
func goCommand(t *testing.T, args ...string) []byte {
	t.Helper()
	dir, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(dir, "go.work"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return out
}

// decoded returns the values of a stream of JSON.
func decoded[T any](t *testing.T, stream []byte) func(yield func(T) bool) {
	t.Helper()
	return func(yield func(T) bool) {
		for d := json.NewDecoder(bytes.NewReader(stream)); ; {
			var v T
			err := d.Decode(&v)
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !yield(v) {
				return
			}
		}
	}
}

// core are the packages that everything else builds on: they may import only
// themselves, the standard library and what is listed with them.
var core = map[string][]string{
	"libs/apperr":            nil,
	"libs/client":            nil, // so that its users get no other dependency
	"libs/decimal":           nil,
	"libs/ids":               nil,
	"libs/plainjson":         nil,
	"libs/timestamp":         nil,
	"libs/fields":            nil,
	"libs/factors":           nil,
	"libs/locations":         nil,
	"libs/footprint":         nil,
	"libs/footprint/compact": nil,
	"libs/footprint/fixed":   nil,
	"libs/footprint/total":   nil,
	"libs/places":            {"golang.org/x/text/unicode/norm"},
	"libs/spend":             nil,
	"libs/units":             nil,
	"libs/record":            nil,
	"libs/identity":          {"github.com/golang-jwt/jwt/v5"},
	"libs/lru":               nil,
	"libs/api":               nil,
	"libs/spelling":          nil,
}

// confined are dependencies that only the listed packages may import; a path may end in
// /* for packages of one name anywhere, such as */mongostore.
var confined = map[string][]string{
	"go.mongodb.org/mongo-driver": {"*/mongostore", "libs/mongox", "libs/infra/mongodb", "libs/testkit", "services/auth", "services/standalone"},
	"modernc.org/sqlite":          {"libs/sqlitex"},
	"github.com/hibiken/asynq":    {"libs/notify", "services/calculation/resulttree"},
	"github.com/golang-jwt/jwt":   {"libs/identity", "services/auth", "services/auth/keyring"},
	"golang.org/x/crypto":         {"services/auth/password"},
	// Templates call methods by name, which makes the linker keep every exported method
	// of every type, a quarter of a program. The generators are not part of a program.
	"html/template": {"libs/spec/internal/generate"},
	"text/template": {"libs/footprint/internal/methodology", "libs/spec/internal/generate"},
}

// storage are the packages of the storage engines, and transport are those that storage
// must not import.
var (
	storage   = []string{"*/mongostore", "*/sqlitestore", "libs/mongox", "libs/sqlitex"}
	transport = []string{"github.com/gofiber/fiber", "github.com/valyala/fasthttp", "github.com/hibiken/asynq", "github.com/redis/go-redis", "net/http"}
)

// faults returns the imports that violate the rules.
func faults(list map[string]pkg) []string {
	var found []string
	for _, p := range list {
		from, ok := p.own()
		if !ok {
			continue
		}
		for _, path := range p.Imports {
			if why := fault(from, path, list); why != "" {
				found = append(found, from+" imports "+path+": "+why)
			}
		}
		if p.Name == "main" {
			if path := reaches(p, list); path != "" {
				found = append(found, from+" contains "+path+": that is for tests")
			}
		}
	}
	slices.Sort(found)
	return found
}

// fault returns why from must not import path, or "" if it may.
func fault(from, path string, list map[string]pkg) string {
	to, own := strings.CutPrefix(path, prefix)
	switch {
	case own && strings.HasPrefix(from, "libs/") && !strings.HasPrefix(to, "libs/"):
		return "libraries know nothing of who uses them"
	case own && strings.HasPrefix(from, "services/") && strings.HasPrefix(to, "tests/"):
		return "what is shipped knows nothing of the tests"
	case own && strings.HasPrefix(from, "services/") && strings.HasPrefix(to, "services/") &&
		service(from) != service(to) && service(from) != "standalone":
		return "a service never imports a sibling"
	case own && strings.HasPrefix(from, "tests/expected") && !strings.HasPrefix(to, "tests/expected"):
		return "what is expected is calculated independently of what is tested"
	}
	if allowed, ok := core[from]; ok && !list[path].Standard && !slices.Contains(allowed, path) {
		if _, ok := core[to]; !ok || !own {
			return "the core knows only itself and the standard library"
		}
	}
	for dependency, allowed := range confined {
		if within(path, dependency) && !strings.HasPrefix(from, "tests/") && !among(from, allowed) {
			return "only these may: " + strings.Join(allowed, ", ")
		}
	}
	if among(from, storage) && slices.ContainsFunc(transport, func(t string) bool { return within(path, t) }) {
		return "storage does not know how those who use it are called"
	}
	return ""
}

// within reports whether a package is at a path or below it.
func within(path, dependency string) bool {
	return path == dependency || strings.HasPrefix(path, dependency+"/")
}

// among reports whether a package is in a list.
func among(from string, list []string) bool {
	return slices.ContainsFunc(list, func(a string) bool {
		name, anywhere := strings.CutPrefix(a, "*")
		return a == from || anywhere && strings.HasSuffix(from, name)
	})
}

func service(path string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(path, "services/"), "/")
	return name
}

// reaches returns the first of our test-only packages that a program contains.
func reaches(p pkg, list map[string]pkg) string {
	seen := map[string]bool{}
	for queue := slices.Clone(p.Imports); len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		if seen[path] {
			continue
		}
		seen[path] = true
		if _, own := list[path].own(); own && (path == prefix+"libs/testkit" || slices.Contains(list[path].Imports, "testing")) {
			return path
		}
		queue = append(queue, list[path].Imports...)
	}
	return ""
}

func TestImports(t *testing.T) {
	t.Parallel()
	list := packages(t)
	for _, f := range faults(list) {
		t.Error(f)
	}
	for name := range core {
		if _, ok := list[prefix+name]; !ok {
			t.Errorf("%s is in the rules, but not in the workspace", name)
		}
	}
}

// TestImportRulesBite verifies that the rules find violations.
func TestImportRulesBite(t *testing.T) {
	t.Parallel()
	list := map[string]pkg{"fmt": {ImportPath: "fmt", Standard: true}}
	for _, c := range []struct {
		from, path string
		wrong      bool
	}{
		{"libs/web", prefix + "libs/apperr", false},
		{"libs/web", prefix + "services/auth", true},
		{"services/records", prefix + "libs/web", false},
		{"services/records", prefix + "services/review", true},
		{"services/records/cmd/records", prefix + "services/records", false},
		{"services/standalone", prefix + "services/review", false},
		{"services/records", prefix + "tests/demo", true},
		{"libs/record", "fmt", false},
		{"libs/record", prefix + "libs/footprint", false},
		{"libs/record", prefix + "libs/web", true},
		{"libs/record", "github.com/google/uuid", true},
		{"libs/identity", "github.com/golang-jwt/jwt/v5", false},
		{"libs/record/mongostore", "go.mongodb.org/mongo-driver/v2/bson", false},
		{"services/records", "go.mongodb.org/mongo-driver/v2/bson", true},
		{"services/calculation/mongostore", "github.com/gofiber/fiber/v2", true},
		{"tests/expected", prefix + "libs/footprint", true},
		{"tests/e2e", "go.mongodb.org/mongo-driver/v2/bson", false},
	} {
		if why := fault(c.from, c.path, list); (why != "") != c.wrong {
			t.Errorf("%s imports %s: %q", c.from, c.path, why)
		}
	}
	suite := prefix + "libs/suite"
	list[suite] = pkg{ImportPath: suite, Imports: []string{"testing"}}
	list["other"] = pkg{ImportPath: "other", Imports: []string{suite}}
	main := pkg{ImportPath: prefix + "services/x/cmd/x", Name: "main", Imports: []string{"other"}}
	if reaches(main, list) != suite {
		t.Error("a program that contains a suite of tests was not found")
	}
}
