package testkit

import (
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/apperr"
)

// failing are failures that are the server's and pass: a conflict inside of it, one that
// it has no other word for, a limit of time, a cursor that is gone. The first is tried in
// short courses.
var failing = []int32{112, 1, 262, 43}

// OutagesAreTold calls every method of a store, which is an interface S, and lets all of
// its commands fail from the nth on, for each n: what the method returns then is
// UNAVAILABLE, and never what a client would be answered as a fault of ours. The
// arguments are made up: of the errors that say what is wrong with them, expected are
// those there may be. It calls no method that is named as silent.
func OutagesAreTold[S any](t *testing.T, between *MongoFaults, store S, silent []string, expected ...error) {
	t.Helper()
	codes := failing[:1]
	if Long(t) {
		codes = failing
	}
	for method := range reflect.TypeFor[S]().Methods() {
		if slices.Contains(silent, method.Name) {
			continue
		}
		for _, code := range codes {
			const most = 9 // commands, of which none is like the ones before
			for nth := 1; nth <= most; nth++ {
				between.Fail("any", nth, Fault{Code: code, Lasts: true})
				err := call(t, reflect.ValueOf(store).MethodByName(method.Name))
				met := between.Met()
				between.Fail("", 0, Fault{})
				if !met && nth == 1 {
					t.Errorf("%s sent no command: %v", method.Name, err)
				}
				isExpected := slices.ContainsFunc(expected, func(e error) bool { return errors.Is(err, e) })
				if err != nil && met && !isExpected && apperr.CodeOf(err) != apperr.Unavailable {
					t.Errorf("%s is %s where command %d fails with code %d: %v", method.Name, apperr.CodeOf(err), nth, code, err)
				}
				if !met {
					break
				}
			}
		}
	}
}

// call calls a method with made up arguments, and returns its error.
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

// madeUp returns a value of a type with something in every part of it.
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
		v.SetInt(int64(min(depth+1, 2))) // the revision 2 of what has the revision 1
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
