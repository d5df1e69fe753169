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

// Reader goes through a text. Each of its methods reports whether what it was asked for came
// next; after one that did not, the text is to be read by encoding/json.
type Reader struct{ rest string }

// NewReader returns a Reader of a text, of which what is read is part. ok is false where
// a character of it is escaped, or would have to be.
func NewReader(text []byte) (r Reader, ok bool) {
	for _, b := range text {
		if b < ' ' || b == '\\' {
			return r, false
		}
	}
	return Reader{string(text)}, utf8.Valid(text)
}

// Is passes what comes next, if it is that.
func (r *Reader) Is(next string) (ok bool) {
	r.rest, ok = strings.CutPrefix(r.rest, next)
	return ok
}

// Ended reports whether nothing is left.
func (r *Reader) Ended() bool { return r.rest == "" }

// String reads the rest of a text whose first quotation mark has been passed.
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
