// Package plainjson decodes JSON in exactly one known formatting, several times as
// fast as encoding/json does by reflection. Its callers know the formatting that is written,
// and fall back to encoding/json for anything else. It also encodes in that formatting,
// with the same bytes as encoding/json.
package plainjson

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Reader parses a text. Each of its methods reports whether the expected text came next; if not, encoding/json must
// be used.
type Reader struct{ rest string }

// NewReader returns a Reader of a text, of which decoded strings are substrings. ok is false if a character is
// escaped, or would have to be.
func NewReader(text []byte) (r Reader, ok bool) {
	for _, b := range text {
		if b < ' ' || b == '\\' {
			return r, false
		}
	}
	return Reader{string(text)}, utf8.Valid(text)
}

// Is skips next, if it comes next.
func (r *Reader) Is(next string) (ok bool) {
	r.rest, ok = strings.CutPrefix(r.rest, next)
	return ok
}

// Ended reports whether nothing remains.
func (r *Reader) Ended() bool { return r.rest == "" }

// String reads the rest of a string after its opening quote.
func (r *Reader) String(to *string) (ok bool) {
	*to, r.rest, ok = strings.Cut(r.rest, `"`)
	return ok
}

// Strings reads the rest of a list of texts after its first quotation mark.
func (r *Reader) Strings(to *[]string) bool {
	for {
		var s string
		if !r.String(&s) {
			return false
		}
		*to = append(*to, s)
		if r.Is("]") {
			return true
		}
		if !r.Is(`,"`) {
			return false
		}
	}
}

// Number reads a whole number.
func (r *Reader) Number(to *int64) bool {
	end := 0
	for end < len(r.rest) && (r.rest[end] == '-' || r.rest[end] >= '0' && r.rest[end] <= '9') {
		end++
	}
	digits := strings.TrimPrefix(r.rest[:end], "-")
	if len(digits) > 1 && digits[0] == '0' {
		return false
	}
	n, err := strconv.ParseInt(r.rest[:end], 10, 64)
	*to, r.rest = n, r.rest[end:]
	return err == nil
}
