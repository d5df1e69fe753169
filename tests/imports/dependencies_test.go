package imports

import (
	"encoding/json"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// decided is the decision record with a line for each dependency.
const decided = "docs/adr/0004-dependencies.md"

// installed matches tools that are built from their modules when needed, and so are in
// no go.mod.
var installed = regexp.MustCompile(`\b((?:[a-z0-9-]+\.)+[a-z]+/[\w./-]+)@(?:"?\$|v[0-9])`)

// majorVersion matches the last element of a module path with a major version.
var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// TestEveryDependencyIsDecided verifies that each direct dependency, each tool that a
// target or a script builds, and each npm package has a line in the record.
func TestEveryDependencyIsDecided(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, decided))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.ToLower(string(text))
	has := func(name string) bool {
		return regexp.MustCompile(`(^|[^\w-])` + regexp.QuoteMeta(strings.ToLower(name)) + `($|[^\w-])`).MatchString(lines)
	}
	asked := map[string]string{} // by what
	for _, dir := range slices.Concat(slices.Collect(maps.Keys(modules(t))), slices.Collect(maps.Keys(outside))) {
		var m struct {
			Require []struct {
				Path     string
				Indirect bool
			}
		}
		if err := json.Unmarshal(goCommand(t, "mod", "edit", "-json", filepath.Join(dir, "go.mod")), &m); err != nil {
			t.Fatal(err)
		}
		for _, r := range m.Require {
			if !r.Indirect && !strings.HasPrefix(r.Path, prefix) {
				asked[r.Path] = dir
			}
		}
	}
	var packages []string
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (slices.Contains([]string{"node_modules", "bin", ".git", ".cache"}, d.Name())):
			return filepath.SkipDir
		case d.Name() == "package.json":
			packages = append(packages, path)
		case !d.IsDir() && (d.Name() == "Makefile" || strings.HasSuffix(path, ".sh") || strings.Contains(path, "/.ci/") || strings.Contains(path, "/.github/")):
			script, err := os.ReadFile(path) //nolint:gosec // of the repository
			if err != nil {
				return err
			}
			for _, found := range installed.FindAllStringSubmatch(string(script), -1) {
				asked[found[1]] = path
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(asked) < 30 || len(packages) < 5 {
		t.Fatalf("found %d modules and %d package.json", len(asked), len(packages))
	}
	for path, by := range asked {
		if !slices.ContainsFunc(shortNames(path), has) {
			t.Errorf("%s, required by %s, has no line in %s: alternatives, maintainer, licence", path, by, decided)
		}
	}
	for _, path := range packages {
		var p struct{ Dependencies, DevDependencies map[string]string }
		read, err := os.ReadFile(path) //nolint:gosec // of the repository
		if err == nil {
			err = json.Unmarshal(read, &p)
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for name, version := range p.Dependencies {
			if strings.HasPrefix(version, "file:") {
				continue // our own
			}
			if !slices.ContainsFunc(npmNames(name), has) {
				t.Errorf("%s, a dependency of %s, has no line in %s", name, path, decided)
			}
		}
		for name := range p.DevDependencies {
			if !slices.ContainsFunc(npmNames(name), has) {
				t.Errorf("%s, a development dependency of %s, has no line in %s", name, path, decided)
			}
		}
	}
}

// shortNames returns the names that a line may use for a module: owner/name, name or,
// for modules of the Go team, x/name.
func shortNames(path string) []string {
	parts := strings.Split(strings.TrimSuffix(path, "/"), "/")
	parts = slices.DeleteFunc(parts, majorVersion.MatchString)
	if at := slices.Index(parts, "cmd"); at > 0 {
		parts = parts[:at]
	}
	names := []string{path, strings.Join(parts, "/")}
	host, rest := parts[0], parts[1:]
	switch {
	case len(rest) == 0:
		return append(names, host)
	case host == "golang.org" && len(rest) > 1:
		return append(names, "x/"+rest[1])
	case host == "go.opentelemetry.io":
		return append(names, "opentelemetry") // one project, with one line
	case host == "k8s.io" || host == "sigs.k8s.io":
		return append(names, "kubernetes")
	}
	return append(names, strings.Join(rest, "/"), strings.Join(rest[:min(2, len(rest))], "/"), rest[len(rest)-1], rest[min(1, len(rest)-1)])
}

// npmNames returns the names that a line may use for a package: its own, that of its
// scope, or that of the package it provides types for or belongs to.
func npmNames(name string) []string {
	names := []string{name}
	if scope, of, ok := strings.Cut(strings.TrimPrefix(name, "@"), "/"); ok && name[0] == '@' {
		if scope == "types" {
			return append(names, "definitelytyped", of)
		}
		return append(names, scope, strings.TrimSuffix(scope, "js"))
	}
	return append(names, strings.TrimSuffix(name, "-dom"))
}
