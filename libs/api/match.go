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

// Matcher finds the operations for the path of a request. It is immutable and safe for
// concurrent use.
type Matcher struct {
	base string
	// baseParts is the number of segments of the base path.
	baseParts int
	// patterns are ordered by specificity, the most specific first.
	patterns []pattern
	// below and roots are the patterns by number of segments.
	below, roots [mostSegments + 1]candidates
}

// candidates are indexes of patterns with the same number of segments, in matching order.
type candidates struct {
	// byLast are the candidates for a path whose last segment is a known literal.
	byLast map[string][]int
	// others are the candidates for all other paths: their last segment is a parameter.
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

// of returns the candidates for a path with the given last segment.
func (c *candidates) of(last string) []int {
	if list, ok := c.byLast[last]; ok {
		return list
	}
	return c.others
}

// mostSegments is the maximum number of segments of an operation's path.
const mostSegments = 12

type pattern struct {
	root  bool
	parts []string
	kinds []kind // of the parts
	// operations have the same path and different methods.
	operations []Operation
}

// kind is what a segment of a pattern matches.
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

// NewMatcher returns the matcher of a table whose operations, except those at the root, are
// below a base path such as "/api/v2". It fails if Check does.
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

// Operations returns the operations in matching order, the most specific path first.
func (m *Matcher) Operations() []Operation {
	var list []Operation
	for _, p := range m.patterns {
		list = append(list, p.operations...)
	}
	return list
}

// Match returns the operations, one for each method, of the most specific pattern that matches
// a path as sent. It returns nil if there is none, and for a path that two readers could
// interpret differently.
func (m *Matcher) Match(path string) []Operation {
	// Paths with more segments match nothing. The array avoids an allocation: Match is called
	// several times per request.
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
	// Skip the segments of the base path, which match.
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
	// Each segment is checked once, not once for each pattern.
	odd := slices.ContainsFunc(path, func(segment string) bool { return !plain(segment) })
	for _, i := range list {
		if p := &m.patterns[i]; p.matches(path, odd) {
			return p.operations
		}
	}
	return nil
}

// Find returns the operation for a request, and reports whether there is one. HEAD is treated
// as GET.
func (m *Matcher) Find(method, path string) (Operation, bool) {
	if found := m.Lookup(method, path); found != nil {
		return *found, true
	}
	return Operation{}, false
}

// Lookup is Find without a copy: it always returns the same pointer for an operation, or nil.
// The operation must not be modified.
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

// Methods returns the methods of operations in the format of the Allow field.
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

// Reference is the parameter that holds a name chosen by the client. It is the only one whose
// value may contain a slash, backslash or control character, percent-encoded once.
const Reference = "reference"

// DecodePath returns the segments of a path as sent, each decoded once; a trailing slash is
// ignored. It returns false for a path that is not UTF-8 or has a dot segment, encoded or not.
// Only Matcher knows which segments may contain separators.
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

// asSent reports whether a segment needs no decoding and is valid.
func asSent(segment string) bool {
	for i := range len(segment) {
		if b := segment[i]; b == '%' || b == '.' || b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// plain reports whether every reader interprets a decoded segment alike: it has no slash,
// backslash or control character.
func plain(segment string) bool {
	for i := range len(segment) {
		if b := segment[i]; b == '/' || b == '\\' || b < ' ' || b == 0x7f {
			return false
		}
	}
	return true
}

// JoinPath returns the path of decoded segments, encoded so that DecodePath returns the same
// segments.
func JoinPath(segments []string) string {
	var b strings.Builder
	for _, s := range segments {
		b.WriteByte('/')
		b.WriteString(url.PathEscape(s))
	}
	return b.String()
}

func segments(path string) []string { return strings.Split(trimmed(path), "/") }

// trimmed returns a path without its leading and trailing slash.
func trimmed(path string) string { return strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/") }

// isParam reports whether a segment of a pattern is a parameter.
func isParam(segment string) bool { return strings.HasPrefix(segment, "{") }

// reserved reports whether a word is never a record type nor the id of an event or record,
// whatever operations exist: paths with it belong to other services, now or later.
func reserved(word string) bool {
	switch word {
	case "results", "review", "factor-set", "imports", "batch", "import", "export", "by-reference":
		return true
	}
	return false
}

// matches reports whether the pattern matches a path with the same number of segments; odd:
// some segment of the path is not plain.
func (p *pattern) matches(path []string, odd bool) bool {
	// Most patterns begin alike, so comparing backwards finds a mismatch sooner.
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

// moreSpecific orders patterns so that of two that match a path the one with the earlier
// literal segment comes first. Literals are compared too, because the order must be consistent
// for sorting.
func moreSpecific(a, b pattern) int {
	for i := range min(len(a.parts), len(b.parts)) {
		x, y := isParam(a.parts[i]), isParam(b.parts[i])
		switch {
		case x && !y:
			return 1
		case y && !x:
			return -1
		case x && y:
			continue // parameter names do not matter
		}
		if c := strings.Compare(a.parts[i], b.parts[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.parts), len(b.parts))
}
