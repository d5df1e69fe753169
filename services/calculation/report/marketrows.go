package report

import (
	"regexp"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/bundle"
	"github.com/eventcarbon/ecf/libs/footprint"
)

// residualRow is the row of a residual mix in the notice that it was used.
var residualRow = regexp.MustCompile(`\bcounts with (\S+) in the market-based figure`)

// factorsOf returns the rows of the bundle, which lines use, and those that only the market-based figure uses: it is
// no line, but its residual mixes and contracts are figures whose source a reader looks for too. They are those of the
// records that the page shows.
func factorsOf(d Data, shown []bundle.Record) []bundle.Factor {
	out := slices.Clone(d.Factors)
	if d.Result.MarketBased == nil {
		return out
	}
	add := func(f bundle.Factor) {
		if !slices.ContainsFunc(out, func(o bundle.Factor) bool { return o.ID == f.ID }) {
			out = append(out, f)
		}
	}
	set, err := d.Context.Set()
	for _, r := range shown {
		if f := footprint.SupplierFactorOf(r.Type, r.Fields); f != nil {
			add(bundle.FactorOf(f.Row()))
		}
		for _, n := range r.Notices {
			m := residualRow.FindStringSubmatch(n.Message)
			if n.Code != footprint.NoticeResidualMix || m == nil || err != nil {
				continue
			}
			if f, ok := set.Factor(m[1]); ok {
				add(bundle.FactorOf(f))
			}
		}
	}
	slices.SortFunc(out, func(a, b bundle.Factor) int { return strings.Compare(a.ID, b.ID) })
	return out
}
