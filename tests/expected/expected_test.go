package expected

import (
	"bytes"
	"encoding/json"
	"flag"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write examples/london-conference/expected.csv anew")

const (
	exampleFolder = "../../examples/london-conference"
	sourceFolder  = "../../libs/factors/source"
)

// committedTotal is the footprint of the example event in kg CO2e. It is repeated here
// so that -update cannot change it unnoticed.
const committedTotal = "180649.182263"

func calculate(t *testing.T) Table {
	t.Helper()
	table, err := Calculate(exampleFolder, sourceFolder)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestCommittedTable(t *testing.T) {
	t.Parallel()
	table := calculate(t)
	path := filepath.Join(exampleFolder, "expected.csv")
	if *update {
		if err := table.writeFile(path); err != nil {
			t.Fatal(err)
		}
	}
	var want bytes.Buffer
	if err := table.Write(&want); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want.Bytes()) {
		t.Error("expected.csv is out of date; see its difference after go test ./expected -update")
	}
	if table.Total().String() != committedTotal {
		t.Errorf("the total is %s kg, committed is %s kg", table.Total(), committedTotal)
	}
	readme, err := os.ReadFile(filepath.Join(exampleFolder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), committedTotal) {
		t.Errorf("the README of the example does not contain %s", committedTotal)
	}
}

// TestReadmeShowsTheTable: the output of make demo in the README has the figures of each type.
func TestReadmeShowsTheTable(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	byType := map[string]Milligrams{}
	for _, row := range calculate(t) {
		byType[row.Type] += row.Kg
	}
	for typ, kg := range byType {
		if line := regexp.MustCompile(`(?m)^  ` + typ + ` +` + regexp.QuoteMeta(kg.String()) + ` `); !line.Match(readme) {
			t.Errorf("the README does not show %s for %s", kg, typ)
		}
	}
}

// TestPrintedColumnsGiveTheMasses verifies that the printed columns give the same
// figures in a spreadsheet.
func TestPrintedColumnsGiveTheMasses(t *testing.T) {
	t.Parallel()
	table, err := Read(filepath.Join(exampleFolder, "expected.csv"))
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range table {
		quantity, err := rational(row.Quantity)
		if err != nil {
			t.Fatal(err)
		}
		figure, err := rational(row.PerUnit)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := roundKg(quantity.Mul(quantity, figure)); err != nil || got != row.Kg {
			t.Errorf("%s %s: %s × %s = %s, but the table has %s (%v)", row.Record, row.FactorID, row.Quantity, row.PerUnit, got, row.Kg, err)
		}
	}
}

// TestFormulasFollowTheRecords verifies the handwritten journeys in the formulas: as
// many legs as the record has, doubled for a round trip, times its trips.
func TestFormulasFollowTheRecords(t *testing.T) {
	t.Parallel()
	records, err := readExample(exampleFolder)
	if err != nil {
		t.Fatal(err)
	}
	assignments, err := readAssignments()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records {
		if record.kind != "flights" {
			continue
		}
		reference := record.fields["externalReference"]
		via, _ := record.fields["via"].([]any)
		_, trips := record.fields["trips"]
		legs := 0
		for _, a := range assignments {
			if a.record != reference {
				continue
			}
			legs += strings.Count(strings.SplitN(a.formula, "*", 2)[0], "-")
			if double := strings.HasSuffix(a.formula, "*2"); double != (record.fields["roundTrip"] == true) {
				t.Errorf("%s: %s, roundTrip is %v", reference, a.formula, record.fields["roundTrip"])
			}
			if strings.Contains(a.formula, "*trips") != trips || !strings.Contains(a.formula, "*passengers") {
				t.Errorf("%s: %s", reference, a.formula)
			}
		}
		if legs != len(via)+1 {
			t.Errorf("%s: %d legs in the formulas, %d in the record", reference, legs, len(via)+1)
		}
	}
}

// TestDistancesAreFarFromHalfMetres verifies that no leg is so close to a half metre
// that the last bit of a sine matters.
func TestDistancesAreFarFromHalfMetres(t *testing.T) {
	t.Parallel()
	tables, err := readPublished(sourceFolder)
	if err != nil {
		t.Fatal(err)
	}
	assignments, err := readAssignments()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, a := range assignments {
		term := operators.Split(a.formula, 2)[0]
		if !route.MatchString(term) {
			continue
		}
		from, to, _ := strings.Cut(term, "-")
		m := metres(tables.airports[from], tables.airports[to])
		if _, part := math.Modf(m); math.Abs(part-0.5) < 1e-4 {
			t.Errorf("%s is %f m", term, m)
		}
		seen++
	}
	if seen < 50 {
		t.Errorf("only %d routes found", seen)
	}
}

// TestWorkedExamples verifies the worked examples of the reference data: distances and
// figures that were published or calculated elsewhere.
func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	tables, err := readPublished(sourceFolder)
	if err != nil {
		t.Fatal(err)
	}
	type example struct{ id, formula, factorID, km, kg string }
	for _, e := range []example{
		{"derived-01", "LHR-JFK", "desnz-2026-flight-long_haul-economy-rf", "5539.833", "648.382"},
		{"derived-02", "LHR-JFK", "desnz-2026-flight-long_haul-business-rf", "5539.833", "1880.219"},
		{"derived-03", "LHR-CDG*3", "desnz-2026-flight-short_haul-economy-rf", "1042.839", "131.148"},
		{"derived-04", "LHR-EDI-LHR*2", "desnz-2026-flight-domestic-average-rf", "2134.294", "489.351"},
		{"derived-05", "CDG-BER", "desnz-2026-flight-international_non_uk-economy-rf", "855.510", "93.387"},
	} {
		km, err := tables.quantity(e.formula, nil)
		if err != nil {
			t.Fatal(err)
		}
		near(t, e.id+" km", km, e.km, "0.004")
		figure, err := rational(tables.factors[e.factorID].perUnit)
		if err != nil {
			t.Fatal(err)
		}
		near(t, e.id+" kg", km.Mul(km, figure), e.kg, "0.0011")
	}
}

