package bundle

import (
	"maps"
	"slices"
	"strings"

	"github.com/eventcarbon/ecf/libs/factors"
)

// rows are the rows of factors that records use.
type rows struct {
	used      map[string]bool
	suppliers map[string]factors.Factor
	// consulted are those of the set of a pack that were looked up, by their place.
	consulted map[int]factors.Factor
}

// add adds the rows that other records use.
func (r rows) add(o rows) {
	maps.Copy(r.used, o.used)
	maps.Copy(r.suppliers, o.suppliers)
	maps.Copy(r.consulted, o.consulted)
}

// ofPack returns the rows that were looked up, in the order of the set.
func (r rows) ofPack() (out []factors.Factor) {
	for _, i := range slices.Sorted(maps.Keys(r.consulted)) {
		out = append(out, r.consulted[i])
	}
	return out
}

// factors returns the rows in the order of their ids; all is that of rowsOf.
func (r rows) factors(set *factors.Set, all bool) []Factor {
	out := append([]Factor{}, rowsOf(set, r.used, all)...)
	for id, f := range r.suppliers {
		if r.used[id] {
			out = append(out, FactorOf(f))
		}
	}
	slices.SortFunc(out, func(a, b Factor) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// rowsOf returns the used rows of a set and, with all, also those of the other tables: other editions, the
// supplement, corrections.
func rowsOf(set *factors.Set, used map[string]bool, all bool) (rows []Factor) {
	if !all {
		for _, f := range set.Factors() {
			if used[f.ID] {
				rows = append(rows, FactorOf(f))
			}
		}
		return rows
	}
	for id := range used {
		if f, ok := set.Factor(id); ok {
			rows = append(rows, FactorOf(f))
		}
	}
	return rows
}
