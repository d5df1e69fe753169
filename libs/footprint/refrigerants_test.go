package footprint_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// TestRefrigerants: leaked kilograms × the AR5 potential, which the editions publish; the production of the gas is
// not included, which a notice states.
func TestRefrigerants(t *testing.T) {
	t.Parallel()
	figures(t, "energy", map[string]string{
		`{"source":"refrigerant","refrigerant":"r410a","weightKg":1.2}`:   "2308.800000",  // × 1924
		`{"source":"refrigerant","refrigerant":"r134a","weightKg":0.35}`:  "455.000000",   // × 1300
		`{"source":"refrigerant","refrigerant":"r32","weightKg":2.5}`:     "1692.500000",  // × 677
		`{"source":"refrigerant","refrigerant":"r404a","weightKg":10}`:    "39430.000000", // × 3943
		`{"source":"refrigerant","refrigerant":"sf6","weightKg":0.01}`:    "235.000000",   // × 23500
		`{"source":"refrigerant","refrigerant":"r429a","weightKg":1}`:     "15.300000",
		`{"source":"refrigerant","refrigerant":"r43_10mee","weightKg":2}`: "3300.000000", // × 1650
	})
	for _, set := range []string{"desnz-2025", "desnz-2024", "desnz-2018"} {
		ev := london
		ev.FactorSet = set
		if got := kg(t, "energy", `{"source":"refrigerant","refrigerant":"r410a","weightKg":1.2}`, ev); got != "2308.800000" {
			t.Errorf("%s: %s", set, got)
		}
	}
	e := evaluate(t, "energy", `{"source":"refrigerant","refrigerant":"r410a","weightKg":1.2,"country":"KE"}`, newest)
	if !has(e.Notices, footprint.NoticeUpstream) || has(e.Notices, footprint.NoticeProxy) || has(e.Notices, footprint.NoticeFactorRegion) {
		t.Errorf("a potential holds everywhere, and none has an upstream part: %v", e.Notices)
	}
	if l := e.Lines[0]; len(e.Lines) != 1 || l.Gases.Unsplit != l.Mass || l.Scores[3] != 1 || l.Unit != "kg" {
		t.Errorf("%+v", e.Lines)
	}
	if e := evaluate(t, "energy", `{"source":"propane","weightKg":94,"refrigerant":"r32"}`, london); !has(e.Notices, footprint.NoticeInputNotUsed) {
		t.Errorf("%v", e.Notices)
	}
}

// TestRefrigerantsByAR6: if the set has an AR6 potential it is used, and the line is on the requested basis; all
// others are reported as not.
func TestRefrigerantsByAR6(t *testing.T) {
	t.Parallel()
	ev := newest
	ev.GWP = "AR6"
	for gas, want := range map[string]string{"r32": "771.000000", "r125": "3740.000000", "r134a": "1530.000000", "r143a": "5810.000000",
		"r404a": "4728.000000", "r407c": "1907.930000", "r410a": "2255.500000", "r507a": "4775.000000"} {
		e := evaluate(t, "energy", fmt.Sprintf(`{"source":"refrigerant","refrigerant":%q,"weightKg":1}`, gas), ev)
		if got := e.Lines[0].Mass.Kilograms(); got != want || has(e.Notices, footprint.NoticeNotRebased) || !e.NotRebased.IsZero() {
			t.Errorf("%s: %s kg, want %s; %v", gas, got, want, e.Notices)
		}
	}
	e := evaluate(t, "energy", `{"source":"refrigerant","refrigerant":"r227ea","weightKg":1}`, ev)
	if e.Lines[0].Mass.Kilograms() != "3350.000000" || !has(e.Notices, footprint.NoticeNotRebased) || e.NotRebased != e.Lines[0].Mass {
		t.Errorf("%+v %v", e.Lines, e.Notices)
	}
}