func near(t *testing.T, what string, got *big.Rat, want, tolerance string) {
	t.Helper()
	w, err := rational(want)
	if err != nil {
		t.Fatal(err)
	}
	most, err := rational(tolerance)
	if err != nil {
		t.Fatal(err)
	}
	if off := new(big.Rat).Sub(got, w); off.Abs(off).Cmp(most) > 0 {
		t.Errorf("%s: got %s, want %s", what, got.FloatString(6), want)
	}
}

func TestRounding(t *testing.T) {
	t.Parallel()
	for kg, want := range map[string]string{
		"0":               "0.000000",
		"0.0000005":       "0.000000", // half, rounded down to even
		"0.0000015":       "0.000002", // half, rounded up to even
		"0.00000150001":   "0.000002",
		"0.00000149999":   "0.000001",
		"0.0000025":       "0.000002",
		"123456.7890125":  "123456.789012",
		"123456.7890135":  "123456.789014",
		"9000000000.9995": "9000000000.999500",
	} {
		exact, err := rational(kg)
		if err != nil {
			t.Fatal(err)
		}
		got, err := roundKg(exact)
		if err != nil || got.String() != want {
			t.Errorf("%s: got %s, want %s (%v)", kg, got, want, err)
		}
		if back, err := ParseKg(want); err != nil || back != got {
			t.Errorf("%s reads as %s (%v)", want, back, err)
		}
	}
	for _, bad := range []string{"", "1/3", "0.0000001", "kg", "1e30"} {
		if got, err := ParseKg(bad); err == nil {
			t.Errorf("%q reads as %s", bad, got)
		}
	}
}

func TestFormula(t *testing.T) {
	t.Parallel()
	p := &published{defaults: map[string]string{"a.b": "177.0"}}
	record := fields{"days": json.Number("2"), "none": json.Number("0"), "name": "x"}
	got, err := p.quantity("[a.b]*10*days/365", record)
	if err != nil || got.Cmp(big.NewRat(3540, 365)) != 0 {
		t.Errorf("got %v (%v)", got, err)
	}
	for _, bad := range []string{"days/none", "weeks", "name", "[c]", "JFK-XXX", "1*", ""} {
		if got, err := p.quantity(bad, record); err == nil {
			t.Errorf("%q is %v", bad, got)
		}
	}
}

// TestExampleCoversTheMethods verifies that the example still covers what it is meant
// to show.
func TestExampleCoversTheMethods(t *testing.T) {
	t.Parallel()
	records, err := readExample(exampleFolder)
	if err != nil {
		t.Fatal(err)
	}
	if len(records) < 60 || len(records) > 100 {
		t.Errorf("%d records, want 60 to 100", len(records))
	}
	values := map[string]map[any]bool{}
	references := map[any]bool{}
	for _, r := range records {
		reference := r.fields["externalReference"]
		if reference == nil || references[reference] {
			t.Errorf("the reference %v is missing or not unique", reference)
		}
		references[reference] = true
		for name, value := range r.fields {
			if values[name] == nil {
				values[name] = map[any]bool{}
			}
			if list, ok := value.([]any); ok {
				value = len(list)
			}
			values[name][value] = true
		}
		for _, name := range []string{"date", "dataQuality", "description"} {
			if r.fields[name] == nil {
				t.Errorf("%v has no %s", reference, name)
			}
		}
	}
	for name, atLeast := range map[string]int{
		"class": 4, "from": 25, "group": 5, "dataQuality": 4, "treatment": 5, "material": 9, "country": 5, "via": 1, "trips": 1,
		"direction": 2, "electricityKWh": 4, "gasKWh": 2, "heatKWh": 1, "annualElectricityKWh": 1, "floorAreaM2": 2,
		"control": 2, "kind": 2, "respondents": 1, "renewablePercent": 1, "densityKgPerM3": 1, "kgCO2ePerRoomNight": 1,
	} {
		if got := len(values[name]); got < atLeast {
			t.Errorf("%s: %s different values, want %d", name, strconv.Itoa(got), atLeast)
		}
	}
}
