package release_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	codeSpan      = regexp.MustCompile("`([^`]+)`")
	benchCommand  = regexp.MustCompile(`^(?:cd (\S+) && )?(?:go test )?.*?-bench '?([^\s']+)'?(.*)$`)
	benchFunction = regexp.MustCompile(`(?m)^func (Benchmark\w*)\(`)
	keptBenchmark = regexp.MustCompile(`(?m)^(Benchmark\w+)(?:/\S+)?\s`)
)

// TestBenchmarksThatAreNamedExist verifies that every benchmark exists that
// docs/benchmarks.md tells readers to run or that has stored figures: go test prints
// PASS and measures nothing if -bench matches no benchmark.
func TestBenchmarksThatAreNamedExist(t *testing.T) {
	t.Parallel()
	seen := 0
	for section := range strings.SplitSeq(source(t, "docs/benchmarks.md"), "\n## ") {
		dir, pkg := "", "." // of the previous command; the next one may omit them
		for _, span := range codeSpan.FindAllStringSubmatch(section, -1) {
			command := strings.ReplaceAll(span[1], "\n", " ")
			m := benchCommand.FindStringSubmatch(command)
			if m == nil {
				continue
			}
			seen++
			if m[1] != "" {
				dir, pkg = m[1], "."
			}
			for word := range strings.FieldsSeq(command) {
				if word == "." || strings.HasPrefix(word, "./") {
					pkg = word
				}
				if strings.HasPrefix(word, "./libs/") || strings.HasPrefix(word, "./services/") || strings.HasPrefix(word, "./tests/") {
					dir = "" // from the root
				}
			}
			text := source(t, filepath.Join(dir, pkg, "*_test.go"))
			name, sub, _ := strings.Cut(m[2], "/")
			if !hasBenchmark(t, text, name) {
				t.Errorf("`%s` matches no benchmark of %s", command, filepath.Join(dir, pkg))
			}
			if sub != "" && !strings.Contains(text, `"`+sub) {
				t.Errorf("`%s`: no benchmark of %s has a part of that name", command, filepath.Join(dir, pkg))
			}
		}
	}
	if seen < 12 {
		t.Errorf("only %d commands were read", seen)
	}
	engine, kept := source(t, "libs/footprint/*_test.go"), keptBenchmark.FindAllStringSubmatch(source(t, "docs/benchmarks/footprint.txt"), -1)
	if len(kept) == 0 {
		t.Error("no benchmark is kept")
	}
	for _, m := range kept {
		if !hasBenchmark(t, engine, "^"+m[1]+"$") {
			t.Errorf("docs/benchmarks/footprint.txt has %s, which libs/footprint does not have", m[1])
		}
	}
}

// hasBenchmark reports whether a benchmark in a source matches.
func hasBenchmark(t *testing.T, source, expression string) bool {
	t.Helper()
	match, err := regexp.Compile(expression)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range benchFunction.FindAllStringSubmatch(source, -1) {
		if match.MatchString(m[1]) {
			return true
		}
	}
	return false
}
