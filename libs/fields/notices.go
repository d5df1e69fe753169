package fields

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Codes of notices about fields that had no effect. They are part of the API.
const (
	UnknownFieldIgnored = "UNKNOWN_FIELD_IGNORED"
	ServerFieldIgnored  = "SERVER_FIELD_IGNORED"
	// UnknownField is the error code of an unknown field if the
	// client requests strict handling.
	UnknownField = "UNKNOWN_FIELD"
)

// maxNotices bounds the response to a body with many unknown fields.
const maxNotices = 20

// Notice names a field of a request that had no effect.
type Notice struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
	// Suggestions are fields that may have been meant, the likeliest first.
	Suggestions []string `json:"suggestions,omitempty"`
}

// Notices returns a notice for each field, those of nested objects included,
// that was never read or that was ignored because the server sets it, sorted by
// path. Beyond 20 the rest is only counted. Call it after all known fields have
// been read.
func (r *Reader) Notices() []Notice {
	all := r.unused()
	rest := max(len(all)-maxNotices, 0)
	var out []Notice
	for _, u := range all[:len(all)-rest] {
		n := Notice{Code: UnknownFieldIgnored, Field: u.path, Suggestions: u.suggestions(), Message: sentences("The field is not known here and was dropped.", u.meaning)}
		if u.serverOwned {
			n.Code, n.Message = ServerFieldIgnored, sentences("The service sets this field itself; the value sent was dropped.", u.meaning)
		}
		out = append(out, n)
	}
	if rest > 0 {
		out = append(out, Notice{Code: UnknownFieldIgnored, Message: fmt.Sprintf("%d more fields had no effect.", rest)})
	}
	return out
}

// RefuseUnknown adds an error for each field that was never read. Fields that
// were ignored because the server sets them stay without effect.
func (r *Reader) RefuseUnknown() {
	for i, u := range r.unused() {
		if u.serverOwned {
			continue
		}
		d := apperr.Detail{Field: u.path, Code: UnknownField, Message: sentences(u.path+" is not known here.", u.meaning)}
		if i < maxFaults { // a hostile body has thousands, which are only counted
			d.Suggestions = u.suggestions()
		}
		r.Fault(d)
	}
}

// DroppedField is a field that was never read.
type DroppedField struct {
	Path string
	// Suggestions are the paths of fields that may have been meant, the likeliest first.
	Suggestions []string
}

// UnknownFields returns the fields that Unknown names, at most the given number of them, and the number of the others.
func (r *Reader) UnknownFields(most int) (first []DroppedField, others int) {
	for _, u := range r.unused() {
		switch {
		case u.serverOwned:
		case len(first) == most:
			others++
		default:
			first = append(first, DroppedField{u.path, u.suggestions()})
		}
	}
	return first, others
}

// unusedField is a field of an object that had no effect.
type unusedField struct {
	*member
	path   string
	object *Reader
}

// unused returns the fields that had no effect, those of nested objects included,
// sorted by path.
func (r *Reader) unused() []unusedField {
	var out []unusedField
	for i := range r.members {
		if m := &r.members[i]; m.serverOwned || !m.read {
			out = append(out, unusedField{m, r.Path(m.name), r})
		}
	}
	for _, c := range r.children {
		out = append(out, c.unused()...)
	}
	slices.SortFunc(out, func(a, b unusedField) int { return strings.Compare(a.path, b.path) })
	return out
}

// suggestions returns the paths of known fields of the same object that an unknown one may have been meant for.
func (u unusedField) suggestions() []string {
	if u.serverOwned {
		return nil
	}
	near := u.object.related(u.name)
	for i := range near {
		near[i] = u.object.Path(near[i])
	}
	return near
}

// sentences joins two sentences, the second of which may be empty.
func sentences(first, second string) string { return strings.TrimSpace(first + " " + second) }

// ServerOwned drops fields that the server sets itself.
func (r *Reader) ServerOwned(names ...string) {
	for i := range r.members {
		if m := &r.members[i]; slices.Contains(names, m.name) {
			m.read, m.serverOwned = true, true
		}
	}
}
