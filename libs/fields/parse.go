package fields

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
)

const (
	// maxDepth is how deep objects and arrays may be nested.
	maxDepth = 32
	// maxMembers bounds the fields of one object. No valid request has a hundred, and each takes many times the
	// memory of its text.
	maxMembers = 2000
)

type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// node is one JSON value. Numbers keep their text, so that no digit is lost. The content of an object or array is
// scanned again on demand: a body of a megabyte may have hundreds of thousands of values, most of which are never
// read.
type node struct {
	kind  kind
	raw   []byte // the value as sent
	text  string // of a string, unescaped
	count int    // of the fields of an object, or of the entries of an array
}

// members returns the fields of an object.
func (n *node) members() []member {
	list := make([]member, 0, n.count)
	s := scanner{in: n.raw, faults: &faults{}}
	// It was scanned before, and its faults were found.
	_, _ = s.object(1, func(m member) { list = append(list, m) })
	return list
}

// items returns the entries of an array.
func (n *node) items() []node {
	list := make([]node, 0, n.count)
	s := scanner{in: n.raw, faults: &faults{}}
	_, _ = s.array(1, func(item node) { list = append(list, item) })
	return list
}

type member struct {
	name  string
	value node
	read  bool
	// serverOwned marks a field that was dropped because the server sets it.
	serverOwned bool
	// meaning explains what to use instead of an unknown field; see Meaning.
	meaning string
}

// scanner parses one JSON text. It stops at the first syntax error, but collects every duplicate key.
type scanner struct {
	in     []byte
	at     int
	faults *faults
	path   []step   // to the value that is being read
	names  [][]byte // of the fields so far, of each object that is being read
}

// step is a field of an object, or an entry of an array.
type step struct {
	name  []byte
	index int // of the entry, beginning with 1
}

// where returns the path to the value that is being read, as faults name it.
func (s *scanner) where() string {
	path := ""
	for _, p := range s.path {
		if p.index > 0 {
			path += "[" + strconv.Itoa(p.index-1) + "]"
		} else {
			path = join(path, string(p.name))
		}
	}
	return path
}

type syntaxError struct {
	at      int
	message string
}

func (e *syntaxError) Error() string { return e.message }

func (s *scanner) fail(format string, args ...any) error {
	return &syntaxError{at: s.at, message: fmt.Sprintf(format, args...)}
}

func (s *scanner) space() {
	for s.at < len(s.in) {
		switch s.in[s.at] {
		case ' ', '\t', '\r', '\n':
			s.at++
		default:
			return
		}
	}
}

// value reads a value, storing its text if kept.
func (s *scanner) value(depth int, kept bool) (node, error) {
	if depth > maxDepth {
		return node{}, s.fail("values are nested more than %d deep", maxDepth)
	}
	s.space()
	if s.at >= len(s.in) {
		return node{}, s.fail("the text ends where a value was expected")
	}
	start := s.at
	var n node
	var err error
	switch c := s.in[s.at]; {
	case c == '{':
		n, err = s.object(depth, nil)
	case c == '[':
		n, err = s.array(depth, nil)
	case c == '"':
		n.kind = kindString
		var text []byte
		if text, err = s.str(); kept {
			n.text = string(text)
		}
	case c == '-' || (c >= '0' && c <= '9'):
		n.kind = kindNumber
		err = s.number()
	default:
		n.kind, err = s.word()
	}
	n.raw = s.in[start:s.at]
	return n, err
}

func (s *scanner) word() (kind, error) {
	rest := s.in[s.at:]
	for _, w := range [...]struct {
		text string
		kind kind
	}{{"true", kindBool}, {"false", kindBool}, {"null", kindNull}} {
		if len(rest) >= len(w.text) && string(rest[:len(w.text)]) == w.text {
			s.at += len(w.text)
			return w.kind, nil
		}
	}
	r, _ := utf8.DecodeRune(rest)
	return 0, s.fail("a JSON value cannot start with %s", strconv.QuoteRune(r))
}

