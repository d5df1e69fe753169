package footprint_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// library is an organization's, in which each name has one version.
type library map[string]footprint.SupplierFactor

func (l library) SupplierFactor(reference, _ string) (footprint.SupplierFactor, string, error) {
	if reference == "broken" {
		return footprint.SupplierFactor{}, "", errors.New("the store is away")
	}
	name, _, _ := strings.Cut(reference, "@")
	f, ok := l[name]
	if !ok {
		return f, "", &footprint.UnknownSupplierFactorError{Message: "There is none.", Offered: []string{"Guardian Events, services"}}
	}
	f.Name = name
	return f, "", nil
}

func number4(text string) decimal.Decimal {
	d, err := decimal.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return d
}

func ofFactor(text string) *decimal.Decimal {
	d := number4(text)
	return &d
}

var suppliers = library{
	"Fireworks Ltd, display shells": {ID: "a", Version: 2, KgCO2ePerUnit: number4("3.5"), Unit: "shell", Stage: "combined", Source: "EPD 17, table 3", ValidFrom: "2025-01-01", ValidTo: "2026-12-31",
		Evidence: []footprint.Evidence{{Name: "EPD 17", SHA256: strings.Repeat("ab", 32)}}, Uncertainty: ofFactor("1.5")},
	"Guardian Events, services": {ID: "b", Version: 1, KgCO2ePerUnit: number4("0.12"), Unit: "GBP", Stage: "combined", Source: "Report 2025", Scope3Category: "2 Capital goods",
		Evidence: []footprint.Evidence{{Name: "Report"}}},
	"Green Power": {ID: "c", Version: 3, KgCO2ePerUnit: number4("0.02"), Unit: "kWh", Stage: "direct", Source: "Disclosure 2025", ValidTo: "2025-12-31", Evidence: []footprint.Evidence{{URL: "https://example.org/d.pdf"}}},
	"Dirty Power": {ID: "d", Version: 1, KgCO2ePerUnit: number4("0.9"), Unit: "kWh", Stage: "upstream", Source: "Disclosure", Evidence: []footprint.Evidence{{Name: "x"}}},
}

func decodeWith(t *testing.T, typ, body string, ev footprint.EventContext) footprint.Decoded {
	t.Helper()
	d, err := footprint.Options{Suppliers: suppliers}.Decode(typ, []byte(body), ev)
	if err != nil {
		t.Fatalf("%s %s: %s", typ, body, describe(err))
	}
	return d
}

const shells = `{"supplierFactor":"Fireworks Ltd, display shells","quantity":120,"description":"Fireworks"}`

// TestSupplierFactors compares records with a supplier factor with calculations by hand.
func TestSupplierFactors(t *testing.T) {
	t.Parallel()
	for _, engine := range footprint.Engines() {
		ev := london
		ev.Engine = footprint.Pin(engine)
		for _, c := range []struct{ typ, body, kg, factor, category string }{
			{"custom", shells, "420.000000", "supplier:Fireworks Ltd, display shells@2", "1 Purchased goods and services"},                                                                                  // 120 × 3.5
			{"purchases", `{"category":"security","amount":12500,"currency":"GBP","supplierFactor":"Guardian Events, services"}`, "1500.000000", "supplier:Guardian Events, services@1", "2 Capital goods"}, // 12,500 × 0.12
		} {
			d := decodeWith(t, c.typ, c.body, ev)
			e, err := footprint.Evaluate(c.typ, d.Fields, ev) // without a library: the record has its copy
			if err != nil {
				t.Fatal(err)
			}
			l := e.Lines[0]
			if len(e.Lines) != 1 || total.Of(&e).Total().Kilograms() != c.kg || l.FactorID != c.factor || l.Category != c.category || l.Stage != "combined" {
				t.Errorf("%s: %+v", c.body, e.Lines)
			}
			if !has(e.Notices, footprint.NoticeSupplierFactor) || has(e.Notices, footprint.NoticeSupplierInvalid) {
				t.Errorf("%s: %+v", c.body, e.Notices)
			}
			if f := footprint.SupplierFactorOf(c.typ, d.Fields); f == nil || "supplier:"+f.Reference() != c.factor {
				t.Errorf("%s keeps %+v", c.body, f)
			}
			// A response can be sent back, but its copy of the factor is ignored.
			forged := strings.Replace(string(d.Fields), `"kgCO2ePerUnit":`, `"kgCO2ePerUnit":9`, 1)
			for _, body := range []string{string(d.Fields), forged} {
				if c.typ == "purchases" && body == forged {
					continue // kgCO2ePerUnit is a field of the input there
				}
				if again := decodeWith(t, c.typ, body, ev); string(again.Fields) != string(d.Fields) {
					t.Errorf("%s\nbecame %s", d.Fields, again.Fields)
				}
			}
		}
	}
}

