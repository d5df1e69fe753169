package fields

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// maxDepth is how deep objects and arrays may be nested.
const maxDepth = 32

type kind uint8

const (
	kindNull kind = iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// node is one JSON value. Numbers keep their text, so that no digit is lost.
type node struct {
	kind    kind
	raw     []byte // the value as it was written
	text    string // of a string, unescaped
	members []member
	items   []node
}

type member struct {
	name  string
	value node
	read  bool
	// serverOwned marks a field that was dropped because the server sets it.
	serverOwned bool
	// meaning says what to write in place of an unknown field; see Meaning.
	meaning string
}

// scanner reads one JSON text. It stops at the first syntax error, since what
// follows one cannot be told, but collects every duplicate key.
type scanner struct {
	in     []byte
	at     int
	faults *faults
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

func (s *scanner) value(path string, depth int) (node, error) {
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
		n, err = s.object(path, depth)
	case c == '[':
		n, err = s.array(path, depth)
	case c == '"':
		n.kind = kindString
		n.text, err = s.str()
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
	return 0, s.fail("%s is no start of a JSON value", strconv.QuoteRune(r))
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

func (s *scanner) array(path string, depth int) (node, error) {
	n := node{kind: kindArray}
	s.at++
	if s.space(); s.at < len(s.in) && s.in[s.at] == ']' {
		s.at++
		return n, nil
	}
	for {
		item, err := s.value(path+"["+strconv.Itoa(len(n.items))+"]", depth+1)
		if err != nil {
			return n, err
		}
		n.items = append(n.items, item)
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

func (s *scanner) object(path string, depth int) (node, error) {
	n := node{kind: kindObject}
	s.at++
	if s.space(); s.at < len(s.in) && s.in[s.at] == '}' {
		s.at++
		return n, nil
	}
	var seen map[string]bool // made once an object is too large to search
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
		twice := false
		if seen == nil {
			for i := range n.members {
				twice = twice || n.members[i].name == name
			}
			if len(n.members) == 32 {
				seen = make(map[string]bool)
				for i := range n.members {
					seen[n.members[i].name] = true
				}
			}
		} else {
			twice = seen[name]
		}
		if seen != nil {
			seen[name] = true
		}
		value, err := s.value(join(path, name), depth+1)
		if err != nil {
			return n, err
		}
		if twice {
			s.faults.add(apperr.Detail{Field: join(path, name), Code: DuplicateKey,
				Message: "The field occurs more than once in its object; each may occur once."})
		} else {
			n.members = append(n.members, member{name: name, value: value})
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

// str reads a string; the scanner stands on its opening quote.
func (s *scanner) str() (string, error) {
	s.at++
	start := s.at
	for s.at < len(s.in) {
		switch c := s.in[s.at]; {
		case c == '"':
			text := string(s.in[start:s.at])
			s.at++
			return text, nil
		case c == '\\':
			return s.escaped(start)
		case c < 0x20:
			return "", s.fail("a control character stands in a string; write it as an escape")
		}
		s.at++
	}
	return "", s.fail("a string is not closed")
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped goes on with a string from its first escape.
func (s *scanner) escaped(start int) (string, error) {
	var b strings.Builder
	b.Write(s.in[start:s.at])
	for s.at < len(s.in) {
		c := s.in[s.at]
		switch {
		case c == '"':
			s.at++
			return b.String(), nil
		case c < 0x20:
			return "", s.fail("a control character stands in a string; write it as an escape")
		case c != '\\':
			b.WriteByte(c)
			s.at++
			continue
		}
		s.at++
		if s.at >= len(s.in) {
			break
		}
		if e := s.in[s.at]; e != 'u' {
			if escapes[e] == 0 {
				return "", s.fail("a string has an unknown escape")
			}
			b.WriteByte(escapes[e])
			s.at++
			continue
		}
		r, ok := s.hex()
		if ok && utf16.IsSurrogate(r) {
			if ok = s.at+1 < len(s.in) && s.in[s.at] == '\\' && s.in[s.at+1] == 'u'; ok {
				s.at++
				var low rune
				low, ok = s.hex()
				r = utf16.DecodeRune(r, low)
				ok = ok && r != utf8.RuneError
			}
		}
		if !ok {
			return "", s.fail("a string has a \\u escape that is no character")
		}
		b.WriteRune(r)
	}
	return "", s.fail("a string is not closed")
}

// hex reads "uXXXX"; the scanner stands on the u.
func (s *scanner) hex() (rune, bool) {
	if s.at+5 > len(s.in) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s.in[s.at+1:s.at+5]), 16, 32)
	s.at += 5
	return rune(v), err == nil
}

// join returns the path of a member of the object at path.
func join(path, name string) string {
	name = cut(name, 80)
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
