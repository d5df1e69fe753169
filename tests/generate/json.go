package generate

import (
	"bytes"
	"encoding/json"
)

// Object is a JSON object whose members are ordered and may repeat.
type Object []Member

// Member is a member of an Object.
type Member struct {
	Name  string
	Value any
}

// Raw is encoded verbatim; it need not be JSON.
type Raw string

// Get returns the first member with a name.
func (o Object) Get(name string) (any, bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// With returns a copy in which a member has another value; a new member is appended.
func (o Object) With(name string, value any) Object {
	out := append(Object(nil), o...)
	for i := range out {
		if out[i].Name == name {
			out[i].Value = value
			return out
		}
	}
	return append(out, Member{name, value})
}

// Without returns a copy without the members of a name.
func (o Object) Without(name string) Object {
	var out Object
	for _, m := range o {
		if m.Name != name {
			out = append(out, m)
		}
	}
	return out
}

// Encode encodes a value. In addition to what encoding/json accepts it accepts Object
// and Raw.
func Encode(v any) []byte {
	var b bytes.Buffer
	encode(&b, v)
	return b.Bytes()
}

func encode(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case Raw:
		b.WriteString(string(v))
	case Object:
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(b, m.Name)
			b.WriteByte(':')
			encode(b, m.Value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, item := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			encode(b, item)
		}
		b.WriteByte(']')
	default:
		text, err := json.Marshal(v)
		if err != nil {
			// A value that JSON lacks is encoded as null.
			text = []byte("null")
		}
		b.Write(text)
	}
}

// Decode decodes JSON into the types of this package. ok is false if text is not JSON.
func Decode(text []byte) (v any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, false
	}
	return shape(v), true
}

// shape converts maps to objects, their members sorted by name.
func shape(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := Object{}
		for _, name := range sortedKeys(v) {
			out = append(out, Member{name, shape(v[name])})
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = shape(v[i])
		}
		return out
	}
	return v
}
