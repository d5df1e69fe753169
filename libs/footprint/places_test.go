package footprint_test

import (
	"fmt"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/locations"
)

// TestEveryCountryHasAFigure tries all countries with the types whose factors depend on the place.
func TestEveryCountryHasAFigure(t *testing.T) {
	t.Parallel()
	for _, c := range locations.Countries() {
		for typ, body := range map[string]string{
			"accommodation": `{"nights":1,"rooms":1,"country":"%s"}`,
			"venue":         `{"electricityKWh":100,"gasKWh":100,"heatKWh":100,"country":"%s"}`,
			"waste":         `{"treatment":"landfill","weightKg":100,"country":"%s"}`,
		} {
			e := evaluate(t, typ, fmt.Sprintf(body, c.Code), london)
			if total.Of(&e).Total().Sign() <= 0 {
				t.Errorf("%s in %s is %s kg", typ, c.Code, total.Of(&e).Total().Kilograms())
			}
			if typ != "accommodation" && has(e.Notices, footprint.NoticeProxy) == (c.Code == "GB") {
				t.Errorf("%s in %s: %v", typ, c.Code, e.Notices)
			}
		}
	}
}

func TestGridFactorOfAPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ place, factor, notice string }{
		{`"country":"GB"`, "elec.gb.location.2026", ""},
		{`"country":"DE"`, "elec.de.eea.2023", footprint.NoticeUpstream},
		{`"country":"US","subdivision":"CA"`, "elec.us_ca.egrid.2023", footprint.NoticeUpstream},
		{`"country":"us","subdivision":"us-ny"`, "elec.us_ny.egrid.2023", footprint.NoticeUpstream},
		{`"country":"US"`, "elec.us.egrid.2023", footprint.NoticeFactorRegion},
		{`"country":"AU","subdivision":"ACT"`, "elec.au_nsw.nga.2025", footprint.NoticeUpstream},
		{`"country":"AU"`, "elec.au.nga.2025", footprint.NoticeFactorRegion},
		{`"country":"CA","subdivision":"ON"`, "elec.ca_on.eccc.2026", footprint.NoticeUpstream},
		{`"country":"CA"`, "elec.ca.ember.2024", footprint.NoticeFactorRegion},
		{`"country":"NZ"`, "elec.nz.mfe.2025", footprint.NoticeUpstream},
		{`"country":"CH","subdivision":"ZH"`, "elec.ch.ember.2024", ""},
		{`"country":"KY"`, "elec.ky.ember.2023", ""},
		{`"country":"CY"`, "elec.cy.eea.2023", footprint.NoticeUpstream},
		// Unverified rows are replaced by the region's.
		{`"country":"XK"`, "elec.europe.ember.2024", footprint.NoticeFactorRegion},
		{`"country":"MM"`, "elec.asia.ember.2024", footprint.NoticeFactorRegion},
		{`"country":"PA"`, "elec.latam.ember.2024", footprint.NoticeFactorRegion},
		{`"country":"SV"`, "elec.latam.ember.2024", footprint.NoticeFactorRegion},
		{`"country":"CF"`, "elec.africa.ember.2024", footprint.NoticeFactorRegion},
		{`"country":"FK"`, "elec.latam.ember.2024", footprint.NoticeFactorRegion},
		{`"country":"BM"`, "elec.north_america.ember.2024", footprint.NoticeFactorRegion},
		{`"country":"PW"`, "elec.oceania.ember.2024", footprint.NoticeFactorRegion},
		{`"country":"AQ"`, "elec.world.ember.2024", footprint.NoticeFactorRegion},
	} {
		e := evaluate(t, "venue", `{"electricityKWh":1000,`+c.place+`}`, london)
		if e.Lines[0].FactorID != c.factor || c.notice != "" && !has(e.Notices, c.notice) {
			t.Errorf("%s: %s, %v", c.place, e.Lines[0].FactorID, e.Notices)
		}
		set, _ := factors.ByID("desnz-2026")
		f, ok := set.Factor(c.factor)
		if !ok || len(e.Lines) == 1 && f.WTT.Published {
			t.Errorf("%s: %v %+v", c.place, ok, e.Lines)
		}
	}
	// New Zealand publishes its grid loss, not its upstream.
	e := evaluate(t, "venue", `{"electricityKWh":1000,"country":"NZ"}`, london)
	if got := total.Of(&e).Total().Kilograms(); got != "84.660000" { // 1000 × (0.0787 + 0.00596)
		t.Errorf("NZ is %s kg", got)
	}
}

func TestEveryPairOfWaste(t *testing.T) {
	t.Parallel()
	served := map[string]string{
		"mixed": "landfill incineration recycling anaerobic_digestion", "food": "landfill incineration composting anaerobic_digestion",
		"paper_card": "landfill incineration recycling composting", "plastic": "landfill incineration recycling",
		"glass": "landfill incineration recycling", "metal": "landfill incineration recycling",
		"wood": "landfill incineration recycling composting", "textile": "landfill incineration recycling",
		"electrical": "landfill incineration recycling", "construction": "incineration recycling",
	}
	for material, list := range served {
		for _, treatment := range []string{"landfill", "incineration", "recycling", "composting", "anaerobic_digestion", "reuse"} {
			body := fmt.Sprintf(`{"material":%q,"treatment":%q,"weightKg":1000}`, material, treatment)
			if !containsWord(list, treatment) {
				if got := faults(t, "waste", body, london); len(got) != 1 || got[0] != "treatment FACTOR_UNAVAILABLE" {
					t.Errorf("%s: %v", body, got)
				}
				if got := suggestions(t, "waste", body, "treatment"); len(got) != len(words(list)) {
					t.Errorf("%s suggests %v", body, got)
				}
				continue
			}
			e := evaluate(t, "waste", body, london)
			if has(e.Notices, footprint.NoticeTransportOnly) == (treatment == "landfill") {
				t.Errorf("%s: %v", body, e.Notices)
			}
			l := e.Lines[0]
			if l.Category != "5 Waste generated in operations" || l.Stage != footprint.Combined || l.Quantity != "1" {
				t.Errorf("%s: %+v", body, l)
			}
		}
	}
	// Electrical waste has no closed loop; the open one is recycling.
	if l := evaluate(t, "waste", `{"material":"electrical","treatment":"recycling","weightKg":1}`, london).Lines[0]; l.FactorID != "waste.weee_mixed.recycling_open_loop.2026" {
		t.Errorf("electrical recycling uses %s", l.FactorID)
	}
}
