package sheet_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/sheet"
)

// The head is found below titles where a row names several fields, and nowhere else: what is
// read from there on has the numbers of its rows, also when columns are left out on the way.
func TestHeadsBelowTitles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		typ, file string
		head      int64
		want      string
	}{
		"a title":              {"flights", "Expenses 2026\n\nfrom,to\nLHR,JFK\n", 3, `4 {"from":"LHR","to":"JFK"}`},
		"titles with commas":   {"flights", "Expenses, London, 2026\r\nof J. Doe, Sales\r\nfrom;to;passengers\r\nLHR;JFK;2\r\n", 3, `4 {"from":"LHR","to":"JFK","passengers":2}`},
		"a title in quotes":    {"flights", "\"Expenses\n2026\",,\nfrom,to\nLHR,JFK\n", 2, `3 {"from":"LHR","to":"JFK"}`},
		"returns":              {"flights", "Expenses 2026\r\rfrom,to\rLHR,JFK\r", 3, `4 {"from":"LHR","to":"JFK"}`},
		"a declared separator": {"flights", "sep=;\nExpenses 2026\nfrom;to\nLHR;JFK\n", 2, `3 {"from":"LHR","to":"JFK"}`},
		"a mark":               {"flights", "\ufeffExpenses 2026\nfrom,to\nLHR,JFK\n", 2, `3 {"from":"LHR","to":"JFK"}`},
		"a field in a title":   {"flights", "Date,2026\nfrom,to,passengers\nLHR,JFK,2\n", 2, `3 {"from":"LHR","to":"JFK","passengers":2}`},
		"a year beside it":     {"waste", "Waste;Spring fair 2026\ntreatment;weightKg\nlandfill;1\n", 2, `3 {"treatment":"landfill","weightKg":1}`},
		"the tenth row":        {"flights", strings.Repeat("x\n", 9) + "from,to\nLHR,JFK\n", 10, `11 {"from":"LHR","to":"JFK"}`},
		"origins":              {footprint.OriginRows, "Attendees\n\nTown,Name,People\nBonn,Ann,2\n", 3, `4 {"place":"Bonn","people":2}`},
		"all types":            {sheet.Mixed, "Expenses\nfrom,to\ntype,from,to\nflights,LHR,JFK\n", 3, `4 {"from":"LHR","to":"JFK"}`},
		"the first row":        {"flights", "from,to\nfrom,to,passengers\n", 0, ""},
		"one field there":      {"flights", "from,x\nfrom,to\n", 0, ""},
		"an empty one above":   {"flights", "\nfrom,to\nLHR,JFK\n", 0, `3 {"from":"LHR","to":"JFK"}`},
		"too far":              {"flights", strings.Repeat("x\n", 10) + "from,to\nLHR,JFK\n", 0, "row 1"},
		"one field alone":      {"flights", "Expenses\nfrom,x\nLHR,y\n", 2, `3 {"from":"LHR"}`},
		"one below titles":     {"venue", "Energy report,,\nPeriod,June 2026,\nElectricity (kWh),,Remark\n1200,,x\n", 3, `4 {"electricityKWh":1200}`},
		"one of people":        {footprint.OriginRows, "Attendees of 2026\n\nPostcode\nSW1A 1AA\n", 3, `4 {"postcode":"SW1A 1AA"}`},
		"people as a title":    {footprint.OriginRows, "Attendees\nPostcode\nSW1A 1AA\n", 2, `3 {"postcode":"SW1A 1AA"}`},
		"a list of names":      {footprint.OriginRows, "Attendees\nAda Webb\n", 0, "row 1"},
		"a quantity":           {"water", "Meter 7\nConsumption\n3 m3\n", 2, `3 {"stated":{"supplyM3":"3 m3"}}`},
		"one above nothing":    {"water", "Meter 7\nNote\nsupplyM3,\n,3\n", 0, "row 1"},
		"one below a table":    {"water", "Meter,Hall,7\nsupplyM3,a,b\n3,,\n", 0, "row 1"},
		"one field twice":      {"flights", "Expenses\nfrom,From\nLHR,JFK\n", 2, "3 From DUPLICATE_KEY"},
		"nothing":              {"flights", "", 0, "row 1"},
	} {
		o := sheet.Options{Rules: sheet.Rules}
		got, err := sheet.HeadRow(strings.NewReader(c.file), o, c.typ)
		if err != nil || got != c.head {
			t.Errorf("%s: row %d, %v; want %d", name, got, err, c.head)
			continue
		}
		if c.want == "" {
			continue
		}
		o.HeadRow = got
		var only strings.Builder
		rows, _, err := all(c.file, c.typ, o)
		if c.want == "row 1" {
			if err == nil || !strings.Contains(err.Error(), "fault") {
				t.Errorf("%s: %q, %v", name, rows, err)
			}
			continue
		}
		if err != nil || len(rows) != 1 || rows[0] != c.want {
			t.Errorf("%s: %q, %v; want %s", name, rows, err, c.want)
		}
		if c.typ == sheet.Mixed {
			continue
		}
		if _, err := sheet.KeepColumns(&only, from(c.file), c.typ, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if rows, _, err := all(only.String(), c.typ, o); err != nil || len(rows) != 1 || rows[0] != c.want {
			t.Errorf("%s, its fields alone: %q, %v; want %s", name, rows, err, c.want)
		}
		if form, err := sheet.DetectForm(strings.NewReader(c.file), c.typ, o); err != nil || c.head > 0 && form.HeadRow != c.head {
			t.Errorf("%s: %+v, %v", name, form, err)
		}
	}
	if got, err := sheet.HeadRow(strings.NewReader("Attendees\ntype,origins\n"), sheet.Options{}, footprint.OriginRows, footprint.AttendeeTravel); err != nil || got != 2 {
		t.Errorf("of two types: %d, %v", got, err)
	}
}

// TestHeadsOfLongCells: looking for the headings among rows of long cells takes little memory: a workbook of some
// kilobytes has many megabytes of them.
func TestHeadsOfLongCells(t *testing.T) {
	// Not parallel: it counts what the process allocates.
	row := make([]string, 100)
	for i := range row {
		row[i] = strings.Repeat("q", 20_000)
	}
	rows := [][]string{row, row, row, row, append([]string{"from", "to"}, row[2:]...)}
	o := sheet.Options{Rules: sheet.Rules}
	sheet.HeadOf([][]string{{"from", "to"}}, o, "flights") // prepares the tables of headings
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	at := sheet.HeadOf(rows, o, "flights")
	joined := sheet.Headings(row, row, o, "flights")
	runtime.ReadMemStats(&after)
	if at != 4 || joined != nil {
		t.Errorf("the headings are in row %d; joined %.300q", at, joined)
	}
	const most = 96 << 20
	took := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d bytes", took)
	if took > most {
		t.Errorf("it took %d bytes", took)
	}
}
