// Package fields decodes the fields of one JSON object strictly. It preserves every
// digit of a number, converts no types, and collects all
// errors of a request instead of stopping at the first, so that a client can
// fix everything at once.
//
// A Reader is used by one goroutine. Read the known fields, in any order, then
// call Err; the values are valid only if Err is nil. JSON null counts as an
// absent field everywhere.
package fields

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Codes of the faults this package finds. They are part of the API.
const (
	MalformedJSON = "MALFORMED_JSON" // no JSON, no object, invalid UTF-8, too deep, trailing text
	DuplicateKey  = "DUPLICATE_KEY"
	Required      = "REQUIRED"
	WrongType     = "WRONG_TYPE"
	OutOfRange    = "OUT_OF_RANGE"
	TooShort      = "TOO_SHORT"
	TooLong       = "TOO_LONG"   // a text
	TooMany       = "TOO_MANY"   // entries of a list or map
	BadFormat     = "BAD_FORMAT" // not a valid date, URL or hash
	NotAllowed    = "NOT_ALLOWED"
	UnknownCode   = "UNKNOWN_CODE" // a code missing from its register
	TooManyFaults = "TOO_MANY_FAULTS"
)

// Reader reads the fields of one object and of the objects inside it.
type Reader struct {
	path     string
	members  []member
	asked    []string
	children []*Reader
	faults   *faults
	shape    *Shape // if not nil, nothing is read, and requests for fields are recorded
	meant    func(text string, allowed []string) []string
	belongs  func(path, text string) string
	named    func(path, name string) []string
	oneOf    []oneOf
}

// SuggestBy adds suggestions by meaning before those by spelling: meant returns the allowed values that a text means.
// For a value without suggestions, belongs returns where else it belongs; it may be empty.
func (r *Reader) SuggestBy(meant func(text string, allowed []string) []string, belongs func(path, text string) string) {
	r.meant, r.belongs = meant, belongs
}

// Parse parses body as one JSON object; an empty body is an empty object. Text
// that is no JSON object, or that has duplicate keys at any depth, is a
// VALIDATION_ERROR. With duplicate keys only, the Reader is returned with the
// error and can be used (the first value counts), so that a caller
// can report them together with all other errors: Err has both.
func Parse(body []byte) (*Reader, error) {
	r := &Reader{faults: &faults{}}
	s := scanner{in: body, faults: r.faults}
	if !utf8.Valid(body) {
		return nil, malformed("The body is not valid UTF-8.")
	}
	if bytes.HasPrefix(body, []byte("\ufeff")) { // editors and libraries write it, and nobody sees it
		return nil, malformed("The body begins with a byte order mark (U+FEFF). Send it as UTF-8 without one.")
	}
	s.space()
	if s.at == len(body) {
		return r, nil
	}
	if body[s.at] != '{' {
		return nil, malformed("The body must be one JSON object.")
	}
	members := make([]member, 0, usual)
	s.names, s.path, r.asked = make([][]byte, 0, usual), make([]step, 0, usual), make([]string, 0, 2*usual)
	_, err := s.object(1, func(m member) { members = append(members, m) })
	if err == nil {
		if s.space(); s.at != len(body) {
			err = s.fail("there is text after the end of the object")
		}
	}
	if err != nil {
		if bad, ok := errors.AsType[*syntaxError](err); ok {
			return nil, malformed(fmt.Sprintf("The body is not a JSON object: %s, at byte %d.", bad.message, bad.at+1))
		}
		return nil, err
	}
	r.members = members
	return r, r.Err()
}

// usual is a number of fields that most bodies do not exceed.
const usual = 12

func malformed(message string) error {
	return apperr.Invalid(apperr.Detail{Code: MalformedJSON, Message: message})
}

// take marks a field as read and returns its value; nil if absent or null.
func (r *Reader) take(name string) *node {
	r.know(name)
	for i := range r.members {
		if m := &r.members[i]; m.name == name {
			m.read = true
			if m.value.kind == kindNull {
				return nil
			}
			return &m.value
		}
	}
	return nil
}