// TestSupplierInterval verifies that the stated uncertainty of a factor is that of its row: ln(1.5)² ÷ 1.96².
func TestSupplierInterval(t *testing.T) {
	t.Parallel()
	ev := london
	ev.Engine = footprint.Engine2
	e := decodeWith(t, "custom", shells, ev).Evaluation
	want := math.Pow(math.Log(1.5)/1.96, 2) * 1e9
	if got := float64(e.Lines[0].Doubt.Basic); math.Abs(got-want) > 1 {
		t.Errorf("the row is in doubt by %v, want %v", got, want)
	}
	if e.Lines[0].Doubt.Fit != 0 {
		t.Errorf("within its days the factor fits, %+v", e.Lines[0].Doubt)
	}
	if e := decodeWith(t, "custom", strings.Replace(shells, "{", `{"date":"2029-05-01",`, 1), ev).Evaluation; e.Lines[0].Doubt.Fit == 0 || !has(e.Notices, footprint.NoticeSupplierInvalid) {
		t.Errorf("four years later it is %+v %v", e.Lines[0].Doubt, e.Notices)
	}
}

// TestSupplierElectricity verifies that a supplier's rate affects only the market-based figure.
func TestSupplierElectricity(t *testing.T) {
	t.Parallel()
	for _, engine := range footprint.Engines() {
		ev := london
		ev.Engine = footprint.Pin(engine)
		const plain = `{"electricityKWh":4200,"gasKWh":900,"country":"GB","control":"own","renewablePercent":25,"evidence":[{"name":"certificates"}]}`
		with := decodeWith(t, "venue", strings.Replace(plain, "{", `{"supplierFactor":"Green Power",`, 1), ev).Evaluation
		without := decodeWith(t, "venue", plain, ev).Evaluation
		if a, b := total.Of(&with).Total(), total.Of(&without).Total(); a != b {
			t.Errorf("the total moved from %s to %s", b.Kilograms(), a.Kilograms())
		}
		// 75 % of 4,200 kWh × 0.02; all of it is under contract.
		m := with.Market
		if m.Mass.Kilograms() != "63.000000" || m.Covered.Kilograms() != "4200.000000" || !m.Residual.IsZero() || !m.GridMean.IsZero() || without.Market.Mass == m.Mass {
			t.Errorf("the market-based figure is %+v", m)
		}
		if !has(with.Notices, footprint.NoticeSupplierFactor) || !has(with.Notices, footprint.NoticeSupplierInvalid) {
			t.Errorf("%+v", with.Notices)
		}
		if engine == footprint.Engine2 && (m.Own.Market != m.Mass || m.Own.Location != with.Lines[0].Mass) {
			t.Errorf("%+v", m)
		}
		gas := decodeWith(t, "venue", `{"gasKWh":900,"country":"GB","supplierFactor":"Green Power"}`, ev).Evaluation
		if !has(gas.Notices, footprint.NoticeInputNotUsed) || gas.Market != nil {
			t.Errorf("%+v", gas.Notices)
		}
	}
}

