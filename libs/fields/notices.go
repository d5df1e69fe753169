package fields

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/spelling"
)

// Codes of notices about fields that had no effect. They are part of the API.
const (
	UnknownFieldIgnored = "UNKNOWN_FIELD_IGNORED"
	ServerFieldIgnored  = "SERVER_FIELD_IGNORED"
	// UnknownField is the code of the error that an unknown field is where the
	// client asks for strict handling.
	UnknownField = "UNKNOWN_FIELD"
)

// maxNotices bounds the answer to a body that has nothing to do with the request.
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
	var all []Notice
	r.unused(func(path string, serverOwned bool, suggestions []string) {
		n := Notice{Code: UnknownFieldIgnored, Field: path, Suggestions: suggestions, Message: "The field is not known here and was dropped."}
		if serverOwned {
			n.Code, n.Message = ServerFieldIgnored, "The service sets this field itself; the value sent was dropped."
		}
		all = append(all, n)
	})
	slices.SortFunc(all, func(a, b Notice) int { return strings.Compare(a.Field, b.Field) })
	if len(all) > maxNotices {
		rest := len(all) - maxNotices
		all = append(all[:maxNotices], Notice{Code: UnknownFieldIgnored, Message: fmt.Sprintf("%d more fields had no effect.", rest)})
	}
	return all
}

// RefuseUnknown adds an error for each field that was never read. Fields that
// were ignored because the server sets them stay without effect.
func (r *Reader) RefuseUnknown() {
	r.unused(func(path string, serverOwned bool, suggestions []string) {
		if !serverOwned {
			r.Fault(apperr.Detail{Field: path, Code: UnknownField, Message: path + " is not known here.", Suggestions: suggestions})
		}
	})
}

// unused calls yield for each field that had no effect.
func (r *Reader) unused(yield func(path string, serverOwned bool, suggestions []string)) {
	for i := range r.members {
		m := &r.members[i]
		switch {
		case m.serverOwned:
			yield(r.Path(m.name), true, nil)
		case !m.read:
			yield(r.Path(m.name), false, r.suggestions(m.name))
		}
	}
	for _, c := range r.children {
		c.unused(yield)
	}
}

// suggestions returns the paths of known fields of this object that name may
// have been meant for.
func (r *Reader) suggestions(name string) []string {
	known := slices.Clone(r.asked)
	slices.Sort(known)
	near := spelling.Nearest(name, slices.Compact(known), 2)
	for i := range near {
		near[i] = r.Path(near[i])
	}
	return near
}

// ServerOwned drops fields that the server sets itself.
func (r *Reader) ServerOwned(names ...string) {
	for i := range r.members {
		if m := &r.members[i]; slices.Contains(names, m.name) {
			m.read, m.serverOwned = true, true
		}
	}
}
