package fields

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/locations"
	"github.com/eventcarbon/ecf/libs/spelling"
)

func quote(s string) string { return strconv.Quote(cut(s, 40)) }

func (r *Reader) fault(name, code, format string, args ...any) {
	r.faults.add(apperr.Detail{Field: r.Path(name), Code: code, Message: fmt.Sprintf(format, args...)})
}

// String reads a text of minimum to maximum characters, unchanged. A text without visible characters is too short if
// minimum is above 0; one that would mislead its readers is rejected, see Misleading.
func (r *Reader) String(name string, minimum, maximum int) (string, bool) {
	if r.shape != nil {
		return r.shape.add(Property{Name: name, Type: "string", MinLength: minimum, MaxLength: maximum})
	}
	n := r.take(name)
	if n == nil {
		return "", false
	}
	return r.text(name, n, minimum, maximum)
}

func (r *Reader) text(name string, n *node, minimum, maximum int) (string, bool) {
	if n.kind != kindString {
		r.wrongType(name, "text", n)
		return "", false
	}
	switch {
	case !r.fits(name, n.text, minimum, maximum):
	case minimum > 0 && isBlank(n.text):
		r.fault(name, TooShort, "%s must not be blank.", name)
	default:
		misleading := Misleading(n.text)
		if misleading == "" {
			return n.text, true
		}
		r.fault(name, BadFormat, "%s must not contain %s.", name, misleading)
	}
	return "", false
}

// fits reports a fault unless a text has minimum to maximum characters.
func (r *Reader) fits(name, text string, minimum, maximum int) bool {
	count := utf8.RuneCountInString(text)
	switch {
	case count > maximum:
		r.fault(name, TooLong, "%s may have at most %d characters; got %d.", name, maximum, count)
	case count == 0 && minimum == 1:
		r.fault(name, TooShort, "%s must not be empty.", name)
	case count < minimum:
		r.fault(name, TooShort, "%s must have at least %d characters; got %d.", name, minimum, count)
	default:
		return true
	}
	return false
}

// Remark reads a free-text comment of at most maximum characters; empty if the
// field is absent, or has no visible characters.
func (r *Reader) Remark(name string, maximum int) string {
	text, _ := r.String(name, 0, maximum)
	if isBlank(text) {
		return ""
	}
	return text
}

// Strings reads a list of at most count texts of 1 to maxLength characters each. With false it returns the texts
// without a fault at their places, and empty ones at those of the others.
func (r *Reader) Strings(name string, count, maxLength int) ([]string, bool) {
	if r.shape != nil {
		r.shape.add(Property{Name: name, Type: "array", MaxItems: count, Items: &Property{Type: "string", MinLength: 1, MaxLength: maxLength}})
		return nil, false
	}
	items, ok := r.list(name, "a list of text values", count)
	if !ok {
		return nil, false
	}
	out := make([]string, len(items))
	for i := range items {
		var good bool
		out[i], good = r.text(fmt.Sprintf("%s[%d]", name, i), &items[i], 1, maxLength)
		ok = ok && good
	}
	return out, ok
}

// Integer reads a whole number from minimum to maximum. 2.0 and 2e0 are whole numbers;
// 2.5 and "2" are not.
func (r *Reader) Integer(name string, minimum, maximum int64) (int64, bool) {
	if r.shape != nil {
		r.shape.add(Property{Name: name, Type: "integer", Minimum: decimal.FromInt(minimum), Maximum: decimal.FromInt(maximum)})
		return 0, false
	}
	n := r.take(name)
	if n == nil {
		return 0, false
	}
	want := func() string { return fmt.Sprintf("a whole number from %d to %d", minimum, maximum) }
	if n.kind != kindNumber {
		r.wrongType(name, want(), n)
		return 0, false
	}
	d, err := decimal.Parse(n.raw)
	if err == nil {
		v, whole := d.Int64()
		if !whole {
			r.wrongType(name, want(), n)
			return 0, false
		}
		if v >= minimum && v <= maximum {
			return v, true
		}
	}
	r.outOfRange(name, want(), n)
	return 0, false
}

// Decimal reads an exact number from minimum to maximum, of at most 18 significant
// digits and 30 decimals.
func (r *Reader) Decimal(name string, minimum, maximum decimal.Decimal) (decimal.Decimal, bool) {
	if r.shape != nil {
		r.shape.add(Property{Name: name, Type: "number", Minimum: minimum, Maximum: maximum})
		return decimal.Decimal{}, false
	}
	n := r.take(name)
	if n == nil {
		return decimal.Decimal{}, false
	}
	want := func() string { return "a number from " + minimum.String() + " to " + maximum.String() }
	if n.kind != kindNumber {
		r.wrongType(name, want(), n)
		return decimal.Decimal{}, false
	}
	d, err := decimal.Parse(n.raw)
	if err != nil || d.Cmp(minimum) < 0 || d.Cmp(maximum) > 0 {
		digits := ""
		if err != nil {
			digits = " with at most 18 significant digits"
		}
		r.outOfRange(name, want()+digits, n)
		return decimal.Decimal{}, false
	}
	return d, true
}

func (r *Reader) outOfRange(name, want string, n *node) {
	r.fault(name, OutOfRange, "%s must be %s; got %s.", name, want, describe(n))
}

