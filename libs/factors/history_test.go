package factors_test

import (
	"compress/gzip"
	"encoding/csv"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/factors"
)

func compressedTable(t *testing.T, name string) [][]string {
	t.Helper()
	f, err := os.Open("source/" + name + ".csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// TestEarlierSets compares every UK figure of an earlier set's own year with the
// cell of the workbook that it names.
func TestEarlierSets(t *testing.T) {
	t.Parallel()
	const year, sheet, figure, cell = 0, 1, 6, 7
	printed := map[string]string{}
	for _, r := range compressedTable(t, "uk_desnz_by_year") {
		printed[r[year]+r[sheet]+"!"+r[cell]] = r[figure]
	}
	for _, s := range factors.Sets() {
		compared := 0
		for _, f := range s.Factors() {
			if f.Year != s.Year || s.Year > 2023 || !strings.Contains(f.Source, "before 2023 BEIS") {
				continue
			}
			want, err := decimal.Parse(printed[strconv.Itoa(f.Year)+f.SourceLocation])
			if err != nil || f.KgCO2e != want || f.WTT.Published || f.Fallback || f.Licence != "Open Government Licence v3.0" {
				t.Errorf("%s of %s is %+v, printed %v", f.ID, s.ID, f, want)
			}
			compared++
		}
		if s.Year < 2024 && compared < 250 {
			t.Errorf("%d figures of %s were compared", compared, s.ID)
		}
	}
}

// TestEarlierFigures verifies figures of the published workbooks, and that the nearest year is used for rows that a
// year lacks.
func TestEarlierFigures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ set, series, id, kg, upstream string }{
		{"desnz-2019", "desnz-flight-long_haul-economy-rf", "desnz-2019-flight-long_haul-economy-rf", "0.14981", "desnz-2024-flight-long_haul-economy-rf"},
		{"desnz-2019", "elec.gb.location", "elec.gb.location.2019", "0.2556", "elec.gb.location.2024"},
		{"desnz-2020", "elec.gb.location", "elec.gb.location.2020", "0.23314", "elec.gb.location.2024"},
		{"desnz-2022", "elec.gb.location", "elec.gb.location.2022", "0.19338", "elec.gb.location.2024"},
		{"desnz-2023", "desnz-rail-national", "desnz-2023-rail-national", "0.03546296376", "desnz-2025-rail-national"},
		{"desnz-2019", "elec.fr.ember", "elec.fr.ember.2019", "0.05979", ""},
		{"desnz-2019", "elec.ky.ember", "elec.ky.ember.2019", "0.64255", ""},
		{"desnz-2022", "acc.hotel.gb", "acc.hotel.gb.2022", "10.4", ""},
	} {
		s, err := factors.ByID(c.set)
		if err != nil {
			t.Fatal(err)
		}
		f, ok := s.Lookup(c.series)
		if !ok || f.ID != c.id || c.series != "elec.ky.ember" && f.KgCO2e.String() != c.kg {
			t.Errorf("%s of %s is %s %v, want %s", c.series, c.set, f.ID, f.KgCO2e, c.kg)
		}
		if c.upstream == "" {
			continue
		}
		if up := s.Complete(&f, func(f *factors.Factor) bool { return f.WTT.Published }); up == nil || up.ID != c.upstream {
			t.Errorf("the upstream part of %s of %s is that of %v, want %s", c.series, c.set, up, c.upstream)
		}
	}
}

// TestEarlierSetsAreNeverChosen holds that a start date chooses no set of an
// earlier year.
func TestEarlierSetsAreNeverChosen(t *testing.T) {
	t.Parallel()
	for year := 2015; year <= 2030; year++ {
		s, notice := factors.ForStart(strconv.Itoa(year) + "-06-01")
		if s.Year < 2024 || notice != (year < 2024) {
			t.Errorf("%d gets %s, notice %v", year, s.ID, notice)
		}
	}
	if s, _ := factors.ForStart(""); s.ID != "desnz-2026" {
		t.Errorf("no start date gets %s", s.ID)
	}
}

// TestSetsOfAYear holds which set an event of a year can adopt: that of the year where
// one is held, else the newest before it.
func TestSetsOfAYear(t *testing.T) {
	t.Parallel()
	for year, want := range map[int]string{2018: "desnz-2018", 2022: "desnz-2022", 2024: "desnz-2024", 2026: "desnz-2026", 2031: "desnz-2026"} {
		if s := factors.OfYear(year); s == nil || s.ID != want {
			t.Errorf("of %d: %v, want %s", year, s, want)
		}
	}
	if s := factors.OfYear(2017); s != nil {
		t.Errorf("an event before all sets can adopt %s", s.ID)
	}
}
