package capacity

import (
	"container/heap"
	"math"
	"math/rand/v2"
	"slices"
)

// Simulated is what a simulation found for the values that the formulas give.
type Simulated struct {
	Tasks   int
	Busy    float64 // utilization of the workers
	Wait    float64 // 95th percentile of the wait for a worker, in seconds
	Visible float64 // 95th percentile until the result, in seconds
	Uneven  float64 // 99th percentile of the largest shard relative to the mean
}

// draws is how often organizations are assigned to shards.
const draws = 400

// Simulate simulates the busiest hour, task by task, with service times from the
// measured distribution, and assigns organizations to shards. It is deterministic for a
// seed.
func Simulate(c Curve, p Plan, seed uint64) (Simulated, error) {
	approve, err := c.At(Approve, p.Workload.Records)
	if err != nil {
		return Simulated{}, err
	}
	r := rand.New(rand.NewPCG(seed, seed))
	var s Simulated
	mean := approve.mean()
	free := make(times, p.Workers) // when each worker is free again
	var waits, visible []float64
	worked, now := 0.0, 0.0
	for now < hour {
		now += r.ExpFloat64() / p.Approvals
		began := max(now, free[0])
		takes := approve.draw(r.Float64()) / mean * p.Service
		worked += takes
		free[0] = began + takes
		heap.Fix(&free, 0)
		waits, visible = append(waits, began-now), append(visible, began+takes-now)
	}
	s.Tasks, s.Busy = len(waits), worked/(now*float64(p.Workers))
	s.Wait, s.Visible = at(waits, 0.95), at(visible, 0.95)
	largest := make([]float64, draws)
	for i := range largest {
		largest[i] = deal(r, p)
	}
	s.Uneven = at(largest, 0.99)
	return s, nil
}

// deal returns the load of the largest shard relative to the mean.
func deal(r *rand.Rand, p Plan) float64 {
	shards := make([]float64, p.Storage.Shards)
	all := 0.0
	for range p.Workload.Organizations {
		load := math.Exp(p.Workload.Spread * r.NormFloat64())
		shards[r.IntN(p.Storage.Shards)] += load
		all += load
	}
	return slices.Max(shards) / all * float64(p.Storage.Shards)
}

// draw returns the quantile u of the measured distribution.
func (p Point) draw(u float64) float64 {
	place := u * float64(len(p.Quantiles)-1)
	i := min(int(place), len(p.Quantiles)-2)
	return p.Quantiles[i] + (place-float64(i))*(p.Quantiles[i+1]-p.Quantiles[i])
}

func (p Point) mean() (mean float64) {
	for i := range len(p.Quantiles) - 1 {
		mean += (p.Quantiles[i] + p.Quantiles[i+1]) / 2
	}
	return mean / float64(len(p.Quantiles)-1)
}

func at(all []float64, part float64) float64 {
	slices.Sort(all)
	return all[min(len(all)-1, int(part*float64(len(all))))]
}

// times is a min-heap.
type times []float64

func (t times) Len() int           { return len(t) }
func (t times) Less(i, j int) bool { return t[i] < t[j] }
func (t times) Swap(i, j int)      { t[i], t[j] = t[j], t[i] }
func (t *times) Push(any)          {}
func (t *times) Pop() any          { return nil }
