package sheet_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestDatesBelowForeignHeadings: French, Italian, Dutch, Spanish, Portuguese and German tables have the day first.
func TestDatesBelowForeignHeadings(t *testing.T) {
	t.Parallel()
	for heads, want := range map[string]string{
		"Départ,Date": "dmy", "Partenza,Date": "dmy", "Vertrek,Date": "dmy", "Fecha,Date": "dmy", "Passageiros,Date": "dmy", "Anzahl,Datum": "dmy", "From,Date": "",
	} {
		for dates, want := range map[string]string{"12/05/2026": want, "12/05/2026\nx,05/13/2026": "mdy", "12/05/2026\nx,05/13/2026\nx,13/05/2026": ""} {
			form, err := sheet.DetectForm(strings.NewReader(heads+"\nx,"+dates+"\n"), "flights", sheet.Options{Rules: sheet.Rules})
			if err != nil && !strings.Contains(err.Error(), "names no field") || form.DateOrder != want {
				t.Errorf("%s, %q: %q, want %q (%v)", heads, dates, form.DateOrder, want, err)
			}
		}
	}
}

// The order of day and month is settled by the other dates of a file, and where it is not, a
// date is read that can mean one day alone, and any other one refused.
func TestDatesOfAFile(t *testing.T) {
	t.Parallel()
	const fault = sheet.AmbiguousDate
	for name, c := range map[string]struct {
		o     sheet.Options
		dates []string
		order string
		want  string
	}{
		"one reading each":   {sheet.Options{}, []string{"09/09/2026", "13/04/2026", "2026-03-04", "2026/03/04"}, "dmy", "2026-09-09 2026-04-13 2026-03-04 2026-03-04"},
		"the day first":      {sheet.Options{}, []string{"03/04/2026", "13/04/2026"}, "dmy", "2026-04-03 2026-04-13"},
		"the month first":    {sheet.Options{}, []string{"04/13/2026", "03/04/2026"}, "mdy", "2026-04-13 2026-03-04"},
		"points":             {sheet.Options{}, []string{"03.04.2026", "09.09.2026"}, "", "2026-04-03 2026-09-09"},
		"points settle it":   {sheet.Options{}, []string{"03.04.2026", "03/04/2026"}, "dmy", "2026-04-03 2026-04-03"},
		"nothing settles it": {sheet.Options{}, []string{"03/04/2026", "09/09/2026", "2026-04-13", "soon"}, "", fault + " 2026-09-09 2026-04-13 soon"},
		"against each other": {sheet.Options{}, []string{"03/04/2026", "13/04/2026", "04/13/2026"}, "", fault + " 2026-04-13 2026-04-13"},
		"the month, points":  {sheet.Options{}, []string{"04.13.2026"}, "", fault},
		"declared":           {sheet.Options{DateOrder: "mdy"}, []string{"03/04/2026", "03.04.2026"}, "", "2026-03-04 2026-03-04"},
	} {
		file := "from,date\nLHR," + strings.Join(c.dates, "\nLHR,") + "\n"
		c.o.Rules = sheet.Rules
		form, err := sheet.DetectForm(strings.NewReader(file), "flights", c.o)
		if err != nil || form.DateOrder != c.order {
			t.Errorf("%s: %q, %v; want %q", name, form.DateOrder, err, c.order)
			continue
		}
		if c.o.DateOrder == "" {
			c.o.DateOrder = form.DateOrder
		}
		rows, _, err := all(file, "flights", c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for n, want := range strings.Fields(c.want) {
			row := fmt.Sprintf(`%d {"from":"LHR","date":"%s"}`, n+2, want)
			if want == fault {
				row = fmt.Sprintf("%d date %s", n+2, fault)
			}
			if rows[n] != row {
				t.Errorf("%s: %s, want %s", name, rows[n], row)
			}
		}
	}
	rows, _, err := all("from,date\nLHR,09.09.2026\n", "flights", sheet.Options{})
	if err != nil || len(rows) != 1 || rows[0] != "2 date "+fault {
		t.Errorf("as it was taken before: %q, %v", rows, err)
	}
}

// The days of stays settle the order as those of a column of dates do.
func TestDaysOfStaysSettleTheOrder(t *testing.T) {
	t.Parallel()
	const file = "Hotel,Check-in,Check-out,rooms\nHilton,31/08/2026,02/09/2026,40\nIbis,01/09/2026,05/09/2026,2\n"
	form, err := sheet.DetectForm(strings.NewReader(file), "accommodation", sheet.Options{Rules: sheet.Rules})
	if err != nil || form.DateOrder != "dmy" || len(form.Ignored) > 0 {
		t.Fatalf("%+v, %v", form, err)
	}
	rows, _, err := all(file, "accommodation", sheet.Options{Rules: sheet.Rules, DateOrder: form.DateOrder})
	if want := `[2 {"description":"Hilton","rooms":40,"nights":2} 3 {"description":"Ibis","rooms":2,"nights":4}]`; err != nil || fmt.Sprint(rows) != want {
		t.Errorf("%v, %v; want %s", rows, err, want)
	}
}

// TestRangesOfDaysInCells: the date of a record is the first day of a range, and a stay has no range for its first or
// last day, whose nights would be wrong.
func TestRangesOfDaysInCells(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"treatment;weightKg;date\nlandfill;9;19.–21.06.2026\n": `2 {"treatment":"landfill","weightKg":9,"date":"2026-06-19"}`,
		"treatment;weightKg;date\nlandfill;9;19.06.26\n":       `2 {"treatment":"landfill","weightKg":9,"date":"2026-06-19"}`,
	} {
		if got, _, err := all(file, "waste", sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{want}) {
			t.Errorf("%q: %q, %v, want %s", file, got, err, want)
		}
	}
	const stays = "rooms;Check-in;Check-out\n2;%s;%s\n"
	for days, want := range map[[2]string]string{
		{"19.06.26", "21.06.26"}: `2 {"rooms":2,"nights":2}`, {"19.06.2026", "19.–21.06.2026"}: "2 Check-out BAD_FORMAT", {"19.–21.06.2026", "21.06.2026"}: "2 Check-in BAD_FORMAT",
	} {
		if got, _, err := all(fmt.Sprintf(stays, days[0], days[1]), "accommodation", sheet.Options{Rules: sheet.Rules}); err != nil || !reflect.DeepEqual(got, []string{want}) {
			t.Errorf("%v: %q, %v, want %s", days, got, err, want)
		}
	}
}
