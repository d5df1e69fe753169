package fairshare

import "sync"

// Budget limits bytes in use, in total and per key.
type Budget struct {
	total, share int
	mu           sync.Mutex
	used         int
	by           map[string]int
}

// NewBudget returns a budget of total bytes, of which one key may use share.
func NewBudget(total, share int) *Budget {
	return &Budget{total: total, share: share, by: map[string]int{}}
}

// Take reserves n bytes and reports whether they were available.
func (b *Budget) Take(key string, n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > b.total || b.by[key]+n > b.share {
		return false
	}
	b.used += n
	b.by[key] += n
	return true
}

// Put releases reserved bytes.
func (b *Budget) Put(key string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.by[key] -= n; b.by[key] <= 0 {
		delete(b.by, key)
	}
}
