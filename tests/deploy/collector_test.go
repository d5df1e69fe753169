package deploy

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	yaml "go.yaml.in/yaml/v3"
)

// collectorConfig has the checked parts of a collector's configuration.
type collectorConfig struct {
	Receivers, Processors, Connectors, Exporters, Extensions map[string]any
	Service                                                  struct {
		Extensions []string
		Pipelines  map[string]struct{ Receivers, Processors, Exporters []string }
	}
}

// merged returns the configuration of several files as the collector merges it: maps
// are merged, everything else is replaced by the later file.
func merged(t *testing.T, files ...string) collectorConfig {
	t.Helper()
	all := map[string]any{}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, "deploy/otel", file))
		if err != nil {
			t.Fatal(err)
		}
		one := map[string]any{}
		if err := yaml.Unmarshal(text, &one); err != nil {
			t.Fatal(err)
		}
		merge(all, one)
	}
	text, err := yaml.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var config collectorConfig
	if err := yaml.Unmarshal(text, &config); err != nil {
		t.Fatal(err)
	}
	return config
}

func merge(into, from map[string]any) {
	for name, value := range from {
		a, isMap := into[name].(map[string]any)
		b, alike := value.(map[string]any)
		if isMap && alike {
			merge(a, b)
		} else {
			into[name] = value
		}
	}
}

// TestCollectorPipelines verifies that what the pipelines name is configured, and that
// what is configured is used.
func TestCollectorPipelines(t *testing.T) {
	t.Parallel()
	for _, second := range []string{"local.yaml", "export.yaml"} {
		config := merged(t, "collector.yaml", second)
		used := map[string]bool{}
		check := func(where string, names []string, in ...map[string]any) {
			for _, name := range names {
				used[name] = true
				if !slices.ContainsFunc(in, func(m map[string]any) bool { _, ok := m[name]; return ok }) {
					t.Errorf("%s, %s: %s is not configured", second, where, name)
				}
			}
		}
		check("service", config.Service.Extensions, config.Extensions)
		for name, p := range config.Service.Pipelines {
			check(name, p.Receivers, config.Receivers, config.Connectors)
			check(name, p.Processors, config.Processors)
			check(name, p.Exporters, config.Exporters, config.Connectors)
			if len(p.Processors) == 0 || p.Processors[0] != "memory_limiter" {
				t.Errorf("%s, %s: the memory limiter is not the first processor", second, name)
			}
			if len(p.Exporters) == 0 {
				t.Errorf("%s, %s: has no exporter", second, name)
			}
		}
		for _, in := range []map[string]any{config.Receivers, config.Processors, config.Connectors, config.Exporters, config.Extensions} {
			for name := range in {
				if !used[name] {
					t.Errorf("%s: %s is configured, but not used", second, name)
				}
			}
		}
		// Metrics scraped from the services are not exported a second time.
		for name, p := range config.Service.Pipelines {
			if slices.Contains(p.Receivers, "otlp") && slices.Contains(p.Exporters, "prometheus") {
				t.Errorf("%s, %s: metrics of the services are counted twice", second, name)
			}
		}
	}
}
