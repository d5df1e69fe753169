package sheet_test

import (
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/sheet"
)

// TestTonneKilometres: the product of weight and distance counts as they do.
func TestTonneKilometres(t *testing.T) {
	t.Parallel()
	checkRead(t, map[string]readCase{
		"alone":             {"freight", "mode,tkm\nroad,1200\nrail,0\nair,50\n,\n", []string{`2 {"mode":"road","distanceKm":1,"weightKg":1200000}`, "3 tkm NOT_ALLOWED", "4 tkm NOT_ALLOWED"}},
		"of air freight":    {"freight", "mode,haul,Tonne-km\nair,long_haul,50\n", []string{`2 {"mode":"air","haul":"long_haul","distanceKm":1,"weightKg":50000}`}},
		"with a weight":     {"freight", "Transportart;Tonnenkilometer;Gewicht (t)\nLKW;1.200,5;6\n", []string{`2 {"mode":"road","distanceKm":200.083333333333,"stated":{"weightKg":"6 t"}}`}},
		"with the distance": {"freight", "mode,t·km,Distance (km)\nroad,1200,200\n", []string{`2 {"mode":"road","distanceKm":200,"weightKg":6000}`}},
		"with both":         {"freight", "mode,tkm,weightKg,distanceKm\nroad,1200,6000,200\n", []string{`2 {"mode":"road","weightKg":6000,"distanceKm":200}`}},
		"with places":       {"freight", "mode,tkm,from,to\nroad,1200,Berlin,Hamburg\n", []string{"2 tkm NOT_ALLOWED"}},
		"there and back":    {"freight", "mode,tkm,roundTrip\nroad,1200,yes\n", []string{"2 tkm NOT_ALLOWED"}},
		"containers":        {"freight", "mode,TEU,distanceKm\nsea,2,8000\n", []string{"2 weightKg REQUIRED"}},
		"pallets":           {"freight", "mode,Paletten,distanceKm\nroad,2,80\n", []string{"2 weightKg REQUIRED"}},
		"weighed":           {"freight", "mode,TEU,weightKg,distanceKm\nsea,2,20000,8000\n", []string{`2 {"mode":"sea","weightKg":20000,"distanceKm":8000}`}},
	})
	tkm, fault := kilograms(t, "freight", "mode,vehicle,tkm\nroad,hgv_artic,1200\n")
	both, other := kilograms(t, "freight", "mode,vehicle,weightKg,distanceKm\nroad,hgv_artic,6000,200\n")
	if fault != nil || other != nil || tkm != both || tkm == 0 {
		t.Errorf("%v kg, %+v, and %v kg, %+v", tkm, fault, both, other)
	}
}

// TestCodesOfWaste: the European List of Waste names the material under many headings.
func TestCodesOfWaste(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"EWC", "EWC code", "AVV", "AVV-Nr.", "Abfallschlüssel", "Abfallschlüsselnummer", "Waste code", "LoW code", "European Waste Code", "ASN"} {
		checkRead(t, map[string]readCase{head: {"waste", head + ",Treatment,weightKg\n20 03 01,landfill,9\n150101,recycling,9\n20 01 08*,composting,9\n15.01.07,recycling,9\n", []string{
			`2 {"treatment":"landfill","weightKg":9,"material":"mixed"}`, `3 {"treatment":"recycling","weightKg":9,"material":"paper_card"}`,
			`4 {"treatment":"composting","weightKg":9,"material":"food"}`, `5 {"treatment":"recycling","weightKg":9,"material":"glass"}`,
		}}})
	}
	checkRead(t, map[string]readCase{
		"beside a name":    {"waste", "AVV;Abfallart;treatment;weightKg\n15 01 01;Glas;recycling;9\n15 01 01;Kartonagen-Presse;recycling;9\n;Glas;recycling;9\n15 01 06;Glas;recycling;9\n", []string{`2 {"material":"glass","treatment":"recycling","weightKg":9}`, `3 {"treatment":"recycling","weightKg":9,"material":"paper_card"}`, `4 {"material":"glass","treatment":"recycling","weightKg":9}`, `5 {"material":"glass","treatment":"recycling","weightKg":9}`}},
		"a lower bound":    {"waste", "treatment,weightKg,low,high\nrecycling,9,0.1,0.3\n", []string{`2 {"treatment":"recycling","weightKg":9}`}},
		"an export":        {"waste", "_id,treatment,weightKg,Waste code\n,recycling,9,20 03 01\n", []string{`2 {"treatment":"recycling","weightKg":9}`}},
		"an unknown code":  {"waste", "EWC,treatment,weightKg\n15 01 06,recycling,9\n", []string{`2 {"treatment":"recycling","weightKg":9,"material":"15 01 06"}`}},
		"codes of routes":  {"waste", "material,R/D-Verfahren,weightKg\nmixed,R1,9\nmixed,D1,9\nglass,R5,9\nmetal,R4,9\n", []string{`2 {"material":"mixed","treatment":"incineration","weightKg":9}`, `3 {"material":"mixed","treatment":"landfill","weightKg":9}`, `4 {"material":"glass","treatment":"recycling","weightKg":9}`, `5 {"material":"metal","treatment":"recycling","weightKg":9}`}},
		"of several diets": {"catering", "meals,diet\n240,120 veg / 80 vegan / 40 meat\n100,\"60 vegetarisch, 40 vegan\"\n9,vegan and vegetarian\n9,Vegan\n9,non-vegetarian\n", []string{"2 diet SEVERAL_RECORDS", "3 diet SEVERAL_RECORDS", "4 diet SEVERAL_RECORDS", `5 {"meals":9,"diet":"vegan"}`, `6 {"meals":9,"diet":"non-vegetarian"}`}},
	})
	r, err := sheet.NewReader(strings.NewReader("EWC,treatment,weightKg\n15 01 06,recycling,9\n"), "waste", sheet.Options{Rules: sheet.Rules})
	if err != nil || r.Head("material") != "EWC" {
		t.Errorf("%v, %s", err, r.Head("material"))
	}
}
