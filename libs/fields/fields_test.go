package fields_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
)

func parse(t *testing.T, body string) *fields.Reader {
	t.Helper()
	r, err := fields.Parse([]byte(body))
	if r == nil || (err == nil) != (r.Err() == nil) {
		t.Fatalf("Parse(%s): %v", body, err)
	}
	return r
}

// codes lists the faults of err as "path CODE".
func codes(t *testing.T, err error) []string {
	t.Helper()
	var e *apperr.Error
	if err == nil {
		return nil
	}
	if !errors.As(err, &e) || e.Code != apperr.ValidationError {
		t.Fatalf("got %v, want a VALIDATION_ERROR", err)
	}
	var out []string
	for _, d := range e.Details {
		if d.Message == "" {
			t.Errorf("%s %s has no message", d.Field, d.Code)
		}
		out = append(out, strings.TrimSpace(d.Field+" "+d.Code))
	}
	return out
}

func TestParseRefusesWhatIsNoObject(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`[]`, `1`, `null`, `"a"`, `{`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{"a":1} x`, `{}{}`, `{a:1}`, `{'a':1}`,
		`{"a":01}`, `{"a":1.}`, `{"a":.5}`, `{"a":+1}`, `{"a":NaN}`, `{"a":Infinity}`, `{"a":tru}`, `{"a":[1,]}`, `{"a":[1`,
		`{"a":"\x"}`, `{"a":"\ud800"}`, `{"a":"\udc00\ud800"}`, `{"a":"\u12"}`, "{\"a\":\"\n\"}", `{"a":"b`, "{\"a\":\"\xff\"}",
		"\ufeff{}", `{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, `{"a":1/*x*/}`,
	} {
		_, err := fields.Parse([]byte(body))
		if got := codes(t, err); !reflect.DeepEqual(got, []string{"MALFORMED_JSON"}) {
			t.Errorf("%s: %v", body, got)
		}
	}
	for _, body := range []string{"", " \n", "{}", " { } "} {
		if r := parse(t, body); r.Err() != nil || len(r.Unknown()) != 0 {
			t.Errorf("%q: %v", body, r.Err())
		}
	}
}

func TestDuplicateKeysAtAnyDepth(t *testing.T) {
	t.Parallel()
	r := parse(t, `{"a":1,"a":2,"b":{"c":[{"d":1,"d":1}]},"\u0061":3}`)
	want := []string{"a DUPLICATE_KEY", "b.c[0].d DUPLICATE_KEY", "a DUPLICATE_KEY"}
	if got := codes(t, r.Err()); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var b strings.Builder
	for range 2000 {
		b.WriteString(`"k":1,`)
	}
	r = parse(t, "{"+b.String()+`"z":1}`)
	if got := codes(t, r.Err()); len(got) != 101 || got[100] != "TOO_MANY_FAULTS" {
		t.Errorf("got %d faults", len(got))
	}
}

func TestValues(t *testing.T) {
	t.Parallel()
	r := parse(t, `{"s":"a\u00e9\ud83d\ude00\"\n","i":2.0,"j":2e0,"big":9007199254740993,"d":0.30000000000000004,
		"t":true,"e":"red","date":"2024-02-29","c":"gb","m":{"k_1":"v"},"list":["a","b"],"u":"https://a.example/x?y=1",
		"h":"ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef0123456789","n":null,"o":{"x":1,"y":2}}`)
	if s, ok := r.String("s", 1, 5); !ok || s != "aé😀\"\n" {
		t.Errorf("s = %q, %v", s, ok)
	}
	i, _ := r.Integer("i", 0, 5)
	j, _ := r.Integer("j", 0, 5)
	big, _ := r.Integer("big", 0, 1<<60)
	if i != 2 || j != 2 || big != 9007199254740993 {
		t.Errorf("integers %d %d %d", i, j, big)
	}
	if d, _ := r.Decimal("d", decimal.Decimal{}, decimal.FromInt(1)); d.String() != "0.30000000000000004" {
		t.Errorf("d = %s", d)
	}
	if b, ok := r.Bool("t"); !b || !ok {
		t.Error("t is not true")
	}
	if e, _ := r.Enum("e", "red", "green"); e != "red" {
		t.Errorf("e = %q", e)
	}
	if d, _ := r.Date("date"); d != "2024-02-29" {
		t.Errorf("date = %q", d)
	}
	if c, _ := r.Country("c"); c != "GB" {
		t.Errorf("c = %q", c)
	}
	if m, _ := r.StringMap("m", 1, 5); m["k_1"] != "v" {
		t.Errorf("m = %v", m)
	}
	if l, _ := r.Strings("list", 2, 1); len(l) != 2 || l[1] != "b" {
		t.Errorf("list = %v", l)
	}
	if u, ok := r.URL("u", 100); !ok || u != "https://a.example/x?y=1" {
		t.Errorf("u = %q", u)
	}
	if h, ok := r.SHA256("h"); !ok || h != strings.ToLower(h) {
		t.Errorf("h = %q", h)
	}
	if _, ok := r.String("n", 0, 1); ok || r.Has("n") || !r.IsNull("n") {
		t.Error("null is not absent")
	}
	o, _ := r.Object("o")
	o.Integer("x", 0, 9)
	if got := r.Unknown(); !reflect.DeepEqual(got, []string{"o.y"}) {
		t.Errorf("unknown %v", got)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}

func TestFaultsAreCollected(t *testing.T) {
	t.Parallel()
	r := parse(t, `{"s":"","long":"abc","blank":" \u3164\u2800\ufe0f","nul":"\u0000","i":"2","half":2.5,"huge":1e999999,"neg":-1,"d":1e400,
		"t":"true","e":"rde","date":"2026-02-30","c":"UK","m":{"a b":"x","k":1},"u":"http://a.example","h":"xyz",
		"ev":[{"url":1},5,{"url":"https://ok.example"}],"many":[1,2,3],"zzz":1,"server":true}`)
	r.Require("s", "gone")
	r.RequireOneOf("gone", "away")
	r.String("s", 1, 5)
	r.String("long", 0, 2)
	r.String("blank", 1, 5)
	r.String("nul", 0, 5)
	r.Integer("i", 0, 5)
	r.Integer("half", 0, 5)
	r.Integer("huge", 0, 5)
	r.Integer("neg", 0, 5)
	r.Decimal("d", decimal.Decimal{}, decimal.FromInt(1))
	r.Bool("t")
	r.Enum("e", "red", "green")
	r.Date("date")
	r.Country("c")
	r.StringMap("m", 5, 5)
	r.URL("u", 100)
	r.SHA256("h")
	if ev, _ := r.Objects("ev", 5); len(ev) == 2 {
		ev[0].URL("url", 100)
		ev[1].URL("url", 100)
	}
	r.Strings("many", 2, 5)
	r.Ignore("server")
	want := []string{"gone REQUIRED", "s TOO_SHORT", "long TOO_LONG", "blank TOO_SHORT", "nul BAD_FORMAT",
		"i WRONG_TYPE", "half WRONG_TYPE", "huge OUT_OF_RANGE", "neg OUT_OF_RANGE", "d OUT_OF_RANGE", "t WRONG_TYPE",
		"e NOT_ALLOWED", "date BAD_FORMAT", "c UNKNOWN_CODE", "m.a b BAD_FORMAT", "m.k WRONG_TYPE", "u BAD_FORMAT", "h BAD_FORMAT",
		"ev[1] WRONG_TYPE", "ev[0].url WRONG_TYPE", "many TOO_MANY"}
	if got := codes(t, r.Err()); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
	var e *apperr.Error
	errors.As(r.Err(), &e)
	for _, d := range e.Details {
		if d.Field == "e" && !reflect.DeepEqual(d.Suggestions, []string{"red"}) ||
			d.Field == "c" && !reflect.DeepEqual(d.Suggestions, []string{"GB"}) {
			t.Errorf("%s suggests %v", d.Field, d.Suggestions)
		}
	}
	if got := r.Unknown(); !reflect.DeepEqual(got, []string{"zzz"}) {
		t.Errorf("unknown %v", got)
	}
}

// An absent field is compared with the unknown ones, in its own object only.
func TestMissingFieldsSuggestUnknownOnes(t *testing.T) {
	t.Parallel()
	r, err := fields.Parse([]byte(`{"titel":"x","other":1,"list":[{"nmae":"n"},{"reason":"r"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Require("title", "other", "country")
	r.String("title", 1, 5)
	r.Integer("other", 0, 5)
	list, _ := r.Objects("list", 5)
	for _, o := range list {
		o.Require("name")
		o.String("name", 1, 5)
		o.String("reason", 1, 5)
	}
	for range 2 { // asking twice adds nothing
		e, ok := errors.AsType[*apperr.Error](r.Err())
		if !ok {
			t.Fatal(r.Err())
		}
		var got []string
		for _, d := range e.Details {
			got = append(got, d.Field+": "+d.Message)
		}
		want := []string{
			`title: title is required. "titel" is not a field here; did you mean title?`, "country: country is required.",
			`list[0].name: name is required. "nmae" is not a field here; did you mean name?`, "list[1].name: name is required.",
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// FuzzParse holds the reader against encoding/json: what is read here is JSON
// there, and texts come out the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":1}`, `{"a":"\u00e9\ud83d\ude00"}`, `{"a":{"a":[null,true,1e5]}}`, `{"a":1,"a":2}`, `{"a":"\ud800"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := fields.Parse(body)
		if err != nil {
			return
		}
		if len(strings.Trim(string(body), " \t\r\n")) > 0 && !json.Valid(body) {
			t.Fatalf("%q is no JSON", body)
		}
		if r.Err() != nil {
			return
		}
		var m map[string]any
		if json.Unmarshal(body, &m) != nil {
			return
		}
		for name, v := range m {
			if want, ok := v.(string); ok && !strings.Contains(want, "\x00") {
				if got, ok := r.String(name, 0, 1<<20); !ok || got != want {
					t.Fatalf("%q: got %q, want %q", name, got, want)
				}
			}
			r.Raw(name)
		}
		if u := r.Unknown(); len(u) != 0 {
			t.Fatalf("unknown %q", u)
		}
	})
}

// TestRemark: a remark without visible characters is omitted.
func TestRemark(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"r":" so "}`: " so ", `{"r":""}`: "", `{"r":" "}`: "", `{"r":"\n\t"}`: "", `{"r":"\u00a0\u200b\u2060"}`: "", `{}`: "",
	} {
		r := parse(t, body)
		if got := r.Remark("r", 5); got != want || r.Err() != nil {
			t.Errorf("%s is read as %q, %v", body, got, r.Err())
		}
	}
	r := parse(t, `{"r":"123456"}`)
	if got := r.Remark("r", 5); got != "" || len(codes(t, r.Err())) != 1 {
		t.Errorf("a long one is read as %q, %v", got, r.Err())
	}
}

// TestAnEmptyFieldIsOneMistake: a field that another one requires and that is empty has one error, with what is allowed,
// in whatever order the two are found.
func TestAnEmptyFieldIsOneMistake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body, want string
		read       func(r *fields.Reader)
	}{
		{`{"n":1,"kind":""}`, "kind REQUIRED", func(r *fields.Reader) { r.RequireWith("n", "kind"); r.Enum("kind", "a", "b") }},
		{`{"n":1,"kind":" "}`, "kind NOT_ALLOWED", func(r *fields.Reader) { r.Enum("kind", "a", "b"); r.RequireWith("n", "kind") }},
		{`{"n":1,"kind":""}`, "kind REQUIRED", func(r *fields.Reader) { r.RequireWith("n", "kind"); r.String("kind", 1, 9) }},
		{`{"n":1,"kind":[]}`, "kind REQUIRED", func(r *fields.Reader) { r.RequireWith("n", "kind"); r.Enum("kind", "a", "b") }},
		{`{"n":1,"kind":"c"}`, "kind NOT_ALLOWED", func(r *fields.Reader) { r.RequireWith("n", "kind"); r.Enum("kind", "a", "b") }},
	} {
		r := parse(t, c.body)
		c.read(r)
		if got := codes(t, r.Err()); !reflect.DeepEqual(got, []string{c.want}) {
			t.Errorf("%s: %q, want %s", c.body, got, c.want)
		}
	}
	r := parse(t, `{"n":1,"kind":""}`)
	r.RequireWith("n", "kind")
	r.Enum("kind", "a", "b")
	var e *apperr.Error
	if !errors.As(r.Err(), &e) || !reflect.DeepEqual(e.Details[0].Suggestions, []string{"a", "b"}) {
		t.Errorf("the fault of an empty value has no suggestions: %+v", r.Err())
	}
}

// A field that is missing for several reasons is one fault, which names the reason that says most.
func TestAMissingFieldIsOneFault(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"mode":"rail"}`:    "passengers is required with mode rail.",
		`{"containers":3}`:   "container is required with containers.",
		`{"sheetSize":"A4"}`: "sheets is required with sheetSize.",
		`{"to":"LHR"}`:       "from is required with to.",
		`{}`:                 "At least one of weight, container, sheets, passengers, from is required.",
	} {
		r, err := fields.Parse([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Enum("mode", "rail", "car")
		r.RequireWith("to", "from")
		r.RequireOneOf("weight", "container", "sheets", "passengers", "from")
		r.RequireWhen("mode", []string{"rail"}, "passengers")
		r.RequireWith("mode", "passengers")
		r.RequireWith("containers", "container")
		r.RequireWith("sheetSize", "sheets")
		r.Ignore("to", "containers", "sheetSize")
		var e *apperr.Error
		if !errors.As(r.Err(), &e) || len(e.Details) != 1 || e.Details[0].Message != want {
			t.Errorf("%s: faults %+v", body, e)
		}
	}
}
