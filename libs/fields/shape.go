package fields

import (
	"slices"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// Shape is what a decoder asks of an object, written down instead of read: the
// source of a schema that cannot say anything else than the code that validates.
type Shape struct {
	// Properties are the fields in the order they are asked for.
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

// Property is one field. Zero values are no limits, but for the bounds of a
// number, which always hold.
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
	Object               *Shape    // of an object with known fields
	Keys                 string    // pattern of the keys of a map
	// Closed marks an object whose unknown fields are errors.
	Closed bool
	// Loose marks a text of which the decoder takes more spellings than the
	// pattern or the list says.
	Loose bool
}

// Describe returns a Reader that reads nothing: every field is absent, no error is
// added, and the requested fields are recorded in the Shape.
func Describe() (*Reader, *Shape) {
	s := &Shape{}
	return &Reader{faults: &faults{}, shape: s}, s
}

// Describing reports whether the Reader only writes down what is asked for.
func (r *Reader) Describing() bool { return r.shape != nil }

// Document adds to what is written down of a field that was asked for: change
// gets its Property. It does nothing while reading.
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
