package imports

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is a go.mod as the go command describes it.
type module struct {
	Module  struct{ Path string }
	Go      string
	Require []struct{ Path, Version string }
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

// outside are modules outside the workspace, whose dependencies would change the
// versions of everything else. The value is false if the versions must not be compared
// because the module needs others than we ship.
var outside = map[string]bool{"tests/mongoengine": false, "tests/deploy": true, "tests/deploy/cluster": false, "tests/deploy/keda": false}

// modules returns every module of the repository that must have our versions, by
// folder.
func modules(t *testing.T) map[string]module {
	t.Helper()
	var work struct {
		Go  string
		Use []struct{ DiskPath string }
	}
	if err := json.Unmarshal(goCommand(t, "work", "edit", "-json"), &work); err != nil {
		t.Fatal(err)
	}
	list := map[string]module{}
	add := func(dir string) module {
		var m module
		if err := json.Unmarshal(goCommand(t, "mod", "edit", "-json", filepath.Join(dir, "go.mod")), &m); err != nil {
			t.Fatal(err)
		}
		if m.Go != work.Go {
			t.Errorf("%s says go %s, go.work says go %s", dir, m.Go, work.Go)
		}
		if want := prefix + filepath.ToSlash(filepath.Clean(dir)); m.Module.Path != want {
			t.Errorf("%s is called %s, not %s", dir, m.Module.Path, want)
		}
		return m
	}
	for _, use := range work.Use {
		dir := filepath.ToSlash(filepath.Clean(use.DiskPath))
		list[dir] = add(dir)
	}
	for dir, ours := range outside {
		if m := add(dir); ours {
			list[dir] = m
		}
	}
	return list
}

// TestModules verifies that all modules have the same version of every dependency, and
// use every module of ours from its folder.
func TestModules(t *testing.T) {
	t.Parallel()
	type use struct{ version, by string }
	first := map[string]use{}
	list := modules(t)
	for dir, m := range list {
		for _, r := range m.Require {
			if own, ok := strings.CutPrefix(r.Path, prefix); ok {
				depth := strings.Repeat("../", strings.Count(dir, "/")+1)
				if !slices.ContainsFunc(m.Replace, func(p struct {
					Old, New struct{ Path, Version string }
				}) bool {
					return p.Old.Path == r.Path && filepath.Clean(filepath.Join(dir, p.New.Path)) == own
				}) {
					t.Errorf("%s does not take %s from %s%s", dir, r.Path, depth, own)
				}
				continue
			}
			if f, ok := first[r.Path]; ok && f.version != r.Version {
				t.Errorf("%s: %s in %s, %s in %s", r.Path, r.Version, dir, f.version, f.by)
			} else if !ok {
				first[r.Path] = use{r.Version, dir}
			}
		}
	}
	// A module that is not listed is not checked.
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "node_modules" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		if d.Name() != "go.mod" {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		_, listed := list[filepath.ToSlash(dir)]
		if _, known := outside[filepath.ToSlash(dir)]; !listed && !known {
			t.Errorf("%s is neither in go.work nor known to be outside", dir)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
