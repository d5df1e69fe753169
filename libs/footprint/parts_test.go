package footprint_test

import (
	"encoding/json"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/footprint/total"
)

// TestIntervalsOfScopesAndStages: the interval of a scope or stage is that of a sum of records with only its lines,
// however the sum was made and stored.
func TestIntervalsOfScopesAndStages(t *testing.T) {
	t.Parallel()
	several := 0
	rapid.Check(t, func(t *rapid.T) {
		var records []footprint.Evaluation
		var parts []total.Contribution
		var sum total.Contribution
		for range rapid.IntRange(3, 8).Draw(t, "records") {
			typ, body := drawRecord(t)
			e := evaluate(t, typ, body, newest)
			records = append(records, e)
			parts = append(parts, total.Of(&e))
			sum = sum.Add(total.Of(&e))
		}
		if encoded(t, total.Sum(parts...)) != encoded(t, sum) {
			t.Fatal("the sum depends on how it is made")
		}
		var stored total.Contribution
		if err := json.Unmarshal([]byte(encoded(t, sum)), &stored); err != nil {
			t.Fatal(err)
		}
		b := stored.Breakdown(newest)
		scopes, stages := b.ByScopeIntervals, b.ByStageIntervals
		if scopes == nil || stages == nil {
			t.Fatalf("%+v has no intervals of scopes and stages", b)
		}
		check := func(what string, got total.Bounds, mass footprint.Mass, of func(footprint.Line) bool) {
			var want total.Contribution
			for _, e := range records {
				e.Lines = slices.DeleteFunc(slices.Clone(e.Lines), func(l footprint.Line) bool { return !of(l) })
				if len(e.Lines) > 0 {
					want = want.Add(total.Of(&e))
				}
			}
			i := want.Interval()
			if i.KgCO2e != mass || i.Low != got.Low || i.High != got.High {
				t.Fatalf("%s of %s: %+v, and alone %+v", what, mass, got, i)
			}
			if i.Low != i.High && i.KgCO2e != sum.Total() {
				several++
			}
		}
		for n, s := range map[int]struct {
			bounds total.Bounds
			mass   footprint.Mass
		}{1: {scopes.Scope1, b.ByScope.Scope1}, 2: {scopes.Scope2, b.ByScope.Scope2}, 3: {scopes.Scope3, b.ByScope.Scope3}} {
			check("scope", s.bounds, s.mass, func(l footprint.Line) bool { return l.Scope == n })
		}
		for stage, s := range map[string]struct {
			bounds total.Bounds
			mass   footprint.Mass
		}{footprint.Direct: {stages.Direct, b.ByStage.Direct}, footprint.Upstream: {stages.Upstream, b.ByStage.Upstream}, footprint.Combined: {stages.Combined, b.ByStage.Combined}} {
			check(stage, s.bounds, s.mass, func(l footprint.Line) bool { return l.Stage == stage })
		}
	})
	if several == 0 {
		t.Error("no event had a scope or stage beside others")
	}
}

// TestOlderEnginesHaveNoIntervalsOfScopes: their results are unchanged.
func TestOlderEnginesHaveNoIntervalsOfScopes(t *testing.T) {
	t.Parallel()
	for _, engine := range footprint.Engines() {
		ev := london
		ev.Engine = engine
		e := evaluate(t, "flights", `{"from":"LHR","to":"JFK","passengers":2}`, ev)
		sum := total.Of(&e)
		b := sum.Breakdown(ev)
		if has := b.ByScopeIntervals != nil && b.ByStageIntervals != nil; has != (engine >= footprint.Engine5) {
			t.Errorf("engine %s: intervals of scopes and stages: %t", engine, has)
		}
	}
}
