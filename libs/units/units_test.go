package units_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/units"
)

func target(t *testing.T, field string) units.Target {
	t.Helper()
	out, ok := units.OfField(field)
	if !ok {
		t.Fatalf("%s has no unit", field)
	}
	return out
}

func TestParse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ field, text, format, want string }{
		{"distanceKm", "112 mi", "", "180.246528"},
		{"distanceKm", "112miles", "", "180.246528"},
		{"distanceKm", "1,234.5 km", "", "1234.5"},
		{"distanceKm", "1.234,5 km", "", "1234.5"},
		{"distanceKm", "1,200 mi", "1,234.5", "1931.2128"},
		{"distanceKm", "1,2 mi", "1.234,5", "1.9312128"},
		{"distanceKm", "42", "", "42"},
		{"distanceKm", "0.125 km", "", "0.125"},
		{"distanceKm", "1 234 567 km", "", "1234567"},
		{"distanceKm", "1'234.5 km", "", "1234.5"},
		{"weightKg", "94 kg", "", "94"},
		{"weightKg", "1.2 t", "", "1200"},
		{"weightKg", "1.2 Mg", "", "1200"},
		{"weightKg", "1,2 Tonnen", "", "1200"},
		{"weightKg", "500 Gramm", "", "0.5"},
		{"distanceKm", "10 Meilen", "", "16.09344"},
		{"distanceKm", "7 Kilometer", "", "7"},
		{"distanceKm", "2 Seemeilen", "", "3.704"},
		{"floorAreaM2", "80 Quadratmeter", "", "80"},
		{"volumeLitres", "3 Kubikmeter", "", "3000"},
		{"volumeLitres", "2 Hektoliter", "", "200"},
		{"electricityKWh", "2 Megawattstunden", "", "2000"},
		{"weightKg", "10 lbs", "", "4.5359237"},
		{"volumeLitres", "12 imp gal", "", "54.55308"},
		{"volumeLitres", "8 yd3", "", "6116.438863872"},
		{"volumeLitres", "8 yd³", "", "6116.438863872"},
		{"volumeLitres", "3 m3", "", "3000"},
		{"supplyM3", "12 m³", "", "12"},
		{"supplyM3", "500 l", "", "0.5"},
		{"floorAreaM2", "10,000 sq ft", "1,234.5", "929.0304"},
		{"floorAreaM2", "900 m2", "", "900"},
		{"electricityKWh", "1.2 GWh", "", "1200000"},
		{"gasKWh", "3.6 MJ", "", "1"},
		{"distanceKm", "  7  ", "1234.5", "7"},
	} {
		f, _ := units.ParseFormat(c.format)
		tg := target(t, c.field)
		m, err := units.Parse(c.text, tg, f)
		if err != nil {
			t.Errorf("%s %q: %v", c.field, c.text, err)
			continue
		}
		if got, err := m.In(tg); err != nil || got.String() != c.want {
			t.Errorf("%s %q = %v, %v; want %s", c.field, c.text, got, err, c.want)
		}
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	tg := target(t, "volumeLitres")
	for _, text := range []string{"1,200 l", "1.200 l", "12,345", "999.999"} {
		_, err := units.Parse(text, tg, units.Format{})
		e, ok := errors.AsType[*units.AmbiguousNumberError](err)
		if !ok || e.Readings[0] == e.Readings[1] || !strings.Contains(err.Error(), e.Readings[0]) || !strings.Contains(err.Error(), e.Readings[1]) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for text, least := range map[string]int{"5 gal": 2, "5 gallons": 2, "2 pints": 2, "2 ML": 2, "2 Ml": 2} {
		_, err := units.Parse(text, tg, units.Format{})
		if e, ok := errors.AsType[*units.AmbiguousUnitError](err); !ok || len(e.Meanings) < least {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"5 kg", "5 furlongs", "5 x l"} {
		_, err := units.Parse(text, tg, units.Format{})
		if e, ok := errors.AsType[*units.UnknownUnitError](err); !ok || len(e.Offered) == 0 {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "l", "five l", "-5 l", "1..2 l", "1,23,4 l", "1 23 l", "NaN", "1e5 l", "٣ l", "1.2.3,4,5", strings.Repeat("9", 61), "12 34 l"} {
		_, err := units.Parse(text, tg, units.Format{})
		if _, ok := errors.AsType[*units.SyntaxError](err); !ok {
			t.Errorf("%q: %v", text, err)
		}
	}
	f, _ := units.ParseFormat("1.234,5")
	if d, err := units.ParseNumber("1,234.5", f); err == nil {
		t.Errorf("1,234.5 in a format with a decimal comma is %v", d)
	}
}

// TestEveryNameHasItsPlural goes over all names of the table: what one of a unit is
// called, several of it may be, and mean the same or are refused as the same.
func TestEveryNameHasItsPlural(t *testing.T) {
	t.Parallel()
	file, err := os.Open("source/unit_conversions.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	irregular := map[string]string{"foot": "feet", "sq ft": "sq ft", "cu ft": "cu ft"}
	tried := 0
	for _, row := range rows[1:] {
		for name := range strings.SplitSeq(row[1], "|") {
			one, err := units.ByName(name, row[2])
			if _, unknown := errors.AsType[*units.UnknownUnitError](err); unknown {
				if slices.Contains([]string{"length", "area", "volume", "mass", "energy"}, row[2]) {
					t.Errorf("%s is no unit of %s", name, row[2])
				}
				continue // of a dimension that no field has
			}
			words := strings.Fields(name)
			last := words[len(words)-1]
			words[len(words)-1] = last + "s"
			switch {
			case irregular[last] != "":
				words[len(words)-1] = irregular[last]
			case len(last) == 1, strings.HasSuffix(last, "s"), strings.ContainsAny(last, "23²³"):
				words[len(words)-1] = last // l, lbs and m2 have no other plural
			}
			plural := strings.Join(words, " ")
			several, other := units.ByName(plural, row[2])
			tried++
			if several != one || fmt.Sprintf("%T", err) != fmt.Sprintf("%T", other) {
				t.Errorf("%s is %v (%v), %s is %v (%v)", name, one, err, plural, several, other)
			}
		}
	}
	if tried < 120 {
		t.Errorf("%d names were tried", tried)
	}
	for field, texts := range map[string]map[string]string{
		"weightKg": {
			"3 short tons": "2721.55422", "3 long tons": "3048.1407264", "3 metric tons": "3000", "2 UK tons": "2032.0938176", "2 stones": "12.70058636",
		},
		"volumeLitres": {
			"100 US gallons": "378.5411784", "100 imperial gallons": "454.609", "2 UK pints": "1.1365225", "5 mls": "0.005", "2 cubic meters": "2000", "3 yd³": "2293.664573952",
		},
	} {
		tg := target(t, field)
		for text, want := range texts {
			m, err := units.Parse(text, tg, units.Format{})
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			if got, err := m.In(tg); err != nil || got.String() != want {
				t.Errorf("%s = %v, %v; want %s", text, got, err, want)
			}
		}
	}
	for _, text := range []string{"5 ms", "5 mss", "5 s"} {
		if _, err := units.Parse(text, target(t, "distanceKm"), units.Format{}); err == nil {
			t.Errorf("%s is a distance", text)
		}
	}
}

// TestThereAndBack holds that converting to a field's unit and back is exact.
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		field := rapid.SampledFrom([]string{"distanceKm", "floorAreaM2", "supplyM3", "volumeLitres", "weightKg", "gasKWh"}).Draw(rt, "field")
		tg := target(t, field)
		name := rapid.SampledFrom(units.Offered(tg.Dimension)).Draw(rt, "unit")
		u, err := units.ByName(name, tg.Dimension)
		if err != nil {
			rt.Fatal(err)
		}
		n := units.Rat(decimal.New(rapid.Int64Range(0, 999_999_999_999).Draw(rt, "number"), rapid.IntRange(0, 9).Draw(rt, "decimals")))
		one := tg.Convert(big.NewRat(1, 1), u)
		if back := new(big.Rat).Quo(tg.Convert(n, u), one); back.Cmp(n) != 0 {
			rt.Fatalf("%v %s comes back as %v", n, name, back)
		}
	})
}

// TestWrittenNumbersAreRead holds that a number written in a declared format is
// read as that number, and never as another one without the declaration.
func TestWrittenNumbersAreRead(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		sample := rapid.SampledFrom(units.Formats()).Draw(rt, "format")
		f, ok := units.ParseFormat(sample)
		if !ok {
			rt.Fatal(sample)
		}
		n := decimal.New(rapid.Int64Range(0, 99_999_999_999).Draw(rt, "number"), rapid.IntRange(0, 4).Draw(rt, "decimals"))
		text := written(n, f)
		if got, err := units.ParseNumber(text, f); err != nil || got != n {
			rt.Fatalf("%s in %s = %v, %v; want %v", text, sample, got, err, n)
		}
		if got, err := units.ParseNumber(text, units.Format{}); err == nil && got != n {
			rt.Fatalf("%s without a format = %v; want %v or an error", text, got, n)
		}
	})
}

