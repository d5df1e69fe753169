package calculation_test

import (
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/eventcarbon/ecf/libs/record"
)

// number reads a member of the data as a float, which is good enough to rank by.
func (r reply) number(path ...any) float64 {
	r.t.Helper()
	n, err := strconv.ParseFloat(r.data(path...), 64)
	if err != nil {
		r.t.Fatalf("%v: %v", path, err)
	}
	return n
}

// sharesByHand returns each record's share of the variance, from the lines in explain.
func sharesByHand(a reply) map[string]float64 {
	up := func(i, j int) float64 {
		return a.number("items", i, "lines", j, "high") - a.number("items", i, "lines", j, "kgCO2e")
	}
	byFactor, whole := map[string]float64{}, 0.0
	for i := range a.count("items") {
		for j := range a.count("items", i, "lines") {
			byFactor[a.data("items", i, "lines", j, "factorId")] += up(i, j)
		}
	}
	for _, u := range byFactor {
		whole += u * u
	}
	shares := map[string]float64{}
	for i := range a.count("items") {
		for j := range a.count("items", i, "lines") {
			shares[a.data("items", i, "_id")] += up(i, j) * byFactor[a.data("items", i, "lines", j, "factorId")] / whole
		}
	}
	return shares
}

// TestMeasureNextIsServed: the list in the result and the shares in explain agree with the served lines, after any
// change.
func TestMeasureNextIsServed(t *testing.T) {
	t.Parallel()
	s := start(t)
	all := conference(s)
	// Lines of one factor are correlated: together they count for more than separately.
	for i := range 6 {
		all = append(all, s.add("flights", fmt.Sprintf(`{"from":"LHR","to":"JFK","passengers":%d,"class":"economy","group":"staff"}`, 4+i), record.Approved))
	}
	s.settle()
	check := func(records int) reply {
		t.Helper()
		result, explained := s.of("").want(http.StatusOK), s.of("/explain?limit=100").want(http.StatusOK)
		shares := sharesByHand(explained)
		if len(shares) != records {
			t.Fatalf("%d records explained, want %d", len(shares), records)
		}
		sum := 0.0
		for i := range explained.count("items") {
			share := explained.number("items", i, "varianceShare")
			if want := shares[explained.data("items", i, "_id")]; share > want+1e-6 || share < want-2e-6 {
				t.Errorf("explain says %v of %s, by hand it is %v", share, explained.data("items", i, "_id"), want)
			}
			sum += share
		}
		if sum > 1+1e-12 || sum < 1-1e-5 {
			t.Errorf("the shares are %v together", sum)
		}
		var ranked []string
		for id, share := range shares {
			if share >= 1e-6 {
				ranked = append(ranked, id)
			}
		}
		slices.SortFunc(ranked, func(a, b string) int { return int(math.Copysign(1, shares[b]-shares[a])) })
		ranked = ranked[:min(len(ranked), 10)]
		var listed []string
		for i := range result.count("measureNext") {
			id := result.data("measureNext", i, "recordId")
			listed = append(listed, id)
			at := slices.IndexFunc(all, func(r record.Record) bool { return string(r.ID) == id })
			if share := result.number("measureNext", i, "varianceShare"); math.Abs(share-shares[id]) > 2e-6 || result.data("measureNext", i, "type") != all[at].Type {
				t.Errorf("entry %d: %s", i, result.data("measureNext", i))
			}
			for j := range explained.count("items") {
				if explained.data("items", j, "_id") != id {
					continue
				}
				for _, member := range []string{"kgCO2e", "low", "high"} {
					if got, want := result.data("measureNext", i, member), explained.data("items", j, member); got != want {
						t.Errorf("entry %d: %s is %s, explained as %s", i, member, got, want)
					}
				}
			}
		}
		if !slices.Equal(listed, ranked) {
			t.Errorf("listed %v, by hand %v", listed, ranked)
		}
		return result
	}
	first := check(14)
	if first.count("measureNext") != 10 || first.data("measureNext", 0, "recordId") != string(all[0].ID) {
		t.Errorf("%s", first.data("measureNext"))
	}
	for i := range first.count("measureNext") {
		if first.data("measureNext", i, "recordId") == string(all[5].ID) {
			t.Error("metered electricity with evidence is to be measured")
		}
	}
	// Further requests read no record.
	before := s.records.approved.Load()
	if again := s.of("").want(http.StatusOK); again.data("measureNext") != first.data("measureNext") || s.records.approved.Load() != before {
		t.Errorf("asked again, %d records read", s.records.approved.Load()-before)
	}
	// The first of the list no longer counts; a record of another segment changes all shares.
	s.move(all[0], record.Reopen)
	s.settle()
	check(13)
	// Another method changes every interval; the stored contributions are outdated until the worker has run.
	ev, err := s.records.Event(t.Context(), org, "e1")
	if err != nil {
		t.Fatal(err)
	}
	rev := ev.Rev
	ev.Method.RadiativeForcing = false
	ev.Rev++
	ev.ContextRev++
	ev.Mark = record.NewMark(s.now())
	if err := s.records.ReplaceEvent(t.Context(), org, ev, rev); err != nil {
		t.Fatal(err)
	}
	s.settle()
	check(13)
	// It belongs to the newest result, as findings do.
	if old := s.of("/1").want(http.StatusOK); old.count("measureNext") != 0 {
		t.Errorf("of an old revision: %s", old.data("measureNext"))
	}
}
