package fields

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// Require adds an error for each of the fields that is absent.
func (r *Reader) Require(names ...string) {
	if r.shape != nil {
		r.shape.Required = append(r.shape.Required, names...)
		return
	}
	for _, name := range names {
		if !r.Has(name) {
			r.faults.add(apperr.Detail{Field: r.Path(name), Code: Required, Message: name + " is required."})
		}
	}
}

// RequireOneOf adds one error if none of the fields is present.
func (r *Reader) RequireOneOf(names ...string) {
	if r.shape != nil {
		r.shape.OneOf = append(r.shape.OneOf, names)
		return
	}
	if slices.ContainsFunc(names, r.Has) || slices.ContainsFunc(names, r.faulted) {
		return
	}
	message := "At least one of " + strings.Join(names, ", ") + " is required."
	if len(names) == 1 {
		message = names[0] + " is required."
	}
	r.faults.add(apperr.Detail{Field: r.Path(names[0]), Code: Required, Message: message})
	r.oneOf = append(r.oneOf, oneOf{names, message})
}

// oneOf are fields of which one is required and none is present, and the message of the fault.
type oneOf struct {
	names   []string
	message string
}

// faulted reports whether a field has a fault already: a mistake is one fault.
func (r *Reader) faulted(name string) bool {
	path := r.Path(name)
	return slices.ContainsFunc(r.faults.list, func(f apperr.Detail) bool { return f.Field == path })
}

// lacks adds the fault of an absent field that another one requires. That is more specific than that it is one of those of which
// one is required, of which it takes the place.
func (r *Reader) lacks(name, message string) {
	d := apperr.Detail{Field: r.Path(name), Code: Required, Message: message}
	for _, group := range r.oneOf {
		if !slices.Contains(group.names, name) {
			continue
		}
		first := r.Path(group.names[0])
		if i := slices.IndexFunc(r.faults.list, func(f apperr.Detail) bool { return f.Field == first && f.Message == group.message }); i >= 0 {
			r.faults.list[i] = d
			return
		}
	}
	if !r.faulted(name) {
		r.faults.add(d)
	}
}

// RequireWith adds an error for each of the others that is absent while the field
// name is present. An empty list or text counts as absent.
func (r *Reader) RequireWith(name string, others ...string) {
	if r.shape != nil {
		r.shape.With = append(r.shape.With, With{Field: name, Needs: others})
		return
	}
	if !r.Has(name) {
		return
	}
	for _, other := range others {
		if r.Has(other) && !r.empty(other) {
			continue
		}
		r.lacks(other, other+" is required with "+name+".")
	}
}

// RequireWhen adds an error for each of the others that is absent while the text
// field name has one of the values.
func (r *Reader) RequireWhen(name string, values []string, others ...string) {
	if r.shape != nil {
		r.shape.When = append(r.shape.When, When{Field: name, Values: values, Needs: others})
		return
	}
	for i := range r.members {
		m := &r.members[i]
		if m.name != name || m.value.kind != kindString || !slices.Contains(values, m.value.text) {
			continue
		}
		for _, other := range others {
			if !r.Has(other) {
				r.lacks(other, fmt.Sprintf("%s is required with %s %s.", other, name, m.value.text))
			}
		}
	}
}

// empty reports whether the field is a list without entries or a blank text.
func (r *Reader) empty(name string) bool {
	for i := range r.members {
		if m := &r.members[i]; m.name == name {
			return m.value.kind == kindArray && m.value.count == 0 || m.value.kind == kindString && strings.TrimSpace(m.value.text) == ""
		}
	}
	return false
}

// RequireContent adds an error for each of the lists and texts that is absent or
// empty.
func (r *Reader) RequireContent(names ...string) {
	if r.shape != nil {
		r.shape.Required = append(r.shape.Required, names...)
		r.shape.Content = append(r.shape.Content, names...)
		return
	}
	for _, name := range names {
		if r.empty(name) {
			r.fault(name, Required, "%s must not be empty.", name)
		} else {
			r.Require(name)
		}
	}
}
