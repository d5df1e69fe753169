package gateway

import (
	"runtime/metrics"
	"time"
)

// lag tells how long what could go on has waited for a processor. A request waits so before
// the program sees it at all: no clock that begins with the request shows that queue.
type lag struct {
	sample []metrics.Sample
	before []uint64
}

func newLag() *lag {
	return &lag{sample: []metrics.Sample{{Name: "/sched/latencies:seconds"}}}
}

// ofMost returns what nine of ten waits since the last call did not exceed.
func (l *lag) ofMost() time.Duration {
	metrics.Read(l.sample)
	if l.sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0 // this runtime does not tell
	}
	h := l.sample[0].Value.Float64Histogram()
	if l.before == nil {
		l.before = make([]uint64, len(h.Counts))
	}
	all := uint64(0)
	for i, n := range h.Counts {
		n, l.before[i] = n-l.before[i], n
		h.Counts[i] = n // the histogram is a copy
		all += n
	}
	seen := uint64(0)
	for i, n := range h.Counts {
		if seen += n; n > 0 && 10*seen >= 9*all {
			return time.Duration(max(0, h.Buckets[i]) * float64(time.Second))
		}
	}
	return 0
}