func written(n decimal.Decimal, f units.Format) string {
	whole, decimals, has := strings.Cut(n.String(), ".")
	if f.Group != 0 {
		var parts []string
		for len(whole) > 3 {
			parts = append(parts, whole[len(whole)-3:])
			whole = whole[:len(whole)-3]
		}
		parts = append(parts, whole)
		slices.Reverse(parts)
		whole = strings.Join(parts, string(f.Group))
	}
	if has {
		return whole + string(f.Decimal) + decimals
	}
	return whole
}

func TestHeadingsInOtherUnits(t *testing.T) {
	t.Parallel()
	known := []string{"distanceKm", "weightKg", "volumeLitres", "electricityKWh", "floorAreaM2", "densityKgPerM3", "days"}
	for heading, want := range map[string]string{
		"distanceMiles": "distanceKm mi", "Distance (miles)": "distanceKm mi", "distance_mi": "distanceKm mi", "weightTonnes": "weightKg t",
		"weightLbs": "weightKg lb", "electricityMWh": "electricityKWh MWh", "floorAreaSqFt": "floorAreaM2 ft2", "volumeM3": "volumeLitres m3",
	} {
		field, unit, ok := units.FieldMeant(heading, known)
		if !ok || field+" "+unit.Symbol != want {
			t.Errorf("%s: %s %v", heading, field, unit)
		}
	}
	for _, heading := range []string{"distanceKm", "distance", "weightStuff", "days", "densityLbPerM3", "volumeGallons"} {
		if field, unit, ok := units.FieldMeant(heading, known); ok {
			t.Errorf("%s means %s in %v", heading, field, unit)
		}
	}
}

