package sheet_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// A file in which other numbers settle how a number with two readings is meant says so,
// and no other file does.
func TestSettledFormat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cells []string
		want  string
	}{
		"nothing":               {nil, ""},
		"one alone":             {[]string{"1.200"}, ""},
		"no doubt":              {[]string{"0.25", "1.234,5"}, ""},
		"a point":               {[]string{"1.200", "0.25"}, "1234.5"},
		"a comma":               {[]string{"1.200", "0,25"}, "1.234,5"},
		"a comma, no thousands": {[]string{"1,200", "0,25"}, "1234,5"},
		"both signs":            {[]string{"1.200", "1.234,5"}, "1.234,5"},
		"two thousands":         {[]string{"1.200", "1.234.567"}, "1.234,5"},
		"commas and a point":    {[]string{"1,200", "12.5"}, "1,234.5"},
		"with units":            {[]string{"1.200 mi", "12,5 km", "8 yd3"}, "1.234,5"},
		"spaces":                {[]string{"1,200", "1 234,5"}, "1 234,5"},
		"apostrophes":           {[]string{"1.200", "1’234.5"}, "1'234.5"},
		"more than thousands":   {[]string{"1.200", "1234.567"}, "1234.5"},
		"less than one":         {[]string{"1.200", "0.234"}, "1234.5"},
		"both in doubt":         {[]string{"1.200", "1,200"}, ""},
		"against each other":    {[]string{"1.200", "0.25", "0,25"}, ""},
		"whole numbers":         {[]string{"1.200", "1200", "7"}, ""},
		"what is no number":     {[]string{"1.200", "n/a", "12.05.2026", "x 0.25"}, ""},
	} {
		var n sheet.Numbers
		for _, cell := range c.cells {
			n.Add(cell)
		}
		if got := n.Format(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// How a file is written is settled by its numbers, wherever they are, and where they do not
// settle it a point between commas is one before decimals, unless the heads are of a language
// that writes a comma there.
func TestSurvey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		o    sheet.Options
		want sheet.Form
	}{
		"another column":   {"source;energyKWh;volumeLitres\ngrid;1.200;\ndiesel;;2,5\n", sheet.Options{}, sheet.Form{NumberFormat: "1.234,5", Doubts: true}},
		"a text column":    {"source;energyKWh;description\ngrid;1.200;2,5\n", sheet.Options{}, sheet.Form{Doubts: true}},
		"an unknown one":   {"source;energyKWh;price\ngrid;1.200;2,5\n", sheet.Options{}, sheet.Form{Doubts: true}},
		"declared":         {"source;energyKWh\ngrid;1.200\ngrid;0.25\n", sheet.Options{NumberFormat: "1.234,5"}, sheet.Form{Doubts: true}},
		"tabs":             {"source\tenergyKWh\ngrid\t1.200\n", sheet.Options{}, sheet.Form{Doubts: true}},
		"between commas":   {"source,energyKWh\ngrid,1.200\n", sheet.Options{}, sheet.Form{}},
		"points there":     {"source,energyKWh\ngrid,1.200\ngrid,0.25\n", sheet.Options{}, sheet.Form{}},
		"a comma there":    {"source,energyKWh,hours\ngrid,1.200,\ngrid,,\"12,5\"\n", sheet.Options{}, sheet.Form{NumberFormat: "1.234,5"}},
		"commas there":     {"source,energyKWh\ngrid,\"1,200\"\ngrid,0.25\n", sheet.Options{}, sheet.Form{NumberFormat: "1,234.5"}},
		"against another":  {"source,energyKWh\ngrid,1.200\ngrid,0.25\ngrid,\"0,25\"\n", sheet.Options{}, sheet.Form{}},
		"a power of ten":   {"source,energyKWh\ngrid,1.200\ngrid,0.25\ngrid,1.5e3\n", sheet.Options{}, sheet.Form{}},
		"a German head":    {"Energieträger,energyKWh\nStrom,1.200\n", sheet.Options{}, sheet.Form{Doubts: true}},
		"a German title":   {"source,energyKWh,Nennleistung (kVA)\ngrid,1.200,\n", sheet.Options{}, sheet.Form{Doubts: true}},
		"a French head":    {"source,energyKWh,Prix total (€)\ngrid,1.200,\n", sheet.Options{}, sheet.Form{Doubts: true}},
		"German, settled":  {"Energieträger,energyKWh\nStrom,1.200\nStrom,0.25\n", sheet.Options{}, sheet.Form{NumberFormat: "1234.5", Doubts: true}},
		"an export":        {"_id,source,energyKWh,Strom\nr,grid,1.200\nr,grid,0.25\n", sheet.Options{Known: []string{"_id"}}, sheet.Form{Ours: true}},
		"too many cells":   {"energyKWh;x\n1.200;;0,25\n0.25\n", sheet.Options{}, sheet.Form{NumberFormat: "1234.5", Doubts: true}},
		"one that breaks":  {"energyKWh;x\n1.200\n0,25\na\"b\n", sheet.Options{}, sheet.Form{NumberFormat: "1.234,5", Doubts: true}},
		"nothing below it": {"energyKWh\n", sheet.Options{}, sheet.Form{}},
	} {
		got, err := sheet.DetectForm(strings.NewReader(c.file), "energy", c.o)
		got.Ignored, got.HeadRow, got.Rows = nil, 0, 0 // as the reader's
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v; want %+v", name, got, err, c.want)
		}
	}
	if _, err := sheet.DetectForm(strings.NewReader(""), "energy", sheet.Options{}); err == nil {
		t.Error("no file: no fault")
	}
}