func (s *scanner) number() error {
	if s.in[s.at] == '-' {
		s.at++
	}
	zero := s.at < len(s.in) && s.in[s.at] == '0'
	if n := s.digits(); n == 0 {
		return s.fail("a number has no digits")
	} else if zero && n > 1 {
		return s.fail("a number has a leading zero")
	}
	if s.at < len(s.in) && s.in[s.at] == '.' {
		s.at++
		if s.digits() == 0 {
			return s.fail("a number has no digits after its point")
		}
	}
	if s.at < len(s.in) && (s.in[s.at] == 'e' || s.in[s.at] == 'E') {
		s.at++
		if s.at < len(s.in) && (s.in[s.at] == '+' || s.in[s.at] == '-') {
			s.at++
		}
		if s.digits() == 0 {
			return s.fail("a number has no digits in its exponent")
		}
	}
	return nil
}

func (s *scanner) digits() int {
	start := s.at
	for s.at < len(s.in) && s.in[s.at] >= '0' && s.in[s.at] <= '9' {
		s.at++
	}
	return s.at - start
}

// array reads an array, and calls keep with each entry.
func (s *scanner) array(depth int, keep func(node)) (node, error) {
	n := node{kind: kindArray}
	s.at++
	if s.space(); s.at < len(s.in) && s.in[s.at] == ']' {
		s.at++
		return n, nil
	}
	for {
		s.path = append(s.path, step{index: n.count + 1})
		item, err := s.value(depth+1, keep != nil)
		s.path = s.path[:len(s.path)-1]
		if err != nil {
			return n, err
		}
		n.count++
		if keep != nil {
			keep(item)
		}
		s.space()
		switch {
		case s.at >= len(s.in):
			return n, s.fail("an array is not closed")
		case s.in[s.at] == ',':
			s.at++
		case s.in[s.at] == ']':
			s.at++
			return n, nil
		default:
			return n, s.fail("a comma or ] was expected in an array")
		}
	}
}

// object reads an object, and calls keep with each field.
func (s *scanner) object(depth int, keep func(member)) (node, error) {
	n := node{kind: kindObject}
	s.at++
	if s.space(); s.at < len(s.in) && s.in[s.at] == '}' {
		s.at++
		return n, nil
	}
	begin := len(s.names)
	defer func() { s.names = s.names[:begin] }()
	var seen map[string]bool // allocated when an object is too large for linear search
	for {
		s.space()
		if s.at >= len(s.in) || s.in[s.at] != '"' {
			return n, s.fail("a field name in double quotes was expected")
		}
		name, err := s.str()
		if err != nil {
			return n, err
		}
		if s.space(); s.at >= len(s.in) || s.in[s.at] != ':' {
			return n, s.fail("a colon was expected after a field name")
		}
		s.at++
		var twice bool
		if seen == nil {
			twice = slices.ContainsFunc(s.names[begin:], func(other []byte) bool { return bytes.Equal(other, name) })
		} else {
			twice = seen[string(name)]
		}
		if !twice {
			if n.count++; n.count > maxMembers {
				return n, s.fail("an object has more than %d fields", maxMembers)
			}
			s.names = append(s.names, name)
			switch {
			case seen != nil:
				seen[string(name)] = true
			case n.count > 32:
				seen = make(map[string]bool)
				for _, other := range s.names[begin:] {
					seen[string(other)] = true
				}
			}
		}
		s.path = append(s.path, step{name: name})
		value, err := s.value(depth+1, keep != nil)
		if twice && err == nil {
			s.faults.add(apperr.Detail{Field: s.where(), Code: DuplicateKey,
				Message: "The field occurs more than once in its object; each field may occur only once."})
		}
		s.path = s.path[:len(s.path)-1]
		if err != nil {
			return n, err
		}
		if keep != nil && !twice {
			keep(member{name: string(name), value: value})
		}
		s.space()
		switch {
		case s.at >= len(s.in):
			return n, s.fail("an object is not closed")
		case s.in[s.at] == ',':
			s.at++
		case s.in[s.at] == '}':
			s.at++
			return n, nil
		default:
			return n, s.fail("a comma or } was expected in an object")
		}
	}
}

// join returns the path of a member of the object at path.
func join(path, name string) string {
	name = Legible(cut(name, 80))
	if path == "" {
		return name
	}
	return path + "." + name
}

// cut shortens s to about n characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	count := 0
	for i := range s {
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
