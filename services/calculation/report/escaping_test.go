package report_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
)

// hostile ends an attribute and a text where it is not escaped.
const hostile = `"'></title></style><img src=x onerror=alert(1)>`

// withHostileTexts appends hostile to every text of v, and returns their number.
func withHostileTexts(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			n = withHostileTexts(v.Elem())
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			n += withHostileTexts(field)
		}
	case reflect.Slice:
		if v.CanSet() && v.Type() == reflect.TypeFor[json.RawMessage]() {
			text := v.Bytes()
			var fields any
			if json.Unmarshal(text, &fields) == nil {
				fields, n = inJSON(fields)
				changed, _ := json.Marshal(fields)
				v.SetBytes(changed)
			}
			return n
		}
		for i := range v.Len() {
			n += withHostileTexts(v.Index(i))
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(v.String() + hostile)
			n++
		}
	default:
	}
	return n
}

func inJSON(v any) (any, int) {
	n := 0
	switch v := v.(type) {
	case string:
		return v + hostile, 1
	case []any:
		for i := range v {
			changed, more := inJSON(v[i])
			v[i], n = changed, n+more
		}
	case map[string]any:
		for key := range v {
			changed, more := inJSON(v[key])
			v[key], n = changed, n+more
		}
	}
	return v, n
}

// TestEveryTextIsEscaped: whatever a text of the data has, whether people, factors or the server wrote it, it is only text on the
// page.
func TestEveryTextIsEscaped(t *testing.T) {
	t.Parallel()
	for _, tag := range footprint.Languages() {
		d := rich(t)
		if n := withHostileTexts(reflect.ValueOf(&d).Elem()); n < 300 {
			t.Fatalf("%d texts", n)
		}
		text := pageIn(t, tag, d)
		if n := strings.Count(text, "&lt;img src=x onerror=alert(1)&gt;"); n < 200 {
			t.Errorf("%s: the page has %d of the texts", tag, n)
		}
		for _, raw := range []string{"<img", `"'>`, "x onerror=alert(1)>"} {
			if at := strings.Index(text, raw); at >= 0 {
				t.Errorf("%s: the page has %q", tag, text[max(at-80, 0):min(at+80, len(text))])
			}
		}
		if strings.Count(text, "</style>") != 1 || strings.Count(text, "</title>") != 1+strings.Count(text, "<rect class=\"bar\"") {
			t.Errorf("%s: a text ends an element", tag)
		}
	}
}
