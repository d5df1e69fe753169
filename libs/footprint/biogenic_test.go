package footprint_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestBiomassSaysSo: each row of each table for biomass, by its words, has a figure outside of scopes, is one of the
// blends, or is listed as one without.
func TestBiomassSaysSo(t *testing.T) {
	t.Parallel()
	list := footprint.BiomassRows()
	words := []string{"wood", "timber", "paper", "board", "food", "meal", "drink", "organic", "garden", "cotton", "books", "clothing", "compost", "wool"}
	named := map[string]bool{}
	for _, set := range append(factors.Sets(), factors.Supplement(), factors.Corrections()) {
		for _, f := range set.Factors() {
			at := slices.IndexFunc(list, func(b footprint.Biomass) bool { return b.Names(f.Series) })
			if at >= 0 {
				named[list[at].Title] = true
				if f.BiogenicCO2.Published {
					t.Errorf("%s publishes biogenic CO2 and is named as a row without", f.ID)
				}
				continue
			}
			// The series of treatments, of recycled cotton and of plasterboard are identified by the material.
			material := strings.TrimSuffix(f.Series, ".composting")
			of := slices.IndexFunc(words, func(w string) bool { return strings.Contains(material, w) })
			if of < 0 || f.BiogenicCO2.Published || strings.Contains(f.Series, "plasterboard") || strings.HasPrefix(f.Series, "energy.") {
				continue
			}
			t.Errorf("%s (%s) is of %s, has no biogenic CO2 and does not say so", f.ID, f.Series, words[of])
		}
	}
	for _, b := range list {
		if !named[b.Title] || b.Reason == "" {
			t.Errorf("no row is of %s (%q)", b.Title, b.Reason)
		}
	}
	for body, typ := range map[string]string{
		`{"meals":10,"diet":"vegan"}`:                                "catering",
		`{"treatment":"landfill","material":"wood","weightKg":10}`:   "waste",
		`{"treatment":"landfill","weightKg":10}`:                     "waste",
		`{"material":"paper","weightKg":12}`:                         "materials",
		`{"treatment":"recycling","material":"glass","weightKg":10}`: "",
		`{"source":"diesel","volumeLitres":10}`:                      "energy+",
		`{"source":"diesel","energyKWh":10}`:                         "energy",
	} {
		want := typ != "" && !strings.HasSuffix(typ, "+")
		typ = strings.TrimSuffix(typ, "+")
		if typ == "" {
			typ = "waste"
		}
		if e := evaluate(t, typ, body, newest); has(e.Notices, footprint.NoticeNoBiogenic) != want {
			t.Errorf("%s %s: %v", typ, body, e.Notices)
		}
		before := newest
		before.Engine = footprint.Engine4
		if e := evaluate(t, typ, body, before); typ != "energy" && has(e.Notices, footprint.NoticeNoBiogenic) {
			t.Errorf("%s %s by engine 2.2.0: %v", typ, body, e.Notices)
		}
	}
}

// TestBiogenicOfVehicleFuel: fuel that vehicles burn has the same biogenic CO2 as fuel of a generator, by the newest
// engine; the engines before leave it out.
func TestBiogenicOfVehicleFuel(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"mode":"van","fuel":"diesel","volumeLitres":55}`:                                  "7.700000",
		`{"mode":"car","fuel":"petrol","volumeLitres":100,"control":"own"}`:                 "13.000000",
		`{"mode":"car","fuel":"hybrid","volumeLitres":100,"respondents":5,"population":10}`: "26.000000",
		`{"mode":"coach","volumeLitres":100,"control":"hired_with_operator"}`:               "14.000000",
		`{"mode":"car","fuel":"lpg","volumeLitres":100}`:                                    "0.000000",
		`{"mode":"car","fuel":"battery_electric","energyKWh":100}`:                          "0.000000",
		`{"mode":"van","fuel":"diesel","distanceKm":100,"vehicles":1}`:                      "0.000000",
	} {
		b := contributed(t, "ground-transport", body, newest).Breakdown(newest)
		if got := b.OutsideScopes.BiogenicCO2Kg.Kilograms(); got != want {
			t.Errorf("%s has %s kg outside of scopes, want %s", body, got, want)
		}
		before := newest
		before.Engine = footprint.Engine4
		if old := evaluate(t, "ground-transport", body, before); !old.Biogenic.IsZero() {
			t.Errorf("%s by engine %s: %s", body, before.Engine, old.Biogenic.Kilograms())
		}
	}
}