// TestRefrigerantScopes: as the fuel of the same machine.
func TestRefrigerantScopes(t *testing.T) {
	t.Parallel()
	for control, want := range map[string]string{"own": "1 ", "hired": "3 8 Upstream leased assets", "hired_with_operator": "3 1 Purchased goods and services"} {
		if got := scopesOf(t, "energy", fmt.Sprintf(`{"source":"refrigerant","refrigerant":"r410a","weightKg":1,"control":%q}`, control)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %v, want %s", control, got, want)
		}
	}
}

func TestRefrigerantFaults(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"source":"refrigerant","weightKg":1}`:                                    "refrigerant REQUIRED",
		`{"source":"refrigerant","refrigerant":"r410a"}`:                           "weightKg REQUIRED",
		`{"source":"refrigerant","refrigerant":"r410a","volumeLitres":1}`:          "volumeLitres FACTOR_UNAVAILABLE",
		`{"source":"refrigerant","refrigerant":"R-410A","weightKg":1}`:             "refrigerant NOT_ALLOWED",
		`{"source":"refrigerant","refrigerant":"r22","weightKg":1}`:                "refrigerant NOT_ALLOWED",
		`{"source":"refrigerant","refrigerant":"R-290","weightKg":1}`:              "refrigerant NOT_ALLOWED",
		`{"source":"refrigerant","refrigerant":"Halon 1301","weightKg":1}`:         "refrigerant NOT_ALLOWED",
		`{"source":"refrigerant","refrigerant":410,"weightKg":1}`:                  "refrigerant WRONG_TYPE",
		`{"source":"refrigerant","refrigerant":"r32","generatorKVA":10,"hours":2}`: "source NOT_ALLOWED",
	} {
		if got := faults(t, "energy", body, london); !slices.Contains(got, want) {
			t.Errorf("%s: %v, want %s", body, got, want)
		}
	}
	if got := suggestions(t, "energy", `{"source":"refrigerant","refrigerant":"R-410A","weightKg":1}`, "refrigerant"); !slices.Contains(got, "r410a") {
		t.Errorf("R-410A: suggested %v", got)
	}
	for _, gas := range []string{"R410A", "R-22", "HALON 1211"} {
		if got := suggestions(t, "energy", `{"source":"`+gas+`","weightKg":1}`, "source"); !slices.Contains(got, "refrigerant") {
			t.Errorf("source %s: suggested %v", gas, got)
		}
	}
	// An unknown gas is not corrected to one of similar spelling.
	if got := suggestions(t, "energy", `{"source":"refrigerant","refrigerant":"R22","weightKg":1}`, "refrigerant"); len(got) != 0 {
		t.Errorf("R22: suggested %v", got)
	}
}

// compositions are the blends that a record can be of, in percent of mass, as ASHRAE
// designates them (Standard 34; ashrae.org, "ASHRAE Refrigerant Designations", and for
// those of the five hundreds the list of CoolProp): none has a part of the Montreal
// Protocol.
const compositions = `
404A 125/143a/134a 44.0/52.0/4.0
407A 32/125/134a 20.0/40.0/40.0
407B 32/125/134a 10.0/70.0/20.0
407C 32/125/134a 23.0/25.0/52.0
407D 32/125/134a 15.0/15.0/70.0
407E 32/125/134a 25.0/15.0/60.0
407F 32/125/134a 30.0/30.0/40.0
410A 32/125 50.0/50.0
410B 32/125 45.0/55.0
413A 218/134a/600a 9.0/88.0/3.0
417A 125/134a/600 46.6/50.0/3.4
417B 125/134a/600 79.0/18.3/2.7
417C 125/134a/600 19.5/78.8/1.7
419A 125/134a/E170 77.0/19.0/4.0
419B 125/134a/E170 48.5/48.0/3.5
421A 125/134a 58.0/42.0
421B 125/134a 85.0/15.0
422A 125/134a/600a 85.1/11.5/3.4
422B 125/134a/600a 55.0/42.0/3.0
422C 125/134a/600a 82.0/15.0/3.0
422D 125/134a/600a 65.1/31.5/3.4
422E 125/134a/600a 58.0/39.3/2.7
423A 134a/227ea 52.5/47.5
424A 125/134a/600a/600/601a 50.5/47.0/0.9/1.0/0.6
425A 32/134a/227ea 18.5/69.5/12
426A 125/134a/600/601a 5.1/93.0/1.3/0.6
427A 32/125/143a/134a 15.0/25.0/10.0/50.0
428A 125/143a/290/600a 77.5/20.0/0.6/1.9
429A E170/152a/600a 60.0/10.0/30.0
430A 152a/600a 76.0/24.0
431A 290/152a 71.0/29.0
434A 125/143a/134a/600a 63.2/18.0/16.0/2.8
435A E170/152a 80.0/20.0
437A 125/134a/600/601 19.5/78.5/1.4/0.6
438A 32/125/134a/600/601a 8.5/45.0/44.2/1.7/0.6
439A 32/125/600a 50.0/47.0/3.0
440A 290/134a/152a 0.6/1.6/97.8
442A 32/125/134a/152a/227ea 31.0/31.0/30.0/3.0/5.0
444A 32/152a/1234ze 12.0/5.0/83.0
445A 744/134a/1234ze 6.0/9.0/85.0
507A 125/143a 50.0/50.0
508A 23/116 39.0/61.0
508B 23/116 46.0/54.0
512A 134a/152a 5.0/95.0
`

// TestBlendsAreTheSumOfTheirParts calculates the potential of each blend from its parts by mass, which confirms the
// identity of the rows.
func TestBlendsAreTheSumOfTheirParts(t *testing.T) {
	t.Parallel()
	set := factors.Sets()[0]
	potential := func(gas string) *big.Rat {
		if gas == "744" { // carbon dioxide
			return big.NewRat(1, 1)
		}
		for _, series := range []string{"refr.hfc_" + gas, "refr.r" + gas, map[string]string{"218": "refr.perfluoropropane_pfc_218", "116": "refr.perfluoroethane_pfc_116",
			"600": "refr.r600_butane", "600a": "refr.r600a_isobutane", "601": "refr.r601_pentane", "601a": "refr.r601a_isopentane", "290": "refr.r290_propane", "E170": "refr.dimethylether"}[gas]} {
			if f := set.Ref(series + ".ar5"); f != nil {
				v, _ := new(big.Rat).SetString(f.KgCO2e.String())
				return v
			}
		}
		t.Fatalf("no row of %s", gas)
		return nil
	}
	held := map[string]bool{}
	for line := range strings.SplitSeq(strings.TrimSpace(compositions), "\n") {
		words := strings.Fields(line)
		name, parts, shares := "r"+strings.ToLower(words[0]), strings.Split(words[1], "/"), strings.Split(words[2], "/")
		held[name] = true
		sum, whole := new(big.Rat), new(big.Rat)
		for i, gas := range parts {
			share, ok := new(big.Rat).SetString(shares[i])
			if !ok || len(shares) != len(parts) {
				t.Fatal(line)
			}
			whole.Add(whole, share)
			sum.Add(sum, share.Mul(share, potential(gas)))
		}
		if whole.Cmp(big.NewRat(100, 1)) != 0 {
			t.Errorf("%s: the parts are %s %%", name, whole.FloatString(1))
		}
		sum.Quo(sum, big.NewRat(100, 1))
		published := set.Ref("refr." + name + ".ar5")
		if published == nil {
			t.Errorf("%s has no row", name)
			continue
		}
		stated, _ := new(big.Rat).SetString(published.KgCO2e.String())
		off := new(big.Rat).Sub(sum, stated)
		limit := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Mul(stated, big.NewRat(1, 1000)))
		if off.Abs(off).Cmp(limit) > 0 {
			t.Errorf("%s: published is %s, its parts come to %s", name, published.KgCO2e, sum.FloatString(2))
		}
	}
	for _, name := range values(t, "energy", "refrigerant") {
		if strings.HasPrefix(name, "r4") && len(name) == 5 && name != "r41" || strings.HasPrefix(name, "r5") {
			if !held[name] {
				t.Errorf("the blend %s is not checked", name)
			}
		}
	}
}
