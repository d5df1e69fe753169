package footprint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/apperr"
	"github.com/eventcarbon/ecf/libs/factors"
	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/testkit"
)

// values returns the allowed values of a field by its schema, and "" for absent.
func values(t *testing.T, typ, field string) []string {
	t.Helper()
	out := []string{""}
	list, ok := schemaOf(t, typ)["properties"].(schema)[field].(schema)["enum"].([]any)
	if !ok {
		t.Fatalf("%s.%s has no list of values", typ, field)
	}
	for _, v := range list {
		out = append(out, v.(string))
	}
	return out
}

// TestEveryCombination tries all values of the fields that select a factor: each has a figure or a fault with values
// that have one.
func TestEveryCombination(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, rest string
		fields    []string
		zero      string // combinations with it are 0 by definition
		least     int    // combinations that must have a figure
	}{
		{"ground-transport", `"distanceKm":10,"passengers":3`, []string{"mode", "fuel", "size"}, "bicycle walk", 200},
		{"freight", `"weightKg":10,"distanceKm":500`, []string{"mode", "vehicle"}, "", 22},
		{"freight", `"weightKg":10,"distanceKm":500,"refrigerated":true`, []string{"mode", "vehicle"}, "", 3},
		{"freight", `"mode":"air","weightKg":10,"distanceKm":500`, []string{"haul"}, "", 5},
		{"catering", `"meals":10`, []string{"diet", "mealType"}, "", 24},
		{"materials", `"weightKg":10`, []string{"material", "source", "endOfLife"}, "", 250},
		{"materials", `"areaM2":10`, []string{"material", "source"}, "", 6},
		{"materials", `"areaM2":10,"gramsPerM2":200`, []string{"material", "source"}, "", 120},
		{"materials", `"items":10`, []string{"material"}, "", 3},
		{"materials", `"weightKg":10,"source":"hired","usesOverLife":3`, []string{"material"}, "", 60},
		{"energy", `"energyKWh":10`, []string{"source", "control"}, "", 20},
		{"energy", `"volumeLitres":10`, []string{"source", "control"}, "", 20},
		{"energy", `"volumeM3":10`, []string{"source", "control"}, "", 4},
		{"digital", `"participants":10,"hours":2`, []string{"activity", "videoQuality"}, "", 6},
		{"waste", `"weightKg":10`, []string{"material", "treatment"}, "", 30},
		{"flights", `"from":"LHR","to":"SYD","passengers":1`, []string{"class"}, "", 6},
		{"accommodation", `"nights":1,"rooms":1`, []string{"kind"}, "", 4},
		{"venue", `"floorAreaM2":100,"days":1`, []string{"venueType", "control"}, "", 40},
	} {
		for i, set := range factors.Sets() {
			if 0 < i && i < len(factors.Sets())-1 && !testkit.Long(t) {
				continue // the newest set and the last of the earlier years
			}
			ev := london
			ev.FactorSet = set.ID
			served := 0
			combine(c.fields, func(f string) []string { return values(t, c.typ, f) }, func(chosen []string) {
				body := "{" + c.rest
				zero := false
				for i, v := range chosen {
					if v != "" {
						body += fmt.Sprintf(",%q:%q", c.fields[i], v)
						zero = zero || strings.Contains(c.zero, v)
					}
				}
				if figure(t, c.typ, body+"}", ev, zero, set == factors.Sets()[0]) {
					served++
				}
			})
			if served < c.least {
				t.Errorf("%s {%s} by %v in %s has %d figures, want %d at least", c.typ, c.rest, c.fields, set.ID, served, c.least)
			}
		}
	}
}

func combine(fields []string, values func(string) []string, use func([]string)) {
	var walk func(chosen []string)
	walk = func(chosen []string) {
		if len(chosen) == len(fields) {
			use(chosen)
			return
		}
		for _, v := range values(fields[len(chosen)]) {
			walk(append(slices.Clip(chosen), v))
		}
	}
	walk(nil)
}

// figure reports whether a body has a figure; with tryAll, the suggestions of its fault must have one.
func figure(t *testing.T, typ, body string, ev footprint.EventContext, zero, tryAll bool) bool {
	t.Helper()
	d, err := footprint.Decode(typ, []byte(body), ev)
	if err == nil {
		e, err := footprint.Evaluate(typ, d.Fields, ev)
		if err != nil || len(e.Lines) == 0 || (total.Of(&e).Total().Sign() <= 0) != zero {
			t.Errorf("%s %s in %s: %v", typ, body, ev.FactorSet, err)
		}
		for _, l := range e.Lines {
			if l.Mass.Sign() < 0 || l.Low.Cmp(l.Mass) > 0 || l.High.Cmp(l.Mass) < 0 || (l.Scope == 3) != (l.Category != "") {
				t.Errorf("%s %s: %+v", typ, body, l)
			}
		}
		return true
	}
	var fault *apperr.Error
	if !errors.As(err, &fault) || fault.Code != apperr.ValidationError {
		t.Errorf("%s %s in %s: %v", typ, body, ev.FactorSet, err)
		return false
	}
	for _, detail := range fault.Details {
		if !strings.Contains("REQUIRED NOT_ALLOWED FACTOR_UNAVAILABLE", detail.Code) || detail.Message == "" {
			t.Errorf("%s %s: %+v", typ, body, detail)
		}
		if detail.Code != footprint.FactorUnavailable || !tryAll {
			continue
		}
		// Each suggestion is a value with a factor, or a field to state.
		for _, s := range detail.Suggestions {
			var v map[string]any
			if err := json.Unmarshal([]byte(body), &v); err != nil {
				t.Fatal(err)
			}
			if _, isText := v[detail.Field].(string); !isText && v[detail.Field] != nil {
				continue
			}
			v[detail.Field] = s
			better, _ := json.Marshal(v)
			if _, err := footprint.Decode(typ, better, ev); err != nil && strings.Contains(describe(err), "Field:"+detail.Field+" Code:"+footprint.FactorUnavailable) {
				t.Errorf("%s %s suggests %s %s, which has no factor either: %s", typ, body, detail.Field, s, describe(err))
			}
		}
	}
	return false
}

