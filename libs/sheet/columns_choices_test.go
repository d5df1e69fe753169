package sheet_test

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

func choicesOf(t *testing.T, texts ...string) (choices []sheet.Choice) {
	t.Helper()
	for _, text := range texts {
		c, ok := sheet.ParseChoice(text)
		if !ok {
			t.Fatalf("%q is no choice", text)
		}
		choices = append(choices, c)
	}
	return choices
}

func TestParseChoice(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]sheet.Choice{
		"A:from":           {At: 0, Heading: "from"},
		"z:to":             {At: 25, Heading: "to"},
		" AA : Weight (t)": {At: 26, Heading: "Weight (t)"},
		"zz:":              {At: 701},
		"C:a:b":            {At: 2, Heading: "a:b"},
	} {
		if got, ok := sheet.ParseChoice(text); !ok || got != want {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "from", ":from", "1:from", "ABCD:from", "É:from", "A:" + strings.Repeat("x", 201), "A:\xff"} {
		if got, ok := sheet.ParseChoice(text); ok {
			t.Errorf("%.20q: %+v", text, got)
		}
	}
	if got := (sheet.Choice{At: 27, Heading: "to"}).String(); got != "AB:to" {
		t.Error(got)
	}
}

// choose returns a file with other headings.
func choose(file, typ string, o sheet.Options, choices []sheet.Choice) (string, []string, error) {
	var to strings.Builder
	before, err := sheet.ChooseColumns(&to, func() io.Reader { return strings.NewReader(file) }, func([]string) string { return typ }, o, choices)
	return to.String(), before, err
}

// TestChooseColumns: the columns that are chosen are read as such, rows keep their numbers, and everything below the headings
// its bytes.
func TestChooseColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		choices   []string
		want      string
		rows      []string
	}{
		"commas": {"flights", "Wo,Nach dort,pax\r\nLHR,JFK,2\r\n", []string{"A:from", "B:to"}, "\"from\",\"to\",\"pax\"\nLHR,JFK,2\r\n",
			[]string{`2 {"from":"LHR","to":"JFK","passengers":2}`}},
		"below titles": {"flights", "Expenses of 2026\n\nWhere,There\nLHR,JFK\nMAN,BER\n", []string{"A:from", "B:to"}, "\n\n\"from\",\"to\"\nLHR,JFK\nMAN,BER\n",
			[]string{`4 {"from":"LHR","to":"JFK"}`, `5 {"from":"MAN","to":"BER"}`}},
		"a declared separator": {"flights", "sep=|\nWhere|There\nLHR|JFK\n", []string{"B:to", "A:from"}, "sep=|\n\"from\"|\"to\"\nLHR|JFK\n",
			[]string{`2 {"from":"LHR","to":"JFK"}`}},
		"a mark and semicolons": {"flights", "\ufeffWhere; a, b;to\nLHR;x;JFK\n", []string{"A:from"}, "\"from\";\"a, b\";\"to\"\nLHR;x;JFK\n",
			[]string{`2 {"from":"LHR","to":"JFK"}`}},
		"returns": {"flights", "Expenses\r\"Wh,ere\",There\rLHR,JFK\r", []string{"A:from", "B:to"}, "\r\"from\",\"to\"\rLHR,JFK\r",
			[]string{`3 {"from":"LHR","to":"JFK"}`}},
		"a unit":           {"waste", "treatment,Load\nlandfill,1.5\n", []string{"B:Weight (t)"}, "", []string{`2 {"treatment":"landfill","stated":{"weightKg":"1.5 t"}}`}},
		"one left out":     {"waste", "treatment,Weight,weightKg\nlandfill,x,2\n", []string{"B:"}, "", []string{`2 {"treatment":"landfill","weightKg":2}`}},
		"one without head": {"waste", "treatment,\nlandfill,2\n", []string{"B:weightKg"}, "", []string{`2 {"treatment":"landfill","weightKg":2}`}},
		"one beyond":       {"waste", "treatment\nlandfill,2\n", []string{"B:weightKg"}, "", []string{`2 {"treatment":"landfill","weightKg":2}`}},
		"blank lines":      {"waste", "\n\nWhat,weightKg\n\nlandfill,2\n", []string{"A:treatment"}, "\n\n\"treatment\",\"weightKg\"\n\nlandfill,2\n", []string{`5 {"treatment":"landfill","weightKg":2}`}},
		"exchanged":        {"flights", "from,to\nLHR,JFK\n", []string{"A:to", "B:from"}, "", []string{`2 {"to":"LHR","from":"JFK"}`}},
		"headings in two rows": {"venue", "Hall,Electricity,Gas\n,kWh,kWh\nA,10,20\n", []string{"A:description"}, "\"description\",\"Electricity (kWh)\",\"Gas (kWh)\"\n\nA,10,20\n",
			[]string{`3 {"description":"A","electricityKWh":10,"gasKWh":20}`}},
		"nights of a stay": {"accommodation", "Von,Bis,rooms\n2026-09-01,2026-09-04,2\n", []string{"A:Check-in", "B:Check-out"}, "", []string{`2 {"rooms":2,"nights":3}`}},
		"all types":        {sheet.Mixed, "Art,treatment,weightKg\nwaste,landfill,2\n", []string{"A:type"}, "", []string{`2 {"treatment":"landfill","weightKg":2}`}},
		"a state":          {"flights", "from,to,x\nLHR,JFK,cancelled\n", []string{"C:Status"}, "", []string{"2 Status ROW_NOT_COUNTED"}},
	} {
		o := sheet.Options{Rules: sheet.Rules}
		var err error
		if o.HeadRow, err = sheet.HeadRow(strings.NewReader(c.file), o, c.typ); err != nil {
			t.Fatal(err)
		}
		got, _, err := choose(c.file, c.typ, o, choicesOf(t, c.choices...))
		if err != nil || c.want != "" && got != c.want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
			continue
		}
		if rows, _, err := all(got, c.typ, o); err != nil || !reflect.DeepEqual(rows, c.rows) {
			t.Errorf("%s: %q, %v; want %q", name, rows, err, c.rows)
		}
	}
}

