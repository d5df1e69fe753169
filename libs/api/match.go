package api

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"
)

// Matcher finds the operations of a request's path. It does not change and may
// be used by several goroutines at a time.
type Matcher struct {
	base string
	// baseParts is how many segments the base path has.
	baseParts int
	// patterns are in the order in which they are tried, the most specific first.
	patterns []pattern
	// below and roots are the patterns by their number of segments.
	below, roots [mostSegments + 1]candidates
}

// candidates are the places of patterns of one length, in the order in which they are tried.
type candidates struct {
	// byLast are those that may match a path by its last segment, where that is one of theirs.
	byLast map[string][]int
	// others are those whose last segment is a parameter, which are all for any other path.
	others []int
}

// add adds the next pattern.
func (c *candidates) add(i int, p *pattern) {
	last := len(p.parts) - 1
	if p.kinds[last] != kindLiteral {
		c.others = append(c.others, i)
		for word, list := range c.byLast {
			c.byLast[word] = append(list, i)
		}
		return
	}
	if c.byLast == nil {
		c.byLast = map[string][]int{}
	}
	word := p.parts[last]
	list, ok := c.byLast[word]
	if !ok {
		list = slices.Clone(c.others)
	}
	c.byLast[word] = append(list, i)
}

// of returns those that may match a path that ends with a segment.
func (c *candidates) of(last string) []int {
	if list, ok := c.byLast[last]; ok {
		return list
	}
	return c.others
}

// mostSegments is the longest path of an operation, in segments.
const mostSegments = 12

type pattern struct {
	root  bool
	parts []string
	kinds []kind // of the parts
	// operations have one path and different methods.
	operations []Operation
}

// kind is what a segment of a pattern stands for.
type kind byte

const (
	kindLiteral    kind = iota // a literal
	kindParameter              // any value
	kindIdentifier             // any value but a reserved word
	kindReference              // any value, also one that is not plain: see Reference
)

func kindOf(part string) kind {
	switch {
	case !isParam(part):
		return kindLiteral
	case part == "{"+Reference+"}":
		return kindReference
	case part == "{eventId}", part == "{type}", part == "{recordId}":
		return kindIdentifier
	}
	return kindParameter
}

// NewMatcher returns the matcher of a table whose operations, those at the root
// aside, are below a base path such as "/api/v2". It fails when Check does.
func NewMatcher(base string, t Table) (*Matcher, error) {
	if err := t.Check(); err != nil {
		return nil, err
	}
	m := &Matcher{base: base, baseParts: strings.Count(base, "/")}
	for _, o := range t {
		i := slices.IndexFunc(m.patterns, func(p pattern) bool { return p.root == o.Root && p.operations[0].Path == o.Path })
		if i < 0 {
			p := pattern{root: o.Root, parts: segments(o.Path)}
			for _, part := range p.parts {
				p.kinds = append(p.kinds, kindOf(part))
			}
			m.patterns = append(m.patterns, p)
			i = len(m.patterns) - 1
		}
		m.patterns[i].operations = append(m.patterns[i].operations, o)
	}
	slices.SortStableFunc(m.patterns, moreSpecific)
	for i, p := range m.patterns {
		if len(p.parts) > mostSegments {
			return nil, fmt.Errorf("%s has more than %d segments", p.operations[0], mostSegments)
		}
		of := &m.below
		if p.root {
			of = &m.roots
		}
		of[len(p.parts)].add(i, &p)
	}
	return m, nil
}

// Operations returns the operations in the order in which they are tried, the
// most specific path first.
func (m *Matcher) Operations() []Operation {
	var list []Operation
	for _, p := range m.patterns {
		list = append(list, p.operations...)
	}
	return list
}

// Match returns the operations of the most specific pattern that matches the
// path of a request as it was sent, one for each method. It returns nil when
// there is none, and for a path that two readers could read differently.
func (m *Matcher) Match(path string) []Operation {
	// No path is longer than its segments have room here, so that nothing is
	// allocated: this is asked several times for each request.
	var room [mostSegments + 4]string
	parts, ok := decodeInto(room[:0], path)
	if !ok {
		return nil
	}
	if found := m.match(parts, &m.roots); found != nil {
		return found
	}
	below, ok := strings.CutPrefix(path, m.base)
	if !ok || below != "" && below[0] != '/' {
		return nil
	}
	// The segments of the base are the first ones, as they are: the path begins with it.
	if parts = parts[min(m.baseParts, len(parts)):]; len(parts) == 0 {
		parts = append(parts, "")
	}
	return m.match(parts, &m.below)
}