// scaled returns an example of a type with one of its required numbers open.
func scaled(t *testing.T, typ string) string {
	t.Helper()
	var example map[string]any
	if err := json.Unmarshal(footprint.Examples(typ)[0], &example); err != nil {
		t.Fatal(err)
	}
	for _, p := range footprint.Properties(typ) {
		if _, number := example[p.Name].(float64); number && p.Required {
			example[p.Name] = "amount"
			return strings.Replace(encoded(t, example), `"amount"`, "%d", 1)
		}
	}
	t.Fatalf("no required number of %s is in its first example", typ)
	return ""
}

// TestEveryTypeIsLinear multiplies the quantity of a record: the total is proportional, except for rounding each line
// to a milligram. Two halves add up to the whole.
func TestEveryTypeIsLinear(t *testing.T) {
	t.Parallel()
	bodies := map[string]string{
		"flights":          `{"from":"LHR","to":"SYD","via":["SIN"],"passengers":%d}`,
		"accommodation":    `{"nights":3,"rooms":%d}`,
		"venue":            `{"electricityKWh":%d.125,"country":"NZ"}`,
		"waste":            `{"treatment":"landfill","weightKg":%d}`,
		"ground-transport": `{"mode":"ferry","distanceKm":12.345,"passengers":%d}`,
		"freight":          `{"mode":"air","weightKg":%d,"distanceKm":500}`,
		"catering":         `{"meals":%d,"diet":"mixed"}`,
		"materials":        `{"material":"paper","source":"hired","usesOverLife":7,"weightKg":%d}`,
		"energy":           `{"source":"hvo","volumeLitres":%d}`,
		"water":            `{"supplyM3":%d}`,
		"digital":          `{"activity":"streaming","participants":%d,"hours":1.5}`,
		"purchases":        `{"category":"other","amount":%d,"currency":"EUR","kgCO2ePerUnit":0.123,"factorSource":"x","evidence":[{"name":"a"}]}`,
		"attendee-travel":  `{"to":"Brighton, GB","origins":[{"place":"Leeds","mode":"rail","people":%d}]}`,
		"custom":           `{"kgCO2e":%d,"description":"x","evidence":[{"name":"a"}]}`,
	}
	for _, typ := range footprint.Types() {
		body, ok := bodies[typ]
		if !ok {
			body = scaled(t, typ)
		}
		body = strings.ReplaceAll(body, "%d.125", "%d")
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				massOf := func(n int64) footprint.Mass {
					return contributed(t, typ, fmt.Sprintf(body, n), london).Total()
				}
				k, unit := rapid.Int64Range(2, 1000).Draw(t, "k"), rapid.Int64Range(1, 10).Draw(t, "unit")
				once := massOf(unit)
				var want footprint.Mass
				for range k {
					want = want.Add(once)
				}
				diff := massOf(unit * k).Sub(want)
				if limit := footprint.MassOf(4 * 500 * (k + 1)); diff.Cmp(limit) > 0 || diff.Neg().Cmp(limit) > 0 {
					t.Fatalf("%d times %s is off by %s µg", k, once, diff)
				}
				other := rapid.Int64Range(1, 500).Draw(t, "other")
				diff = massOf(unit).Add(massOf(other)).Sub(massOf(unit + other))
				if limit := footprint.MassOf(4 * 1500); diff.Cmp(limit) > 0 || diff.Neg().Cmp(limit) > 0 {
					t.Fatalf("%d and %d apart differ from together by %s µg", unit, other, diff)
				}
			})
		})
	}
}

// TestClassesRise asserts that a better class never has a smaller footprint.
func TestClassesRise(t *testing.T) {
	t.Parallel()
	rising := func(typ, format string, values ...string) {
		var before footprint.Mass
		for _, v := range values {
			sum := contributed(t, typ, fmt.Sprintf(format, v), london).Total()
			if sum.Cmp(before) < 0 {
				t.Errorf("%s %s of %v is %s", typ, v, values, sum.Kilograms())
			}
			before = sum
		}
	}
	// Short-haul flights have two published classes; others count as average.
	rising("flights", `{"from":"LHR","to":"CDG","passengers":1,"class":%q}`, "economy", "average", "business")
	rising("flights", `{"from":"LHR","to":"JFK","passengers":1,"class":%q}`, "economy", "premium_economy", "business", "first")
	rising("flights", `{"from":"CDG","to":"JFK","passengers":1,"class":%q}`, "economy", "premium_economy", "business", "first")
	for _, fuel := range []string{"petrol", "diesel", "hybrid", "plug_in_hybrid", "battery_electric"} {
		rising("ground-transport", `{"mode":"car","fuel":"`+fuel+`","distanceKm":10,"vehicles":1,"size":%q}`, "small", "medium", "large")
	}
	rising("ground-transport", `{"mode":"taxi","distanceKm":10,"vehicles":1,"size":%q}`, "regular", "black_cab")
	rising("freight", `{"mode":"road","weightKg":1,"distanceKm":10,"vehicle":%q}`, "hgv_artic", "hgv", "hgv_rigid", "van")
	rising("catering", `{"meals":1,"diet":%q}`, "vegan", "vegetarian", "white_meat", "fish", "red_meat")
}
