package generate

import (
	"bytes"
	"encoding/json"
)

// Object is a JSON object whose members keep their order and may repeat.
type Object []Member

// Member is a member of an Object.
type Member struct {
	Name  string
	Value any
}

// Raw is written as it is; it need not be JSON.
type Raw string

// Get returns the first member of a name.
func (o Object) Get(name string) (any, bool) {
	for _, m := range o {
		if m.Name == name {
			return m.Value, true
		}
	}
	return nil, false
}

// With returns a copy in which a member has another value; it comes last when the
// object had none of the name.
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

// Without returns a copy that has no member of a name.
func (o Object) Without(name string) Object {
	var out Object
	for _, m := range o {
		if m.Name != name {
			out = append(out, m)
		}
	}
	return out
}

// Encode writes a value as text. Besides Object and Raw it takes what
// encoding/json takes.
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
			// A value that JSON does not have: written as its place holder.
			text = []byte("null")
		}
		b.Write(text)
	}
}

// Decode reads a JSON text into the shapes of this package. ok is false when it
// is none.
func Decode(text []byte) (v any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		return nil, false
	}
	return shape(v), true
}

// shape turns maps into objects, their members sorted by name.
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
