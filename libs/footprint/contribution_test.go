package footprint_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

func drawContext(t *rapid.T) footprint.EventContext {
	ev := london
	ev.RadiativeForcing = rapid.Bool().Draw(t, "radiative forcing")
	ev.GWP = rapid.SampledFrom([]string{"published", "AR6"}).Draw(t, "gwp")
	ev.Engine = rapid.SampledFrom([]string{"", footprint.Engine2}).Draw(t, "engine")
	return ev
}

func drawParts(t *rapid.T, ev footprint.EventContext) []total.Contribution {
	n := rapid.IntRange(1, 12).Draw(t, "records")
	parts := make([]total.Contribution, n)
	for i := range parts {
		typ, body := drawRecord(t)
		d, err := footprint.Decode(typ, []byte(body), ev)
		if err != nil {
			t.Fatalf("%s %s: %s", typ, body, describe(err))
		}
		e, err := footprint.Evaluate(typ, d.Fields, ev)
		if err != nil {
			t.Fatalf("%s %s: %s", typ, body, describe(err))
		}
		parts[i] = total.Of(&e)
	}
	return parts
}

func encoded(t interface{ Fatal(...any) }, v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSumsDoNotDependOnOrder adds the same records in any order and grouping.
func TestSumsDoNotDependOnOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ev := drawContext(t)
		parts := drawParts(t, ev)
		before := encoded(t, parts)
		want := encoded(t, total.Sum(parts...))
		seed := rapid.Uint64().Draw(t, "seed")
		random := rand.New(rand.NewPCG(seed, 1))
		for range 3 {
			list := slices.Clone(parts)
			// Merge two at random until one is left.
			for len(list) > 1 {
				random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
				joined := list[0].Add(list[1])
				if random.IntN(2) == 0 { // through storage
					var back total.Contribution
					if err := json.Unmarshal([]byte(encoded(t, joined)), &back); err != nil {
						t.Fatal(err)
					}
					joined = back
				}
				list = append(list[2:], joined)
			}
			if got := encoded(t, list[0]); got != want {
				t.Fatalf("got  %s\nwant %s", got, want)
			}
		}
		if encoded(t, parts) != before {
			t.Fatal("adding changed what was added")
		}
		if got := total.Sum(append(parts, total.Contribution{})...); encoded(t, got) != want {
			t.Fatal("adding nothing changed the sum")
		}
	})
}

