package deploy

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v3"
)

var (
	collectionInGo = regexp.MustCompile(`\.Collection\("([^"]+)"\)`)
	serviceInInit  = regexp.MustCompile(`(?m)^  (\w+): \{$`)
	rightsInInit   = regexp.MustCompile(`(?m)^    (\w+): \[(.*)\],$`)
)

// collections gives those that the stores in a folder open.
func collections(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no sources in %s: %v", folder, err)
	}
	found := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range collectionInGo.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestMongoRightsCoverTheStores: a service has rights in every collection its
// stores open, and in no other.
func TestMongoRightsCoverTheStores(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "deploy/mongo/init.js"))
	if err != nil {
		t.Fatal(err)
	}
	records := collections(t, "libs/record/mongostore")
	results := collections(t, "services/calculation/mongostore")
	both := slices.Sorted(slices.Values(slices.Concat(records, results)))
	rights := map[string][]string{}
	services := serviceInInit.FindAllStringSubmatchIndex(string(text), -1)
	for i, m := range services {
		end := len(text)
		if i+1 < len(services) {
			end = services[i+1][0]
		}
		name := string(text[m[2]:m[3]])
		for _, r := range rightsInInit.FindAllStringSubmatch(string(text[m[0]:end]), -1) {
			rights[name] = append(rights[name], r[1])
			if !strings.Contains(r[2], "...read") || !strings.Contains(r[2], "...make") {
				t.Errorf("%s: may not read %s, or make its indexes", name, r[1])
			}
		}
		slices.Sort(rights[name])
	}
	for service, want := range map[string][]string{"records": records, "review": records, "calculation": both} {
		if !slices.Equal(rights[service], want) {
			t.Errorf("%s has rights in %v, its stores open %v", service, rights[service], want)
		}
	}
	if len(rights) != 3 {
		t.Errorf("rights of %v", slices.Sorted(maps.Keys(rights)))
	}
}

// TestCollectorPipelines: what the pipelines name is configured, and what is
// configured is used.
func TestCollectorPipelines(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(root, "deploy/otel/collector.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Receivers, Processors, Connectors, Exporters, Extensions map[string]any
		Service                                                  struct {
			Extensions []string
			Pipelines  map[string]struct{ Receivers, Processors, Exporters []string }
		}
	}
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	check := func(where string, names []string, in ...map[string]any) {
		for _, name := range names {
			used[name] = true
			if !slices.ContainsFunc(in, func(m map[string]any) bool { _, ok := m[name]; return ok }) {
				t.Errorf("%s: %s is not configured", where, name)
			}
		}
	}
	check("service", config.Service.Extensions, config.Extensions)
	for name, p := range config.Service.Pipelines {
		check(name, p.Receivers, config.Receivers, config.Connectors)
		check(name, p.Processors, config.Processors)
		check(name, p.Exporters, config.Exporters, config.Connectors)
		if len(p.Processors) == 0 || p.Processors[0] != "memory_limiter" {
			t.Errorf("%s: does not guard its memory first", name)
		}
	}
	for _, in := range []map[string]any{config.Receivers, config.Processors, config.Connectors, config.Exporters, config.Extensions} {
		for name := range in {
			if !used[name] {
				t.Errorf("%s is configured, but not used", name)
			}
		}
	}
}