// TestChoicesThatAreRefused: each fault says what is right.
func TestChoicesThatAreRefused(t *testing.T) {
	t.Parallel()
	const file = "Where,There,passengers\nLHR,JFK,2\n"
	for name, c := range map[string]struct {
		choices    []string
		code, says string
	}{
		"no such column":       {[]string{"D:from"}, "NOT_ALLOWED", "The file has no column D; its columns are A to C."},
		"twice":                {[]string{"A:from", "A:to"}, "DUPLICATE_KEY", "Column A is chosen twice."},
		"one field":            {[]string{"A:from", "B:from"}, "DUPLICATE_KEY", "The columns A and B are both chosen as from."},
		"one field, two words": {[]string{"A:passengers", "C:pax"}, "DUPLICATE_KEY", "passengers"},
		"a field that is there": {[]string{"A:Pax"}, "DUPLICATE_KEY",
			"Column A is chosen as passengers, which column C is. Leave that one out, as C:"},
		"unknown":          {[]string{"A:fron"}, "UNKNOWN_FIELD", "It may be from"},
		"unlike any field": {[]string{"A:Lieblingsfarbe"}, "UNKNOWN_FIELD", "Fields are distanceKm, via, from, to, "},
	} {
		_, _, err := choose(file, "flights", sheet.Options{Rules: sheet.Rules}, choicesOf(t, c.choices...))
		e, ok := errors.AsType[*apperr.Error](err)
		if !ok || len(e.Details) != 1 || e.Details[0].Field != "column" || e.Details[0].Code != c.code || !strings.Contains(e.Details[0].Message, c.says) {
			t.Errorf("%s: %+v", name, err)
			if ok {
				t.Log(e.Details)
			}
		}
	}
}

