package sheet_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

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
