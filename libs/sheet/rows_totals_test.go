package sheet_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestTotals: a row of totals is refused with that explanation, and no other row
// is taken for one.
func TestTotals(t *testing.T) {
	t.Parallel()
	hotels := "Hotel,City,rooms,nights,Amount,Currency\nHilton,London,12,3,5040,GBP\nIbis,London,5,2,800,GBP\n"
	for name, c := range map[string]struct {
		typ, file string
		want      []string
	}{
		"labelled":             {"waste", "treatment,weightKg\nlandfill,1\nlandfill,2\nTotal:,3\n", []string{"4 treatment TOTALS_ROW"}},
		"in an ignored column": {"waste", "nr,treatment,weightKg\n1,landfill,1\nSUMME,,1\n", []string{"3 nr TOTALS_ROW"}},
		"without label":        {"waste", "treatment,weightKg\nlandfill,1.5\nlandfill,2\n,3.5\n", []string{"4  TOTALS_ROW"}},
		"with separators":      {"waste", "treatment,weightKg\nlandfill,900\nlandfill,600\n,\"1,500\"\n", []string{"4  TOTALS_ROW"}},
		"a description":        {"waste", "treatment,weightKg,description\nlandfill,1,x\nlandfill,2,Total\n", nil},
		"an equal row":         {"waste", "treatment,weightKg\nlandfill,1\nlandfill,2\nlandfill,3\n", nil},
		"with a currency":      {"accommodation", hotels + "Total,,17,5,5840,GBP\n", []string{"4 Hotel TOTALS_ROW"}},
		"of amounts":           {"accommodation", hotels + "Total,-,,,\"£5,840.00\",\n", []string{"4 Hotel TOTALS_ROW"}},
		"with other texts":     {"accommodation", hotels + "Total,all cities,17,,,\n", []string{"4 Hotel TOTALS_ROW"}},
		"of what":              {"accommodation", hotels + "Grand total for June 2026,,17,,,\n", []string{"4 Hotel TOTALS_ROW"}},
		"of groups": {"accommodation", "Hotel,rooms,nights\nHilton,12,3\nHilton,4,3\nHilton Total,16,6\nIbis,5,2\nIbis,6,2\nTotal Ibis,11,4\nGesamtergebnis,27,10\n",
			[]string{"4 Hotel TOTALS_ROW", "7 Hotel TOTALS_ROW", "8 Hotel TOTALS_ROW"}},
		"of groups without labels":  {"accommodation", "Hotel,rooms,nights\nHilton,12,3\nHilton,4,3\n,16,6\nIbis,5,2\nIbis,6,2\n,11,4\n", []string{"4  TOTALS_ROW", "7  TOTALS_ROW"}},
		"in other words":            {"venue", "Site,Electricity (kWh),Gas (kWh)\nHall 1,4000,1000\nHall 2,2000,500\nAll sites,6000,1500\nAll saints hall,70,80\n", []string{"4 Site TOTALS_ROW"}},
		"of one row":                {"accommodation", "Hotel,City,rooms,nights\nIbis,Bonn,5,2\nTotal Ibis,x,5,2\n", []string{"3 Hotel TOTALS_ROW"}},
		"a brand":                   {"energy", "Station,Product,Litres\nTOTAL,Diesel,20\nTOTAL,Diesel,30\nTOTAL,Diesel,50\n", nil},
		"a reference":               {"waste", "externalReference,treatment,weightKg\na-1,landfill,1\na-2,landfill,2\nsite-total,landfill,3\nskip2total,landfill,6\nTotal,,12\n", []string{"6 externalReference TOTALS_ROW"}},
		"of an export":              {"waste", "_id,treatment,weightKg,description\nr1,landfill,1,x\nr2,landfill,2,y\nr3,landfill,3,Total of the week\n,,6,Total\n", []string{"5 description TOTALS_ROW"}},
		"a thing":                   {"purchases", "category,amount,currency,description\nav_hire,100,GBP,Laser\nav_hire,250,GBP,Total station\n", nil},
		"a client of a journey":     {"flights", "from,to,passengers,description\nLHR,JFK,1,Kick-off\nLHR,CDG,2,Total Energies\n", nil},
		"of cancelled rows as well": {"accommodation", "Hotel,City,rooms,nights,Status\nIbis,Bonn,5,2,ok\nIbis,Bonn,3,2,cancelled\nTotal,both,8,,\n", []string{"4 Hotel TOTALS_ROW"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rows, _, err := all(c.file, c.typ, sheet.Options{Rules: sheet.Rules, Known: []string{"_id"}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, row := range rows {
				if strings.Contains(row, sheet.TotalsRow) {
					got = append(got, row)
				}
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q of %q, want %q", got, rows, c.want)
			}
		})
	}
	// A file that an earlier release took is read as it was then.
	rows, _, err := all(hotels+"Total,,17,5,5840,GBP\n", "accommodation", sheet.Options{})
	if err != nil || len(rows) != 3 || strings.Contains(rows[2], sheet.TotalsRow) {
		t.Errorf("as before: %q, %v", rows, err)
	}
}