// Bool reads true or false.
func (r *Reader) Bool(name string) (bool, bool) {
	if r.shape != nil {
		r.shape.add(Property{Name: name, Type: "boolean"})
		return false, false
	}
	n := r.take(name)
	if n == nil {
		return false, false
	}
	if n.kind != kindBool {
		d := apperr.Detail{Field: r.Path(name), Code: WrongType, Message: fmt.Sprintf("%s must be true or false; got %s.", name, describe(n))}
		if value, known := Truth(n.text); known && n.kind == kindString {
			d.Suggestions = []string{strconv.FormatBool(value)}
		}
		r.faults.add(d)
		return false, false
	}
	return n.raw[0] == 't', true
}

// Enum reads one of the allowed texts, written exactly so.
func (r *Reader) Enum(name string, allowed ...string) (string, bool) {
	if r.shape != nil {
		return r.shape.add(Property{Name: name, Type: "string", Enum: slices.Clone(allowed)})
	}
	n := r.take(name)
	if n == nil {
		r.faults.suggest(r.Path(name), allowed)
		return "", false
	}
	if n.kind != kindString {
		r.wrongType(name, "one of "+strings.Join(allowed, ", "), n)
		return "", false
	}
	if slices.Contains(allowed, n.text) {
		return n.text, true
	}
	r.faults.suggest(r.Path(name), allowed)
	r.faults.add(r.NotOneOf(r.Path(name), n.text, allowed))
	return "", false
}

// NotOneOf is the error of a value that is not among the allowed ones, with
// the nearest of them as suggestions.
func NotOneOf(path, got string, allowed []string) apperr.Detail {
	return apperr.Detail{Field: path, Code: NotAllowed,
		Message:     fmt.Sprintf("%s must be one of %s; got %s.", path, strings.Join(allowed, ", "), quote(got)),
		Suggestions: spelling.Related(got, allowed, 3)}
}

// NotOneOf is the error of a value that is not among the allowed ones. Its
// suggestions are its synonyms (SuggestBy), then the nearest.
func (r *Reader) NotOneOf(path, got string, allowed []string) apperr.Detail {
	d := NotOneOf(path, got, allowed)
	d.Suggestions = r.suggestions(got, allowed, d.Suggestions)
	if len(d.Suggestions) == 0 && r.belongs != nil {
		d.Message = sentences(d.Message, r.belongs(path, got))
	}
	return d
}

func (r *Reader) suggestions(got string, allowed, nearest []string) []string {
	if r.meant == nil {
		return nearest
	}
	const most = 3
	out := r.meant(got, allowed)
	for _, n := range nearest {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out[:min(len(out), most)]
}

// Date reads a day of the calendar as YYYY-MM-DD.
func (r *Reader) Date(name string) (string, bool) {
	if r.shape != nil {
		return r.shape.add(Property{Name: name, Type: "string", Format: "date"})
	}
	n := r.take(name)
	if n == nil {
		return "", false
	}
	const want = "a date such as 2026-05-31"
	if n.kind != kindString {
		r.wrongType(name, want, n)
		return "", false
	}
	if t, err := time.Parse(time.DateOnly, n.text); err != nil || t.Year() < 1 {
		r.fault(name, BadFormat, "%s must be %s; got %s.", name, want, quote(n.text))
		return "", false
	}
	return n.text, true
}

// Country reads an ISO 3166-1 alpha-2 code in any case and returns it in upper
// case. An unassigned code is an error with suggestions.
func (r *Reader) Country(name string) (string, bool) {
	if r.shape != nil {
		return r.shape.add(Property{Name: name, Type: "string", Pattern: "^[A-Za-z]{2}$"})
	}
	n := r.take(name)
	if n == nil {
		return "", false
	}
	if n.kind != kindString {
		r.wrongType(name, "a country code such as GB", n)
		return "", false
	}
	if c, ok := locations.CountryByCode(n.text); ok {
		return c.Code, true
	}
	r.faults.add(apperr.Detail{Field: r.Path(name), Code: UnknownCode,
		Message:     fmt.Sprintf("%s must be an ISO 3166-1 alpha-2 country code such as GB; got %s.", name, quote(n.text)),
		Suggestions: locations.SuggestCountry(n.text)})
	return "", false
}

// URL reads an absolute https address of at most maximum characters.
func (r *Reader) URL(name string, maximum int) (string, bool) {
	if r.shape != nil {
		return r.shape.add(Property{Name: name, Type: "string", Format: "uri", Pattern: "^https://", MaxLength: maximum})
	}
	s, ok := r.String(name, 1, maximum)
	if !ok {
		return "", false
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil || strings.ContainsAny(s, " \t\r\n\\") {
		r.fault(name, BadFormat, "%s must be an https address; got %s.", name, quote(s))
		return "", false
	}
	return s, true
}

// SHA256 reads a SHA-256 hash as 64 hexadecimal digits and returns it in lower
// case.
func (r *Reader) SHA256(name string) (string, bool) {
	if r.shape != nil {
		return r.shape.add(Property{Name: name, Type: "string", Pattern: "^[0-9A-Fa-f]{64}$"})
	}
	s, ok := r.String(name, 1, 200)
	if !ok {
		return "", false
	}
	lower := strings.ToLower(s)
	if len(s) != 64 || strings.Trim(lower, "0123456789abcdef") != "" {
		r.fault(name, BadFormat, "%s must be a SHA-256 hash of 64 hexadecimal digits; got %s.", name, quote(s))
		return "", false
	}
	return lower, true
}
