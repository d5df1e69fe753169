package fields_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/fields"
)

// readAll is a decoder with a field of every kind.
func readAll(r *fields.Reader) {
	r.Require("kind")
	r.RequireOneOf("a", "b")
	r.RequireWith("a", "b", "list")
	r.RequireWhen("kind", []string{"x"}, "a")
	r.RequireContent("name")
	r.String("name", 1, 40)
	r.Document("name", func(p *fields.Property) { p.Pattern, p.Loose = "^[a-z]+$", true })
	r.Document("nothing", func(p *fields.Property) { p.Pattern = "never" })
	r.Enum("kind", "x", "y")
	r.Integer("a", 1, 10)
	r.Decimal("b", decimal.FromInt(0), decimal.New(15, 1))
	r.Bool("flag")
	r.Date("day")
	r.Country("country")
	r.URL("link", 2000)
	r.SHA256("hash")
	r.StringMap("map", 20, 500)
	r.Strings("list", 5, 40)
	if o, ok := r.Object("inner"); ok {
		o.Bool("deep")
	}
	list, _ := r.Objects("objects", 3)
	for _, o := range list {
		o.Require("x")
		o.Integer("x", 0, 1)
	}
}

func TestDescribeWritesDownWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	r, shape := fields.Describe()
	readAll(r)
	if !r.Describing() || r.Err() != nil || len(r.Unknown()) != 0 {
		t.Fatalf("describing found %v", r.Err())
	}
	got, err := json.Marshal(shape)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{"name": "string", "kind": "string", "a": "integer", "b": "number", "flag": "boolean", "day": "string", "country": "string",
		"link": "string", "hash": "string", "map": "object", "list": "array", "inner": "object", "objects": "array"}
	if len(shape.Properties) != len(types) {
		t.Errorf("%s", got)
	}
	for _, p := range shape.Properties {
		if types[p.Name] != p.Type {
			t.Errorf("%s is written down as %s", p.Name, p.Type)
		}
	}
	at := func(name string) fields.Property {
		return shape.Properties[slices.IndexFunc(shape.Properties, func(p fields.Property) bool { return p.Name == name })]
	}
	if p := at("name"); p.MinLength != 1 || p.MaxLength != 40 || p.Pattern != "^[a-z]+$" || !p.Loose {
		t.Errorf("%+v", p)
	}
	if p := at("b"); p.Minimum != decimal.FromInt(0) || p.Maximum.String() != "1.5" {
		t.Errorf("%+v", p)
	}
	if p := at("objects"); p.MaxItems != 3 || !slices.Equal(p.Items.Object.Required, []string{"x"}) || at("inner").Object.Properties[0].Name != "deep" {
		t.Errorf("%+v", p)
	}
	if !slices.Equal(shape.Required, []string{"kind", "name"}) || len(shape.OneOf) != 1 || len(shape.With) != 1 || len(shape.When) != 1 || !slices.Equal(shape.Content, []string{"name"}) {
		t.Errorf("%s", got)
	}
}

func TestConditionalRequirements(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{}`: {"kind REQUIRED", "a REQUIRED", "name REQUIRED"},
		`{"name":"n","kind":"y","a":1,"b":1,"list":["x"]}`: nil,
		`{"name":"n","kind":"y","a":1}`:                    {"b REQUIRED", "list REQUIRED"},
		`{"name":"n","kind":"y","a":1,"b":1,"list":[]}`:    {"list REQUIRED"},
		`{"name":"n","kind":"x","b":1}`:                    {"a REQUIRED"},
		`{"name":"  ","kind":"y","b":1}`:                   {"name REQUIRED"},
		`{"name":7,"kind":"y","b":1}`:                      {"name WRONG_TYPE"},
	} {
		r := parse(t, body)
		readAll(r)
		if got := codes(t, r.Err()); !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %v\nwant %v", body, got, want)
		}
	}
	if got := parse(t, `{"b":1,"a":null}`).Names(); !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("names %v", got)
	}
}