// TestPartsEqualTotals reads a result as a client does: the decimals that are
// served add up to the last digit in every breakdown.
func TestPartsEqualTotals(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ev := drawContext(t)
		parts := drawParts(t, ev)
		sum := total.Sum(parts...)
		var served struct {
			Total           struct{ KgCO2e, Low, High footprint.Mass }
			ByType, ByGroup []struct {
				Records           int64
				KgCO2e, Low, High footprint.Mass
			}
			ByScope                   struct{ Scope1, Scope2, Scope3 footprint.Mass }
			ByScope3Category          []struct{ KgCO2e footprint.Mass }
			ByStage                   struct{ Direct, Upstream, Combined footprint.Mass }
			ByGas                     struct{ CO2, CH4, N2O, AviationNonCO2, Unsplit footprint.Mass }
			ExcludingAttendeeTravelKg footprint.Mass
			ExtrapolatedKg            footprint.Mass
			DataQuality               map[string]json.Number
		}
		text := encoded(t, sum.Breakdown(ev))
		if err := json.Unmarshal([]byte(text), &served); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		whole := served.Total.KgCO2e
		if whole != sum.Total() {
			t.Fatalf("the total %s is served as %s", sum.Total(), whole)
		}
		equal := func(what string, parts ...footprint.Mass) {
			var m footprint.Mass
			for _, p := range parts {
				m = m.Add(p)
			}
			if m != whole {
				t.Fatalf("%s add up to %s, the total is %s", what, m, whole)
			}
		}
		var byType, byGroup []footprint.Mass
		var records, grouped int64
		for _, p := range served.ByType {
			byType = append(byType, p.KgCO2e)
			records += p.Records
			if p.Low.Cmp(p.KgCO2e) > 0 || p.High.Cmp(p.KgCO2e) < 0 || p.Low.Sign() < 0 {
				t.Fatalf("the interval of %+v", p)
			}
		}
		for _, p := range served.ByGroup {
			byGroup = append(byGroup, p.KgCO2e)
			grouped += p.Records
		}
		equal("types", byType...)
		equal("groups", byGroup...)
		equal("scopes", served.ByScope.Scope1, served.ByScope.Scope2, served.ByScope.Scope3)
		equal("stages", served.ByStage.Direct, served.ByStage.Upstream, served.ByStage.Combined)
		equal("gases", served.ByGas.CO2, served.ByGas.CH4, served.ByGas.N2O, served.ByGas.AviationNonCO2, served.ByGas.Unsplit)
		var categories footprint.Mass
		for _, p := range served.ByScope3Category {
			categories = categories.Add(p.KgCO2e)
		}
		if categories != served.ByScope.Scope3 {
			t.Fatalf("categories are %s, scope 3 is %s", categories, served.ByScope.Scope3)
		}
		if records != int64(len(parts)) || grouped != records || sum.Records() != records {
			t.Fatalf("%d records by type, %d by group, %d in all", records, grouped, len(parts))
		}
		if served.ExtrapolatedKg.Cmp(whole) > 0 || served.ExcludingAttendeeTravelKg.Cmp(whole) > 0 || served.Total.Low.Cmp(whole) > 0 || served.Total.High.Cmp(whole) < 0 {
			t.Fatalf("served %s", text)
		}
		if whole.Sign() > 0 {
			var shares footprint.Mass
			for _, s := range served.DataQuality {
				var m footprint.Mass
				if err := m.UnmarshalJSON([]byte(s)); err != nil {
					t.Fatal(err)
				}
				shares = shares.Add(m)
			}
			if shares.Kilograms() != "1.000000" {
				t.Fatalf("shares of quality add up to %s", shares.Kilograms())
			}
		}
	})
}

// TestLinear multiplies the passengers: the total is proportional, except for rounding each line to a milligram.
func TestLinear(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.Int64Range(2, 1000).Draw(t, "k")
		unit := rapid.Int64Range(1, 10).Draw(t, "passengers")
		massOf := func(n int64) footprint.Mass {
			d, err := footprint.Decode("flights", fmt.Appendf(nil, `{"from":"LHR","to":"SYD","via":["SIN"],"passengers":%d}`, n), london)
			if err != nil {
				t.Fatal(err)
			}
			e, err := footprint.Evaluate("flights", d.Fields, london)
			if err != nil {
				t.Fatal(err)
			}
			return total.Of(&e).Total()
		}
		var want footprint.Mass
		once := massOf(unit)
		for range k {
			want = want.Add(once)
		}
		diff := massOf(unit * k).Sub(want)
		if limit := footprint.MassOf(4 * 500 * (k + 1)); diff.Cmp(limit) > 0 || diff.Neg().Cmp(limit) > 0 {
			t.Fatalf("%d times %s is off by %s µg", k, once, diff)
		}
	})
}

// TestSummerIsTheSumOfEvaluations adds records both ways.
func TestSummerIsTheSumOfEvaluations(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		ev := drawContext(t)
		s, err := total.NewSummer(ev)
		if err != nil {
			t.Fatal(err)
		}
		var parts []total.Contribution
		for range rapid.IntRange(0, 12).Draw(t, "records") {
			typ, body := drawRecord(t)
			d, err := footprint.Decode(typ, []byte(body), ev)
			if err != nil {
				t.Fatal(err)
			}
			e, err := footprint.Evaluate(typ, d.Fields, ev)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Add(typ, d.Fields); err != nil {
				t.Fatal(err)
			}
			parts = append(parts, total.Of(&e))
		}
		if got, want := encoded(t, s.Contribution()), encoded(t, total.Sum(parts...)); got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
	s, err := total.NewSummer(london)
	if err != nil {
		t.Fatal(err)
	}
	// A record without a factor adds nothing.
	if err := s.Add("accommodation", json.RawMessage(`{"country":"ZZ","nights":1,"rooms":1}`)); err != nil {
		t.Error(err) // the world median serves
	}
	if s.Add("waste", json.RawMessage(`{"treatment":"reuse","weightKg":1}`)) == nil || s.Add("review", nil) == nil || s.Add("waste", json.RawMessage(`[]`)) == nil {
		t.Error("a record without a figure was added")
	}
	if n := s.Contribution().Records(); n != 1 {
		t.Errorf("%d records were added", n)
	}
	ev := london
	ev.FactorSet = "desnz-1999"
	if _, err := total.NewSummer(ev); err == nil {
		t.Error("an unknown factor set was taken")
	}
}