func TestStem(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{"distanceKm": "distance", "floorAreaM2": "floorArea", "supplyM3": "supply", "volumeLitres": "volume", "gasKWh": "gas", "densityKgPerM3": "", "days": ""} {
		if got := units.Stem(field); got != want {
			t.Errorf("%s: %q", field, got)
		}
	}
}

// A date with its month as a word means one day in every order.
func TestDatesWithTheirMonthAsAWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2 Sep 2026": "2026-09-02", "02-Sep-2026": "2026-09-02", "2. September 2026": "2026-09-02", "Sep 2, 2026": "2026-09-02", "September 2nd, 2026": "2026-09-02",
		"02SEP2026": "2026-09-02", "2-Sep-26": "2026-09-02", "02SEP26": "2026-09-02", "2 sept. 2026": "2026-09-02", "Wed 2 Sept 2026": "2026-09-02",
		"Mittwoch, 2. September 2026": "2026-09-02", "1. März 2026": "2026-03-01", "1er mars 2026": "2026-03-01", "2 août 2026": "2026-08-02", "2026 Sep 2": "2026-09-02", "2026-Sep-02": "2026-09-02",
		"12 de mayo de 2026": "2026-05-12", "12 maggio 2026": "2026-05-12", "12 mei 2026": "2026-05-12", "12 de maio de 2026": "2026-05-12", "12. maj 2026": "2026-05-12",
		"12 maja 2026": "2026-05-12", "12. května 2026": "2026-05-12", "12. toukokuuta 2026": "2026-05-12", "2026. május 12.": "2026-05-12", "12 Mayıs 2026": "2026-05-12",
		"12 mai 2026": "2026-05-12", "12 Μαΐου 2026": "2026-05-12", "2026. 05. 12.": "2026-05-12", "2026年5月12日": "2026-05-12", "12 listopada 2026": "", "2026年13月12日": "",
		"31 Sep 2026": "", "2 Sep": "", "Sep 2026": "", "Sep 2 26": "", "2 Foo 2026": "", "2 Sep Oct 2026": "", "2 Sep 2026 10:00": "2026-09-02", "2 Sep 2026 12": "", "1 Sep 0000": "", "Sep": "", "": "", "mon": "",
	} {
		for _, order := range append(units.Orders(), "") {
			if got, err := units.ParseDate(text, order); got != want || (err == nil) != (want != "") {
				t.Errorf("%q, %q: %q, %v; want %q", text, order, got, err, want)
			}
		}
	}
}

