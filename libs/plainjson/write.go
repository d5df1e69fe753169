package plainjson

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// MarshalUnescaped returns v as encoding/json encodes it, except that <, > and & in texts are not escaped.
func MarshalUnescaped(v any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), err
}

// AppendString appends a string as encoding/json would, which it calls only if a character must be escaped.
func AppendString[T ~string | ~[]byte](b []byte, s T) []byte {
	for i := range len(s) {
		if unusual[s[i]] {
			text, _ := json.Marshal(string(s)) // a text has no error
			return append(b, text...)
		}
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

// unusual are the bytes of a text that is left to encoding/json.
var unusual = func() (bytes [256]bool) {
	for c := range bytes {
		bytes[c] = c >= utf8.RuneSelf || escaped(byte(c))
	}
	return bytes
}()

// escaped reports whether encoding/json escapes a byte in a text.
func escaped(c byte) bool {
	return c < ' ' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&'
}

// AppendMember appends the name of a member, which must not need escaping, and its string.
func AppendMember[T ~string](b []byte, name string, s T) []byte {
	return AppendString(AppendName(b, name), s)
}

// AppendMemberUnlessEmpty is AppendMember where the text is not empty.
func AppendMemberUnlessEmpty[T ~string](b []byte, name string, s T) []byte {
	if s == "" {
		return b
	}
	return AppendMember(b, name, s)
}

// AppendList appends the name of a member and a list of strings, if there are any.
func AppendList(b []byte, name string, list []string) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(AppendName(b, name), '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = AppendString(b, s)
	}
	return append(b, ']')
}

// AppendNumber appends the name of a member and a whole number.
func AppendNumber(b []byte, name string, n int64) []byte {
	return strconv.AppendInt(AppendName(b, name), n, 10)
}

// AppendName appends the name of a member, after a comma if another one precedes it.
func AppendName(b []byte, name string) []byte {
	if last := b[len(b)-1]; last != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, `":`...)
}

// AppendRaw appends JSON as encoding/json encodes a json.RawMessage, which it calls only if the result may differ.
func AppendRaw(b []byte, raw json.RawMessage) ([]byte, error) {
	if written(raw) {
		return append(b, raw...), nil
	}
	text, err := json.Marshal(raw)
	return append(b, text...), err
}

// written reports whether JSON is as encoding/json writes it: without white space between
// its parts, and with those characters escaped that it escapes.
func written(raw []byte) bool {
	if len(raw) == 0 || bytes.IndexByte(raw, 0xE2) >= 0 { // U+2028 and U+2029 begin with this byte
		return false
	}
	text := false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '"':
			text = !text
		case c == '\\':
			i++
		case c < ' ' || c == '<' || c == '>' || c == '&' || c == ' ' && !text:
			return false
		}
	}
	return !text
}