// The heads of a template and of tables in English say nothing of how numbers are written.
func TestHeadsInEnglishWritePoints(t *testing.T) {
	t.Parallel()
	for _, typ := range append(footprint.Types(), footprint.OriginRows) {
		var names []string
		for _, c := range sheet.Columns(typ) {
			names = append(names, c.Name)
		}
		names = append(names, "Booking no.", "Fuel type", "Number of people", "Who pays", "Surface", "Days in lieu", "Café name")
		got, err := sheet.DetectForm(strings.NewReader(strings.Join(names, ",")+"\n"), typ, sheet.Options{})
		if err != nil || got.Doubts {
			t.Errorf("%s: %+v, %v", typ, got, err)
		}
	}
}

// A number with two readings is refused in every field of numbers that a type has, with
// how to say which is meant, and names its column.
func TestEveryFieldOfNumbersIsDoubted(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, typ := range append(footprint.Types(), footprint.OriginRows) {
		for _, c := range sheet.Columns(typ) {
			if c.Type != "number" && c.Type != "integer" {
				continue
			}
			for _, cell := range []string{"1.200", "\"1,200\""} {
				r, err := sheet.NewReader(strings.NewReader(c.Name+",x\n"+cell+",\n"), typ, sheet.Options{Doubts: true})
				if err != nil {
					t.Fatal(err)
				}
				row, err := r.Next()
				if err != nil {
					t.Fatal(err)
				}
				text, _ := json.Marshal(row.Err)
				if tried++; row.Err == nil || !strings.Contains(string(text), "AMBIGUOUS_NUMBER") || !strings.Contains(string(text), `"field":"`+c.Name) || !strings.Contains(string(text), "numberFormat") {
					t.Errorf("%s %s %s: %s %s", typ, c.Name, cell, row.Body, text)
				}
			}
		}
	}
	if tried < 60 {
		t.Errorf("%d fields were tried", tried)
	}
}

// The rows of origins have no stated object, but accept unambiguous numbers.
func TestNumbersOfOrigins(t *testing.T) {
	t.Parallel()
	rows, _, err := all("place,people\nBonn,1.234.567\nUlm,1 200\n", footprint.OriginRows, sheet.Options{})
	if err != nil || len(rows) != 2 || rows[0] != `2 {"place":"Bonn","people":1234567}` || rows[1] != `3 {"place":"Ulm","people":1200}` {
		t.Errorf("%q, %v", rows, err)
	}
}
