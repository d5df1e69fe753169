package client

import "encoding/json"

// Optional is a field of a change: not set (the zero value), which leaves what
// is there; [Set] to a value; or [Null], which empties it.
type Optional[T any] struct {
	value T
	state optionalState
}

type optionalState uint8

const (
	notSet optionalState = iota
	isNull
	isSet
)

// Set returns a field its value.
func Set[T any](value T) Optional[T] { return Optional[T]{value: value, state: isSet} }

// Null empties a field.
func Null[T any]() Optional[T] { return Optional[T]{state: isNull} }

// IsZero reports whether the field is not set, and so left out of the request.
func (o Optional[T]) IsZero() bool { return o.state == notSet }

// MarshalJSON writes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if o.state != isSet {
		return []byte("null"), nil
	}
	return json.Marshal(o.value)
}
