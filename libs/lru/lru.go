// Package lru is a bounded cache with least-recently-used eviction. It bounds the memory that a
// flood of tokens, session ids or pages can take.
package lru

import (
	"container/list"
	"sync"
)

// Cache maps keys to values of a bounded total cost. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	mu    sync.Mutex
	limit int
	cost  func(V) int
	used  int
	order *list.List // of *entry[K, V], the most recently used first
	items map[K]*list.Element
}

type entry[K comparable, V any] struct {
	key   K
	value V
	cost  int
}

// New returns a Cache of at most size entries; size below 1 counts as 1.
func New[K comparable, V any](size int) *Cache[K, V] {
	return NewCosting[K, V](max(size, 1), func(V) int { return 1 })
}

// NewCosting returns a Cache whose values have a total cost of at most limit. A value that
// costs more than that is not stored.
func NewCosting[K comparable, V any](limit int, cost func(V) int) *Cache[K, V] {
	return &Cache[K, V]{limit: limit, cost: cost, order: list.New(), items: make(map[K]*list.Element)}
}

// Get returns the value of key and marks it as used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.items[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*entry[K, V]).value, true
}

// Put sets the value of key and evicts the least recently used keys until the total cost is
// within the limit.
func (c *Cache[K, V]) Put(key K, value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key)
	cost := c.cost(value)
	if cost > c.limit {
		return
	}
	c.items[key] = c.order.PushFront(&entry[K, V]{key, value, cost})
	for c.used += cost; c.used > c.limit; {
		c.remove(c.order.Back().Value.(*entry[K, V]).key)
	}
}

// Remove removes key.
func (c *Cache[K, V]) Remove(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(key)
}

func (c *Cache[K, V]) remove(key K) {
	if e, ok := c.items[key]; ok {
		c.order.Remove(e)
		delete(c.items, key)
		c.used -= e.Value.(*entry[K, V]).cost
	}
}

// Len returns the number of keys.
func (c *Cache[K, V]) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.order.Len()
}