func TestParseDate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, order, want string }{
		{"2026-10-01", "", "2026-10-01"}, {"01/10/2026", "dmy", "2026-10-01"}, {"01/10/2026", "mdy", "2026-01-10"},
		{"1.10.2026", "dmy", "2026-10-01"}, {"2026/10/01", "ymd", "2026-10-01"}, {"2026-10-01", "dmy", "2026-10-01"},
	} {
		if got, err := units.ParseDate(c.text, c.order); err != nil || got != c.want {
			t.Errorf("%s %s = %s, %v", c.text, c.order, got, err)
		}
	}
	for _, text := range []string{"2026-10-01T14:30:00", "2026-10-01 14:30", "2026-10-01T14:30:00.000+02:00", "2026-10-01T14:30Z", "01.10.2026 14:30 Uhr", "01/10/2026, 2:30 pm", "1.10.2026 9:05:00"} {
		if got, err := units.ParseDate(text, "dmy"); err != nil || got != "2026-10-01" {
			t.Errorf("%q, with a time: %s, %v", text, got, err)
		}
	}
	_, err := units.ParseDate("01/10/2026", "")
	e, ok := errors.AsType[*units.AmbiguousDateError](err)
	if !ok || !slices.Equal(e.Readings, []string{"2026-10-01", "2026-01-10"}) {
		t.Errorf("01/10/2026: %v", err)
	}
	for text, want := range map[string]string{
		"13/04/2026": "2026-04-13", "04/13/2026": "2026-04-13", "09/09/2026": "2026-09-09", "13-04-2026": "2026-04-13", "2026/4/3": "2026-04-03",
		"03.04.2026": "2026-04-03", "9. 9. 2026": "2026-09-09", "2026.04.03": "2026-04-03",
		"04.13.2026": "? 2026-04-13", "03/04/2026": "? 2026-04-03 2026-03-04", "3-4-2026": "? 2026-04-03 2026-03-04",
	} {
		_, err := units.ParseDate(text, "")
		e, ok := errors.AsType[*units.AmbiguousDateError](err)
		if !ok {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got := strings.Join(e.Readings, " ")
		if !e.Sure {
			got = "? " + got
		}
		if got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"13/04/2026": "dmy", "04/13/2026": "mdy", "09/09/2026": "dmy mdy", "03.04.2026": "dmy", "04.13.2026": "", "13/04/2026 08:12": "dmy", "2026-04-03": "", "2026/04/03": "", "x": ""} {
		if got := strings.Join(units.OrdersOf(text), " "); got != want {
			t.Errorf("orders of %s: %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", "32/01/2026", "01/10/26", "tomorrow", "2026-13-01", "01/10/26 14:30", "14:30", "2026-10-01 25", "2026-10-01 14:30 x"} {
		if got, err := units.ParseDate(text, "dmy"); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
}

func TestRoundedSaysWhatItKeeps(t *testing.T) {
	t.Parallel()
	third, err := units.Rounded(big.NewRat(1, 3))
	if err != nil || third.String() != "0.333333333333" {
		t.Errorf("1/3 is %v, %v", third, err)
	}
	if _, err := units.Rounded(new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil))); err == nil {
		t.Error("10^40 fits")
	}
}

// TestLongTextsAreNoDates: a cell of a file may be as long as the file, and is refused in a time
// that grows with its length alone.
func TestLongTextsAreNoDates(t *testing.T) {
	for _, part := range []string{"0", "a", "é", " ", "2026"} {
		text := strings.Repeat(part, 20_000)
		if n := testing.AllocsPerRun(1, func() {
			if _, err := units.ParseDate(text, ""); err == nil {
				t.Errorf("%.10s… is a date", text)
			}
		}); n > 100 {
			t.Errorf("%.10s… takes %v allocations", text, n)
		}
	}
}

// TestRangesOfDays: a range is its first day, if its last one is not before it and of the same year.
func TestRangesOfDays(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"19.–21.06.2026", "19.-21.06.2026", "19. – 21.6.2026", "19.06.–21.06.2026", "19.06.2026 - 21.06.2026", "19.06.2026–21.06.2026", "19.06.2026 bis 21.06.2026", "19.06.26", "19.6.26", "19.06.26 - 21.06.26",
		"19.-21. Juni 2026", "19-21 June 2026", "19 June - 21 June 2026", "June 19 – July 2, 2026", "June 19-21, 2026", "2026-06-19 – 2026-06-21", "2026-06-19 to 2026-06-21", "19. Juni 2026 bis 2. Juli 2026",
	} {
		if day, err := units.ParseDate(text, "dmy"); day != "2026-06-19" || err != nil {
			t.Errorf("%s: %q, %v", text, day, err)
		}
		day, err := units.ParseDate(text, "")
		if e, ok := errors.AsType[*units.AmbiguousDateError](err); err != nil && (!ok || !e.Sure) || err == nil && day != "2026-06-19" {
			t.Errorf("%s without an order: %q, %v", text, day, err)
		}
	}
	for _, text := range []string{"21.–19.06.2026", "19.06.2026 - 18.06.2026", "30.12.2026 - 02.01.2027", "19.–31.06.2026", "19-06-26", "19/06/26", "06.19.26", "June 19", "19.06. - 21.06.", "1-2-2026 - 3", "19.06.2026 - soon"} {
		if day, err := units.ParseDate(text, "dmy"); err == nil {
			t.Errorf("%s is %s", text, day)
		}
	}
	if _, err := units.ParseDate("03/04/2026 - 05/04/2026", ""); !strings.Contains(fmt.Sprint(err), "2026-04-03 or 2026-03-04") {
		t.Errorf("an order that is not declared: %v", err)
	}
	if got := units.OrdersOf("06/19/2026 - 06/21/2026"); !slices.Equal(got, []string{"mdy"}) {
		t.Errorf("orders of a range: %v", got)
	}
}