// TestSupplierFaults verifies rejections, and that an error of the library is not a fault of the body.
func TestSupplierFaults(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, body, want string }{
		{"custom", `{"supplierFactor":"Nobody","quantity":1,"description":"x"}`, "supplierFactor UNKNOWN_SUPPLIER_FACTOR"},
		{"custom", `{"supplierFactor":"Green Power","description":"x"}`, "quantity REQUIRED"},
		{"custom", `{"quantity":2,"kgCO2e":1,"description":"x","evidence":[{"name":"a"}]}`, "supplierFactor REQUIRED"},
		{"custom", `{"supplierFactor":"Green Power","quantity":2,"kgCO2e":7,"description":"x"}`, "kgCO2e NOT_ALLOWED"},
		{"custom", `{"supplierFactor":"Dirty Power","quantity":1000000000,"description":"x"}`, ""},
		{"custom", `{"supplierFactor":"Fireworks Ltd, display shells","quantity":1000000000,"description":"x"}`, "quantity OUT_OF_RANGE"},
		{"purchases", `{"category":"security","amount":1,"currency":"EUR","supplierFactor":"Guardian Events, services"}`, "supplierFactor NOT_ALLOWED"},
		{"purchases", `{"category":"security","amount":1,"currency":"GBP","supplierFactor":"Guardian Events, services","kgCO2ePerUnit":3,"factorSource":"x","evidence":[{"name":"a"}]}`, "kgCO2ePerUnit NOT_ALLOWED"},
		{"venue", `{"electricityKWh":1,"country":"GB","supplierFactor":"Guardian Events, services"}`, "supplierFactor NOT_ALLOWED"},
		{"venue", `{"electricityKWh":1,"country":"GB","supplierFactor":"Dirty Power"}`, "supplierFactor NOT_ALLOWED"},
	} {
		_, err := footprint.Options{Suppliers: suppliers}.Decode(c.typ, []byte(c.body), london)
		if c.want == "" && err == nil {
			continue
		}
		field, code, _ := strings.Cut(c.want, " ")
		if got := describe(err); !strings.Contains(got, "{Field:"+field+" Code:"+code+" ") || err == nil {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
	if got := faults(t, "venue", `{"electricityKWh":1,"country":"GB","supplierFactor":"Green Power"}`, london); !slices.Equal(got, []string{"supplierFactor UNKNOWN_SUPPLIER_FACTOR"}) {
		t.Errorf("without a library: %v", got)
	}
	_, err := footprint.Options{Suppliers: suppliers}.Decode("custom", []byte(`{"supplierFactor":"broken","quantity":1,"description":"x"}`), london)
	if err == nil || err.Error() != "the store is away" {
		t.Errorf("a failure of the library is %v", err)
	}
}

// TestSupplierRow verifies the texts of a supplier's row.
func TestSupplierRow(t *testing.T) {
	t.Parallel()
	f := footprint.SupplierFactorOf("custom", decodeWith(t, "custom", shells, london).Fields)
	row := f.Row()
	if row.ID != "supplier:Fireworks Ltd, display shells@2" || row.Source != "EPD 17, table 3" || row.SourceLocation != "EPD 17 (SHA-256 "+strings.Repeat("ab", 32)+")" || row.Year != 2025 || !strings.Contains(row.Detail, "from 2025-01-01 to 2026-12-31") {
		t.Errorf("%+v", row)
	}
	if footprint.SupplierFactorOf("custom", json.RawMessage(`{"kgCO2e":1}`)) != nil || footprint.SupplierFactorOf("flights", json.RawMessage(`{}`)) != nil || footprint.SupplierFactorOf("nothing", nil) != nil {
		t.Error("a record without a factor has one")
	}
	for days, want := range map[[2]string]string{{"", ""}: "at any time", {"2025-01-01", ""}: "from 2025-01-01 on", {"", "2025-12-31"}: "until 2025-12-31"} {
		if f := (footprint.SupplierFactor{ValidFrom: days[0], ValidTo: days[1]}); f.Validity() != want || !f.ValidOn("") || days[0] != "" && f.ValidOn("2024-12-31") || days[1] != "" && f.ValidOn("2026-01-01") {
			t.Errorf("%v is valid %s", days, f.Validity())
		}
	}
}