func TestContributionRefusesOtherText(t *testing.T) {
	t.Parallel()
	good := encoded(t, contributed(t, "venue", `{"electricityKWh":1000,"renewablePercent":10}`, london))
	for _, bad := range []string{
		`[]`, `{"records":1,"total":"5"}`, `{"records":"x","total":"0"}`, `{"total":"0","cells":["a"]}`, `{"total":"0","counts":["a|b|c"]}`,
		`{"total":"0","notices":["a|1"]}`, `{"total":"0","gases":"x"}`, `{"total":"0","gases":"0|0|0|0|0|0"}`, strings.Replace(good, `"184360000000"`, `"1"`, 1), good[:len(good)-1],
		`{"total":"0","cells":["a|b|c|d|3|e|1.5|0|0"]}`, `{"total":"0","cells":["a|b|c|d|3|e|0|0|0|0"]}`,
		`{"total":"0","cells":["b|b|c|d|3|e|0|0|0","a|b|c|d|3|e|0|0|0"]}`, `{"total":"0","counts":["a|b|1","a|b|1"]}`,
	} {
		var c total.Contribution
		if err := json.Unmarshal([]byte(bad), &c); err == nil {
			t.Errorf("%s was read", bad)
		}
	}
	var c total.Contribution
	if err := json.Unmarshal([]byte(good), &c); err != nil || encoded(t, c) != good {
		t.Errorf("%v: %s", err, encoded(t, c))
	}
	if got := encoded(t, total.Contribution{}); got != `{"engine":"`+footprint.EngineVersion+`","records":0,"total":"0"}` {
		t.Errorf("nothing is %s", got)
	}
}

// TestContributionOfAnOlderEngine: it can be read, and is not accepted as one of this engine.
func TestContributionOfAnOlderEngine(t *testing.T) {
	t.Parallel()
	own := contributed(t, "venue", `{"electricityKWh":1000}`, london)
	text := encoded(t, own)
	stamp := `"engine":"` + footprint.EngineVersion + `",`
	if !strings.HasPrefix(text, "{"+stamp) || !total.OfThisEngine([]byte(text)) {
		t.Fatalf("ours: %s", text)
	}
	for _, older := range []string{strings.Replace(text, stamp, "", 1), strings.Replace(text, stamp, `"engine":"1.2.00",`, 1), strings.Replace(text, stamp, `"engine":"1.1.9",`, 1)} {
		var c total.Contribution
		if err := json.Unmarshal([]byte(older), &c); err != nil || c.Total() != own.Total() || encoded(t, c) != text {
			t.Errorf("%s: %v", older, err)
		}
		if total.OfThisEngine([]byte(older)) {
			t.Errorf("taken for ours: %s", older)
		}
	}
	if total.OfThisEngine(nil) {
		t.Error("nothing is ours")
	}
}

// FuzzContribution checks that every valid input has one encoding.
func FuzzContribution(f *testing.F) {
	f.Add([]byte(`{"records":0,"total":"0"}`))
	f.Add([]byte(`{"records":1,"total":"10","counts":["a|b|1"],"cells":["a|b|c|d|3|e|5|1|2","a|b|c|e|3|e|5|1|2"],"gases":"1|1|1|1|1","notices":["X|1|5"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c, d total.Contribution
		if json.Unmarshal(text, &c) != nil {
			return
		}
		once, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(once, &d); err != nil {
			t.Fatalf("%s: %v", once, err)
		}
		if twice, err := json.Marshal(d); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s became %s", once, twice)
		}
	})
}
