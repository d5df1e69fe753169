package sheet_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

func TestEveryTypeHasItsColumns(t *testing.T) {
	t.Parallel()
	for _, typ := range footprint.Types() {
		columns := sheet.Columns(typ)
		if len(columns) < 10 {
			t.Errorf("%s: columns %v", typ, columns)
		}
		for _, example := range footprint.Examples(typ) {
			var fields map[string]json.RawMessage
			if err := json.Unmarshal(example, &fields); err != nil {
				t.Fatal(err)
			}
			for name := range fields {
				if !slices.ContainsFunc(columns, func(c sheet.Column) bool { return c.Name == name }) {
					t.Errorf("%s has no column %s", typ, name)
				}
			}
		}
	}
	flights := sheet.Columns("flights")
	for _, want := range []sheet.Column{{Name: "from", Type: "string"}, {Name: "passengers", Type: "integer"}, {Name: "roundTrip", Type: "boolean"}, {Name: "via", Type: "array"}, {Name: "metadata", Type: "object"}, {Name: "distanceKm", Type: "number"}} {
		if !slices.ContainsFunc(flights, func(c sheet.Column) bool { return c.Name == want.Name && c.Type == want.Type }) {
			t.Errorf("flights have no %v: %v", want, flights)
		}
	}
	if sheet.Columns("review") != nil {
		t.Error("an unknown type has columns")
	}
	all := sheet.All([]string{"flights", "waste", "flights"})
	if len(all) <= len(flights) || !slices.EqualFunc(all[:len(flights)], flights, func(a, b sheet.Column) bool { return a.Name == b.Name }) {
		t.Errorf("together: %v", all)
	}
	for i, c := range all {
		if slices.ContainsFunc(all[i+1:], func(other sheet.Column) bool { return other.Name == c.Name }) {
			t.Errorf("%s comes twice", c.Name)
		}
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "plain": "plain", "=1+1": "'=1+1", "+44": "'+44", "-5": "'-5", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t'=1", "\r=1": "'\r'=1", "\n": "'\n",
		"＝1": "'＝1", "'quoted": "''quoted", "''": "'''", "a=1": "a=1", " =1": " =1", `"=1"`: `"=1"`,
		"a;=1+1;b": "a;'=1+1;b", "a\t@x": "a\t'@x", "\n=1": "'\n'=1", "a\r\n-1": "a\r\n'-1", "a\n\n＝b": "a\n\n'＝b", "a;'b": "a;''b", "=a;=b": "'=a;'=b", "a; =b": "a; =b",
		";": ";", ";=1": ";'=1", "a;\xff": "a;\xff", "\xff;=": "\xff;'=",
	} {
		got := sheet.Guard(text)
		if got != want || sheet.Unguard(got) != text {
			t.Errorf("%q: %q, and back %q", text, got, sheet.Unguard(got))
		}
	}
	if got := sheet.Unguard("'tis"); got != "'tis" {
		t.Errorf("a cell written by hand: %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[=+\-@;\t\r\n'＝a]{0,6}`)).Draw(t, "text")
		guarded := sheet.Guard(text)
		if sheet.Unguard(guarded) != text {
			t.Fatalf("%q became %q and %q", text, guarded, sheet.Unguard(guarded))
		}
		if guarded != "" && strings.ContainsRune("=+-@\t\r\n", rune(guarded[0])) {
			t.Fatalf("%q is not safe", guarded)
		}
		for _, cell := range strings.FieldsFunc(guarded, func(r rune) bool { return strings.ContainsRune(";\t\r\n", r) }) {
			if strings.ContainsRune("=+-@＝", []rune(cell)[0]) {
				t.Fatalf("%q of %q is not safe", cell, guarded)
			}
		}
	})
}

func TestCell(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"": "", "null": "", `"a"`: "a", `"=cmd|' /C calc'!A0"`: "'=cmd|' /C calc'!A0", `"\u2028"`: "'\u2028", `"  "`: "'  ", "1.50": "1.50", "true": "true",
		`["KEF","=x"]`: `["KEF","=x"]`, `{"a":"b"}`: `{"a":"b"}`, " 5 ": "5",
		`{"a":"b;=1;-2;＝3;'4;5"}`: `{"a":"b;\u003d1;\u002d2;\uff1d3;\u00274;5"}`,
	} {
		if got, err := sheet.Cell(json.RawMessage(value)); err != nil || got != want {
			t.Errorf("%s: %q, %v", value, got, err)
		}
	}
	for _, bad := range []string{`"a`, `[1`, `{`} {
		if _, err := sheet.Cell(json.RawMessage(bad)); err == nil {
			t.Errorf("%s is a cell", bad)
		}
	}
}

func TestRows(t *testing.T) {
	t.Parallel()
	got := string(sheet.AppendRow([]byte("x\r\n"), []string{"a", "", "b,c", "d;e", `"f"`, "g\r\nh\n", " i", "j "}))
	if want := "x\r\na,,\"b,c\",\"d;e\",\"\"\"f\"\"\",\"g\r\nh\n\",\" i\",\"j \"\r\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.SliceOfN(rapid.StringMatching(`[ab"',;\t\n ]{0,5}`), 2, 4), 1, 4).Draw(t, "rows")
		var file []byte
		for _, row := range rows {
			file = sheet.AppendRow(file, row)
		}
		reader := csv.NewReader(bytes.NewReader(file))
		reader.FieldsPerRecord = -1
		back, err := reader.ReadAll()
		if err != nil || !reflect.DeepEqual(back, rows) {
			t.Fatalf("%q gives %q, %v", rows, back, err)
		}
	})
}
