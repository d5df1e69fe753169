package api

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/testkit"
)

// TestCandidatesAreAllThatMatch verifies for random paths that the first matching candidate is
// the first matching pattern.
func TestCandidatesAreAllThatMatch(t *testing.T) {
	t.Parallel()
	random := testkit.Rand(t)
	m, err := NewMatcher("/api/v2", Operations())
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"e1", "", "a/b", "results"}
	for _, p := range m.patterns {
		for i, part := range p.parts {
			if p.kinds[i] == kindLiteral {
				words = append(words, part)
			}
		}
	}
	found := 0
	for range 20_000 {
		p := m.patterns[random.IntN(len(m.patterns))]
		path := make([]string, 0, mostSegments)
		for i, part := range p.parts {
			if p.kinds[i] != kindLiteral || random.IntN(6) == 0 {
				part = words[random.IntN(len(words))]
			}
			path = append(path, part)
		}
		among, root := &m.below, false
		if p.root {
			among, root = &m.roots, true
		}
		odd := strings.Contains(strings.Join(path, ""), "/")
		var want []Operation
		for i := range m.patterns {
			if p := &m.patterns[i]; p.root == root && len(p.parts) == len(path) && p.matches(path, odd) {
				want = p.operations
				break
			}
		}
		got := m.match(path, among)
		if len(got) != len(want) || len(got) > 0 && &got[0] != &want[0] {
			t.Fatalf("%q: %v, want %v", path, got, want)
		}
		if len(got) > 0 {
			found++
		}
	}
	if found < 1000 {
		t.Errorf("only %d paths were those of an operation", found)
	}
}