// know records a requested name, which an unknown name may be a misspelling of.
func (r *Reader) know(name string) {
	if !slices.Contains(r.asked, name) {
		r.asked = append(r.asked, name)
	}
}

// Path returns the full path of a field of this object, as used in errors.
func (r *Reader) Path(name string) string { return join(r.path, name) }

// Has reports whether the field is present and not null. It does not mark it as read.
func (r *Reader) Has(name string) bool {
	r.know(name)
	for i := range r.members {
		if r.members[i].name == name {
			return r.members[i].value.kind != kindNull
		}
	}
	return false
}

// IsNull reports whether the field is present with the value null, which means removal in a merge patch. Then it also
// marks it as read.
func (r *Reader) IsNull(name string) bool {
	r.know(name)
	for i := range r.members {
		if m := &r.members[i]; m.name == name && m.value.kind == kindNull {
			m.read = true
			return true
		}
	}
	return false
}

// Fault adds an error found by the caller. Its Field is used unchanged: for a nested
// object use Path.
func (r *Reader) Fault(d apperr.Detail) { r.faults.add(d) }

// Ignore ticks the fields off without reading them.
func (r *Reader) Ignore(names ...string) {
	for i := range r.members {
		if slices.Contains(names, r.members[i].name) {
			r.members[i].read = true
		}
	}
}

// Unknown returns the paths of the fields, nested objects included, that were
// never read or ignored, sorted.
func (r *Reader) Unknown() []string {
	var out []string
	for i := range r.members {
		if !r.members[i].read {
			out = append(out, r.Path(r.members[i].name))
		}
	}
	for _, c := range r.children {
		out = append(out, c.Unknown()...)
	}
	slices.Sort(out)
	return out
}

// Names returns the names of all present fields, including null ones, in order.
func (r *Reader) Names() []string {
	out := make([]string, 0, len(r.members))
	for i := range r.members {
		out = append(out, r.members[i].name)
	}
	return out
}

// hint adds to the faults about absent fields which unknown fields may have been
// meant for them: to the fault of the very field, else to the first of the
// object, where one of several fields is required.
func (r *Reader) hint(details []apperr.Detail) {
	hints := 0
	for i := range r.members {
		m := &r.members[i]
		if m.read || hints == maxNotices {
			continue
		}
		hints++
		meant, sentence := r.meaning(m)
		d := r.absent(details, meant)
		if d == nil || sentence == "" {
			continue
		}
		d.Message += fmt.Sprintf(" %s is not a field here; %s", quote(m.name), sentence)
	}
	for _, c := range r.children {
		c.hint(details)
	}
}

// meaning returns the field that an unknown one may have been meant for, and the
// sentence that names it.
func (r *Reader) meaning(m *member) (name, sentence string) {
	if m.meaning != "" {
		return "", m.meaning
	}
	for _, name := range r.related(m.name) {
		if !slices.ContainsFunc(r.members, func(o member) bool { return o.name == name }) {
			return name, "did you mean " + name + "?"
		}
	}
	return "", ""
}

// absent returns the error for the absence of the named field of this object, else the first one about an absent
// field.
func (r *Reader) absent(details []apperr.Detail, name string) *apperr.Detail {
	var first *apperr.Detail
	for i := range details {
		d := &details[i]
		inside, ok := strings.CutPrefix(d.Field, r.path)
		if inside = strings.TrimPrefix(inside, "."); !ok || d.Code != Required || d.Field != r.Path(inside) || strings.ContainsAny(inside, ".[") {
			continue
		}
		if inside == name {
			return d
		}
		if first == nil {
			first = d
		}
	}
	return first
}

// Meaning stores a sentence about a field of this object that is unknown, or that the server sets, which explains what
// to use instead: it is added to errors about absent fields and to the field's notice.
func (r *Reader) Meaning(name, sentence string) {
	for i := range r.members {
		if m := &r.members[i]; m.name == name && (!m.read || m.serverOwned) {
			m.meaning = sentence
		}
	}
}

