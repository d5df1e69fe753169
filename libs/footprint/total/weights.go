package total

import (
	"math/big"
	"sync"

	"github.com/eventcarbon/ecf/libs/footprint/fixed"
)

// weights caches immutable numbers that depend only on variances. Scores have a few thousand combinations; surveys
// any number, so the cache is bounded.
type weights[K comparable] struct {
	mu sync.RWMutex
	by map[K]*big.Int
}

const maxWeights = 10_000

func (w *weights[K]) of(key K, work func() *big.Int) *big.Int {
	w.mu.RLock()
	n := w.by[key]
	w.mu.RUnlock()
	if n != nil {
		return n
	}
	n = work()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.by == nil {
		w.by = map[K]*big.Int{}
	}
	if len(w.by) < maxWeights {
		w.by[key] = n
	}
	return n
}

var (
	exponentials weights[int64]
	skews        weights[[3]int64]
	pairs        weights[sharedDoubt]
	triples      weights[[3]sharedDoubt]
)

// exponential returns exp(v) of a variance in billionths.
func exponential(billionths int64) *big.Int {
	return exponentials.of(billionths, func() *big.Int {
		return fixed.Exp(new(big.Int).Mul(big.NewInt(billionths), fixed.Pow10(15)))
	})
}
