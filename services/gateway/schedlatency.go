package gateway

import (
	"runtime/metrics"
	"time"
)

// lag measures the scheduling latency: how long runnable goroutines wait for a
// processor. A request waits this long before the program sees it, so its own duration
// does not include that queue.
type lag struct {
	sample []metrics.Sample
	before []uint64
}

func newLag() *lag {
	return &lag{sample: []metrics.Sample{{Name: "/sched/latencies:seconds"}}}
}

// ofMost returns the 90th percentile of the latencies since the previous call.
func (l *lag) ofMost() time.Duration {
	metrics.Read(l.sample)
	if l.sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0 // not supported by this runtime
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
