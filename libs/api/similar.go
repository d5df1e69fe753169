package api

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/spelling"
)

// Costs of the differences between a path and that of an operation. Up to similarCost they are similar: a segment too many
// or too few, or one that is misspelled, in a path of that much else.
const (
	segmentCost    = 1
	misspelledCost = 2
	wordCost       = 2 // a word for an id
	similarCost    = 2
	differentCost  = 100
)

// Similar returns the operations that a request to a path of no operation may have been meant for, as "GET
// /events/{eventId}", the likeliest first; at most count. Those with the method of the request are first.
func (m *Matcher) Similar(method, path string, count int) []string {
	below, ok := strings.CutPrefix(path, m.base)
	if !ok {
		return nil
	}
	asked, ok := DecodePath(below)
	if !ok || len(asked) > mostSegments {
		return nil
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	type candidate struct {
		name string
		cost int
	}
	var found []candidate
	for _, p := range m.patterns {
		if p.root {
			continue
		}
		cost := p.distance(asked)
		if cost == 0 || cost > similarCost { // an operation that matches was refused for what it names
			continue
		}
		operation := p.operations[max(slices.IndexFunc(p.operations, func(o Operation) bool { return o.Method == method }), 0)]
		if operation.Method != method {
			cost += similarCost
		}
		found = append(found, candidate{operation.Method + " " + operation.Path, cost})
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.cost, b.cost) })
	var out []string
	for _, c := range found[:min(len(found), count)] {
		out = append(out, c.name)
	}
	return out
}

// distance returns what it costs to make the pattern of a path, segment by segment.
func (p *pattern) distance(path []string) int {
	before := make([]int, len(path)+1)
	for i := range path {
		before[i+1] = before[i] + extraCost(path, i)
	}
	for k := range p.parts {
		row := make([]int, len(path)+1)
		row[0] = before[0] + p.missingCost(k)
		for i := range path {
			row[i+1] = min(before[i]+p.replacedCost(k, path, i), before[i+1]+p.missingCost(k), row[i]+extraCost(path, i))
		}
		before = row
	}
	return before[len(path)]
}

// missingCost is that of a segment of the pattern that the path does not have. Nobody forgets of what a request is, or what
// it is for.
func (p *pattern) missingCost(k int) int {
	if p.kinds[k] != kindLiteral || k == len(p.parts)-1 {
		return differentCost
	}
	return segmentCost
}

// extraCost is that of a segment that the pattern does not have. The last one is what was asked for.
func extraCost(path []string, i int) int {
	if i == len(path)-1 {
		return differentCost
	}
	return segmentCost
}

// replacedCost is that of a segment for one of the pattern. A type in its place may be called anything.
func (p *pattern) replacedCost(k int, path []string, i int) int {
	part, segment := p.parts[k], path[i]
	switch {
	case part == segment:
		return 0
	case p.kinds[k] != kindLiteral:
		if part == "{type}" && i == k || strings.ContainsAny(segment, "0123456789{:") {
			return 0
		}
		return wordCost
	case spelling.Nearest(segment, []string{part}, 1) != nil:
		return misspelledCost
	}
	return differentCost
}
