package fairshare_test

import (
	"testing"

	"github.com/eventcarbon/ecf/libs/fairshare"
)

// TestBudget verifies the limits in total and per key, and that released bytes are available
// again.
func TestBudget(t *testing.T) {
	t.Parallel()
	b := fairshare.NewBudget(100, 60)
	for i, step := range []struct {
		who  string
		n    int
		want bool
	}{
		{"a", 40, true}, {"a", 21, false}, {"a", 20, true}, {"b", 41, false}, {"b", 40, true}, {"c", 1, false},
		{"a", -40, true}, {"c", 40, true}, {"a", -20, true}, {"b", -40, true}, {"c", -40, true},
	} {
		if step.n < 0 {
			b.Put(step.who, -step.n)
			continue
		}
		if got := b.Take(step.who, step.n); got != step.want {
			t.Errorf("step %d: %s takes %d: %t, want %t", i, step.who, step.n, got, step.want)
		}
	}
	if !b.Take("d", 60) || !b.Take("e", 40) {
		t.Error("bytes are never returned")
	}
}
