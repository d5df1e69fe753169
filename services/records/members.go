package records

import (
	"bytes"
	"encoding/json"
)

// membersOf calls each with the name and value of the members of a JSON object, in order. The
// values are slices of the text. It expects the form in which this program stores objects, and
// scans it without decoding; ok is false if the object is not in that form, and some members
// may have been reported by then.
func membersOf(object []byte, each func(name, value []byte)) (ok bool) {
	if len(object) < 2 || object[0] != '{' || object[len(object)-1] != '}' {
		return false
	}
	for rest := object[1 : len(object)-1]; len(rest) > 0; {
		if rest[0] != '"' {
			return false
		}
		end := bytes.IndexByte(rest[1:], '"') + 1
		if end < 1 || bytes.IndexByte(rest[1:end], '\\') >= 0 || len(rest) < end+3 || rest[end+1] != ':' {
			return false
		}
		name, value := rest[1:end], rest[end+2:]
		n := valueEnd(value)
		if n < 1 || n < len(value) && value[n] != ',' || n == len(value)-1 {
			return false
		}
		each(name, value[:n:n])
		if n == len(value) {
			return true
		}
		rest = value[n+1:]
	}
	return true
}

// valueEnd returns the end of the value at the beginning of a text, or 0 if there is none.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if i >= len(text) {
				return 0
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return 0
			}
		case ',':
			if depth == 0 {
				return i
			}
		case ' ', '\t', '\r', '\n':
			return 0
		}
	}
	if depth > 0 {
		return 0
	}
	return len(text)
}

// allMembersOf is membersOf for any JSON object.
func allMembersOf(object []byte, each func(name, value []byte)) error {
	if len(object) == 0 || membersOf(object, each) {
		return nil
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(object, &all); err != nil {
		return err
	}
	for name, value := range all {
		each([]byte(name), value)
	}
	return nil
}
