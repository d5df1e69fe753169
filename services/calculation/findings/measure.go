package findings

import (
	"cmp"
	"slices"

	"github.com/eventcarbon/ecf/libs/footprint/total"
	"github.com/eventcarbon/ecf/libs/record"
)

// MaxMeasure is how many records are named to be measured next.
const MaxMeasure = 10

// ToMeasure is a record that contributes much to how uncertain the total is: a
// measured figure in its place narrows the interval most.
type ToMeasure struct {
	ID   record.ID `json:"recordId"`
	Type string    `json:"type"`
	total.Interval
	// Share is that of the variance of the total.
	Share total.VarianceShare `json:"varianceShare"`
}

// MeasureNext names the records with the largest shares of the variance of all
// facts together, largest first. Which facts stand first does not matter:
// of equal shares the larger mass comes first, then the smaller id. A record
// with a share below a millionth is not named.
//
// The share of a record depends on all others through the factors they have in
// common, so no part of an event can tell by itself which of its records matter.
func MeasureNext(parts ...[]Fact) []ToMeasure {
	n := 0
	for _, facts := range parts {
		n += len(facts)
	}
	all := make([][]total.Deviation, 0, n)
	for _, facts := range parts {
		for i := range facts {
			all = append(all, facts[i].Deviations)
		}
	}
	shares := total.VarianceOf(all...).Shares()
	type ranked struct {
		*Fact
		total.VarianceShare
	}
	compare := func(a, b ranked) int {
		return cmp.Or(b.VarianceShare.Cmp(a.VarianceShare), b.Mass.Cmp(a.Mass), cmp.Compare(a.ID, b.ID))
	}
	first := make([]ranked, 0, MaxMeasure+1)
	for _, facts := range parts {
		for i := range facts {
			share, counts := shares.Of(facts[i].Deviations)
			if !counts {
				continue // most records of a large event have hardly a share
			}
			r := ranked{&facts[i], share}
			at, _ := slices.BinarySearchFunc(first, r, compare)
			if at == MaxMeasure {
				continue
			}
			r.VarianceShare = share.Clone()
			first = slices.Insert(first, at, r)
			first = first[:min(len(first), MaxMeasure)]
		}
	}
	out := []ToMeasure{}
	for _, r := range first {
		out = append(out, ToMeasure{ID: r.ID, Type: r.Type, Interval: total.IntervalOf(r.Mass, r.Deviations), Share: r.VarianceShare})
	}
	return out
}
