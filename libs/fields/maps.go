package fields

import (
	"unicode/utf8"

	"github.com/eventcarbon/ecf/libs/decimal"
)

// StringMap reads an object of at most count pairs of texts. Keys are 1 to 40 of
// A-Z a-z 0-9 _ -, values at most maxLength characters.
func (r *Reader) StringMap(name string, count, maxLength int) (map[string]string, bool) {
	if r.shape != nil {
		r.shape.add(Property{Name: name, Type: "object", MaxItems: count, Keys: "^[A-Za-z0-9_-]{1,40}$",
			Items: &Property{Type: "string", MaxLength: maxLength}})
		return nil, false
	}
	n := r.take(name)
	if n == nil {
		return nil, false
	}
	if n.kind != kindObject {
		r.wrongType(name, "an object with text values", n)
		return nil, false
	}
	if n.count > count {
		r.fault(name, TooMany, "%s may have at most %d entries; got %d.", name, count, n.count)
		return nil, false
	}
	out := make(map[string]string, n.count)
	ok := true
	members := n.members()
	for i := range members {
		m := &members[i]
		at := name + "." + cut(m.name, 80)
		if !mapKey(m.name) {
			r.fault(at, BadFormat, "A key of %s must be 1 to 40 of the characters A-Z a-z 0-9 _ -; got %s.", name, quote(m.name))
			ok = false
			continue
		}
		s, good := r.text(at, &m.value, 0, maxLength)
		out[m.name] = s
		ok = ok && good
	}
	return out, ok
}

// IntegerMap reads an object of at most count whole numbers from minimum to maximum.
// Keys are 1 to maxKey characters.
func (r *Reader) IntegerMap(name string, count, maxKey int, minimum, maximum int64) (map[string]int64, bool) {
	return mapOf(r, name, "whole numbers", count, maxKey, func(inner *Reader, key string) (int64, bool) {
		return inner.Integer(key, minimum, maximum)
	})
}

// DecimalMap reads an object of at most count exact numbers from minimum to maximum, as
// Decimal does. Keys are 1 to maxKey characters.
func (r *Reader) DecimalMap(name string, count, maxKey int, minimum, maximum decimal.Decimal) (map[string]decimal.Decimal, bool) {
	return mapOf(r, name, "numbers", count, maxKey, func(inner *Reader, key string) (decimal.Decimal, bool) {
		return inner.Decimal(key, minimum, maximum)
	})
}

// mapOf reads an object whose values, which a message calls what, are read by read.
func mapOf[T any](r *Reader, name, what string, count, maxKey int, read func(inner *Reader, key string) (T, bool)) (map[string]T, bool) {
	inner, ok := r.Object(name)
	if !ok || r.shape != nil {
		return nil, false
	}
	names := inner.Names()
	if len(names) > count {
		r.fault(name, TooMany, "%s may have at most %d entries; got %d.", name, count, len(names))
		return nil, false
	}
	out := make(map[string]T, len(names))
	for _, key := range names {
		if key == "" || utf8.RuneCountInString(key) > maxKey {
			r.fault(name+"."+cut(key, 80), BadFormat, "A key of %s must be 1 to %d characters; got %s.", name, maxKey, quote(key))
			inner.Ignore(key)
			ok = false
			continue
		}
		if inner.IsNull(key) {
			r.fault(name+"."+cut(key, 80), WrongType, "%s must be an object of %s; got null.", name, what)
			ok = false
			continue
		}
		v, good := read(inner, key)
		out[key] = v
		ok = ok && good
	}
	return out, ok
}

func mapKey(s string) bool {
	if s == "" || len(s) > 40 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-') {
			return false
		}
	}
	return true
}