// TestTheLanguageOfChosenColumns: the headings of the file say how it writes numbers and days, not those that are chosen.
func TestTheLanguageOfChosenColumns(t *testing.T) {
	t.Parallel()
	const file = "Entsorgungsart,Gewicht,date\nlandfill,1.200,03.04.2026\n"
	o := sheet.Options{Rules: sheet.Rules}
	text, before, err := choose(file, "waste", o, choicesOf(t, "A:treatment", "B:weightKg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		before []string
		doubts bool
	}{{before, true}, {nil, false}} {
		o.Before = c.before
		if form, err := sheet.DetectForm(strings.NewReader(text), "waste", o); err != nil || form.Doubts != c.doubts {
			t.Errorf("with %q before: %+v, %v", c.before, form, err)
		}
	}
}

// TestReadColumns: each column with something in it is named, with what becomes of it.
func TestReadColumns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		want      []sheet.ReadColumn
	}{
		"stays": {"accommodation", "Check-in,Check-out,EZ,DZ,Colour,,\n2026-09-01,2026-09-04,1,,red,,\n2026-09-01,2026-09-04,,2,,5,\n", []sheet.ReadColumn{
			{Column: "A", Heading: "Check-in", Field: "nights", Examples: []string{"2026-09-01", "2026-09-01"}},
			{Column: "B", Heading: "Check-out", Field: "nights", Examples: []string{"2026-09-04", "2026-09-04"}},
			{Column: "C", Heading: "EZ", Field: "rooms", Examples: []string{"1"}},
			{Column: "D", Heading: "DZ", Field: "rooms", Examples: []string{"2"}},
			{Column: "E", Heading: "Colour", Ignored: true, Examples: []string{"red"}},
			{Column: "F", Ignored: true, Examples: []string{"5"}},
		}},
		"a quantity, long cells and many": {"waste", "treatment,Amount\n" + strings.Repeat("ä", 70) + ",1 t\n\n'=b,\nc,\nd,\n", []sheet.ReadColumn{
			{Column: "A", Heading: "treatment", Field: "treatment", Examples: []string{strings.Repeat("ä", 60) + "…", "=b", "c"}},
			{Column: "B", Heading: "Amount", NoUnit: true, Examples: []string{"1 t"}},
		}},
		"more cells than headings": {"waste", "treatment\nlandfill,2\n", []sheet.ReadColumn{
			{Column: "A", Heading: "treatment", Field: "treatment", Examples: []string{"landfill"}},
			{Column: "B", Ignored: true, Examples: []string{"2"}},
		}},
		"headings of nothing": {"waste", "treatment,Note,Remark\nlandfill,,\n", []sheet.ReadColumn{
			{Column: "A", Heading: "treatment", Field: "treatment", Examples: []string{"landfill"}},
			{Column: "B", Heading: "Note", Field: "description", Examples: []string{}},
			{Column: "C", Heading: "Remark", Ignored: true, Examples: []string{}},
		}},
		"units, and what headings may mean": {"waste", "Abfallart,Weight (t),Fee (EUR),Load (cwt),Weight (net),Weight (kg)\nglass,1,2,3,4,5\n", []sheet.ReadColumn{
			{Column: "A", Heading: "Abfallart", Field: "material", Examples: []string{"glass"}},
			{Column: "B", Heading: "Weight (t)", Field: "weightKg", Unit: "t", Examples: []string{"1"}},
			{Column: "C", Heading: "Fee (EUR)", Unit: "EUR", Ignored: true, Examples: []string{"2"}},
			{Column: "D", Heading: "Load (cwt)", Unit: "cwt", Ignored: true, Examples: []string{"3"}},
			{Column: "E", Heading: "Weight (net)", May: "weightKg", Ignored: true, Examples: []string{"4"}},
			{Column: "F", Heading: "Weight (kg)", Field: "weightKg", Unit: "kg", Examples: []string{"5"}},
		}},
		"what is only taken for its cells": {"flights", "clas,from,to,passengers,meal\neconomy,LHR,JFK,2,none\nbusiness,LHR,JFK,2,\n", []sheet.ReadColumn{
			{Column: "A", Heading: "clas", Examples: []string{"economy", "business"}},
			{Column: "B", Heading: "from", Field: "from", Examples: []string{"LHR", "LHR"}},
			{Column: "C", Heading: "to", Field: "to", Examples: []string{"JFK", "JFK"}},
			{Column: "D", Heading: "passengers", Field: "passengers", Examples: []string{"2", "2"}},
			{Column: "E", Heading: "meal", Ignored: true, Examples: []string{"none"}},
		}},
		"tax is no amount": {"purchases", "Betrag,Betrag (MwSt),Kosten (T€)\n1,2,3\n", []sheet.ReadColumn{
			{Column: "A", Heading: "Betrag", Field: "amount", Examples: []string{"1"}},
			{Column: "B", Heading: "Betrag (MwSt)", Ignored: true, Examples: []string{"2"}},
			{Column: "C", Heading: "Kosten (T€)", May: "amount", Unit: "T€", Ignored: true, Examples: []string{"3"}},
		}},
		"no field": {"flights", "Where,There\nLHR,JFK\n", []sheet.ReadColumn{
			{Column: "A", Heading: "Where", Ignored: true, Examples: []string{"LHR"}},
			{Column: "B", Heading: "There", Ignored: true, Examples: []string{"JFK"}},
		}},
		"people":        {footprint.OriginRows, "Name,Town\nAnn,Bonn\n", []sheet.ReadColumn{{Column: "A", Heading: "Name", Ignored: true, Examples: []string{"Ann"}}, {Column: "B", Heading: "Town", Field: "place", Examples: []string{"Bonn"}}}},
		"booking class": {"flights", "From,Buchungsklasse\nLHR,Business\n", []sheet.ReadColumn{{Column: "A", Heading: "From", Field: "from", Examples: []string{"LHR"}}, {Column: "B", Heading: "Buchungsklasse", Field: "class", Examples: []string{"Business"}}}},
		"nothing":       {"flights", "", nil},
	} {
		if got := sheet.ReadColumns(strings.NewReader(c.file), c.typ, sheet.Options{Rules: sheet.Rules}); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
