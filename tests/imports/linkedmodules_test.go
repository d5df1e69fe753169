package imports

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// excluded are the modules that a program must not link: unused code is an attack
// surface. The programs are named by their folder.
func excluded() map[string][]string {
	const (
		mongodb  = "go.mongodb.org/mongo-driver"
		sqlite   = "modernc.org/sqlite"
		yaml     = "github.com/goccy/go-yaml"
		embedded = "github.com/alicebob/miniredis"
		queue    = "github.com/hibiken/asynq"
	)
	return map[string][]string{
		"services/gateway/cmd/gateway":         {mongodb, sqlite, yaml, embedded, queue},
		"services/auth/cmd/auth":               {sqlite, yaml, embedded, queue},
		"services/records/cmd/records":         {sqlite, yaml, embedded},
		"services/review/cmd/review":           {sqlite, yaml, embedded},
		"services/calculation/cmd/calculation": {sqlite, yaml, embedded},
		"services/standalone/cmd/ecf":          {yaml},
	}
}

// links returns the excluded packages that a program links, sorted.
func links(program string, without []string, list map[string]pkg) []string {
	found := map[string]bool{}
	seen := map[string]bool{}
	for queue := []string{prefix + program}; len(queue) > 0; queue = queue[1:] {
		path := queue[0]
		if seen[path] {
			continue
		}
		seen[path] = true
		if slices.ContainsFunc(without, func(module string) bool { return within(path, module) }) {
			found[path] = true
		}
		queue = append(queue, list[path].Imports...)
	}
	return slices.Sorted(maps.Keys(found))
}

func TestLinked(t *testing.T) {
	t.Parallel()
	list := packages(t)
	rules := excluded()
	for path, p := range list {
		program, own := strings.CutPrefix(path, prefix)
		if !own || p.Name != "main" || !strings.HasPrefix(program, "services/") {
			continue
		}
		without, known := rules[program]
		if !known {
			t.Errorf("%s is a program without a list of what it must not link", program)
		}
		if found := links(program, without, list); len(found) > 0 {
			t.Errorf("%s links %s", program, strings.Join(found, ", "))
		}
		delete(rules, program)
	}
	for program := range rules {
		t.Errorf("%s is in the rules, but not in the workspace", program)
	}
}

// TestLinkedFindsWhatIsFarAway verifies that indirectly linked packages are found.
func TestLinkedFindsWhatIsFarAway(t *testing.T) {
	t.Parallel()
	list := map[string]pkg{
		prefix + "services/x/cmd/x": {Imports: []string{prefix + "libs/a"}},
		prefix + "libs/a":           {Imports: []string{"modernc.org/sqlite/lib", prefix + "libs/a"}},
	}
	if got := links("services/x/cmd/x", []string{"modernc.org/sqlite"}, list); !slices.Equal(got, []string{"modernc.org/sqlite/lib"}) {
		t.Errorf("found %v", got)
	}
	if got := links("services/x/cmd/x", []string{"modernc.org/sql"}, list); got != nil {
		t.Errorf("found %v", got)
	}
}