// known returns the names of this object that were requested, sorted.
func (r *Reader) known() []string {
	known := slices.Clone(r.asked)
	slices.Sort(known)
	return slices.Compact(known)
}

// Peek returns the field as sent without marking it as read; nil if it is absent.
func (r *Reader) Peek(name string) json.RawMessage {
	for i := range r.members {
		if r.members[i].name == name {
			return json.RawMessage(r.members[i].value.raw)
		}
	}
	return nil
}

// Raw returns the field as sent.
func (r *Reader) Raw(name string) (json.RawMessage, bool) {
	n := r.take(name)
	if n == nil {
		return nil, false
	}
	return json.RawMessage(n.raw), true
}

// Object returns a nested object, or nil and false.
func (r *Reader) Object(name string) (*Reader, bool) {
	if r.shape != nil {
		inner := &Shape{}
		r.shape.add(Property{Name: name, Type: "object", Object: inner})
		return &Reader{path: r.Path(name), faults: r.faults, shape: inner}, true
	}
	n := r.take(name)
	if n == nil {
		return nil, false
	}
	if n.kind != kindObject {
		r.wrongType(name, "an object", n)
		return nil, false
	}
	return r.child(r.Path(name), n), true
}

// Objects returns the objects of a list with at most count entries. An entry that is not an object is an error and is
// omitted.
func (r *Reader) Objects(name string, count int) ([]*Reader, bool) {
	if r.shape != nil {
		inner := &Shape{}
		r.shape.add(Property{Name: name, Type: "array", MaxItems: count, Items: &Property{Type: "object", Object: inner}})
		return []*Reader{{path: r.Path(name + "[0]"), faults: r.faults, shape: inner}}, true
	}
	items, ok := r.list(name, "a list of objects", count)
	if !ok {
		return nil, false
	}
	out := make([]*Reader, 0, len(items))
	for i := range items {
		at := fmt.Sprintf("%s[%d]", name, i)
		if items[i].kind != kindObject {
			r.wrongType(at, "an object", &items[i])
			continue
		}
		out = append(out, r.child(r.Path(at), &items[i]))
	}
	return out, true
}

// Raws returns the entries of a list with at most count of them, as sent.
func (r *Reader) Raws(name, want string, count int) ([]json.RawMessage, bool) {
	items, ok := r.list(name, want, count)
	if !ok {
		return nil, false
	}
	out := make([]json.RawMessage, len(items))
	for i := range items {
		out[i] = items[i].raw
	}
	return out, true
}

func (r *Reader) child(path string, n *node) *Reader {
	c := &Reader{path: path, members: n.members(), faults: r.faults, meant: r.meant, belongs: r.belongs, named: r.named}
	r.children = append(r.children, c)
	return c
}

func (r *Reader) list(name, want string, count int) ([]node, bool) {
	n := r.take(name)
	if n == nil {
		return nil, false
	}
	if n.kind != kindArray {
		r.wrongType(name, want, n)
		return nil, false
	}
	if n.count > count {
		r.faults.add(apperr.Detail{Field: r.Path(name), Code: TooMany,
			Message: fmt.Sprintf("%s may have at most %d entries; got %d.", name, count, n.count)})
		return nil, false
	}
	return n.items(), true
}

func (r *Reader) wrongType(name, want string, n *node) {
	r.faults.add(apperr.Detail{Field: r.Path(name), Code: WrongType,
		Message: fmt.Sprintf("%s must be %s; got %s.", name, want, describe(n))})
}

// describe names a value for a message, cut to a readable length.
func describe(n *node) string {
	switch n.kind {
	case kindNull:
		return "null"
	case kindArray:
		return "a list"
	case kindObject:
		return "an object"
	case kindString:
		return "the text " + quote(n.text)
	}
	return cut(string(n.raw), 40)
}
