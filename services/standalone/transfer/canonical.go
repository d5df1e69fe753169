package transfer

import (
	"encoding"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"
)

// write writes every field of a value in a canonical form. JSON is not suitable: it is the
// format for clients, without the mark and the fence of a record. Zero values are omitted, so
// nil and empty are equal, and an added field changes nothing where it is not used.
func write(w io.Writer, v reflect.Value) error {
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		// A pointer to a zero value differs from nil.
		return frame(w, "&", func() error { return write(w, v.Elem()) })
	}
	if t, ok := reflect.TypeAssert[time.Time](v); ok {
		return text(w, strconv.FormatInt(t.UnixMilli(), 10))
	}
	if v.Kind() == reflect.Struct {
		return writeStruct(w, v)
	}
	return writePlain(w, v)
}

func writePlain(w io.Writer, v reflect.Value) error {
	switch v.Kind() {
	case reflect.String:
		return text(w, v.String())
	case reflect.Bool:
		return text(w, strconv.FormatBool(v.Bool()))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return text(w, strconv.FormatInt(v.Int(), 10))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return text(w, strconv.FormatUint(v.Uint(), 10))
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 && v.Kind() == reflect.Slice {
			return text(w, string(v.Bytes()))
		}
		return frame(w, "[", func() error {
			for i := range v.Len() {
				if err := frame(w, "-", func() error { return write(w, v.Index(i)) }); err != nil {
					return err
				}
			}
			return nil
		})
	case reflect.Map:
		return writeMap(w, v)
	}
	return fmt.Errorf("%s cannot be compared", v.Type())
}

func writeMap(w io.Writer, v reflect.Value) error {
	keys := map[string]reflect.Value{}
	for _, k := range v.MapKeys() {
		keys[fmt.Sprint(k.Interface())] = k
	}
	for _, name := range slices.Sorted(maps.Keys(keys)) {
		if err := frame(w, name, func() error { return write(w, v.MapIndex(keys[name])) }); err != nil {
			return err
		}
	}
	return nil
}

func writeStruct(w io.Writer, v reflect.Value) error {
	t := v.Type()
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() && !f.Anonymous {
			return writeOpaque(w, v)
		}
		if empty(v.Field(i)) {
			continue
		}
		if err := frame(w, f.Name, func() error { return write(w, v.Field(i)) }); err != nil {
			return err
		}
	}
	return nil
}

// writeOpaque writes a value that is accessible as text only.
func writeOpaque(w io.Writer, v reflect.Value) error {
	switch o := v.Interface().(type) {
	case encoding.TextMarshaler:
		b, err := o.MarshalText()
		if err != nil {
			return err
		}
		return text(w, string(b))
	case fmt.Stringer:
		return text(w, o.String())
	}
	return fmt.Errorf("%s cannot be compared", v.Type())
}

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Slice, reflect.Map, reflect.String:
		return v.Len() == 0
	case reflect.Struct:
		if t, ok := reflect.TypeAssert[time.Time](v); ok {
			return t.IsZero()
		}
	}
	return v.IsZero()
}

// text writes a string preceded by its length, so that the encoding is unambiguous.
func text(w io.Writer, s string) error {
	_, err := fmt.Fprintf(w, "%d:%s", len(s), s)
	return err
}

// frame writes a name and, in brackets, the output of inner.
func frame(w io.Writer, name string, inner func() error) error {
	if _, err := io.WriteString(w, name+"("); err != nil {
		return err
	}
	if err := inner(); err != nil {
		return err
	}
	_, err := io.WriteString(w, ")")
	return err
}
