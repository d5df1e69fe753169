package testkit

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// EachMethod calls do for each method of an interface S whose last result is an error.
// do receives the method's name and a function that calls it with generated arguments
// and returns the error.
func EachMethod[S any](t *testing.T, of S, do func(name string, call func() error)) {
	t.Helper()
	for method := range reflect.TypeFor[S]().Methods() {
		do(method.Name, func() error { return call(t, reflect.ValueOf(of).MethodByName(method.Name)) })
	}
}

// call calls a method with generated arguments and returns its error.
func call(t *testing.T, method reflect.Value) error {
	in := make([]reflect.Value, method.Type().NumIn())
	for i := range in {
		if in[i] = madeUp(method.Type().In(i), 0); method.Type().In(i) == reflect.TypeFor[context.Context]() {
			in[i] = reflect.ValueOf(t.Context())
		}
	}
	var out []reflect.Value
	if method.Type().IsVariadic() {
		out = method.CallSlice(in)
	} else {
		out = method.Call(in)
	}
	err, _ := reflect.TypeAssert[error](out[len(out)-1])
	return err
}

// madeUp returns a value of the given type in which every field is set.
func madeUp(of reflect.Type, depth int) reflect.Value {
	v := reflect.New(of).Elem()
	switch {
	case of == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC)))
		return v
	case of == reflect.TypeFor[json.RawMessage](), of == reflect.TypeFor[[]byte]():
		v.SetBytes([]byte("{}"))
		return v
	case depth > 3:
		return v
	}
	switch of.Kind() {
	case reflect.String:
		if v.SetString("x"); of == reflect.TypeFor[json.Number]() {
			v.SetString("1")
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(min(depth+1, 2))) // revision 2 follows revision 1
	case reflect.Slice:
		v.Set(reflect.Append(v, madeUp(of.Elem(), depth+1)))
	case reflect.Map:
		v.Set(reflect.MakeMap(of))
		v.SetMapIndex(madeUp(of.Key(), depth+1), madeUp(of.Elem(), depth+1))
	case reflect.Pointer:
		v.Set(reflect.New(of.Elem()))
		v.Elem().Set(madeUp(of.Elem(), depth+1))
	case reflect.Struct:
		for i := range of.NumField() {
			if v.Field(i).CanSet() {
				v.Field(i).Set(madeUp(of.Field(i).Type, depth+1))
			}
		}
	case reflect.Func:
		v.Set(reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value {
			out := make([]reflect.Value, of.NumOut())
			for i := range out {
				out[i] = reflect.Zero(of.Out(i))
			}
			return out
		}))
	}
	return v
}

// RequireUnavailableWhenClosed calls every method of a store with interface S whose file has been
// closed, which stands for any file that cannot be read or written, and requires
// UNAVAILABLE. Methods named in silent are not called.
func RequireUnavailableWhenClosed[S any](t *testing.T, store S, silent ...string) {
	t.Helper()
	EachMethod(t, store, func(name string, call func() error) {
		if slices.Contains(silent, name) {
			return
		}
		if err := call(); apperr.CodeOf(err) != apperr.Unavailable {
			t.Errorf("%s is %q: %v", name, apperr.CodeOf(err), err)
		}
	})
}
