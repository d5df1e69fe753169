package fields

import (
	"strings"
	"unicode/utf8"
)

// Verbatim reads a text of minimum to maximum characters that is compared and never shown, such as a
// password: it may have any character but NUL. No error repeats it.
func (r *Reader) Verbatim(name string, minimum, maximum int) (string, bool) {
	n := r.take(name)
	if n == nil {
		return "", false
	}
	if n.kind != kindString {
		r.fault(name, WrongType, "%s must be text.", name)
		return "", false
	}
	count := utf8.RuneCountInString(n.text)
	switch {
	case count > maximum:
		r.fault(name, TooLong, "%s may have at most %d characters; got %d.", name, maximum, count)
	case count < minimum:
		r.fault(name, TooShort, "%s must have at least %d characters; got %d.", name, minimum, count)
	case strings.IndexByte(n.text, 0) >= 0:
		r.fault(name, BadFormat, "%s must not contain the character NUL.", name)
	default:
		return n.text, true
	}
	return "", false
}
