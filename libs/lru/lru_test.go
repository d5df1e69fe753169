package lru

import (
	"sync"
	"testing"
)

func TestCacheForgetsTheLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	c := New[string, int](2)
	c.Put("a", 1)
	c.Put("b", 2)
	if _, ok := c.Get("a"); !ok {
		t.Fatal("a was forgotten before the cache was full")
	}
	c.Put("c", 3)
	if _, ok := c.Get("b"); ok {
		t.Error("b is still there though a was used after it")
	}
	if v, ok := c.Get("a"); !ok || v != 1 {
		t.Errorf("a = %d, %v", v, ok)
	}
	c.Put("a", 9)
	if v, _ := c.Get("a"); v != 9 || c.Len() != 2 {
		t.Errorf("a = %d, len %d, want 9 and 2", v, c.Len())
	}
	c.Remove("a")
	c.Remove("never there")
	if _, ok := c.Get("a"); ok || c.Len() != 1 {
		t.Error("a is there after Remove")
	}
}

func TestCacheUnderConcurrentUse(t *testing.T) {
	t.Parallel()
	c := New[int, int](16)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 500 {
				c.Put(i%40, w)
				c.Get(i % 7)
				c.Remove(i % 11)
			}
		})
	}
	wg.Wait()
	if c.Len() > 16 {
		t.Errorf("len %d exceeds the bound", c.Len())
	}
}

func TestCostingCacheIsBounded(t *testing.T) {
	t.Parallel()
	c := NewCosting[string](10, func(s string) int { return len(s) })
	c.Put("a", "12345")
	c.Put("b", "12345")
	c.Put("c", "1")
	if _, ok := c.Get("a"); ok || c.Len() != 2 {
		t.Errorf("a is still there: %v, %d kept", ok, c.Len())
	}
	c.Put("b", "12345678901")
	if _, ok := c.Get("b"); ok || c.Len() != 1 {
		t.Errorf("what costs more than all is kept: %v, %d kept", ok, c.Len())
	}
	c.Put("d", "123456789")
	if _, ok := c.Get("c"); !ok || c.Len() != 2 {
		t.Errorf("c was forgotten with room for it: %d kept", c.Len())
	}
}
