package fields

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// Shape records the fields that a decoder requests: the source of a schema that always matches the validation.
type Shape struct {
	// Properties are the fields in the order of the requests.
	Properties []Property
	Required   []string
	// OneOf lists fields of which at least one is required.
	OneOf [][]string
	With  []With
	When  []When
	// Content are the required lists and texts that must not be empty.
	Content []string
}

// With states that a field requires others; a list among them needs at
// least one entry.
type With struct {
	Field string
	Needs []string
}

// When states that a field requires others while it has one of the values.
type When struct {
	Field         string
	Values, Needs []string
}

// Property is one field. Zero values mean no limit, except the bounds of a number, which always apply.
type Property struct {
	Name                 string
	Type                 string // of JSON Schema: string, integer, number, boolean, array, object
	Format               string
	Pattern              string
	Enum                 []string
	MinLength, MaxLength int // in characters
	Minimum, Maximum     decimal.Decimal
	MaxItems             int       // entries of an array, pairs of a map
	Items                *Property // entries of an array, values of a map
	Object               *Shape    // for an object with known fields
	Keys                 string    // pattern of the keys of a map
	// Closed marks an object whose unknown fields are errors.
	Closed bool
	// Loose marks a text of which the decoder accepts more spellings than the pattern or the list.
	Loose bool
}

// Describe returns a Reader that reads nothing: every field is absent, no error is
// added, and the requested fields are recorded in the Shape.
func Describe() (*Reader, *Shape) {
	s := &Shape{}
	return &Reader{faults: &faults{}, shape: s}, s
}

// Describing reports whether the Reader only records requests.
func (r *Reader) Describing() bool { return r.shape != nil }

// Document adds to the recorded Property of a field: change receives it. It does nothing while reading.
func (r *Reader) Document(name string, change func(*Property)) {
	if r.shape == nil {
		return
	}
	if i := slices.IndexFunc(r.shape.Properties, func(p Property) bool { return p.Name == name }); i >= 0 {
		change(&r.shape.Properties[i])
	}
}

// add writes a property down. Its results are those of a text that is absent.
func (s *Shape) add(p Property) (string, bool) {
	s.Properties = append(s.Properties, p)
	return "", false
}
