package transfer

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/auth/account"
	"github.com/eventcarbon/ecf/services/calculation/resulttree"
)

func canonical(t *testing.T, v any) string {
	t.Helper()
	var b strings.Builder
	if err := write(&b, reflect.ValueOf(v)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// fill sets every field of a value, and returns how many.
func fill(v reflect.Value, set func(field reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		set(v)
	case v.Kind() == reflect.Struct && v.Type() != reflect.TypeFor[decimal.Decimal]():
		for _, field := range v.Fields() {
			fill(field, set)
		}
	default:
		set(v)
	}
}

// Every stored field affects the canonical form, at any depth and even if its JSON omits it.
func TestEveryFieldCounts(t *testing.T) {
	t.Parallel()
	for _, row := range []any{record.Organization{}, record.Event{}, record.Record{}, record.Entry{}, record.KeyEntry{}, record.Import{},
		resulttree.Node{}, resulttree.NodeChanges{}, resulttree.Result{}, account.User{}, account.Session{}, account.AuditEntry{}} {
		blank := canonical(t, row)
		var fields int
		fill(reflect.ValueOf(row), func(reflect.Value) { fields++ })
		for n := range fields {
			v := reflect.New(reflect.TypeOf(row)).Elem()
			i := 0
			what := ""
			fill(v, func(f reflect.Value) {
				if i == n {
					what = change(t, f)
				}
				i++
			})
			if canonical(t, v.Interface()) == blank {
				t.Errorf("%T: field %d of type %s does not count", row, n, what)
			}
		}
		if fields < 5 {
			t.Errorf("%T has only %d fields", row, fields)
		}
	}
}

func change(t *testing.T, f reflect.Value) string {
	t.Helper()
	switch f.Kind() {
	case reflect.String:
		f.SetString("x")
	case reflect.Bool:
		f.SetBool(true)
	case reflect.Int, reflect.Int64, reflect.Int32, reflect.Int16, reflect.Int8:
		f.SetInt(7)
	case reflect.Uint8:
		f.SetUint(2)
	case reflect.Pointer:
		f.Set(reflect.New(f.Type().Elem()))
	case reflect.Slice:
		f.Set(reflect.MakeSlice(f.Type(), 1, 1))
	case reflect.Map:
		f.Set(reflect.MakeMap(f.Type()))
		f.SetMapIndex(reflect.ValueOf("x"), reflect.ValueOf("y"))
	case reflect.Struct:
		switch f.Interface().(type) {
		case time.Time:
			f.Set(reflect.ValueOf(time.UnixMilli(5)))
		case decimal.Decimal:
			d, err := decimal.Parse("1.5")
			if err != nil {
				t.Fatal(err)
			}
			f.Set(reflect.ValueOf(d))
		}
	default:
		t.Fatalf("what changes a %s?", f.Type())
	}
	return f.Type().String()
}

func TestNilAndEmptyAreTheSame(t *testing.T) {
	t.Parallel()
	type row struct {
		List []string
		Raw  json.RawMessage
		At   time.Time
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if a, b := canonical(t, row{At: at}), canonical(t, row{List: []string{}, Raw: json.RawMessage{}, At: at.In(time.FixedZone("x", 3600))}); a != b {
		t.Errorf("%q and %q", a, b)
	}
	if a, b := canonical(t, row{List: []string{"a", "b"}}), canonical(t, row{List: []string{"ab"}}); a == b {
		t.Errorf("both %q", a)
	}
}
