package fields

import "strings"

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
	switch {
	case !r.fits(name, n.text, minimum, maximum):
	case strings.IndexByte(n.text, 0) >= 0:
		r.fault(name, BadFormat, "%s must not contain the character NUL.", name)
	default:
		return n.text, true
	}
	return "", false
}
