package explain_test

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/decimal"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
	"github.com/eventcarbon/ecf/services/calculation/explain"
)

func of(t *testing.T, typ, body string, ev footprint.EventContext) explain.Record {
	t.Helper()
	decoded, err := footprint.Decode(typ, []byte(body), ev)
	if err != nil {
		t.Fatal(err)
	}
	r, err := explain.Of(record.Counted{ID: "r", Type: typ, Rev: 3, Fields: decoded.Fields, CreatedAt: 1_780_000_000_000}, ev, total.Variance{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFormulas(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", RadiativeForcing: true, GWP: "published", FactorSet: "desnz-2026"}
	ar6 := ev
	ar6.GWP = "AR6"
	for _, c := range []struct {
		typ, body string
		ev        footprint.EventContext
		want      []string
	}{
		{"flights", `{"from":"LHR","to":"JFK","passengers":1,"class":"economy"}`, ev, []string{
			"5,539.833 km × 1 passenger × 0.11704 kg per passenger-km = 648.382054 kg",
			"5,539.833 km × 1 passenger × 0.02461 kg per passenger-km = 136.335290 kg"}},
		{"flights", `{"from":"LHR","to":"JFK","passengers":12,"class":"economy","roundTrip":true,"trips":3}`, ev, []string{
			"5,539.833 km × 12 passengers × 3 trips × 2 (return) × 0.11704 kg per passenger-km = 46,683.507911 kg", "0.02461"}},
		{"flights", `{"from":"LHR","via":["SIN"],"to":"SYD","passengers":2,"class":"economy","respondents":3,"population":7}`, ev, []string{
			"10,883.163 km (LHR–SIN) × 2 passengers × 7/3 of the survey × 0.11704 kg per", "", "6,293.451 km (SIN–SYD) × 2 passengers × ", ""}},
		{"flights", `{"from":"JFK","via":["CDG"],"to":"CAI","passengers":2,"class":"economy"}`, ev, []string{" km (JFK–CDG, CDG–CAI) × 2 passengers × ", ""}},
		{"flights", `{"from":"XQQ","to":"LHR","passengers":2,"class":"economy","distanceKm":1000.5}`, ev, []string{"1,000.5 km × 2 passengers × ", ""}},
		{"flights", `{"from":"LHR","to":"CDG","passengers":3,"class":"economy","respondents":2,"population":6}`, ev, []string{
			"347.613 km × 3 passengers × 6/2 of the survey × ", ""}},
		{"accommodation", `{"nights":2,"rooms":10,"city":"London"}`, ev, []string{"10 rooms × 2 nights × 11.5 kg per room-night = 230.000000 kg"}},
		{"accommodation", `{"nights":2,"guests":7}`, ev, []string{"7 guests × 2 nights × 10.4 kg per room-night = 145.600000 kg"}},
		{"accommodation", `{"nights":2,"guests":7,"rooms":5,"country":"SE"}`, ev, []string{"7 guests × 2 nights × "}},
		{"venue", `{"electricityKWh":1234.5}`, ev, []string{"1,234.5 kWh × 0.13096 kg per kWh = 161.670120 kg", "", "", ""}},
		{"waste", `{"treatment":"landfill","weightKg":50}`, ev, []string{"50 kg × 1/1,000 × 520.58023 kg per tonne = 26.029012 kg"}},
		{"venue", `{"gasKWh":1000000,"respondents":3,"population":7}`, ev, []string{"1,000,000 kWh × 7/3 of the survey × 0.18231 kg per kWh = 425,390.000000 kg", ""}},
		{"venue", `{"annualGasKWh":450000,"spaceSharePercent":12.5,"days":3}`, ev, []string{"450,000 kWh a year × 12.5 % of the space × 3/365 of the year × 0.18231 kg per kWh = 84.287158 kg", ""}},
		{"venue", `{"floorAreaM2":900,"days":2,"venueType":"hotel"}`, ev, []string{"900 m² × 259 kWh per m² a year × 0.5 of it electricity × 2/365 of the year × 0.13096 kg per kWh = 83.635003 kg", "", "", "", "of it gas", ""}},
		{"waste", `{"treatment":"recycling","container":"wheelie_240","containers":14}`, ev, []string{"14 containers × 240 litres × 34.4 kg per m³ × 1/1,000,000 × 4.65358 kg per tonne = 0.537879 kg"}},
		{"energy", `{"source":"diesel","volumeLitres":1}`, ev, []string{"1 litre × 2.58354 kg per litre = 2.583540 kg", ""}},
		{"digital", `{"activity":"streaming","participants":3,"hours":1}`, ev, []string{"3 participants × 1 hour × 0.064017 kg per "}},
		{"materials", `{"material":"carpet","areaM2":10}`, ev, []string{"10 m² × 9.8 kg per m² = 98.000000 kg"}},
		{"water", `{"supplyM3":2}`, ev, []string{"2 m³ × 0.1913 kg per m³ = 0.382600 kg", ""}},
		{"flights", `{"from":"LHR","to":"JFK","passengers":100,"class":"economy"}`, ar6, []string{" kg re-based on AR6 = ", "0.02461 kg per passenger-km = 13,633.529013 kg"}},
	} {
		r := of(t, c.typ, c.body, c.ev)
		if len(r.Lines) != len(c.want) {
			t.Errorf("%s %s: %d lines", c.typ, c.body, len(r.Lines))
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(r.Lines[i].Formula, want) {
				t.Errorf("%s %s:\n got %s\nwant %s", c.typ, c.body, r.Lines[i].Formula, want)
			}
			if f := r.Lines[i].Factor; f == nil || f.Source == "" || f.SourceLocation == "" || f.Licence == "" {
				t.Errorf("%s %s: line %d has no source: %+v", c.typ, c.body, i, f)
			}
		}
		if r.Method == "" || r.CreatedAt != "2026-05-28T20:26:40.000Z" || r.Revision != 3 {
			t.Errorf("%+v", r)
		}
	}
	supplied := of(t, "accommodation", `{"nights":2,"rooms":1,"kgCO2ePerRoomNight":3,"evidence":[{"name":"x"}]}`, ev)
	if l := supplied.Lines[0]; l.Factor != nil || l.FactorID != footprint.SuppliedFactor || l.Formula != "1 room × 2 nights × 3 kg per room-night = 6.000000 kg" {
		t.Errorf("%+v", l)
	}
	if _, err := explain.Of(record.Counted{Type: "nothing"}, ev, total.Variance{}); err == nil {
		t.Error("an unknown type was explained")
	}
}

func TestGrouped(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{"0": "0", "999": "999", "1000": "1,000", "1234567.125": "1,234,567.125", "-12345.6": "-12,345.6", "100000": "100,000"} {
		if got := explain.Grouped(number); got != want {
			t.Errorf("%s: %s", number, got)
		}
	}
}

// library has one factor of a supplier.
type library footprint.SupplierFactor

func (l library) SupplierFactor(string, string) (footprint.SupplierFactor, string, error) {
	return footprint.SupplierFactor(l), "", nil
}

// TestBestBefore: the day is that of the row, for a supplier factor the end of its validity, and absent if there is
// none.
func TestBestBefore(t *testing.T) {
	t.Parallel()
	ev := footprint.EventContext{Country: "GB", StartDate: "2026-06-10", GWP: "published", FactorSet: "desnz-2026"}
	for body, want := range map[string]string{
		`{"electricityKWh":1}`:                "2026-12-31",
		`{"electricityKWh":1,"country":"AU"}`: "2027-12-31", // of 2025, and of no yearly edition
		`{"electricityKWh":1,"country":"FR"}`: "2025-12-31",
	} {
		if got := of(t, "venue", body, ev).Lines[0].Factor.BestBefore; got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	for _, validTo := range []string{"2027-03-31", ""} {
		f := library{ID: "a", Name: "Shells", Version: 1, KgCO2ePerUnit: decimal.FromInt(3), Unit: "shell", Stage: "combined", Source: "DESNZ for shells",
			ValidFrom: "2025-01-01", ValidTo: validTo, Evidence: []footprint.Evidence{{Name: "EPD"}}}
		d, err := footprint.Options{Suppliers: f}.Decode("custom", []byte(`{"supplierFactor":"Shells","quantity":2,"description":"x"}`), ev)
		if err != nil {
			t.Fatal(err)
		}
		lines := explain.Lines(record.Counted{Type: "custom", Fields: d.Fields}, d.Evaluation.Lines, ev)
		if len(lines) != 1 || lines[0].Factor == nil || lines[0].Factor.BestBefore != validTo {
			t.Errorf("valid to %q: %+v", validTo, lines)
		}
	}
}
