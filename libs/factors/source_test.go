package factors_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

// TestEveryFactorIsItsSourceRow compares all columns of all rows of all sets
// with the reference tables. A blank stays a blank, a printed zero a zero.
func TestEveryFactorIsItsSourceRow(t *testing.T) {
	t.Parallel()
	const (
		category, activity, detail, unit, kg, co2, ch4, n2o, wtt, region, year, source, location, columns = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16
	)
	rows := map[string][]string{}
	for _, name := range []string{"flights", "accommodation", "venue_energy", "waste", "grid_electricity", "ground-transport", "freight", "catering", "materials", "digital", "refrigerants", "gwp"} {
		f, err := os.Open("source/" + name + ".csv")
		if err != nil {
			t.Fatal(err)
		}
		table, err := csv.NewReader(f).ReadAll()
		_ = f.Close()
		if err != nil {
			t.Fatal(err)
		}
		if len(table[0]) != columns || table[0][kg] != "kgco2e_per_unit" {
			t.Fatalf("%s has the columns %v", name, table[0])
		}
		for _, r := range table[1:] {
			// The table names the Cayman Islands by the code of Cyprus.
			if r[0] == "elec.cy.ember.2023" && strings.HasPrefix(r[detail], "Cayman Islands") {
				r[0], r[region] = "elec.ky.ember.2023", "KY"
			}
			rows[r[0]] = r
		}
	}
	columnNames := map[int]string{co2: "CO2", ch4: "CH4", n2o: "N2O", wtt: "well-to-tank"}
	blanks, figures := 0, 0
	for _, s := range factors.Sets() {
		if s.Year < 2024 {
			continue // TestEarlierSets compares those with the workbooks of their years
		}
		for i, f := range s.Factors() {
			r, ok := rows[f.ID]
			if !ok {
				t.Errorf("%s of %s is in no table", f.ID, s.ID)
				continue
			}
			if r[columns-1] != "yes" {
				t.Errorf("%s of %s is not verified", f.ID, s.ID)
			}
			if f.Index != i || f.Category != r[category] || f.Activity != r[activity] || f.Detail != r[detail] || f.Unit != r[unit] || f.Region != r[region] || f.Source != r[source] || f.SourceLocation != r[location] {
				t.Errorf("%s of %s: %+v, the table has %q", f.ID, s.ID, f, r)
			}
			if f.Unit == "" || f.Region == "" || f.Source == "" || f.SourceLocation == "" || f.Licence == "" || (f.Year == 0) != (f.BestBefore() == "") || (f.Year == 0) != (r[year] == "") {
				t.Errorf("%s of %s lacks a part of its origin: %+v", f.ID, s.ID, f)
			}
			if total, err := decimal.Parse(r[kg]); err != nil || f.KgCO2e != total {
				t.Errorf("%s of %s is %s, printed %q", f.ID, s.ID, f.KgCO2e, r[kg])
			}
			for column, value := range map[int]factors.Value{co2: f.CO2, ch4: f.CH4, n2o: f.N2O, wtt: f.WTT} {
				if r[column] == "" {
					if blanks++; value.Published || !value.Decimal.IsZero() {
						t.Errorf("%s of %s: a blank %s became %v", f.ID, s.ID, columnNames[column], value)
					}
					continue
				}
				printed, err := decimal.Parse(r[column])
				if err != nil || !value.Published || value.Decimal != printed {
					t.Errorf("%s of %s: %v, printed %q", f.ID, s.ID, value, r[column])
				}
				figures++
			}
		}
	}
	if blanks < 5000 || figures < 1000 {
		t.Errorf("%d blanks and %d figures were compared", blanks, figures)
	}
}
