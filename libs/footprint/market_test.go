package footprint_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestMarketBasedByHand verifies the dual report of electricity by engine 2.0.0: purchased and hired separately, the
// same boundary on both sides.
func TestMarketBasedByHand(t *testing.T) {
	t.Parallel()
	const evidence = `,"evidence":[{"name":"certificates"}]`
	for _, c := range []struct {
		name    string
		records [][2]string
		// kg by location and by contract, of scope 2 and of scope 3, and the dual
		// report of scope 2
		own, hired, dual [2]string
		upstream         string
	}{
		// 18,000 kWh × 0.13096; losses and supply 0.03682 + 0.01299 + 0.00359.
		{"no contract", [][2]string{{"venue", `{"electricityKWh":18000}`}},
			[2]string{"0.000000", "0.000000"}, [2]string{"2357.280000", "2357.280000"}, [2]string{"0.000000", "0.000000"}, "961.200000"},
		// Own 1,000 kWh with certificates, hired 1,000 kWh without.
		{"own covered, hired not", [][2]string{{"venue", `{"electricityKWh":1000,"control":"own","renewablePercent":100` + evidence + `}`}, {"venue", `{"electricityKWh":1000}`}},
			[2]string{"130.960000", "0.000000"}, [2]string{"130.960000", "130.960000"}, [2]string{"130.960000", "0.000000"}, "106.800000"},
		// A temporary supply, half of it covered; own heat is in both: 100 × 0.17529.
		{"energy, and heat", [][2]string{{"energy", `{"source":"grid","energyKWh":1000,"control":"own","renewablePercent":50` + evidence + `}`}, {"venue", `{"heatKWh":100,"control":"own"}`}},
			[2]string{"130.960000", "65.480000"}, [2]string{"0.000000", "0.000000"}, [2]string{"148.489000", "83.009000"}, "53.400000"},
		// Without evidence nothing counts as covered.
		{"no evidence", [][2]string{{"energy", `{"source":"grid","energyKWh":1000,"control":"own","renewablePercent":50}`}},
			[2]string{"130.960000", "130.960000"}, [2]string{"0.000000", "0.000000"}, [2]string{"130.960000", "130.960000"}, "53.400000"},
		// Germany has a residual mix, 0.72456.
		{"residual mix", [][2]string{{"venue", `{"electricityKWh":1000,"control":"own","country":"DE"}`}},
			[2]string{"329.000000", "724.560000"}, [2]string{"0.000000", "0.000000"}, [2]string{"329.000000", "724.560000"}, "0.000000"},
	} {
		var sum total.Contribution
		for _, r := range c.records {
			e := evaluate(t, r[0], r[1], second)
			sum = sum.Add(total.Of(&e))
		}
		m := sum.Breakdown(second).MarketBased
		for what, pair := range map[string]struct {
			got  total.DualScope
			want [2]string
		}{"own": {m.ByScope.Scope2, c.own}, "hired": {m.ByScope.Scope3, c.hired}, "scope 2": {*m.Scope2, c.dual}} {
			if got := [2]string{pair.got.LocationKg.Kilograms(), pair.got.MarketKg.Kilograms()}; got != pair.want {
				t.Errorf("%s, %s: %v, want %v", c.name, what, got, pair.want)
			}
		}
		if got := m.UpstreamKg.Kilograms(); got != c.upstream {
			t.Errorf("%s: upstream %s, want %s", c.name, got, c.upstream)
		}
		var stored total.Contribution
		if err := stored.UnmarshalJSON([]byte(encoded(t, sum))); err != nil || encoded(t, stored.Breakdown(second)) != encoded(t, sum.Breakdown(second)) {
			t.Errorf("%s: what was stored differs: %v", c.name, err)
		}
	}
	e := evaluate(t, "energy", `{"source":"grid","energyKWh":1000,"renewablePercent":50`+evidence+`}`, london)
	if !has(e.Notices, footprint.NoticeInputNotUsed) || e.Market.Covered.Sign() != 0 || !e.Market.Own.Location.IsZero() {
		t.Errorf("engine 1.2.0: %+v, %v", e.Market, e.Notices)
	}
}