func (m *Matcher) match(path []string, among *[mostSegments + 1]candidates) []Operation {
	if len(path) > mostSegments {
		return nil
	}
	list := among[len(path)].of(path[len(path)-1])
	if len(list) == 0 {
		return nil
	}
	// Each segment is looked at once, not once for each pattern.
	odd := slices.ContainsFunc(path, func(segment string) bool { return !plain(segment) })
	for _, i := range list {
		if p := &m.patterns[i]; p.matches(path, odd) {
			return p.operations
		}
	}
	return nil
}

// Find returns the operation that answers a request and reports whether there
// is one. HEAD is answered as GET.
func (m *Matcher) Find(method, path string) (Operation, bool) {
	if found := m.Lookup(method, path); found != nil {
		return *found, true
	}
	return Operation{}, false
}

// Lookup is Find without a copy: it returns the same address for an operation each time, and nil
// where there is none. What is there must not be changed.
func (m *Matcher) Lookup(method, path string) *Operation {
	if method == http.MethodHead {
		method = http.MethodGet
	}
	found := m.Match(path)
	for i := range found {
		if found[i].Method == method {
			return &found[i]
		}
	}
	return nil
}

// Methods returns the methods of operations as the Allow field lists them.
func Methods(operations []Operation) []string {
	var list []string
	for _, o := range operations {
		list = append(list, o.Method)
		if o.Method == http.MethodGet {
			list = append(list, http.MethodHead)
		}
	}
	slices.Sort(list)
	return list
}

// Reference is the parameter that stands for a name the client chose. It is the
// only one whose value may have a slash, a backslash or a control character,
// percent-encoded once.
const Reference = "reference"

// DecodePath returns the segments of a path as it was sent, each decoded once; a
// slash at the end does not count. It reports false for a path that is not UTF-8
// or has a dot segment, encoded or not. Only Matcher knows which segments may
// hold what would separate segments.
func DecodePath(path string) ([]string, bool) {
	return decodeInto(nil, path)
}

// decodeInto appends the segments that DecodePath returns.
func decodeInto(list []string, path string) ([]string, bool) {
	path = trimmed(path)
	for more := true; more; {
		var segment string
		segment, path, more = strings.Cut(path, "/")
		if !asSent(segment) {
			decoded, err := url.PathUnescape(segment)
			if err != nil || decoded == "." || decoded == ".." || !utf8.ValidString(decoded) {
				return nil, false
			}
			segment = decoded
		}
		list = append(list, segment)
	}
	return list, true
}

// asSent reports whether a segment has nothing to decode and nothing to refuse.
func asSent(segment string) bool {
	for i := range len(segment) {
		if b := segment[i]; b == '%' || b == '.' || b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plain reports whether two readers read a decoded segment alike: it has no
// slash, backslash or control character.
func plain(segment string) bool {
	for i := range len(segment) {
		if b := segment[i]; b == '/' || b == '\\' || b < ' ' || b == 0x7f {
			return false
		}
	}
	return true
}

// JoinPath returns the path of decoded segments, encoded so that DecodePath
// returns them again.
func JoinPath(segments []string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}

func segments(path string) []string { return strings.Split(trimmed(path), "/") }

// trimmed returns a path without the slash at its beginning and that at its end.
func trimmed(path string) string { return strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/") }

// isParam reports whether a segment of a pattern stands for any value.
func isParam(segment string) bool { return strings.HasPrefix(segment, "{") }

// reserved reports whether a word is never a record type and never the id of an
// event or record, whatever operations there are: what follows it is another
// service's, now or later.
func reserved(word string) bool {
	switch word {
	case "results", "review", "factor-set", "imports", "batch", "import", "export", "by-reference":
		return true
	}
	return false
}

// matches reports whether the pattern is one of a path of as many segments; odd: some segment
// of it is not plain.
func (p *pattern) matches(path []string, odd bool) bool {
	// Most patterns begin alike: the last segments tell soonest that it is another one.
	for i, part := range slices.Backward(p.parts) {
		if p.kinds[i] == kindLiteral && part != path[i] {
			return false
		}
	}
	for i, k := range p.kinds {
		value := path[i]
		switch {
		case k == kindLiteral:
		case value == "":
			return false
		case k == kindReference:
			if strings.IndexByte(value, 0) >= 0 {
				return false
			}
		case odd && !plain(value), k == kindIdentifier && reserved(value):
			return false
		}
	}
	return true
}

// moreSpecific orders patterns so that of two that match a path the one with
// the earlier literal segment comes first. Literals are ordered among themselves
// too: were they all equal, the order would not be one that can be sorted by.
func moreSpecific(a, b pattern) int {
	for i := range min(len(a.parts), len(b.parts)) {
		x, y := isParam(a.parts[i]), isParam(b.parts[i])
		switch {
		case x && !y:
			return 1
		case y && !x:
			return -1
		case x && y:
			continue // the names make no difference
		}
		if c := strings.Compare(a.parts[i], b.parts[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.parts), len(b.parts))
}
