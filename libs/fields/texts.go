package fields

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string, starting at its opening quote. Without escapes the result is a part of the text.
func (s *scanner) str() ([]byte, error) {
	s.at++
	start := s.at
	for s.at < len(s.in) {
		switch c := s.in[s.at]; {
		case c == '"':
			s.at++
			return s.in[start : s.at-1 : s.at-1], nil
		case c == '\\':
			return s.escaped(start)
		case c < 0x20:
			return nil, s.fail("a string contains a control character; write it as an escape")
		}
		s.at++
	}
	return nil, s.fail("a string is not closed")
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped continues reading a string from its first escape.
func (s *scanner) escaped(start int) ([]byte, error) {
	var b bytes.Buffer
	b.Write(s.in[start:s.at])
	for s.at < len(s.in) {
		c := s.in[s.at]
		switch {
		case c == '"':
			s.at++
			return b.Bytes(), nil
		case c < 0x20:
			return nil, s.fail("a string contains a control character; write it as an escape")
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
				return nil, s.fail("a string has an unknown escape")
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
			return nil, s.fail("a string has a \\u escape that is not a character")
		}
		b.WriteRune(r)
	}
	return nil, s.fail("a string is not closed")
}

// hex reads "uXXXX", starting at the u.
func (s *scanner) hex() (rune, bool) {
	if s.at+5 > len(s.in) {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s.in[s.at+1:s.at+5]), 16, 32)
	s.at += 5
	return rune(v), err == nil
}
