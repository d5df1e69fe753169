package total

import (
	"math/big"

	"github.com/eventcarbon/ecf/libs/footprint"
	"github.com/eventcarbon/ecf/libs/lru"
)

// mostIntervals is the size of the cache; an interval takes some 500 bytes. A result has about 25.
const mostIntervals = 8192

// intervals caches intervals by their inputs. Sums are read far more often than they change, and a change affects the
// moments of few parts of one.
var intervals = lru.New[string, Interval](mostIntervals)

// interval returns the interval of a sum with the expected value m.
func (o own) interval(m footprint.Mass) Interval {
	key := o.key(m)
	i, ok := intervals.Get(key)
	if !ok {
		i = o.makeInterval(m)
		intervals.Put(key, i)
	}
	return i
}

// key encodes all inputs of an interval.
func (o own) key(m footprint.Mass) string {
	b := make([]byte, 0, 512)
	add := func(numbers ...*big.Int) {
		for _, n := range numbers {
			b = append(ownOf(n).Append(b, 32), '|')
		}
	}
	add(m.Big(), o.Variance, o.Third)
	for _, w := range o.Wide {
		add(w.Mass.Big(), w.Variance, w.Third)
	}
	return string(b)
}
